# SPDX-License-Identifier: MIT
"""What is found out before a run: the volume as AWS knows it, a modification under way, the host."""
from e2e import *

try:
    from fake_aws import INSTANCE, FakeAws
    from fake_device import FakeDevice
except ImportError:
    FakeAws = None

VOLUME = "vol-00000000000000001"


class World:
    """A volume of AWS's (gp2, 100 GiB), attached here as /dev/nvme1n1."""

    def __init__(self, **how):
        if not FakeAws:
            skip("no botocore")
        self.device = FakeDevice(scratch(), volume=VOLUME)
        defer(self.device.close)
        self.aws = FakeAws(volumes=1, **how)
        defer(self.aws.close)
        self.volume = self.aws.ec2.volumes[VOLUME]
        self.volume.update(State="in-use", Attachments=[{"VolumeId": VOLUME, "InstanceId": INSTANCE, "Device": "/dev/sdf",
                                                       "State": "attached"}])

    def modify(self, state, progress, **old):
        self.aws.ec2.modifications[VOLUME] = {
            "VolumeId": VOLUME, "ModificationState": state, "Progress": progress,
            **{"Original" + k: v for k, v in old.items()},
            **{"Target" + k: self.volume[k] for k in ("Size", "VolumeType", "Iops", "Throughput") if k in self.volume}}

    def run(self, command, *args, **env):
        return ebscope(command, *args, env=self.aws.env(**{"EBSCOPE_SYSROOT": self.device.root,
                                                           "XDG_STATE_HOME": scratch(), **env}))

    def check(self, *args, **env):
        """A short one that asks for little, so that any machine gives it."""
        return self.run("check", "--rw", "randread", "--bs", "16k", "--iodepth", "4", "--runtime", "1.4",
                        "--rate_iops", "100", "--format", "json", *args, **env)


@test
def a_run_knows_the_volume_and_the_host_by_itself():
    w = World()
    r = w.run("run", "/dev/nvme1n1", "--rw", "randread", "--bs", "16k", "--runtime", "0.6", "--format", "json")
    equal(r.json["volumes"], [{"type": "gp2", "size_gib": 100, "iops": 300, "throughput_mibps": 128, "volume_id": VOLUME,
                                "source": "api"}])
    equal((r.json["host"]["instance_type"], r.json["host"]["instance_id"]), ("m5.large", INSTANCE))
    metrics = w.run("run", "/dev/nvme1n1", "--rw", "randread", "--bs", "16k", "--runtime", "0.6", "--format", "openmetrics").out
    contains(metrics, 'aws_ebs_csi_read_ops_total{instance_id="%s",volume_id="%s"}' % (INSTANCE, VOLUME))
    equal([a for a in w.aws.actions() if not a.startswith("Describe")], [])


@test
def what_only_the_device_says_of_its_volume_is_in_the_document():
    w = World(imds="off")
    w.device.write(w.device.base + "/size", b"209715200\n")
    r = w.run("run", "/dev/nvme1n1", "--rw", "randread", "--bs", "16k", "--runtime", "0.4", "--format", "json",
              AWS_ACCESS_KEY_ID=None, AWS_SECRET_ACCESS_KEY=None)
    equal(r.json["volumes"], [{"type": None, "size_gib": 100, "iops": None, "throughput_mibps": None, "volume_id": VOLUME,
                              "source": "nvme"}])
    equal(r.json["verdict"], "unknown")


@test
def an_alarm_takes_the_limit_that_was_detected():
    w = World()
    r = w.run("watch", "/dev/nvme1n1", "--warn-at", "80%", "--runtime", "3")
    equal(r.status, 1, r)                   # the device does 4,000 a second, the volume 300
    contains(r.err, "of the limit was reached")
    w.aws.fault("DescribeVolumes", "deny", 9)
    r = w.run("watch", "/dev/nvme1n1", "--warn-at", "80%", "--runtime", "3", AWS_EC2_METADATA_DISABLED="true")
    equal(r.status, 2, r)
    contains(r.err, "--warn-at needs a limit", "ec2:DescribeVolumes")
    equal(len(r.err.splitlines()), 1, r)


@test
def a_volume_id_is_target_enough():
    w = World()
    r = w.check("--volume-id", VOLUME)
    equal(r.json["targets"][0]["path"], "/dev/nvme1n1")
    equal(r.json["volumes"][0]["source"], "api")
    r = w.check("--volume-id", "/dev/nvme1n1")
    equal(r.json["volumes"][0]["source"], "api")
    r = w.check("--volume-id", "vol-00000000000000099")
    equal(r.status, 3)
    contains(r.err, "not attached here")
    r = w.check("--volume-id", "nonsense")
    equal(r.status, 2)


@test
def a_volume_that_is_not_what_was_named_is_a_banner_and_the_real_one_counts():
    w = World()
    r = w.check("/dev/nvme1n1", "--volume", "gp3:500:6000:500")
    contains(r.err, "actual volume: gp2:100")
    contains("\n".join(r.json["tests"][0]["warnings"]), "actual volume")
    equal(r.json["volumes"][0]["type"], "gp2")


@test
def while_optimizing_a_figure_in_between_is_unknown():
    w = World()
    w.volume.update(VolumeType="gp3", Size=100, Iops=6000, Throughput=250)
    w.modify("optimizing", 37, VolumeType="io1", Size=100, Iops=100)
    r = w.check("/dev/nvme1n1", "--rate_iops", "3000")      # a thirtieth of it is no less than the old volume gave
    equal(r.status, 3, r)
    contains(r.err, "optimizing", "37 %", "io1:100:100")
    equal(r.json.get("verdict"), "unknown", r)
    contains(r.json["tests"][0]["reason"], "optimizing", "37 %")


@test
def while_optimizing_a_figure_below_both_is_short():
    w = World()
    w.volume.update(VolumeType="io2", Size=100, Iops=16000)
    w.modify("modifying", 3, VolumeType="io2", Size=100, Iops=8000)
    r = w.run("check", "/dev/nvme1n1", "--rw", "randread", "--bs", "16k", "--iodepth", "32", "--runtime", "1.4",
              "--shape=500iops", "--format", "json")
    equal(r.status, 1, r)
    equal(r.json["verdict"], "short")


@test(quiet=True)
def after_completion_it_is_judged_as_usual():
    w = World()
    w.volume.update(VolumeType="gp3", Size=100, Iops=3000, Throughput=125)
    w.modify("completed", 100, VolumeType="gp2", Size=100, Iops=300)
    r = w.check("/dev/nvme1n1")
    equal(r.json["verdict"], "pass")
    assert "optimizing" not in r.err


@test
def without_permission_the_run_goes_on_and_says_what_is_missing():
    w = World()
    w.aws.fault("DescribeVolumes", "deny", 99)
    r = w.check("/dev/nvme1n1")
    contains(r.err, "ec2:DescribeVolumes")
    assert r.json["tests"][0]["iops"] > 50


@test
def without_credentials_only_the_metadata_is_asked():
    w = World()
    r = w.check("/dev/nvme1n1", AWS_ACCESS_KEY_ID=None, AWS_SECRET_ACCESS_KEY=None, AWS_SESSION_TOKEN=None)
    equal(w.aws.calls, [])
    equal(r.json["host"]["instance_type"], "m5.large")
    contains(r.err, "not learned")


@test
def where_nothing_looks_like_aws_nobody_is_asked():
    if not FakeAws:
        skip("no botocore")
    fake = FakeAws()
    defer(fake.close)
    r = ebscope("run", scratch(), "--rw", "read", "--size", "4m", "--runtime", "0.2", "--direct=0", env=fake.env(
        XDG_STATE_HOME=scratch(), AWS_EC2_METADATA_SERVICE_ENDPOINT=None, EBSCOPE_SYSROOT=None))
    equal(fake.calls + fake.metadata, [], r)


@test
def a_task_is_the_host():
    w = World(task={"TaskARN": "arn:aws:ecs:eu-west-1:1:task/c/1", "LaunchType": "FARGATE", "AvailabilityZone": "eu-west-1a",
                    "Limits": {"CPU": 0.25, "Memory": 512}})
    r = w.check("/dev/nvme1n1", ECS_CONTAINER_METADATA_URI_V4=w.aws.url + "/v4/x")
    equal(r.json["host"]["task"], "0.25:512MiB")


@test(quiet=True)
def after_a_change_the_baseline_is_compared_with_what_was_to_be_expected():
    w = World()
    state = scratch()
    check = lambda *a: w.run("check", "/dev/nvme1n1", "--rw", "randread", "--bs", "16k", "--iodepth", "8", "--runtime", "2",
                             "--format", "json", *a, XDG_STATE_HOME=state)
    w.volume.update(VolumeType="gp3", Size=100, Iops=3000, Throughput=125)
    r = check("--after", "--shape")
    equal(r.status, 3)
    contains(r.err, "--before", VOLUME)
    r = check("--before", "--shape")
    contains(r.err, "baselines/" + VOLUME + ".json", "check --after /dev/nvme1n1")
    w.volume.update(Iops=6000, Throughput=250)
    r = check("--after", "--shape")
    change = r.json["tests"][0]["change"]
    near(change["expected_ratio"], 2, 0.01)
    near(change["ratio"], 2, 0.3)
    equal(change["before"]["volumes"][0]["iops"], 3000)
    contains(r.err, "before", "now: x")
    r = check("--before", "--after")
    equal(r.status, 2)


main()
