# SPDX-License-Identifier: MIT
"""A volume from creation to deletion, and everything that can go wrong between."""
import json
import os
import re
import signal
import time

from e2e import *

try:
    from fake_aws import INSTANCE, REGION, FakeAws, make_sysroot
except ImportError:
    FakeAws = None


VOLUME = "vol-00000000000000001"


class World:
    """A stand-in for AWS, a machine as files, a state directory."""

    def __init__(self, **how):
        if not FakeAws:
            skip("no botocore")
        self.root, self.state = make_sysroot(scratch()), scratch()
        self.aws = FakeAws(sysroot=self.root, **how)
        defer(self.aws.close)

    def env(self, **more):
        return self.aws.env(XDG_STATE_HOME=self.state, EBSCOPE_SYSROOT=self.root, **more)

    def volumes(self, *args, **more):
        return ebscope("volumes", *args, env=self.env(**more))

    def start(self, *args, **kw):
        return start(*program("volumes", *args), env=self.env(), **kw)

    def create(self, *args):
        r = self.volumes("create", "gp3:10", "--yes", "--format", "json", *args)
        equal(r.status, 0, r)
        return r.json["volumes"][0]

    def did(self, action):
        return self.aws.actions().count(action)

    def journal(self, *lines):
        os.makedirs(self.state + "/ebscope", exist_ok=True)
        with open(self.state + "/ebscope/volumes.jsonl", "a") as f:
            f.writelines(json.dumps(line) + "\n" for line in lines)

    def asked(self, token, t="2026-01-01T00:00:00Z"):
        self.journal({"event": "create", "run": "r", "token": token, "region": REGION, "az": REGION + "a",
                      "spec": "gp3:9", "t": t})

    def mount(self, name, where="/data"):
        with open(self.root + "/proc/self/mountinfo", "a") as f:
            f.write("2 1 259:%s / %s rw - xfs /dev/%s rw\n" % (name[4], where, name))


@test
def a_whole_life_from_creation_to_deletion():
    w = World()
    v = w.create("--attach", "--tag", "Name=x")
    equal((v["state"], v["device"], v["path"]), ("attached", "/dev/sdf", "/dev/nvme1n1"))
    r = w.volumes("list", "--format", "json")
    equal(r.json["volumes"][0]["path"], "/dev/nvme1n1")
    contains(list(r.json["volumes"][0]["tags"]), "ebscope:run", "Name")
    equal(w.volumes("wait", v["volume_id"], "attached").status, 0)
    equal(w.volumes("delete", v["volume_id"], "--yes").status, 3)       # still attached
    equal(w.volumes("detach", v["volume_id"], "--yes").status, 0)
    equal(w.volumes("delete", v["volume_id"], "--yes").status, 0)
    equal(w.aws.ec2.volumes, {})
    r = w.volumes("cleanup")
    equal(r.status, 0)
    contains(r.err, "nothing is left")


@test
def several_volumes_get_the_next_free_names_and_the_rest_of_the_errand_is_shown():
    w = World()
    first = w.create("--attach")
    equal(first["device"], "/dev/sdf")
    r = w.volumes("create", "3*gp2:20", "--attach", "--yes", "--format", "json")
    equal(r.status, 0, r)
    equal([v["device"] for v in r.json["volumes"]], ["/dev/sdg", "/dev/sdh", "/dev/sdi"])
    contains("\n".join(r.json["next"]), "mdadm --create", "--level=0", "--raid-devices=3", "/dev/nvme2n1", "mkfs", "mount")


@test
def the_lines_of_the_errand_are_of_the_raid_level_that_was_chosen():
    w = World()
    r = w.volumes("create", "3*gp2:20", "--attach", "--yes", "--format", "json", "--raid", "5")
    equal(r.status, 0, r)
    contains("\n".join(r.json["next"]), "mdadm --create /dev/md0 --level=5 --raid-devices=3")
    contains("\n".join(r.json["back"]), "mdadm --stop /dev/md0", "mdadm --zero-superblock")
    contains(r.err, "RAID 5")
    before = len(w.aws.calls)
    for spec, level, says in (("3*gp2:20", "6", "RAID 6 needs 4 volumes or more"), ("2*gp2:20", "7", "0, 1, 5, 6, 10"),
                              ("gp2:20", "1", "several volumes")):
        r = w.volumes("create", spec, "--raid", level, "--yes")
        equal(r.status, 2, r)
        contains(r.err, says)
    equal(len(w.aws.calls), before)


@test
def consent_is_needed_before_anything_costs():
    w = World()
    r = w.volumes("create", "gp3:100:6000:250")
    equal(r.status, 3)
    contains(r.err, "$", "a month", "an hour", "--yes")
    equal(w.did("CreateVolume"), 0)
    assert not os.path.exists(w.state + "/ebscope/volumes.jsonl")


@test
def a_typed_word_is_consent_and_another_is_not():
    from terminal import Terminal
    w = World(volumes=1)
    volume = "vol-00000000000000001"
    for typed, status in (("yes", 3), (volume, 0)):
        t = Terminal(program("volumes", "delete", volume), env=w.env())
        t.wait("Type " + volume)
        t.send(typed, "Enter")
        equal(t.finish().status, status)
    equal(w.aws.ec2.volumes, {})


@test
def an_impossible_volume_is_refused_before_aws_is_asked():
    w = World()
    r = w.volumes("create", "gp3:100:3000:1000", "--yes")
    equal(r.status, 2)
    contains(r.err, "750")
    equal(w.aws.calls, [])


@test
def a_dry_run_is_awss_own_and_changes_nothing():
    w = World(volumes=1)
    volume = "vol-00000000000000001"
    for args in (("create", "gp3:10"), ("attach", volume), ("modify", volume, "gp3:200"), ("delete", volume)):
        equal(w.volumes(*args, "--dry-run").status, 0, args)
    assert all(p.get("DryRun") for a, p in w.aws.calls if not a.startswith("Describe"))
    equal(len([a for a in w.aws.actions() if not a.startswith("Describe")]), 4)
    assert not os.path.exists(w.state + "/ebscope/volumes.jsonl")
    w.aws.fault("CreateVolume", "deny")
    r = w.volumes("create", "gp3:10", "--dry-run")
    equal(r.status, 3)
    contains(r.err, "ec2:CreateVolume")


@test
def killed_between_create_and_attach_the_volume_is_found_and_removed():
    w = World(delay=30)
    p = w.start("create", "gp3:10", "--attach", "--yes")
    wait_until(lambda: w.did("CreateVolume") and w.aws.ec2.timers)
    p.send_signal(signal.SIGKILL)
    p.wait()
    w.aws.ec2.delay = 0.1
    w.aws.ec2.timers = [(0, f) for _, f in w.aws.ec2.timers]
    r = w.volumes("cleanup")
    equal(r.status, 3)
    contains(r.out, "vol-00000000000000001", "gp3:10")
    equal(w.volumes("cleanup", "--yes").status, 0)
    equal(w.aws.ec2.volumes, {})
    contains(w.volumes("cleanup").err, "nothing is left")


@test
def a_create_that_still_runs_in_another_process_is_no_leftover():
    w = World(delay=60)
    p = w.start("create", "gp3:10", "--yes")
    wait_until(lambda: "creating" in p.text(1))
    volume = next(iter(w.aws.ec2.volumes))
    for words in ("cleanup", "--yes", "--forget"), ("cleanup", volume, "--yes"):
        r = w.volumes(*words)
        equal((r.status, w.did("DeleteVolume"), list(w.aws.ec2.volumes)), (0, 0, [volume]), r)
        contains(r.err, "is being created by a process that still runs: left alone", "nothing is left")
        contains(r.out, "being created")
    p.send_signal(signal.SIGKILL)
    p.wait()
    w.aws.ec2.timers = [(0, f) for _, f in w.aws.ec2.timers]
    w.aws.ec2.delay = 0.1
    r = w.volumes("cleanup", "--yes")
    equal((r.status, w.aws.ec2.volumes), (0, {}), r)


@test
def killed_before_the_answer_the_volume_is_found_by_its_tag():
    w = World()
    w.aws.fault("CreateVolume", "slow")         # done, and the answer takes a minute
    p = w.start("create", "gp3:10", "--yes")
    wait_until(lambda: w.did("CreateVolume"))
    p.send_signal(signal.SIGKILL)
    p.wait()
    with open(w.state + "/ebscope/volumes.jsonl") as f:
        assert "vol-" not in f.read()
    r = w.volumes("cleanup", "--yes")
    equal(r.status, 0, r)
    equal(w.aws.ec2.volumes, {})


@test
def killed_while_it_is_detached_the_volume_is_not_detached_twice():
    w = World()
    v = w.create("--attach")["volume_id"]
    w.aws.ec2.delay = 3
    p = w.start("detach", v, "--yes")
    wait_until(lambda: w.did("DetachVolume"))
    p.send_signal(signal.SIGKILL)
    p.wait()
    r = w.volumes("cleanup", "--yes")
    equal((r.status, w.aws.ec2.volumes), (0, {}), r)
    equal(w.did("DetachVolume"), 1)


@test
def a_sibling_that_is_going_or_is_known_already_is_not_taken_for_the_lost_volume():
    for known in (False, True):
        w = World(volumes=2)
        going, lost = w.aws.ec2.volumes.values()
        for v in going, lost:
            v["Tags"].append({"Key": "ebscope:run", "Value": "r"})
        going["State"] = "deleting"
        w.asked("r.1")
        if known:
            w.journal({"event": "created", "token": "r.1", "volume_id": going["VolumeId"]},
                      {"event": "deleted", "volume_id": going["VolumeId"]})
            w.asked("r.2")
        r = w.volumes("cleanup", "--yes")
        equal((r.status, list(w.aws.ec2.volumes)), (0, [going["VolumeId"]]), r)
        r = w.volumes("cleanup", "--yes")
        contains(r.err, "nothing is left")


@test
def a_volume_that_is_being_deleted_needs_no_cleanup():
    w = World()
    v = w.create()["volume_id"]
    w.aws.ec2.volumes[v]["State"] = "deleting"
    r = w.volumes("cleanup", "--yes")
    equal((r.status, r.out, w.did("DeleteVolume")), (0, "", 0), r)
    contains(r.err, "nothing is left")


@test
def what_was_attached_to_another_machine_is_cleaned_up_only_by_name():
    w = World()
    v = w.create()["volume_id"]
    w.aws.ec2.volumes[v].update(State="in-use", Attachments=[{"VolumeId": v, "InstanceId": "i-0000000000000000a",
                                                              "Device": "/dev/sdf", "State": "attached"}])
    r = w.volumes("cleanup", "--yes")
    equal((r.status, w.did("DetachVolume")), (3, 0), r)
    contains(r.err, "attached to i-0000000000000000a", "volumes cleanup " + v)
    w.volumes("cleanup", v, "--yes")
    equal(w.did("DetachVolume"), 1)


@test
def what_was_asked_for_only_now_is_not_forgotten():
    w = World()
    w.asked("r.1", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
    r = w.volumes("cleanup", "--forget")
    equal(r.status, 0, r)
    contains(r.err, "may not show it yet")
    contains(w.volumes("cleanup").out, "not known")
    w = World()
    w.asked("r.1")
    contains(w.volumes("cleanup", "--forget").out, "not there")
    equal(w.volumes("cleanup").out, "")


@test
def ctrl_c_ends_a_wait_and_cleanup_knows_the_volume():
    w = World(delay=30)
    p = w.start("create", "gp3:10", "--yes")
    wait_until(lambda: "creating" in p.text(1))
    p.send_signal(signal.SIGINT)
    r = p.finish()
    equal(r.status, 130)
    contains(w.volumes("cleanup").out, "vol-00000000000000001")


@test
def a_lost_answer_to_create_makes_no_second_volume():
    w = World()
    w.aws.fault("CreateVolume", "lost")
    w.create()
    equal(w.did("CreateVolume"), 2)
    equal(len(w.aws.ec2.volumes), 1)
    tokens = {p["ClientToken"] for a, p in w.aws.calls if a == "CreateVolume"}
    equal(len(tokens), 1)


@test
def after_a_lost_answer_the_volume_is_described_before_anything_is_repeated():
    w = World()
    for action, args in (("AttachVolume", ("attach",)), ("ModifyVolume", ("modify",)), ("DetachVolume", ("detach",)),
                         ("DeleteVolume", ("delete",))):
        if action == "AttachVolume":
            volume = w.create()["volume_id"]
        w.aws.fault(action, "lost")
        more = ("gp3:20",) if action == "ModifyVolume" else ()
        r = w.volumes(args[0], volume, *more, "--yes")
        equal(r.status, 0, r)
        equal(w.did(action), 1, action)
        after = w.aws.actions()[w.aws.actions().index(action) + 1]
        contains(after, "Describe")
    equal(w.aws.ec2.volumes, {})


@test
def a_volume_that_aws_does_not_know_yet_is_waited_for():
    w = World(lag=1.5)
    equal(w.create()["state"], "available")


@test
def what_is_mounted_here_is_neither_detached_nor_deleted():
    w = World()
    v = w.create("--attach")
    w.mount("nvme1n1")
    for action in ("detach", "delete"):
        r = w.volumes(action, v["volume_id"], "--yes")
        equal(r.status, 3)
        contains(r.err, "/data")
    r = w.volumes("cleanup", "--yes")
    equal(r.status, 3)
    contains(r.err, "/data")
    equal(w.did("DetachVolume") + w.did("DeleteVolume"), 0)


@test
def the_root_volume_is_never_taken_away():
    w = World()
    root = w.aws.ec2.root_volume()
    w.aws.fault("DescribeInstances", "deny", 1)     # without permission to look the name tells
    for _ in range(2):
        for action in ("detach", "delete"):
            r = w.volumes(action, root, "--yes")
            equal(r.status, 3)
            contains(r.err, "root volume")
    equal(w.did("DetachVolume") + w.did("DeleteVolume"), 0)


@test
def cleanup_touches_nothing_that_it_did_not_create():
    w = World(volumes=3)
    for v in w.aws.ec2.volumes.values():
        v["Tags"].append({"Key": "ebscope:run", "Value": "somebody-elses"})
    w.create()
    equal(w.volumes("cleanup", "--yes").status, 0)
    equal(len(w.aws.ec2.volumes), 3)


@test
def a_region_that_cannot_be_asked_keeps_its_volumes_in_the_journal():
    w = World()
    w.create()
    with open(w.state + "/ebscope/volumes.jsonl", "a") as f:
        f.write('{"event":"create","run":"r","token":"r.1","region":"us-east-1","az":"us-east-1a","spec":"gp3:9","t":"x"}\n')
    r = w.volumes("cleanup", "--yes", "--forget")
    equal(r.status, 0, r)
    equal(w.aws.ec2.volumes, {})
    contains(r.err, "us-east-1")
    with open(w.state + "/ebscope/volumes.jsonl") as f:
        assert "never" not in f.read()


@test
def without_a_journal_nothing_is_created():
    w = World()
    with open(w.state + "/ebscope", "w"):
        pass
    r = w.volumes("create", "gp3:10", "--yes")
    equal(r.status, 3)
    contains(r.err, "journal")
    equal(w.did("CreateVolume"), 0)


@test
def a_modification_is_followed_to_its_state():
    w = World(volumes=1)
    volume = "vol-00000000000000001"
    r = w.volumes("modify", volume, "gp3:200:6000:250", "--yes")
    equal(r.status, 0, r)
    contains(r.err, "gp2 100 GiB", "gp3 200 GiB", "instead of")
    equal(w.volumes("wait", volume, "optimizing").status, 0)
    v = w.volumes("list", "--format", "json").json["volumes"][0]
    equal(v["modification"]["state"], "optimizing")
    equal(v["modification"]["progress"], 37)
    equal(v["modification"]["from"]["type"], "gp2")
    r = w.volumes("modify", volume, "gp3:300:6000:250", "--yes")
    equal(r.status, 3)
    contains(r.err, "IncorrectModificationState")


@test
def an_earlier_modification_is_not_taken_for_the_one_that_was_just_begun():
    w = World(volumes=1)
    for spec in ("gp3:200", "gp3:300"):
        equal(w.volumes("modify", VOLUME, spec, "--yes").status, 0)
        w.aws.fault("DescribeVolumesModifications", "stale", 2)      # first there is none, then one that is completed
        p = w.start("wait", VOLUME, "completed")
        wait_until(lambda: "optimizing" in p.text(1))
        equal(p.poll(), None)
        contains(p.text(1), "does not tell of the modification yet")
        w.aws.ec2.modifications[VOLUME].update(ModificationState="completed", Progress=100)
        equal(p.finish().status, 0)
        w.aws.ec2.modifications[VOLUME]["StartTime"] -= 3600
    w.aws.ec2.modifications.clear()
    with open(w.state + "/ebscope/volumes.jsonl", "r+") as f:        # an hour later AWS may have forgotten it
        text = re.sub(r'"start":(\d+)', lambda m: '"start":%d' % (int(m.group(1)) - 3600), f.read())
        f.seek(0)
        f.write(text)
    r = w.volumes("wait", VOLUME, "completed")
    equal(r.status, 0, r)
    contains(r.err, "knows of no modification")


@test
def that_there_is_no_modification_is_not_believed_at_once_where_somebody_else_may_have_begun_one():
    for earlier in None, {"VolumeId": VOLUME, "ModificationState": "completed", "Progress": 100, "StartTime": time.time() - 9000}:
        w = World(volumes=1)
        if earlier:
            w.aws.ec2.modifications[VOLUME] = earlier
        p = w.start("wait", VOLUME, "completed")
        wait_until(lambda: "completed 100 %" in p.text(1) if earlier else "knows of no modification" in p.text(1), 20)
        m = {"VolumeId": VOLUME, "ModificationState": "optimizing", "Progress": 5, "StartTime": time.time()}
        w.aws.ec2.modifications[VOLUME] = m
        wait_until(lambda: "optimizing 5 %" in p.text(1), 20)
        equal(p.poll(), None)
        m.update(ModificationState="completed", Progress=100)
        equal(p.finish(20).status, 0)


@test
def that_there_is_no_volume_is_not_believed_at_once_where_it_may_be_new():
    w = World(volumes=1)
    v = w.aws.ec2.volumes.pop(VOLUME)
    p = w.start("wait", VOLUME, "deleted")
    wait_until(lambda: "knows of no such volume" in p.text(1), 20)
    w.aws.ec2.volumes[VOLUME] = v
    wait_until(lambda: "available" in p.text(1), 20)
    v["State"] = "deleting"
    wait_until(lambda: "deleting" in p.text(1), 20)
    del w.aws.ec2.volumes[VOLUME]               # it was on its way: now it is
    equal(p.finish(20).status, 0)
    mine = w.create()["volume_id"]
    equal(w.volumes("delete", mine, "--yes").status, 0)
    calls = len(w.aws.calls)
    equal(w.volumes("wait", mine, "deleted").status, 0)
    equal(len(w.aws.calls) - calls, 1)          # deleted from here: one look is enough


@test
def a_wait_lives_through_aws_s_own_trouble_until_its_end_and_says_so():
    w = World()
    w.aws.fault("DescribeVolumes", "error", 3)
    r = w.volumes("create", "gp3:10", "--yes")
    equal(r.status, 0, r)
    contains(r.err, "InternalError", "still waiting")
    w.aws.fault("DescribeVolumes", "error", 99)
    r = w.volumes("wait", VOLUME, "attached", "--timeout", "1s")
    equal(r.status, 3)
    contains(r.err, "is not attached after 1 s", "InternalError")


@test
def what_limits_replaces_counts_for_volumes_too():
    w = World(volumes=1)
    with open(w.state + "/limits.json", "w") as f:
        json.dump({"volumes": {"gp3": {"usd_gib": 1, "size_max": 50}, "gp2": {"usd_gib": 2}}}, f)
    limits = ("--limits", w.state + "/limits.json")
    r = w.volumes("create", "gp3:10", *limits)
    contains(r.err, "$10.00 a month", "no terminal to confirm on")
    r = w.volumes("create", "gp3:100", "--dry-run", *limits)
    equal(r.status, 2)
    contains(r.err, "1 to 50 GiB")
    equal(w.volumes("list", "--format", "json", *limits).json["volumes"][0]["cost_usd_month"], 200)
    contains(w.volumes("modify", VOLUME, "gp3:20", "--dry-run", *limits).err, "a volume can only grow")
    equal(w.volumes("list", "--limits", w.state + "/none.json").status, 2)


@test
def the_zone_of_the_instance_is_the_default_and_off_ec2_it_must_be_named():
    w = World()
    w.create()
    equal(w.aws.calls[0][1]["AvailabilityZone"], "eu-west-1a")
    r = w.volumes("create", "gp3:10", "--yes", AWS_EC2_METADATA_DISABLED="true")
    equal(r.status, 2)
    contains(r.err, "--az")
    r = w.volumes("attach", "vol-00000000000000001", "--yes", AWS_EC2_METADATA_DISABLED="true")
    equal(r.status, 2)
    contains(r.err, "--instance-id")


@test
def what_was_typed_is_looked_at_before_anybody_is_asked():
    w = World()
    nowhere = {"AWS_REGION": None, "AWS_CONFIG_FILE": "/nonexistent"}    # the Region would have to be asked for
    for words, says in ((["create"], "volumes create SPEC"), (["create", "gp9:10"], "gp9"), (["create", "gp3:0"], "1 to 65,536 GiB"),
                        (["create", "gp3:10", "--tag", "aws:x=1"], "--tag"), (["create", "gp3:10", "gp3:20"], "usage"),
                        (["modify", "vol-1", "gp3:10"], '"vol-1"'), (["modify", VOLUME, "2*gp3:10"], "one volume"),
                        (["detach", VOLUME, VOLUME], "usage"), (["delete"], "usage"), (["wait", VOLUME, "gone"], "available"),
                        (["wait", VOLUME, "deleted", "--timeout", "soon"], "--timeout"), (["cleanup", "x"], '"x"'),
                        (["list", "x"], "usage"), (["list", "--instance-id", "web-1"], "i-0123456789abcdef0")):
        r = w.volumes(*words, **nowhere)
        equal(r.status, 2, r)
        contains(r.err, says)
        equal(len(r.err.splitlines()), 1, r)
    equal((w.aws.calls, w.aws.metadata), ([], []))


main()
