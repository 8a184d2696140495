# SPDX-License-Identifier: MIT
"""What goes to AWS and what is made of the answer, against a stand-in that is written from botocore's models."""
import time

from e2e import *

try:
    from fake_aws import FakeAws, make_sysroot
except ImportError:
    FakeAws = None


def aws(**how):
    if not FakeAws:
        skip("no botocore")
    fake = FakeAws(**how)
    defer(fake.close)
    return fake


def volumes(fake, *args, timeout=30, **env):
    return ebscope("volumes", *args, env=fake.env(XDG_STATE_HOME=scratch(), **env), timeout=timeout)


@test
def signatures_match_botocores_for_awkward_values():
    fake = aws()
    for value in ("a b", "x/y", "k:v", "*", "a+b=c&d", "", "~-_.", "100 %", "Größe €", "'\"\\", "a,b;c", " lead"):
        r = volumes(fake, "create", "gp3:10", "--az", "eu-west-1a", "--yes", "--tag", "key/of:it=" + value)
        equal(r.status, 0, r)
        tags = {t["Key"]: t["Value"] for t in fake.calls[0][1]["TagSpecifications"][0]["Tags"]}
        equal(tags["key/of:it"], value)
        r = volumes(fake, "list", "--tag", "key/of:it=" + value, "--format", "json")
        equal(r.status, 0, r)
        equal(len(r.json["volumes"]), 1)
        equal(r.json["volumes"][0]["tags"]["key/of:it"], value)
        fake.ec2.volumes.clear()
        fake.calls.clear()


@test
def a_request_is_signed_without_a_session_token_too():
    fake = aws(token="", volumes=1)
    equal(volumes(fake, "list").status, 0)


@test
def a_wrong_secret_is_the_services_own_reason_and_not_no_volumes():
    fake = aws(volumes=1)
    r = volumes(fake, "list", AWS_SECRET_ACCESS_KEY="wrong")
    equal(r.status, 3)
    equal(r.out, "")
    contains(r.err, "SignatureDoesNotMatch")
    equal(len(r.err.splitlines()), 1)


@test
def all_pages_are_read_whatever_the_token_looks_like():
    fake = aws(volumes=250, page=100)
    r = volumes(fake, "list", "--format", "json")
    equal(len(r.json["volumes"]), 250)
    equal(fake.actions().count("DescribeVolumes"), 3)


@test
def throttling_and_server_errors_are_retried():
    fake = aws(volumes=2)
    fake.fault("DescribeVolumes", "throttle")
    fake.fault("DescribeVolumes", "error")
    equal(volumes(fake, "list").status, 0)
    equal(fake.actions().count("DescribeVolumes"), 3)


@test
def throttling_that_does_not_end_is_said():
    fake = aws(volumes=2)
    fake.fault("DescribeVolumes", "throttle", 9)
    r = volumes(fake, "list")
    equal(r.status, 3)
    contains(r.err, "throttles", "RequestLimitExceeded")
    equal(fake.actions().count("DescribeVolumes"), 3)


@test
def bad_answers_are_one_clear_line():
    fake = aws(volumes=2)
    for kind, says in (("cut", ""), ("html", "web page"), ("malformed", "malformed XML"), ("doctype", "document type"),
                       ("huge", "longer than"), ("loop", "again and again"), ("deny", "policy lacks ec2:DescribeVolumes"),
                       ("AuthFailure", "get-caller-identity"), ("OptInRequired", "enable the Region"),
                       ("ExpiredToken", "log in again"), ("InvalidZone.NotFound", "name a zone")):
        fake.fault("DescribeVolumes", kind, 9)
        r = volumes(fake, "list")
        fake.faults.clear()
        equal(r.status, 2 if kind.startswith("InvalidZone") else 3, r)
        contains(r.err, says)
        equal(len(r.err.splitlines()), 1, r)
        equal(r.out, "")


@test
def what_aws_refuses_is_told_with_the_next_step_and_cleanup_only_where_something_was_made():
    fake = aws(volumes=1)
    volume = "vol-00000000000000001"
    for words, action, code, says in (
            (["attach", volume], "AttachVolume", "IncorrectState", "volumes wait VOLUME available"),
            (["modify", volume, "gp3:200"], "ModifyVolume", "VolumeModificationRateExceeded", "so many changes a day"),
            (["create", "gp3:10"], "CreateVolume", "PendingVerification", "some hours"),
            (["create", "gp3:10"], "CreateVolume", "Blocked", "support")):
        fake.fault(action, code, 9)
        r = volumes(fake, *words, "--yes")
        fake.faults.clear()
        equal(r.status, 3, r)
        contains(r.err.splitlines()[-1], says)
        assert "cleanup" not in r.err, r.err
    r = volumes(fake, "create", "gp3:10", "--az", "us-east-1a", "--yes")
    contains(r.err, "does not exist: name a zone")
    fake.fault("CreateVolume", "lost", 9)               # it may have been made
    contains(volumes(fake, "create", "gp3:10", "--yes").err, "volumes cleanup")


@test
def a_failure_is_a_json_document_where_json_was_asked_for():
    fake = aws()
    fake.fault("DescribeVolumes", "deny", 9)
    r = volumes(fake, "list", "--format", "json")
    equal(r.status, 3)
    equal(r.json["error"]["code"], 3)
    contains(r.json["error"]["message"], "ec2:DescribeVolumes")


@test
def a_clock_that_is_wrong_is_named():
    fake = aws(volumes=1, now=time.time() + 3600)
    r = volumes(fake, "list")
    equal(r.status, 3)
    contains(r.err, "RequestExpired", "clock is wrong (it says 20")     # the stand-in's Date is true: only AWS's word is left


@test
def without_credentials_the_next_step_is_named():
    fake = aws(imds="off")
    r = volumes(fake, "list", AWS_ACCESS_KEY_ID=None, AWS_SECRET_ACCESS_KEY=None, AWS_SESSION_TOKEN=None)
    equal(r.status, 3)
    contains(r.err, "no AWS credentials", "aws configure", "a role")
    r = volumes(fake, "list", AWS_REGION=None)
    equal(r.status, 2)
    contains(r.err, "no Region: set AWS_REGION", "turned off for this instance")
    equal(r.err.count("AWS_REGION"), 1)


@test
def a_region_that_is_none_is_named_with_where_it_is_from():
    fake = aws()
    r = volumes(fake, "list", AWS_ENDPOINT_URL="http://ec2.xx-nowhere-1.invalid", AWS_REGION="xx-nowhere-1")
    equal(r.status, 3)
    contains(r.err, "is xx-nowhere-1 a Region (from AWS_REGION)")


@test
def a_volume_that_may_not_be_created_names_both_actions_it_needs():
    fake = aws()
    fake.fault("CreateVolume", "deny")
    r = volumes(fake, "create", "gp3:10", "--yes")
    equal(r.status, 3)
    contains(r.err, "ec2:CreateVolume", "ec2:CreateTags")


@test
def pages_that_go_round_in_a_circle_are_noticed():
    fake = aws(volumes=250, page=100)
    fake.fault("DescribeVolumes", "loop", 99)       # the third page leads to the first
    r = volumes(fake, "list")
    equal(r.status, 3)
    contains(r.err, "again and again")
    assert fake.actions().count("DescribeVolumes") <= 6, fake.actions()


@test
def nothing_at_the_endpoint_is_said_at_once():
    fake = aws()
    fake.close()
    r = volumes(fake, "list")
    equal(r.status, 3)
    contains(r.err, "127.0.0.1")


@test
def without_permission_for_changes_the_list_is_still_printed():
    fake = aws(volumes=2)
    fake.fault("DescribeVolumesModifications", "deny", 9)
    r = volumes(fake, "list")
    equal(r.status, 0)
    contains(r.err, "ec2:DescribeVolumesModifications")
    equal(len(r.out.splitlines()), 3)


@test
def figures_of_the_list_are_written_as_everywhere_else():
    fake = aws(volumes=1)
    fake.ec2.volumes["vol-00000000000000001"].update(Size=16000, VolumeType="gp3", Iops=6000, Throughput=1000)
    r = volumes(fake, "list")
    equal(r.lines[1].split()[1:5], ["gp3", "16,000", "6,000", "1,000"])
    equal(volumes(fake, "list", "--format", "json").json["volumes"][0]["iops"], 6000)


@test(tools=["openssl"])
def a_certificate_that_nobody_vouches_for_is_refused():
    folder = scratch()
    cert, key = folder + "/cert.pem", folder + "/key.pem"
    run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "2",
        "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1")
    fake = aws(volumes=1, tls=(cert, key))
    r = volumes(fake, "list")
    equal(r.status, 3)
    contains(r.err, "TLS")
    equal(fake.calls, [])
    equal(volumes(fake, "list", AWS_CA_BUNDLE=cert).status, 0)


@test(alone=True)
def a_thousand_volumes_cost_under_a_second_and_32_mib():
    fake = aws(volumes=1000, page=100)
    p = start(*program("volumes", "list"), env=fake.env(XDG_STATE_HOME=scratch()))
    peak = 0
    while p.poll() is None:
        with open("/proc/%d/status" % p.pid) as f:
            peak = max([peak] + [int(line.split()[1]) for line in f if line.startswith("VmHWM")])
        time.sleep(0.002)
    seconds = time.monotonic() - p.t0
    r = p.finish()
    equal(r.status, 0)
    equal(len(r.lines), 1001)
    equal(fake.actions().count("DescribeVolumes"), 10)
    assert seconds - fake.busy < 1, (seconds, fake.busy)
    assert 0 < peak < 32 * 1024, peak


main()
