# SPDX-License-Identifier: MIT
"""ebscope expect: what AWS documents, in the forms that people and scripts read."""
import json
import os

from e2e import *


def expect(*args):
    r = ebscope("expect", *args, "--format", "json")
    equal(r.status, 0)
    return r.json


@test
def a_gp2_volume_of_100_gib_bursts_for_2000_seconds():
    doc = expect("gp2:100", "--bs", "16k")
    equal(doc["volumes"], [{"type": "gp2", "size_gib": 100, "iops": 300, "throughput_mibps": 128}])
    equal(doc["host"], None)
    equal(doc["workload"], {"rw": "randread", "bs": 16384})
    equal(doc["baseline"], {"iops": 300, "mibps": 4.6875, "bound_by": "volume iops"})
    equal(doc["burst"], {"iops": 3000, "mibps": 46.875, "bound_by": "volume iops", "seconds": 2000})
    equal(doc["credits"], {"unit": "io", "capacity": 5400000, "earn_per_s": 300, "refill_seconds": 18000})
    equal(doc["curve"][1], {"start_s": 2000, "end_s": None, "iops": 300, "mibps": 4.6875, "bound_by": "volume iops"})
    equal(doc["legal"], {"size_gib": [1, 16384], "iops": None, "throughput_mibps": None})
    equal(doc["cost_usd_month"], 10.0)
    assert {"name": "volume baseline iops", "value": 300}.items() <= doc["limits"][0].items(), doc["limits"]


@test
def ten_gp2_under_an_m5_large_fall_twice():
    parts = expect("10*gp2:20", "--instance", "m5.large", "--bs", "16k")["curve"]
    equal([(p["iops"], p["bound_by"]) for p in parts],
          [(18750, "host iops"), (3600, "host iops"), (1000, "volume iops")])
    equal(parts[0]["end_s"], 1800)
    near(parts[1]["end_s"], 10281, 0.0001)


@test
def st1_and_sc1_read_a_mebibyte_and_know_their_scan_time():
    doc = expect("st1:1024")
    equal(doc["workload"], {"rw": "read", "bs": 1048576})
    near(doc["credits"]["scan_seconds"], 4194.304, 1e-9)
    near(doc["burst"]["seconds"], 4993.2, 0.0001)


@test
def several_volumes_are_arguments_or_commas_and_raid_joins_them():
    equal(len(expect("gp3:100", "gp3:100")["volumes"]), 2)
    equal(expect("2*gp3:100", "--raid", "1", "--rw", "randwrite")["baseline"]["iops"], 3000)


@test
def a_size_that_was_not_named_is_said_to_be_assumed():
    equal(ebscope("expect", "gp3").err, "ebscope: gp3: no size is named, taken as 100 GiB\n")
    equal(ebscope("expect", "2*gp2,st1:500,gp3::6000").err.splitlines(),
          ["ebscope: 2*gp2: no size is named, taken as 100 GiB", "ebscope: gp3::6000: no size is named, taken as 100 GiB"])
    r = ebscope("expect", "gp2", "--format=json")
    equal((r.json["volumes"][0]["size_gib"], len(r.err.splitlines())), (100, 1))
    equal(ebscope("expect", "3*gp3:100", "--volume=gp2:500").err, "")


@test
def every_task_size_has_a_row():
    doc = expect("gp3:500:6000:500", "--task", "all")
    equal([t["baseline"]["iops"] for t in doc["tasks"]], [6000, 6000, 6000, 3000, 5000, 6000, 6000])
    equal([t["documented"] for t in doc["tasks"]], [False] * 3 + [True] * 4)
    contains(ebscope("expect", "gp3", "--task", "all").out, "no EBS figure documented")
    contains(ebscope("expect", "--task", "4:8").out, "baseline   5,000 IOPS or more ")
    equal(doc["refused"], None)
    ecs = "ECS attaches volumes up to 16,384 GiB, gp3 up to 16,000 IOPS and 1,000 MiB/s only."
    equal(expect("gp3:500:16001", "--task", "all")["refused"], ecs)
    contains(ebscope("expect", "gp3:500:16001", "--task", "all").out, "\n" + ecs + "\n")


@test
def a_queue_that_is_too_shallow_is_told_what_it_comes_to():
    words = ["expect", "gp3:500:16000:1000", "--iodepth"]
    contains(ebscope(*words, "4").out, "16 in flight at 1.00 ms (assumed); 4 in flight come to about 4,000 IOPS\n")
    contains(ebscope(*words, "4", "--numjobs", "4").out, "16 in flight at 1.00 ms (assumed)\n")


@test
def the_table_names_source_and_date():
    r = ebscope("expect", "io2:64:64000", "--bs", "1m")
    equal(r.status, 0)
    for text in "baseline throughput 4,000 MiB/s\n", "4,000 IOPS      4,000 MiB/s", "as of      2026-08", "EC2 API CreateVolume, 2026-05", "USD a month":
        contains(r.out, text)


@test
def a_limit_has_the_digits_that_aws_documents():
    contains(ebscope("expect", "io2:2TiB:64000", "--instance", "r8gb.48xlarge").out, "host baseline iops 1,440,000\n")
    contains(ebscope("expect", "io2:2TiB:64000", "--instance", "m4.large").out, "at most 32,000 IOPS and 500 MiB/s")
    contains(ebscope("expect", "4*io2:2TiB:64000").out, "volume baseline throughput 16,000 MiB/s\n")
    assert "Small sequential" not in ebscope("expect", "standard:20").out


@test
def what_aws_refuses_is_refused_in_one_line():
    for args, rule, nearest in (
            (["gp2:100:5000"], "3 per GiB", "nearest at 100 GiB is 300"),
            (["gp3:1:16000"], "500 per GiB", "nearest is 3,000"),
            (["gp3:100:3000:1000"], "at most 750 MiB/s at 3,000 IOPS; raise IOPS to 4,000", "nearest is 750"),
            (["io2:4:50"], "at least 100", "nearest is 100"),
            (["st1:10"], "125 to 16,384 GiB", "nearest is 125 GiB"),
            (["gp9:1"], "not a volume type", "gp2 or gp3"),
            (["gp3", "--task", "1:1"], "1 vCPU has 2 GiB to 8 GiB", "nearest is 1:2"),
            (["io2:100"], "io2 needs its IOPS: 100 to 100,000", "io2:100:3000"),
            (["gp3", "--instance", "m5.larg"], "not an instance type", "m5.large"),
            (["gp3", "--credits", "101"], "allowed: 0 to 100", ""),
            (["gp3", "--raid", "5"], "RAID 5 needs 3 volumes", ""),
            (["gp3", "--instance", "m5.large", "--task", "2:4"], "one host", ""),
            (["gp3", "--format", "csv"], "table or json", ""),
            ([], "Name a volume", "")):
        r = ebscope("expect", *args)
        equal(r.status, 2)
        equal(r.out, "")
        equal(len(r.err.splitlines()), 1)
        contains(r.err, rule)
        contains(r.err, nearest)


@test
def a_file_replaces_limits_and_unknown_keys_are_named():
    path = os.path.join(scratch(), "limits.json")
    with open(path, "w") as f:
        f.write('{"as_of": "2027-03", "volumes": {"gp3": {"iops_max": 100000}}}')
    doc = expect("gp3:1000:90000", "--limits", path)
    equal(doc["volumes"][0]["iops"], 90000)
    equal(doc["as_of"], "2027-03")
    assert path in doc["sources"], doc["sources"]
    with open(path, "w") as f:
        f.write('{"volumes": {"gp3": {"iops": 1}}}')
    r = ebscope("expect", "gp3:1000", "--limits", path)
    equal(r.status, 2)
    contains(r.err, "volumes.gp3: unknown key 'iops'")


@test
def credits_at_the_start_shorten_the_burst():
    equal(expect("gp2:100", "--credits", "40%")["burst"]["seconds"], 800)


@test(alone=True)
def an_answer_takes_20_ms_of_cpu_at_most_beside_the_programs_start():
    start = min(ebscope("--version").cpu for _ in range(5))
    assert min(ebscope("expect", "10*gp2:20", "--instance", "m5.large").cpu for _ in range(5)) < start + 0.020


@test
def tables_of_long_ago_are_said_to_be_so_beside_every_verdict():
    folder = scratch()
    for date, old in (("2020-01", True), ("2999-01", False)):
        limits = folder + "/" + date
        with open(limits, "w") as f:
            json.dump({"as_of": date}, f)
        for words in (["check", "sim:gp3:100", "--runtime=0.6", "--no-record"], ["expect", "gp3:100"],
                      ["run", "sim:gp3:100", "--rw=randread", "--runtime=0.6", "--no-record"]):
            r = ebscope(*words, "--limits", limits, "--format", "json")
            equal((r.json["as_of"], r.json["as_of_stale"]), (date, old), r)
            equal("of 2020-01, more than a year old" in r.err, old, r)


main()
