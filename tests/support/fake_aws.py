# SPDX-License-Identifier: MIT
"""A stand-in for AWS on loopback: EC2, STS, CloudWatch, instance and task metadata, container credentials.

Written from botocore's own service models and signer, so that what it accepts is what AWS's SDK would have sent: a
request with an unknown or missing parameter, a value of the wrong kind, or a signature that botocore does not come to
is refused as AWS refuses it. Volumes live: creating, available, in-use; what is out of order is refused.

    with FakeAws(volumes=3) as aws:
        run(..., env=aws.env())
        aws.calls                   # [(action, parameters)], in order
        aws.fault("DescribeVolumes", "throttle", times=2)

Faults: throttle (503, not done), error (500 after it was done), lost (done, then no answer), cut (half an answer), html
(a proxy's page), malformed, doctype (entities), huge, slow (answers after 60 s), deny (UnauthorizedOperation), loop
(the same page for ever), stale (what was known of modifications before the last), or any AWS error code.
"""
import datetime
import hashlib
import http.server
import json
import os
import re
import ssl
import threading
import time
import urllib.parse
import xml.sax.saxutils

import botocore.auth
import botocore.awsrequest
import botocore.credentials
import botocore.handlers
import botocore.session
import botocore.validate

KEY, SECRET, TOKEN = "AKIAFAKE7EXAMPLE", "s3cr3t/Fake+Key0123456789abcdefABCDEF012", "ses/sion+tok=en=="
REGION, ZONE, INSTANCE, ACCOUNT = "eu-west-1", "eu-west-1a", "i-0fedcba9876543210", "111122223333"
XMLNS = "http://ec2.amazonaws.com/doc/2016-11-15/"
TYPES = {"gp2": (1, 16384), "gp3": (1, 65536), "io1": (4, 16384), "io2": (4, 65536), "st1": (125, 16384),
         "sc1": (125, 16384), "standard": (1, 1024)}
_session = botocore.session.get_session()
_models = {s: _session.get_service_model(s) for s in ("ec2", "sts", "cloudwatch")}
_unsigned = {h[0].split(".")[2] for h in botocore.handlers.BUILTIN_HANDLERS if h[0].startswith("choose-signer.sts.")}


class Refused(Exception):
    def __init__(self, code, message="", status=400):
        super().__init__(message)
        self.code, self.message, self.status = code, message, status


# ---- parameters by the model ----------------------------------------------------------------------------------------

def _query_name(name, member):
    s = member.serialization
    if "queryName" in s:
        return s["queryName"]
    given = s.get("name", name)
    return given[0].upper() + given[1:]


def _take(shape, prefix, flat, used):
    """The value of `shape` out of flat query parameters, or None where there is nothing of it."""
    if shape.type_name == "structure":
        out = {}
        for name, member in shape.members.items():
            value = _take(member, (prefix + "." if prefix else "") + _query_name(name, member), flat, used)
            if value is not None:
                out[name] = value
        for name in shape.required_members if out or not prefix else ():
            if name not in out:
                raise Refused("MissingParameter", "The request must contain the parameter %s" % name)
        return out or None
    if shape.type_name == "list":
        out, i = [], 1
        while any(k == "%s.%d" % (prefix, i) or k.startswith("%s.%d." % (prefix, i)) for k in flat):
            out.append(_take(shape.member, "%s.%d" % (prefix, i), flat, used))
            i += 1
        return out or None
    if prefix not in flat:
        return None
    used.add(prefix)
    text = flat[prefix]
    if shape.type_name in ("integer", "long"):
        if not re.fullmatch(r"-?\d+", text):
            raise Refused("InvalidParameterValue", "%s must be a number" % prefix)
        return int(text)
    if shape.type_name == "boolean":
        if text not in ("true", "false"):
            raise Refused("InvalidParameterValue", "%s must be true or false" % prefix)
        return text == "true"
    enum = getattr(shape, "enum", None)
    if enum and text not in enum:
        raise Refused("InvalidParameterValue", "Value (%s) for parameter %s is invalid" % (text, prefix))
    return text


def _within(shape, value, name):
    """By the model's bounds: STS says which one does not hold."""
    rules, size = shape.metadata, len(value) if isinstance(value, str) else value
    if size < rules.get("min", size) or size > rules.get("max", size) or (
            "pattern" in rules and not re.fullmatch(rules["pattern"].replace("\\u10000-\\u10FFFF", ""), value)):
        raise Refused("ValidationError", "1 validation error detected: Value at '%s' failed to satisfy constraint" % name)


def _parameters(operation, flat):
    used = set()
    out = _take(operation.input_shape, "", flat, used) or {}
    unknown = set(flat) - used - {"Action", "Version"}
    if unknown:
        raise Refused("UnknownParameter", "The parameter %s is not recognized" % sorted(unknown)[0])
    return out


def _xml(shape, name, value, out):
    if value is None:
        return
    out.append("<%s>" % name)
    if shape.type_name == "structure":
        for key, member in shape.members.items():
            if key in value:
                _xml(member, member.serialization.get("name", key), value[key], out)
    elif shape.type_name == "list":
        for item in value:
            _xml(shape.member, "item", item, out)
    elif shape.type_name == "boolean":
        out.append("true" if value else "false")
    elif shape.type_name == "timestamp":
        out.append(datetime.datetime.fromtimestamp(value, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z"))
    else:
        out.append(xml.sax.saxutils.escape(str(value)))
    out.append("</%s>" % name)


def _answer(operation, result):
    out = ['<?xml version="1.0" encoding="UTF-8"?>\n<%sResponse xmlns="%s"><requestId>r-1</requestId>' %
           (operation.name, XMLNS)]
    shape = operation.output_shape
    if shape is None:
        out.append("<return>true</return>")
    else:
        for key, member in shape.members.items():
            if key in result:
                _xml(member, member.serialization.get("name", key), result[key], out)
    out.append("</%sResponse>" % operation.name)
    return "".join(out).encode()


def _error(code, message):
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<Response><Errors><Error><Code>%s</Code><Message>%s</Message>'
            "</Error></Errors><RequestID>r-1</RequestID></Response>" %
            (code, xml.sax.saxutils.escape(message))).encode()


# ---- signatures by botocore -----------------------------------------------------------------------------------------

def check_signature(method, url, headers, body, service, region, key, secret, token, now=None):
    """Raise Refused unless the request is signed as botocore would have signed it."""
    given = headers.get("Authorization", "")
    m = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/([^/]+)/aws4_request, ?"
                     r"SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})", given)
    if not m:
        raise Refused("MissingAuthenticationToken", "Request is missing Authentication Token", 403)
    who, _day, in_region, for_service, signed, signature = m.groups()
    stamp = headers.get("X-Amz-Date", "")
    if who != key or headers.get("X-Amz-Security-Token", "") != (token or ""):
        raise Refused("AuthFailure", "AWS was not able to validate the provided access credentials", 401)
    if (in_region, for_service) != (region, service):
        raise Refused("SignatureDoesNotMatch", "Credential should be scoped to %s/%s, not %s/%s" %
                      (region, service, in_region, for_service), 403)
    at = datetime.datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc).timestamp()
    if abs(at - (now or time.time())) > 300:
        raise Refused("RequestExpired", "Request has expired.")
    names = signed.split(";")
    missing = [n for n in ("host", "x-amz-date") + (("x-amz-security-token",) if token else ()) if n not in names]
    absent = [n for n in names if n not in headers]
    if missing or absent:
        raise Refused("SignatureDoesNotMatch", "signed headers: %s" % signed, 403)
    request = botocore.awsrequest.AWSRequest(method, url, {n: headers[n] for n in names}, body)
    request.context["timestamp"] = stamp
    auth = botocore.auth.SigV4Auth(botocore.credentials.Credentials(key, secret, token), service, region)
    want = auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request)
    if want != signature:
        raise Refused("SignatureDoesNotMatch", "The request signature we calculated does not match the signature you "
                      "provided.", 403)


# ---- EC2 ------------------------------------------------------------------------------------------------------------

class Ec2:
    """The volumes of one Region and what may be done to them."""

    def __init__(self, count=0, delay=0.2, page=100, lag=0.0, sysroot=None, instance_type="m5.large"):
        self.delay, self.page, self.lag, self.sysroot, self.type = delay, page, lag, sysroot, instance_type
        self.volumes, self.tokens, self.modifications, self.timers = {}, {}, {}, []
        self.next_id, self.before = 1, None
        for i in range(count):
            v = self._new({"Size": 100 + i, "VolumeType": ("gp2", "gp3", "gp3")[i % 3],
                           "AvailabilityZone": ZONE}, "available")
            v["Tags"] = [{"Key": "Name", "Value": "volume %d" % i}]

    def root_volume(self):
        """The one that the instance boots from."""
        v = self._new({"Size": 8, "VolumeType": "gp3", "AvailabilityZone": ZONE}, "in-use")
        v["Attachments"] = [{"VolumeId": v["VolumeId"], "InstanceId": INSTANCE, "Device": "/dev/xvda",
                             "State": "attached", "AttachTime": time.time(), "DeleteOnTermination": True}]
        return v["VolumeId"]

    def _new(self, p, state):
        kind = p.get("VolumeType", "gp2")
        size = p["Size"]
        iops = {"gp2": min(max(100, 3 * size), 16000), "gp3": p.get("Iops", 3000)}.get(kind, p.get("Iops"))
        v = {"VolumeId": "vol-%017x" % self.next_id, "Size": size, "VolumeType": kind, "State": state,
             "AvailabilityZone": p["AvailabilityZone"], "CreateTime": time.time(), "Encrypted": p.get("Encrypted", False),
             "Attachments": [], "Tags": [], "MultiAttachEnabled": False}
        if iops:
            v["Iops"] = iops
        if kind == "gp3":
            v["Throughput"] = p.get("Throughput", 125)
        self.next_id += 1
        self.volumes[v["VolumeId"]] = v
        return v

    def _later(self, function):
        due = time.time() + self.delay
        self.timers.append((due, function))

    def _tick(self):
        now, due = time.time(), [t for t in self.timers]
        self.timers = [t for t in due if t[0] > now]
        for at, function in due:
            if at <= now:
                function()

    def _check(self, p, kind):
        low, high = TYPES.get(kind, (1, 16384))
        if not low <= p.get("Size", low) <= high:
            raise Refused("InvalidParameterValue", "Volume of %dGiB is invalid for type %s" % (p["Size"], kind))
        if kind in ("io1", "io2") and "Iops" not in p:
            raise Refused("MissingParameter", "The parameter iops must be specified for %s volumes" % kind)
        if kind not in ("io1", "io2", "gp3") and "Iops" in p:
            raise Refused("InvalidParameterCombination", "The parameter iops is not supported for %s volumes" % kind)
        if kind != "gp3" and "Throughput" in p:
            raise Refused("InvalidParameterCombination", "Throughput is not supported for %s volumes" % kind)

    def _volume(self, volume_id):
        if not re.fullmatch(r"vol-([0-9a-f]{8}|[0-9a-f]{17})", volume_id):
            raise Refused("InvalidVolumeID.Malformed", 'Invalid id: "%s"' % volume_id)
        v = self.volumes.get(volume_id)
        if not v or time.time() - v["CreateTime"] < self.lag:
            raise Refused("InvalidVolume.NotFound", "The volume '%s' does not exist." % volume_id)
        return v

    def CreateVolume(self, p):
        kind = p.get("VolumeType", "gp2")
        if "Size" not in p and "SnapshotId" not in p:
            raise Refused("MissingParameter", "The request must contain the parameter size or snapshotId")
        self._check(p, kind)
        if not p["AvailabilityZone"].startswith(REGION):
            raise Refused("InvalidZone.NotFound", "The zone '%s' does not exist." % p["AvailabilityZone"])
        token, rest = p.get("ClientToken"), {k: v for k, v in p.items() if k not in ("ClientToken", "DryRun")}
        if token and len(token) > 64:
            raise Refused("InvalidParameterValue", "ClientToken is longer than 64")
        if token in self.tokens:
            volume_id, before = self.tokens[token]
            if before != rest:
                raise Refused("IdempotentParameterMismatch", "Arguments on this idempotent request differ")
            return self.volumes[volume_id]
        v = self._new(p, "creating")
        for spec in p.get("TagSpecifications", []):
            if spec.get("ResourceType") != "volume":
                raise Refused("InvalidParameterValue", "ResourceType")
            v["Tags"] += spec.get("Tags", [])
        if token:
            self.tokens[token] = (v["VolumeId"], rest)
        answer = dict(v)
        self._later(lambda: v.update(State="available"))
        return answer

    def DescribeVolumes(self, p):
        found = [self._volume(i) for i in p["VolumeIds"]] if "VolumeIds" in p else list(self.volumes.values())
        for f in p.get("Filters", []):
            found = [v for v in found if self._matches(v, f["Name"], f["Values"])]
        if "VolumeIds" in p and "MaxResults" in p:
            raise Refused("InvalidParameterCombination", "maxResults and volume ids exclude each other")
        start = int(p["NextToken"].split("-")[1]) if "NextToken" in p else 0
        page = min(p.get("MaxResults", 10 ** 6), self.page)
        out = {"Volumes": found[start:start + page]}
        if start + page < len(found):
            out["NextToken"] = "page+/=-%d" % (start + page)
        return out

    @staticmethod
    def _matches(v, name, values):
        tags = {t["Key"]: t["Value"] for t in v["Tags"]}
        if name == "attachment.instance-id":
            return any(a["InstanceId"] in values for a in v["Attachments"])
        if name == "tag-key":
            return any(k in values for k in tags)
        if name.startswith("tag:"):
            return tags.get(name[4:]) in values
        raise Refused("InvalidParameterValue", "The filter '%s' is invalid" % name)

    def DescribeVolumesModifications(self, p):
        for i in p.get("VolumeIds", []):
            if i not in self.modifications:
                raise Refused("InvalidVolumeModification.NotFound", "Modification for volume '%s' does not exist." % i)
        found = [m for i, m in self.modifications.items() if i in p.get("VolumeIds", self.modifications)]
        for f in p.get("Filters", []):
            if f["Name"] != "modification-state":
                raise Refused("InvalidParameterValue", "The filter '%s' is invalid" % f["Name"])
            found = [m for m in found if m["ModificationState"] in f["Values"]]
        return {"VolumesModifications": found}

    def AttachVolume(self, p):
        v = self._volume(p["VolumeId"])
        if p["InstanceId"] != INSTANCE:
            raise Refused("InvalidInstanceID.NotFound", "The instance ID '%s' does not exist" % p["InstanceId"])
        if v["State"] != "available":
            raise Refused("VolumeInUse" if v["State"] == "in-use" else "IncorrectState",
                          "%s is not 'available' but '%s'." % (v["VolumeId"], v["State"]))
        if v["AvailabilityZone"] != ZONE:
            raise Refused("InvalidVolume.ZoneMismatch", "The volume is not in the instance's zone")
        used = [a["Device"] for w in self.volumes.values() for a in w["Attachments"]]
        if p["Device"] in used:
            raise Refused("InvalidParameterValue", "Invalid value '%s' for unixDevice. Attachment point is already in "
                          "use" % p["Device"])
        a = {"VolumeId": v["VolumeId"], "InstanceId": INSTANCE, "Device": p["Device"], "State": "attaching",
             "AttachTime": time.time(), "DeleteOnTermination": False}
        v["State"], v["Attachments"] = "in-use", [a]

        def attached():
            a["State"] = "attached"
            self._plug(v, p["Device"])
        self._later(attached)
        return dict(a)

    def DetachVolume(self, p):
        v = self._volume(p["VolumeId"])
        if not v["Attachments"]:
            raise Refused("IncorrectState", "Volume '%s' is in the 'available' state." % v["VolumeId"])
        if p.get("InstanceId", INSTANCE) != INSTANCE:
            raise Refused("InvalidAttachment.NotFound", "not attached to %s" % p["InstanceId"])
        v["Attachments"][0]["State"] = "detaching"
        self._unplug(v)
        self._later(lambda: v.update(State="available", Attachments=[]))
        return dict(v["Attachments"][0])

    def DeleteVolume(self, p):
        v = self._volume(p["VolumeId"])
        if v["Attachments"]:
            raise Refused("VolumeInUse", "Volume %s is currently attached to %s" % (v["VolumeId"], INSTANCE))
        if v["State"] not in ("available", "error"):
            raise Refused("IncorrectState", "%s is '%s'" % (v["VolumeId"], v["State"]))
        del self.volumes[v["VolumeId"]]
        return {}

    def ModifyVolume(self, p):
        v = self._volume(p["VolumeId"])
        m = self.modifications.get(v["VolumeId"])
        if m and m["ModificationState"] in ("modifying", "optimizing"):
            raise Refused("IncorrectModificationState", "Volume %s is being modified" % v["VolumeId"])
        kind = p.get("VolumeType", v["VolumeType"])
        want = {"Size": p.get("Size", v["Size"]), **{k: p[k] for k in ("Iops", "Throughput") if k in p}}
        if kind == v["VolumeType"] and kind in ("io1", "io2"):
            want.setdefault("Iops", v["Iops"])
        self._check(want, kind)
        if want["Size"] < v["Size"]:
            raise Refused("InvalidParameterValue", "New size cannot be smaller than existing size")
        m = {"VolumeId": v["VolumeId"], "ModificationState": "modifying", "Progress": 0, "StartTime": time.time()}
        for k in ("Size", "VolumeType", "Iops", "Throughput"):
            if k in v:
                m["Original" + k] = v[k]
        old = {k: v[k] for k in ("Iops", "Throughput") if k in v} if kind == v["VolumeType"] else {}
        fresh = self._new({**old, **want, "VolumeType": kind, "AvailabilityZone": v["AvailabilityZone"]}, "x")
        del self.volumes[fresh["VolumeId"]]
        for k in ("Size", "VolumeType", "Iops", "Throughput"):
            v.pop(k, None)
            if k in fresh:
                v[k] = m["Target" + k] = fresh[k]
        self.before = self.modifications.get(v["VolumeId"])
        self.modifications[v["VolumeId"]] = m
        answer = dict(m)
        self._later(lambda: m.update(ModificationState="optimizing", Progress=37))
        return {"VolumeModification": answer}

    def DescribeInstances(self, p):
        if p.get("InstanceIds", [INSTANCE]) != [INSTANCE]:
            raise Refused("InvalidInstanceID.NotFound", "The instance ID '%s' does not exist" % p["InstanceIds"][0])
        devices = [{"DeviceName": a["Device"], "Ebs": {"VolumeId": v["VolumeId"], "Status": a["State"]}}
                   for v in self.volumes.values() for a in v["Attachments"]]
        return {"Reservations": [{"ReservationId": "r-1", "Instances": [
            {"InstanceId": INSTANCE, "InstanceType": self.type, "State": {"Code": 16, "Name": "running"},
             "Placement": {"AvailabilityZone": ZONE, "Tenancy": "default"}, "RootDeviceName": "/dev/xvda",
             "Hypervisor": "xen", "BlockDeviceMappings": devices}]}]}

    def DescribeInstanceTypes(self, p):
        return {"InstanceTypes": [{
            "InstanceType": t, "Hypervisor": "nitro", "VCpuInfo": {"DefaultVCpus": 2}, "MemoryInfo": {"SizeInMiB": 8192},
            "EbsInfo": {"EbsOptimizedInfo": {"BaselineBandwidthInMbps": 700, "BaselineIops": 3700,
                                             "MaximumBandwidthInMbps": 4800, "MaximumIops": 18800}}}
            for t in p.get("InstanceTypes", [self.type])]}

    # What a guest sees of an attached volume, as files under EBSCOPE_SYSROOT.

    def _plug(self, v, device):
        if not self.sysroot:
            return
        n = 1
        while os.path.exists("%s/sys/class/block/nvme%dn1" % (self.sysroot, n)):
            n += 1
        name = "nvme%dn1" % n
        base = "%s/sys/class/block/%s" % (self.sysroot, name)
        os.makedirs(base + "/device")
        os.makedirs(base + "/queue")
        for path, text in (("size", str(v["Size"] << 21)), ("dev", "259:%d" % n), ("ro", "0"),
                           ("queue/logical_block_size", "512"), ("device/model", "Amazon Elastic Block Store".ljust(40)),
                           ("device/serial", v["VolumeId"].replace("-", ""))):
            with open(base + "/" + path, "w") as f:
                f.write(text + "\n")
        page = bytearray(4096)
        page[0:2], page[4:24] = b"\x0f\x1d", v["VolumeId"].replace("-", "").encode().ljust(20)
        page[24:64], page[3072:3104] = b"Amazon Elastic Block Store".ljust(40), device.encode().ljust(32)
        os.makedirs(self.sysroot + "/dev", exist_ok=True)
        for suffix, data in (("", b""), (".identify", bytes(page))):
            with open("%s/dev/%s%s" % (self.sysroot, name, suffix), "wb") as f:
                f.write(data)
        v["_name"] = name

    def _unplug(self, v):
        name = v.pop("_name", None)
        if name:
            import shutil
            shutil.rmtree("%s/sys/class/block/%s" % (self.sysroot, name), True)
            for suffix in ("", ".identify"):
                os.unlink("%s/dev/%s%s" % (self.sysroot, name, suffix))


def make_sysroot(path):
    """A machine with nothing but a root filesystem, as files: what is attached by the stand-in appears in it."""
    for d in ("proc/self", "sys/class/block", "dev"):
        os.makedirs("%s/%s" % (path, d), exist_ok=True)
    for name, text in (("proc/self/mountinfo", "1 0 254:1 / / rw - ext4 /dev/root rw\n"), ("proc/swaps", "Filename\n"),
                       ("proc/mdstat", "Personalities :\n")):
        with open("%s/%s" % (path, name), "w") as f:
            f.write(text)
    return path


# ---- STS ------------------------------------------------------------------------------------------------------------

class Sts:
    """Roles that may be assumed, and the credentials that were given for them.

    roles: {arn: external id, or None}. web: the token of the identity provider that is accepted."""

    def __init__(self, roles=None, web=None, duration=3600):
        self.roles, self.web, self.duration, self.given = roles or {}, web, duration, {}

    def _give(self, arn, p):
        n = len(self.given) + 1
        key, secret, token = "ASIAROLE%08dEXAMPLE" % n, "r0le+s3cret/%028d" % n, "role/session+token==%d" % n
        self.given[key] = (secret, token)
        end = time.time() + p.get("DurationSeconds", self.duration)
        return {"Credentials": {"AccessKeyId": key, "SecretAccessKey": secret, "SessionToken": token, "Expiration": end},
                "AssumedRoleUser": {"AssumedRoleId": "AROA3:x", "Arn": "%s/%s" % (arn, p["RoleSessionName"])}}

    def AssumeRole(self, p, who):
        arn = p["RoleArn"]
        if arn not in self.roles or self.roles[arn] != p.get("ExternalId"):
            raise Refused("AccessDenied", "User: %s is not authorized to perform: sts:AssumeRole on resource: %s" %
                          (who, arn), 403)
        return self._give(arn, p)

    def AssumeRoleWithWebIdentity(self, p, _who):
        if p["WebIdentityToken"] != self.web:
            raise Refused("InvalidIdentityToken", "The web identity token that was passed could not be validated")
        if p["RoleArn"] not in self.roles:
            raise Refused("AccessDenied", "Not authorized to perform sts:AssumeRoleWithWebIdentity", 403)
        return self._give(p["RoleArn"], p)


# ---- the servers ----------------------------------------------------------------------------------------------------

class FakeAws:
    def __init__(self, volumes=0, key=KEY, secret=SECRET, token=TOKEN, tls=None, now=None, metrics=None, imds="on",
                 task=None, sts=None, **ec2):
        """tls: (certificate, key) files. now: AWS's clock. metrics: {metric: [(time, value)]}. imds: on, off, role.
        task: what ECS task metadata says. sts: what Sts() takes; EC2 then takes only credentials that it gave."""
        self.ec2, self.sts = Ec2(volumes, **ec2), Sts(**sts) if sts is not None else None
        self.key, self.secret, self.token, self.now = key, secret, token, now
        self.metrics, self.imds, self.task = metrics or {}, imds, task
        self.calls, self.raw, self.faults, self.metadata, self.busy = [], [], [], [], 0.0
        self.lock = threading.RLock()
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args):
                pass

            def do_POST(self):
                fake.handle(self)

            do_GET = do_PUT = do_POST

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request, address):
                pass        # a client that hung up

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.scheme = "https" if tls else "http"
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*tls)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    @property
    def url(self):
        return "%s://127.0.0.1:%d" % (self.scheme, self.port)

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.close()

    def env(self, **more):
        """What ebscope's environment needs to find this and nothing else."""
        e = {k: None for k in os.environ if k.startswith(("AWS_", "ECS_"))}
        e.update(AWS_ENDPOINT_URL=self.url, AWS_ACCESS_KEY_ID=self.key, AWS_SECRET_ACCESS_KEY=self.secret,
                 AWS_REGION=REGION, AWS_EC2_METADATA_SERVICE_ENDPOINT=self.url + "/imds",
                 AWS_METADATA_SERVICE_TIMEOUT="20",     # a second may be too short for Python on a busy machine
                 AWS_CONFIG_FILE="/nonexistent/config", AWS_SHARED_CREDENTIALS_FILE="/nonexistent/credentials")
        if self.token:
            e["AWS_SESSION_TOKEN"] = self.token
        e.update(more)
        return e

    def fault(self, action, kind, times=1):
        self.faults.append([action, kind, times])

    def _fault(self, action):
        for f in self.faults:
            if f[0] in (action, "*") and f[2] > 0:
                f[2] -= 1
                return f[1]
        return None

    def actions(self):
        return [c[0] for c in self.calls]

    def handle(self, h):
        t0 = time.monotonic()
        body = h.rfile.read(int(h.headers.get("Content-Length") or 0))
        with self.lock:
            self.raw.append("%s\r\n%s\r\n%s" % (h.requestline, h.headers, body.decode(errors="replace")))
            self.ec2._tick()
            if h.path.startswith(("/imds", "/v4/", "/creds")):
                status, answer = self._metadata(h)
            else:
                status, answer = self._api(h, body)
            self.busy += time.monotonic() - t0
        if answer is None:
            h.close_connection = True
            return
        if status == "slow":
            time.sleep(60)
        cut = status == "cut"
        h.send_response(status if isinstance(status, int) else 200)
        h.send_header("Content-Length", str(len(answer)))
        h.end_headers()
        h.wfile.write(answer[:len(answer) // 2] if cut else answer)
        if cut:
            h.close_connection = True

    def _api(self, h, body):
        target = h.headers.get("X-Amz-Target", "")
        if target:
            return self._cloudwatch(h, body, target)
        flat = dict(urllib.parse.parse_qsl(body.decode(), keep_blank_values=True, strict_parsing=True))
        action = flat.get("Action", "")
        if flat.get("Version") == "2011-06-15":
            return self._sts(h, body, flat, action)
        try:
            key = re.search("Credential=([^/]+)", h.headers.get("Authorization", "") or "Credential=-").group(1)
            given = self.sts.given.get(key) if self.sts else (self.secret, self.token)
            if not given:
                raise Refused("AuthFailure", "AWS was not able to validate the provided access credentials", 401)
            check_signature(h.command, self.url + h.path, h.headers, body, "ec2", REGION, key if self.sts else self.key,
                            *given, self.now)
            if flat.get("Version") != "2016-11-15" or action not in _models["ec2"].operation_names:
                raise Refused("InvalidAction", "The action %s is not valid for this web service." % action)
            operation = _models["ec2"].operation_model(action)
            parameters = _parameters(operation, flat)
            self.calls.append((action, parameters))
            return self._do(operation, action, parameters)
        except Refused as r:
            return r.status, _error(r.code, r.message)

    def _sts(self, h, body, flat, action):
        try:
            if not self.sts or action not in _models["sts"].operation_names:
                raise Refused("InvalidAction", "Could not find operation %s for version 2011-06-15" % action)
            operation = _models["sts"].operation_model(action)
            key = re.search("Credential=([^/]+)", h.headers.get("Authorization", "") or "Credential=-").group(1)
            if operation.auth_type == "none" or action in _unsigned:
                if "Authorization" in h.headers:
                    raise Refused("IncompleteSignature", "is not signed")
            else:
                secret, token = self.sts.given.get(key, (self.secret, self.token))
                check_signature(h.command, self.url + h.path, h.headers, body, "sts", REGION,
                                key if key in self.sts.given else self.key, secret, token, self.now)
            p = _parameters(operation, flat)
            for name, value in p.items():
                _within(operation.input_shape.members[name], value, name)
            self.calls.append((action, p))
            kind = self._fault(action)
            if kind == "throttle":
                raise Refused("Throttling", "Rate exceeded")
            if kind:
                raise Refused(kind, "as the test wants it")
            result = getattr(self.sts, action)(p, "arn:aws:iam::%s:user/%s" % (ACCOUNT, key))
            out = []
            _xml(operation.output_shape, action + "Result", result, out)
            return 200, ('<%sResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">%s<ResponseMetadata><RequestId>r-1'
                         "</RequestId></ResponseMetadata></%sResponse>" % (action, "".join(out), action)).encode()
        except Refused as r:
            return r.status, ("<ErrorResponse><Error><Type>Sender</Type><Code>%s</Code><Message>%s</Message></Error>"
                              "<RequestId>r-1</RequestId></ErrorResponse>" %
                              (r.code, xml.sax.saxutils.escape(r.message))).encode()

    def _do(self, operation, action, parameters):
        kind = self._fault(action)
        if kind == "throttle":
            raise Refused("RequestLimitExceeded", "Request limit exceeded.", 503)
        if kind == "deny":
            raise Refused("UnauthorizedOperation", "You are not authorized to perform this operation. Encoded "
                          "authorization failure message: " + "x" * 400, 403)
        if kind == "html":
            return 502, b"<!DOCTYPE html><html><body><h1>Bad Gateway</h1></body></html>"
        if kind == "malformed":
            return 200, b"<DescribeVolumesResponse><volumeSet><item></volumeSet>"
        if kind == "doctype":
            return 200, (b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">'
                         b'<!ENTITY c SYSTEM "file:///etc/passwd">]><DescribeVolumesResponse>&b;&c;'
                         b"</DescribeVolumesResponse>")
        if kind == "huge":
            return 200, b"<DescribeVolumesResponse>" + b"<x/>" * (3 << 20)
        if kind and kind[0].isupper():
            raise Refused(kind, "as the test wants it")
        if kind == "stale" and not self.ec2.before:
            raise Refused("InvalidVolumeModification.NotFound", "Modification does not exist.")
        if kind == "stale":
            return 200, _answer(operation, {"VolumesModifications": [self.ec2.before]})
        method = getattr(self.ec2, action, None)
        if not method:
            raise Refused("InvalidAction", "not part of this stand-in")
        if parameters.get("DryRun"):
            raise Refused("DryRunOperation", "Request would have succeeded, but DryRun flag is set.", 412)
        answer = _answer(operation, method(parameters) or {})
        if kind == "loop":
            answer = answer.replace(b"</DescribeVolumesResponse>", b"<nextToken>page-0</nextToken></DescribeVolumesResponse>")
        return {"error": (500, _error("InternalError", "An internal error has occurred")), "lost": (0, None),
                "cut": ("cut", answer), "slow": ("slow", answer)}.get(kind, (200, answer))

    def _cloudwatch(self, h, body, target):
        model = _models["cloudwatch"]
        try:
            check_signature(h.command, self.url + h.path, h.headers, body, "monitoring", REGION, self.key, self.secret,
                            self.token, self.now)
            if target != "GraniteServiceVersion20100801.GetMetricData":
                raise Refused("InvalidAction", target)
            p = json.loads(body)
            report = botocore.validate.ParamValidator().validate(p, model.operation_model("GetMetricData").input_shape)
            if report.has_errors():
                raise Refused("ValidationError", report.generate_report())
            self.calls.append(("GetMetricData", p))
            if self._fault("GetMetricData") == "deny":
                raise Refused("AccessDenied", "not authorized", 403)
            out = []
            for q in p["MetricDataQueries"]:
                m = q["MetricStat"]["Metric"]
                names = {d["Name"] for d in m["Dimensions"]}
                wants = {"AWS/EBS": {"VolumeId"}, "AWS/EC2": {"InstanceId"}}.get(m["Namespace"])
                points = self.metrics.get(m["MetricName"], []) if names == wants else []
                out.append({"Id": q["Id"], "Label": m["MetricName"], "StatusCode": "Complete",
                            "Timestamps": [t for t, _ in points], "Values": [v for _, v in points]})
            return 200, json.dumps({"MetricDataResults": out, "Messages": []}).encode()
        except Refused as r:
            return r.status, json.dumps({"__type": "com.amazon#" + r.code, "message": r.message}).encode()

    def _metadata(self, h):
        path = h.path
        self.metadata.append((h.command, path))
        if path.startswith("/creds"):
            return 200, json.dumps(self._role()).encode()
        if path.startswith("/v4/"):
            if self.task is None:
                return 404, b""
            return 200, json.dumps(self.task if path.endswith("/task") else {"DockerId": "me"}).encode()
        path = path[5:]
        if self.imds == "off" or "X-Forwarded-For" in h.headers:
            return 403, b""
        if h.command == "PUT":
            ttl = h.headers.get("X-aws-ec2-metadata-token-ttl-seconds", "")
            if path != "/latest/api/token" or not ttl.isdigit() or not 1 <= int(ttl) <= 21600:
                return 400, b""
            return 200, b"TOKEN+of/fake==" + hashlib.sha256(b"t").hexdigest().encode()
        if not h.headers.get("X-aws-ec2-metadata-token", "").startswith("TOKEN+of/fake=="):
            return 401, b""
        role = "/latest/meta-data/iam/security-credentials/"
        if path == "/latest/dynamic/instance-identity/document":
            return 200, json.dumps({"instanceId": INSTANCE, "instanceType": self.ec2.type, "region": REGION,
                                    "availabilityZone": ZONE, "accountId": ACCOUNT, "architecture": "x86_64"}).encode()
        if self.imds == "role" and path == role:
            return 200, b"test-role"
        if self.imds == "role" and path == role + "test-role":
            return 200, json.dumps(self._role()).encode()
        return 404, b"<html>not found</html>"

    def _role(self):
        end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=6)
        return {"Code": "Success", "Type": "AWS-HMAC", "AccessKeyId": self.key, "SecretAccessKey": self.secret,
                "Token": self.token, "Expiration": end.strftime("%Y-%m-%dT%H:%M:%SZ")}
