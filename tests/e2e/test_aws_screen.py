# SPDX-License-Identifier: MIT
"""The Volumes screen against a stand-in for AWS; and that nothing about AWS keeps the first picture waiting."""
import socket
import threading

from e2e import *
from terminal import Terminal

try:
    from fake_aws import INSTANCE, FakeAws, make_sysroot
except ImportError:
    FakeAws = None


class World:
    def __init__(self, **how):
        if not FakeAws:
            skip("no botocore")
        self.root, self.state = make_sysroot(scratch()), scratch()
        self.aws = FakeAws(sysroot=self.root, **how)
        defer(self.aws.close)

    def env(self, **more):
        return self.aws.env(XDG_STATE_HOME=self.state, EBSCOPE_SYSROOT=self.root, LC_ALL="C.UTF-8", **more)

    def open(self, cols=120, rows=34, **more):
        t = Terminal(program(), cols=cols, rows=rows, env=self.env(**more))
        t.wait("Setup")
        return t


@test
def the_whole_life_of_a_volume_from_the_dashboard():
    w = World()
    t = w.open()
    t.send("4")
    t.wait("c creates one")
    t.send("c")
    t.wait("Go on")
    t.send("BTab", "Enter")
    t.wait("a month")
    t.send("create", "Enter")
    t.wait("/dev/nvme1n1")
    t.wait("mkfs.xfs")
    t.wait("in-use")
    t.send("Enter")
    t.wait("target")
    t.wait("/dev/nvme1n1")
    t.send("F4")
    t.wait("Errand")
    t.send("d")
    t.wait("Detach")
    t.send("y")
    wait_until(lambda: not any(v["Attachments"] for v in w.aws.ec2.volumes.values()))
    t.wait("available")
    t.send("D")
    t.wait("all that is on it")
    t.send("vol-00000000000000001", "Enter")
    wait_until(lambda: not w.aws.ec2.volumes)
    t.wait("c creates one")
    t.send("q")
    equal(t.finish().status, 0)
    with open(w.state + "/ebscope/volumes.jsonl") as f:
        contains(f.read(), '"created"', '"deleted"')


@test
def leaving_while_a_volume_is_created_leaves_it_in_the_journal():
    w = World(delay=60)
    t = w.open()
    t.send("4")
    t.wait("c creates one")
    t.send("c")
    t.wait("Go on")
    t.send("BTab", "Enter")
    t.wait("a month")
    t.send("create", "Enter")
    t.wait("creating")
    t.send("q")
    equal(t.finish().status, 0)
    r = ebscope("volumes", "cleanup", env=w.env())
    contains(r.out, "vol-00000000000000001")


@test
def a_modification_shows_its_progress():
    w = World(volumes=1)
    w.aws.ec2.modifications["vol-00000000000000001"] = {
        "VolumeId": "vol-00000000000000001", "ModificationState": "optimizing", "Progress": 37, "OriginalVolumeType": "gp2",
        "TargetVolumeType": "gp3", "OriginalIops": 300, "TargetIops": 6000}
    t = w.open()
    t.send("4")
    t.wait("optimizing 37 %")
    t.wait("between old and new")


@test
def burst_credits_are_cloudwatchs_and_absent_is_not_zero():
    import time
    w = World(volumes=2, metrics={"BurstBalance": [(int(time.time()) - 60, 42.0)],
                                   "EBSIOBalance%": [(int(time.time()) - 60, 87.0)]})
    for v in w.aws.ec2.volumes.values():
        v.update(State="in-use", Attachments=[{"VolumeId": v["VolumeId"], "InstanceId": "i-0fedcba9876543210",
                                               "Device": "/dev/sdf", "State": "attached"}])
    t = w.open()
    t.send("4")
    t.wait("42 % of the burst balance")
    t.wait("IOPS 87 % left")
    assert "throughput" not in t.text()     # not reported: no figure, and no 0
    t.send("Down")
    t.wait("does not burst")


@test
def no_credentials_is_said_where_the_list_would_be():
    w = World()
    t = w.open(AWS_ACCESS_KEY_ID=None, AWS_SECRET_ACCESS_KEY=None, AWS_SESSION_TOKEN=None)
    t.send("4")
    t.wait("no AWS credentials")
    t.send("q")
    equal(t.finish().status, 0)


@test
def a_refusal_names_the_permission_and_the_dashboard_goes_on():
    w = World(volumes=1)
    w.aws.fault("DescribeVolumes", "deny", 99)
    t = w.open()
    t.send("4")
    t.wait("ec2:DescribeVolumes")
    t.send("1")
    t.wait("target")


@test
def the_volume_below_the_target_is_filled_in_and_counts():
    from fake_device import FakeDevice
    w = World(volumes=1)
    device = FakeDevice(scratch(), volume="vol-00000000000000001")
    defer(device.close)
    w.root = device.root
    w.aws.ec2.volumes["vol-00000000000000001"].update(State="in-use", VolumeType="gp3", Size=321, Iops=4321, Throughput=222,
                                                      Attachments=[{"InstanceId": INSTANCE, "Device": "/dev/sdf"}])
    t = Terminal(program("/dev/nvme1n1", "--rw", "randread", "--runtime", "1"), cols=120, rows=34, env=w.env())
    t.wait("gp3 321 GiB, 4,321 IOPS, 222 MiB/s")
    t.send("s")
    t.wait("3 Results")
    t.wait("gp3 321 GiB")
    other = Terminal(program("/dev/nvme1n1", "--volume", "gp3:500:6000:500"), cols=120, rows=34, env=w.env())
    other.wait("actual volume: gp3 321 GiB")


@test
def the_instance_is_filled_in_as_the_host():
    w = World()
    t = w.open()
    t.wait("m5.large")
    t.send("F5")
    t.wait("Name an iperf3 server")
    t.wait("m5.large")


@test(alone=True)
def the_first_picture_does_not_wait_for_the_metadata():
    """Within 100 ms more than with the metadata switched off, whatever its address does."""
    silent = socket.socket()
    defer(silent.close)
    silent.bind(("127.0.0.1", 0))
    silent.listen(5)
    refused = socket.socket()
    refused.bind(("127.0.0.1", 0))
    port = refused.getsockname()[1]
    refused.close()
    slow = socket.socket()
    defer(slow.close)
    slow.bind(("127.0.0.1", 0))
    slow.listen(5)
    held = []
    threading.Thread(target=lambda: held.append(slow.accept()), daemon=True).start()

    def seconds(**env):
        best = 9
        for _ in range(3):
            r = ebscope("--screen", "80x24", "--dump", env={
                **dict.fromkeys(("AWS_ACCESS_KEY_ID", "AWS_PROFILE")), "XDG_STATE_HOME": scratch(), **env})
            equal(r.status, 0, r)
            contains(r.out, "Setup")
            best = min(best, r.seconds)
        return best

    base = seconds(AWS_EC2_METADATA_DISABLED="true")
    for where in (silent.getsockname()[1], port, slow.getsockname()[1]):
        took = seconds(AWS_EC2_METADATA_DISABLED=None, AWS_EC2_METADATA_SERVICE_ENDPOINT="http://127.0.0.1:%d" % where)
        assert took - base < 0.1, (took, base, where)


main()
