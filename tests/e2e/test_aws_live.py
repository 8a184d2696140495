# SPDX-License-Identifier: MIT
"""Live with AWS's own word beside ours: CloudWatch's balances, the device's latencies and limits, a change under way."""
import json
import os
import signal
import time

from e2e import *
from terminal import Terminal

try:
    from fake_aws import INSTANCE, FakeAws
    from fake_device import FakeDevice
except ImportError:
    FakeAws = None

VOLUME = "vol-00000000000000001"


class World:
    """An instance with one EBS volume below /dev/nvme1n1."""

    def __init__(self, metrics=None, change=None, status=None, **volume):
        if not FakeAws:
            skip("no botocore")
        self.device = FakeDevice(scratch(), volume=VOLUME, status=status)
        defer(self.device.close)
        self.aws = FakeAws(volumes=1, sysroot=self.device.root, metrics=metrics)
        defer(self.aws.close)
        self.aws.ec2.volumes[VOLUME].update(volume, State="in-use", Attachments=[
            {"VolumeId": VOLUME, "InstanceId": INSTANCE, "Device": "/dev/sdf", "State": "attached"}])
        if change:
            self.aws.ec2.modifications[VOLUME] = {"VolumeId": VOLUME, **change}
        self.recording = scratch() + "/run.jsonl"

    def open(self, cols=120, rows=40, *args):
        env = self.aws.env(XDG_STATE_HOME=scratch(), EBSCOPE_SYSROOT=self.device.root, LC_ALL="C.UTF-8")
        t = Terminal(program(self.device.path, "--rw", "randread", "--bs", "16k", "--iodepth", "4", "--rate_iops", "400",
                             "--runtime", "60", "--record", self.recording, *args), cols=cols, rows=rows, env=env)
        t.wait("as AWS knows it")
        t.send("s")
        t.wait("Workers")
        return t

    def entries(self, kind):
        with open(self.recording) as f:
            return [x for x in (json.loads(line) for line in f if line.endswith("\n")) if x["type"] == kind]

    def replay(self, size="120x40"):
        return ebscope("--screen", size, "--keys", "until:done,2", "--dump", "replay", "--speed", "max", self.recording,
                       env={"LC_ALL": "C.UTF-8", "XDG_STATE_HOME": scratch()}).out

CHANGE = {"ModificationState": "optimizing", "Progress": 37, "OriginalVolumeType": "gp3", "TargetVolumeType": "gp3",
          "OriginalIops": 3000, "TargetIops": 6000, "OriginalThroughput": 125, "TargetThroughput": 250, "OriginalSize": 100,
          "TargetSize": 100}
# the verdict meanwhile, or that of a busy machine, which gives less than the 400 a second that old and new have
IN_BETWEEN = r"\? unknown|▼ short"


def gp2(**how):
    return World(VolumeType="gp2", Size=100, Iops=300, **how)


@test
def cloudwatchs_balance_stands_beside_the_modelled_one_at_its_own_time():
    now = int(time.time())
    w = gp2(metrics={"BurstBalance": [(now - 360 + 60 * i, 90 - 5 * i) for i in range(4)]})
    t = w.open()
    t.wait("● CloudWatch 75 %, 3 min ago")
    assert t.text().count("●") >= 4, t.text()     # the line's own, and its dots on the curve
    t.resize(80, 24)
    t.wait("● CloudWatch 75 % -3m")
    t.send("x")
    t.wait("stopped")
    said = [x for x in w.entries("outside") if x["name"] == "BurstBalance"]
    equal([x["value"] for x in said], [90, 85, 80, 75])
    equal([x["id"] for x in said], [VOLUME] * 4)
    assert all(near(b["t"] - a["t"], 60, 0.01) is None for a, b in zip(said, said[1:])), said
    assert -460 < said[0]["t"] < -340, said
    contains(w.replay(), "● CloudWatch 75 %")
    contains(w.replay("80x24"), "● CloudWatch 75 %")


@test
def a_balance_that_does_not_exist_is_no_zero():
    w = gp2()
    t = w.open()
    t.wait("CloudWatch: no figure yet")
    assert "CloudWatch 0" not in t.text()
    t.send("x")
    t.wait("stopped")
    none = w.entries("outside")
    equal({x["name"] for x in none}, {"BurstBalance", "EBSIOBalance%", "EBSByteBalance%"})
    assert all(x["value"] is None for x in none), none


@test
def cloudwatch_is_asked_only_for_a_run_on_a_volume():
    w = gp2()
    t = Terminal(program(w.device.path), cols=120, rows=40, env=w.aws.env(XDG_STATE_HOME=scratch(), EBSCOPE_SYSROOT=w.device.root,
                                                                          LC_ALL="C.UTF-8"))
    t.wait("as AWS knows it")
    assert "GetMetricData" not in w.aws.actions(), w.aws.actions()
    t.send("s")
    wait_until(lambda: "GetMetricData" in w.aws.actions())


@test
def a_long_run_without_the_dashboard_records_what_a_replay_shows():
    now = int(time.time())
    w = gp2(metrics={"BurstBalance": [(now - 180, 66)]})
    env = w.aws.env(XDG_STATE_HOME=scratch(), EBSCOPE_SYSROOT=w.device.root)
    args = ("run", w.device.path, "--rw", "randread", "--bs", "16k", "--rate_iops", "400", "--record", w.recording)
    assert ebscope(*args, "--runtime", "0.5", env=env).status in (0, 1)     # short where the machine is busy
    equal((w.entries("outside"), w.aws.actions().count("GetMetricData")), ([], 0))      # too short for it to say anything
    p = start(*program(*args, "--runtime", "120"), env=env)
    wait_until(lambda: os.path.getsize(w.recording) and any(x["value"] == 66 for x in w.entries("outside")))
    p.send_signal(signal.SIGINT)
    equal(p.finish().status, 130)
    contains(w.replay(), "● CloudWatch 66 %")


@test
def a_watch_knows_the_volume_and_the_host_that_it_is_on():
    now = int(time.time())
    w = gp2(metrics={"BurstBalance": [(now - 180, 66)]})
    env = w.aws.env(XDG_STATE_HOME=scratch(), EBSCOPE_SYSROOT=w.device.root, LC_ALL="C.UTF-8")
    t = Terminal(program("watch", w.device.path), cols=120, rows=40, env=env)
    t.wait("gp2 100 GiB · m5.large")
    t.wait("● CloudWatch 66 %")
    alone = Terminal(program("watch", w.device.path), cols=120, rows=40, env={
        **env, "AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None, "AWS_SESSION_TOKEN": None,
        "AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1:1"})
    alone.wait("No volume known")
    named = Terminal(program("watch", w.device.path, "--volume", "gp3:100"), cols=120, rows=40, env=env)
    named.wait("gp3 100 GiB")


@test
def the_devices_latencies_queue_and_limits_are_on_live_and_in_its_replay():
    w = gp2()
    w.device.latency(16, 32, 64, 128)
    w.device.limit("volume iops", 0.9)
    w.device.limit("host throughput", 0.3)
    t = w.open(200, 60)
    t.wait("█ host ─ device")
    t.wait("device p50")
    t.wait("3 in the device's queue")
    t.wait("at a limit, as the device counts it")
    t.wait("host iops +0 %")
    t.resize(80, 24)
    t.wait("─ device")
    t.wait("at volume iops")
    t.send("x")
    t.wait("stopped")
    contains(w.replay("200x60"), "█ host ─ device", "device p50", "in the device's queue", "volume iops")
    read = [x["device"] for x in w.entries("sample") if x["device"] and "lat_us" in x["device"]]
    equal([row[:2] for row in read[0]["lat_us"]], [[16, 32], [32, 64], [64, 128]])
    assert all(x["queue"] == 3 for x in read), read


@test
def a_bucket_of_which_next_to_nothing_was_spent_is_not_full_again():
    w = gp2()                       # 400 I/Os a second leave the host's bucket at the brim
    t = w.open()
    wait_until(lambda: sum(x["r"]["ios"] for x in w.entries("sample")) > 1200)
    t.send("x")
    t.wait("stopped")
    equal([x for x in w.entries("event") if x["kind"] == "credits_full"], [])


@test
def a_device_that_counts_no_latencies_changes_nothing():
    w = gp2(status=b"\x09\x21")
    t = w.open(200, 60)
    t.wait("log scale")
    assert "device" not in t.text().split("╭─ Latency")[1].split("\n")[0], t.text()
    assert "in the device's queue" not in t.text()


@test
def while_a_volume_is_optimizing_live_draws_what_lies_between_old_and_new():
    w = World(VolumeType="gp3", Size=100, Iops=6000, Throughput=250, change=CHANGE)
    t = w.open()
    t.wait("optimizing 37 %: 3,000 to 6,000 IOPS")
    t.wait("old 3,000")
    t.wait("new 6,000")
    t.wait(IN_BETWEEN)
    t.resize(80, 24)
    t.wait("optimizing 37 %")
    t.send("x")
    t.wait("stopped")
    contains(w.replay(), "optimizing 37 %: 3,000 to 6,000 IOPS", "old 3,000", "new 6,000")
    equal([x["value"] for x in w.entries("outside") if x["name"] == "optimizing"], [37])


@test
def a_change_that_begins_during_the_run_is_drawn_and_goes_when_it_is_completed():
    w = World(VolumeType="gp3", Size=100, Iops=3000, Throughput=125)
    t = w.open()
    t.wait("volume 3,000")

    def look():
        t.send("4")
        t.wait("its credits|here")
        t.send("u", "2")

    w.aws.ec2.modifications[VOLUME] = {"VolumeId": VOLUME, **CHANGE, "ModificationState": "modifying", "Progress": 0}
    look()
    t.wait("optimizing 0 %: 3,000 to 6,000 IOPS")
    w.aws.ec2.modifications[VOLUME]["Progress"] = 41
    look()
    t.wait("optimizing 41 %: 3,000 to 6,000 IOPS")
    t.wait(IN_BETWEEN)
    del w.aws.ec2.modifications[VOLUME]
    look()

    def told():
        return [x for x in w.entries("outside") if x["name"] == "optimizing"]

    wait_until(lambda: len(told()) == 3)
    t.wait(lambda text: "optimizing" not in text and "IOPS seen" in text)
    said = told()
    equal([x["value"] for x in said], [0, 41, 100])
    equal([x["text"] for x in said], ["gp3:100:3000:125 to gp3:100:6000:250"] * 2 + ["completed"])
    wait_until(lambda: [x["text"] for x in w.entries("event") if x["kind"] == "knob"] ==
               ["volume gp3:100:3000:125 to gp3:100:6000:250", "volume is gp3:100:6000:250"])


@test
def a_volume_that_becomes_another_during_the_run_has_the_new_limits_from_then_on():
    w = World(VolumeType="gp2", Size=33, Iops=100)
    t = w.open(120, 40, "--credits", "0")
    t.wait("volume 100|base 100")
    w.aws.ec2.volumes[VOLUME].update(VolumeType="gp3", Iops=3000, Throughput=125)     # nobody saw it happen
    t.send("4")
    t.wait("its credits|here")
    t.send("u", "2")
    t.wait("volume gp2:33 to gp3:33:3000")
    wait_until(lambda: w.entries("sample")[-1]["model"]["iops"] == 400)
    t.send("x")
    t.wait("stopped")
    equal(w.entries("sample")[0]["model"]["iops"], 100)
    equal([x["text"] for x in w.entries("event") if x["kind"] == "knob"],
          ["volume gp2:33 to gp3:33:3000:125"])
    result = w.entries("result")[0]
    assert any("changed during the test, gp2:33 to gp3:33:3000:125" in x for x in result["warnings"]), result["warnings"]
    equal(result["expected"]["iops_max"], 400)
    contains(w.replay(), "gp3 33 GiB")


main()
