# SPDX-License-Identifier: MIT
"""ebscope net on a network that bursts, simulated or made with a token bucket, and on the dashboard."""
import json
import os
import time

from e2e import *
from net_peers import *


# ---- the simulated network, recordings -----------------------------------------------------------------------------

@test(quiet=True)
def a_simulated_task_bursts_and_falls_as_the_published_one():
    state = scratch()
    r = ebscope("net", "sim:net:0.25:512MiB", "-R", "-P", "10", "-t", "6", "--time-scale", "137", "--format", "json",
                env={"XDG_STATE_HOME": state})
    equal(r.status, 0)
    doc, t = r.json, r.json["tests"][0]
    assert doc["simulated"] and doc["time_scale"] == 137
    equal([p["kind"] for p in t["phases"]], ["burst", "baseline"])
    near(t["row"]["burst_s"], 410, 0.06)
    near(t["row"]["bytes_above_baseline"], t["credits"]["capacity"], 0.08)
    near(t["row"]["burst_gbps"], 4.214, 0.02)
    near(t["row"]["baseline_gbps"], 0.063, 0.03)
    near(t["expected"]["baseline_bps"], 0.063e9, 1e-6)
    contains(t["expected"]["source"], "observed 2024-06", "eu-west-1", "not a promise")
    equal(t["verdict"], "pass")
    recording, = os.listdir(os.path.join(state, "ebscope/runs"))
    path = os.path.join(state, "ebscope/runs", recording)
    equal(ebscope("export", path, "--format", "json").json["tests"][0]["row"], t["row"])
    doc = ebscope("export", path, "--format", "iperf3").json
    equal(doc["end"]["sum_received"]["bytes"], t["received"])
    near(len(doc["intervals"]), 6, 0.2)
    equal(len(doc["intervals"][0]["streams"]), 10)
    contains(ebscope("export", path).out, "SIMULATED", "0.063")


def namespaces(*qdisc):
    """Two network namespaces joined by a pair of cards, an iperf3 server in the second, whose card has this qdisc.
    -> (run_here(argv) for the first one's command line, the server, ip)"""
    ours, theirs = "ebsc%d" % os.getpid(), "ebss%d" % os.getpid()

    def ip(*args):
        r = run("ip", *args)
        if r.status:
            skip("ip %s: %s" % (" ".join(args), r.err.strip()))
    for name in (ours, theirs):
        defer(run, "ip", "netns", "del", name)
        ip("netns", "add", name)
    ip("link", "add", "c0", "netns", ours, "type", "veth", "peer", "name", "s0", "netns", theirs)
    for name, card, address in ((ours, "c0", "10.99.7.1/30"), (theirs, "s0", "10.99.7.2/30")):
        ip("-n", name, "addr", "add", address, "dev", card)
        ip("-n", name, "link", "set", "lo", "up")
        ip("-n", name, "link", "set", card, "up")
    r = run("ip", "netns", "exec", theirs, "tc", "qdisc", "add", "dev", "s0", "root", *qdisc)
    if r.status:
        skip("no token bucket: " + r.err.strip())
    server = start("ip", "netns", "exec", theirs, "iperf3", "-s", "-1", "-J")
    wait_until(lambda: ":1451 " in run("ip", "netns", "exec", theirs, "cat", "/proc/net/tcp6").out)
    return ["ip", "netns", "exec", ours], server, lambda *args: ip("-n", ours, *args)


@test(root=True, tools=["ip", "tc", "iperf3"], quiet=True)
def a_burst_in_a_token_bucket_is_found_with_its_baseline():
    """A bucket that lets 240 Mbit/s through for 4 s, then 40."""
    rate, peak, seconds = 40e6, 240e6, 4
    here, server, _ = namespaces("tbf", "rate", "%dbit" % rate, "burst", "%d" % ((peak - rate) * seconds / 8),
                                 "latency", "50ms", "peakrate", "%dbit" % peak, "minburst", "66000")
    r = run(*here, *program("net", "10.99.7.2", "-R", "-P", "10", "-t", "12", "--no-record", "--format", "json"),
            timeout=40)
    equal(r.status, 0, repr(r))
    t = r.json["tests"][0]
    equal([p["kind"] for p in t["phases"]], ["burst", "baseline"])
    payload = 1448 / 1514           # of a frame of 1,500 bytes
    near(t["phases"][0]["end_s"], seconds, 0.25)
    near(t["row"]["burst_gbps"] * 1e9, peak * payload, 0.04)
    near(t["row"]["baseline_gbps"] * 1e9, rate * payload, 0.04)
    near(t["row"]["bytes_above_baseline"], (peak - rate) * payload * seconds / 8, 0.2)
    equal(t["peer"]["sent"], json.loads(server.finish().out)["end"]["sum_sent"]["bytes"])
    near(t["interface"]["rx_bytes"], t["received"] / payload, 0.05)


@test(tools=["iperf3"])
def a_counter_of_the_card_that_moves_is_proof():
    root, state = scratch(), scratch()
    os.makedirs(os.path.join(root, "dev"))

    def card(moved):
        path = os.path.join(root, "dev/lo.ethtool")
        with open(path + ".new", "w") as f:
            f.write("driver: ena\nbw_in_allowance_exceeded: 7\nbw_out_allowance_exceeded: %d\n" % (100 + moved))
        os.rename(path + ".new", path)
    card(0)
    port, _ = iperf3_server()
    ours = start(*program("net", "127.0.0.1:%d" % port, "-t", "6", "-b", "50M", "--instance", "m5.large", "--format", "json"),
                 env={"EBSCOPE_SYSROOT": root, "XDG_STATE_HOME": state})
    wait_until(lambda: samples(state) > 1)
    card(42)
    r = ours.finish()
    t = r.json["tests"][0]
    equal((t["bound_by"], t["proven"]), ("instance allowance", True))
    equal(t["interface"]["ena"], {"bw_in_allowance_exceeded": 0, "bw_out_allowance_exceeded": 42})
    contains(t["reason"], "bw_out_allowance_exceeded moved by 42")
    recording, = os.listdir(os.path.join(state, "ebscope/runs"))
    with open(os.path.join(state, "ebscope/runs", recording)) as f:
        events = [e for e in map(json.loads, f) if e["type"] == "event"]
    equal([e["text"] for e in events if e["kind"] == "throttled"], ["bw_out_allowance_exceeded +42"])


@test(tools=["iperf3"])
def the_instance_is_found_by_itself():
    try:
        from fake_aws import FakeAws
    except ImportError:
        skip("no botocore")
    aws = FakeAws(volumes=0)
    defer(aws.close)
    port, _ = iperf3_server()
    r = ebscope("net", "127.0.0.1:%d" % port, "-n", "20m", "--no-record", "--format", "json", env=aws.env())
    t = r.json["tests"][0]
    contains(r.err, "this is m5.large")
    equal((t["expected"]["host"], t["expected"]["peak_bps"], t["expected"]["single_flow_bps"]), ("m5.large", 10e9, 5e9))
    equal(r.json["host"]["instance_type"], "m5.large")


@test
def formats_that_a_network_test_has_not_are_refused():
    r = ebscope("net", "sim:net:4:8", "-t", "1", "--no-record", "--format", "fio")
    equal(r.status, 2)
    contains(r.err, "iperf3")
    rows = ebscope("net", "sim:net:4:8", "-t", "1", "--no-record", "--format", "csv").lines
    equal(rows[1].split(",")[:7], ["net", "net", "", "", "", "", ""])


@test(quiet=True)
def a_simulated_run_stands_beside_the_published_table():
    state = scratch()
    ebscope("net", "sim:net:0.25:512MiB", "--preset", "fargate", "-t", "6", "--time-scale", "137",
            env={"XDG_STATE_HOME": state})
    runs = os.path.join(state, "ebscope/runs")
    both = "ref:fargate-net/eu-west-1/0.25:512", os.path.join(runs, os.listdir(runs)[0])
    assert "direct" not in ebscope("compare", *both).out
    doc = ebscope("compare", *both, "--format", "json").json
    rows = {r["metric"]: r for r in doc["rows"] if r["test"] == "receive"}
    for metric, published, share in (("burst_bits_per_second", 4.214, 0.02), ("baseline_bits_per_second", 0.063, 0.03),
                                     ("burst_s", 410, 0.06)):
        equal(rows[metric]["values"][0], published)
        near(rows[metric]["values"][1], published, share)


@test(root=True, tools=["ip", "tc", "iperf3"], quiet=True)
def a_stall_is_zero_on_the_plot_and_not_the_end_of_a_burst():
    here, _, ip = namespaces("tbf", "rate", "200mbit", "burst", "256k", "latency", "50ms")
    ours = start(*here, *program("net", "10.99.7.2", "-R", "-P", "4", "-t", "12", "--no-record", "--format", "json"))
    wait_until(lambda: "testing" in ours.text(1))
    time.sleep(4)
    ip("link", "set", "c0", "down")
    time.sleep(3)
    ip("link", "set", "c0", "up")
    t = ours.finish(30).json["tests"][0]
    equal(len(t["stalls"]), 1)
    assert 3 < t["stalls"][0]["start_s"] < 6, t["stalls"]
    assert t["stalls"][0]["seconds"] > 2.5, t["stalls"]
    equal([p["kind"] for p in t["phases"]], ["steady"])
    near(t["phases"][0]["bits_per_second"], 200e6 * 1448 / 1514, 0.1)
    contains(t["warnings"][0], "nothing moved for")


# ---- the dashboard --------------------------------------------------------------------------------------------------

def screen(keys, *args, size="100x30", status=0, **env):
    r = ebscope("--screen", size, "--keys", keys, "--dump", "net", *args, env={"LC_ALL": "C.UTF-8", **env})
    equal(r.status, status, repr(r))
    return r.out


@test(quiet=True)
def the_network_screen_shows_burst_baseline_and_verdict_and_its_replay_the_same():
    state = scratch()
    live = screen("Enter,until:done", "sim:net:0.25:512MiB", "--preset", "fargate", "-t", "8", XDG_STATE_HOME=state)
    contains(live, "SIMULATED ×60", "burst 6 m", "baseline", "✓ pass", "0 % of 198 GiB", "observed 2024-06", "and 3 more")
    runs = os.path.join(state, "ebscope/runs")
    r = ebscope("--screen", "100x30", "--keys", "until:done", "--dump", "replay", "--speed", "max",
                os.path.join(runs, os.listdir(runs)[0]), env={"LC_ALL": "C.UTF-8", "XDG_STATE_HOME": state})

    def below_the_form(text):
        return text[text.index("Gbps received"):text.rindex("? Help")]
    equal(below_the_form(r.out), below_the_form(live))


@test(tools=["iperf3"])
def the_network_screen_measures_and_x_ends_it_in_the_protocol():
    state = scratch()
    port, _ = iperf3_server()
    text = screen("Enter,wait:1500ms,x,until:done", at(port), "-P", "3", "-t", "30", XDG_STATE_HOME=state)
    contains(text, "bps sent", "Streams", "rtt", "stopped")
    contains(screen("Enter,wait:1500ms", at(port), "-t", "3", size="120x40"), "no counter: lo has")
    runs = os.path.join(state, "ebscope/runs")
    with open(os.path.join(runs, os.listdir(runs)[0])) as f:
        result = [e for e in map(json.loads, f) if e["type"] == "result"][0]
    assert result["stopped"] and 0 < result["peer"]["received"] <= result["sent"], result
    assert net(port, "-n", "10m")["peer"]["bytes"] > 0


@test
def a_peer_that_refuses_is_told_on_the_screen_and_leaves_no_recording():
    state = scratch()
    text = screen("Enter,until:done,wait:300ms", "127.0.0.1:1", XDG_STATE_HOME=state)
    contains(text, "Connection refused")
    equal([f for _d, _s, files in os.walk(state) for f in files], [])


@test
def the_form_refuses_as_one_types():
    text = screen("F5,text:10.0.0.1,Tab,Tab,Tab,text:129,Tab")
    contains(text, "1 to 128")


@test
def a_large_instance_through_one_flow_names_the_cap():
    r = ebscope("net", "sim:net:m5n.8xlarge", "-t", "1", "--no-record", "--format", "json")
    t = r.json["tests"][0]
    equal(t["verdict"], "pass")
    equal(t["bound_by"], "single flow")
    equal((t["expected"]["peak_bps"], t["expected"]["single_flow_bps"], t["expected"]["streams_needed"]), (25e9, 5e9, 5))


main()
