# SPDX-License-Identifier: MIT
"""ebscope net against iperf3 itself: its server with our client, its client with our server. Loopback only."""
import json
import os
import re
import signal
import socket
import struct
import time

from e2e import *
from net_peers import *


# ---- our client, iperf3's server -----------------------------------------------------------------------------------

def streams_agree(t, doc):
    """Stream by stream, what we say of the peer is what it says of itself."""
    equal(len(t["per_stream"]), len(doc["end"]["streams"]))
    for ours, its in zip(t["per_stream"], doc["end"]["streams"]):
        side = "receiver" if ours["direction"] == "send" else "sender"
        equal(ours["peer_bytes"], its[side]["bytes"])


@test(tools=["iperf3"])
def forward_the_peers_figure_is_its_own_to_the_byte():
    port, server = iperf3_server("-1")
    t, doc = server_said(port, server, "-t", "1", "-P", "3")
    equal(t["direction"], "send")
    equal(t["peer"]["received"], doc["end"]["sum_received"]["bytes"])
    streams_agree(t, doc)
    assert 0 < t["peer"]["received"] <= t["sent"], t["peer"]
    equal([s["id"] for s in t["per_stream"]], [1, 3, 4])
    assert t["rtt_us"] > 0 and t["retransmits"] is not None


@test(tools=["iperf3"])
def reverse_we_received_no_more_than_it_sent():
    port, server = iperf3_server("-1")
    t, doc = server_said(port, server, "-t", "1", "-R", "-P", "2")
    equal(t["direction"], "receive")
    equal(t["peer"]["sent"], doc["end"]["sum_sent"]["bytes"])
    streams_agree(t, doc)
    assert 0 < t["received"] <= t["peer"]["sent"], t["peer"]
    near(t["bits_per_second"], 8 * t["received"] / t["runtime_s"], 1e-6)


@test(tools=["iperf3"])
def both_ways_each_direction_has_its_two_figures():
    port, server = iperf3_server("-1")
    t, doc = server_said(port, server, "-t", "1", "--bidir", "-P", "2")
    equal(t["direction"], "both")
    equal([s["direction"] for s in t["per_stream"]], ["send", "send", "receive", "receive"])
    streams_agree(t, doc)
    assert 0 < t["peer"]["received"] <= t["sent"], t["peer"]
    assert 0 < t["received"] <= t["peer"]["sent"], t["peer"]


@test(tools=["iperf3"])
def a_hundred_and_twenty_eight_streams_and_ten_work_both_ways():
    port, _ = iperf3_server()
    for n in (10, 128):
        for args in ((), ("-R",)):
            t = net(port, "-t", "1", "-P", n, "--connect-timeout", "30000", *args)
            equal(len(t["per_stream"]), n)
            equal(t["per_stream"][-1]["id"], n + 1)
            assert t["peer"]["bytes"] > 0
            assert all(s["peer_bytes"] is not None for s in t["per_stream"]), t["per_stream"]


@test(tools=["iperf3"])
def the_table_counts_retransmits_under_iperf3s_word():
    port, _ = iperf3_server()
    contains(ebscope("net", "-p", port, "-n", "1m", "127.0.0.1").out, " retr ", "\nretransmits ")


@test(tools=["iperf3"])
def ten_tests_in_a_row_are_served():
    port, _ = iperf3_server()
    for i in range(10):
        assert net(port, "-n", "20m", *(["-R"] if i % 2 else []))["peer"]["bytes"] > 0


@test(tools=["iperf3"])
def a_byte_limit_is_kept():
    port, _ = iperf3_server()
    t = net(port, "-n", "30000000", "-P", "2")
    assert 30000000 <= t["sent"] <= 30000000 + 4 * 131072, t["sent"]


@test(tools=["iperf3"], quiet=True)
def an_omitted_second_and_a_bit_rate_are_kept():
    port, _ = iperf3_server()
    t = net(port, "-O", "1", "-t", "1", "-b", "80M", "-P", "2")
    near(t["runtime_s"], 1, 0.2)
    near(8 * t["sent"] / t["runtime_s"], 160e6, 0.1)
    equal(t["omit_s"], 1)


@test(tools=["iperf3"], quiet=True)
def with_omitted_seconds_too_nothing_is_received_that_was_not_sent():
    port, _ = iperf3_server()
    our_port, _ = our_server()
    for args in ((), ("-P", "10"), ("-R", "-P", "3"), ("--bidir",)):    # omitting allows 0.2 s for a peer that is late
        args += "-b", "200M"
        theirs = start("iperf3", "-c", "127.0.0.1", "-p", our_port, "-J", "-t", "1", "-O", "1", *args)
        t = net(port, "-t", "1", "-O", "1", *args)
        assert t["direction"] == "receive" or 0 < t["peer"]["received"] <= t["sent"], t["peer"]
        assert t["direction"] == "send" or 0 < t["received"] <= t["peer"]["sent"], t["peer"]
        r = theirs.finish()
        equal(r.status, 0, repr(r))
        end = r.json["end"]
        for key in ("", "_bidir_reverse"):
            if "sum_sent" + key in end:
                assert 0 < end["sum_received" + key]["bytes"] <= end["sum_sent" + key]["bytes"], end


@test(tools=["iperf3"])
def an_iperf3_server_is_told_of_window_segment_delay_and_congestion_control():
    port, server = iperf3_server("-1")
    with open("/proc/sys/net/ipv4/tcp_available_congestion_control") as f:
        name = f.read().split()[0]
    t, doc = server_said(port, server, "-t", "1", "-w", "200k", "-M", "1200", "-N", "-C", name, "-l", "32k")
    equal(doc["start"]["test_start"]["blksize"], 32768)
    equal(t["congestion"], name)
    assert t["mss"] <= 1200, t["mss"]


@test(tools=["iperf3"])
def the_iperf3_format_has_what_iperf3_has_and_so_has_the_recordings():
    port, _ = iperf3_server()
    state = scratch()
    its = iperf3(port, "-t", "1", "-P", "2", "--bidir")
    r = ebscope("net", at(port), "--format", "iperf3", "-t", "1", "-P", "2", "--bidir",
                env={"XDG_STATE_HOME": state})
    equal(r.status, 0)
    recording, = os.listdir(os.path.join(state, "ebscope/runs"))
    equal(ebscope("export", os.path.join(state, "ebscope/runs", recording), "--format", "iperf3").json, r.json)
    equal(len(r.json["intervals"][0]["streams"]), 4)
    for interval in r.json["intervals"]:
        equal(sum(s["bytes"] for s in interval["streams"] if s["sender"]), interval["sum"]["bytes"])

    def shape(v):
        if isinstance(v, dict):
            return {k: shape(x) for k, x in v.items()}
        return [shape(v[0])] if isinstance(v, list) and v else type(v).__name__ if isinstance(v, (str, bool)) else "number"

    def lacks(want, got, path=""):
        if isinstance(want, dict):
            return [m for k in want for m in (lacks(want[k], got[k], path + "/" + k) if k in got else [path + "/" + k])]
        if isinstance(want, list):
            return lacks(want[0], got[0], path + "[]") if want and got else []
        return [] if want == got else ["%s: %s, not %s" % (path, got, want)]

    equal(lacks(shape(its), shape(r.json)), [])
    near(r.json["end"]["sum_received"]["bytes"], sum(s["receiver"]["bytes"] for s in r.json["end"]["streams"]
                                                              if s["receiver"]["sender"]), 0)


@test(tools=["iperf3"])
def while_it_runs_the_intervals_are_told_as_iperf3_tells_them():
    port, _ = iperf3_server()
    line = re.compile(r"^\[(  1|  3|SUM)\] +(\d+\.\d\d)-(\d+\.\d\d) +sec +[\d.]+ [KMG]?Bytes +[\d.]+ [KMG]?bits/sec +\d+")
    at(port)
    its = run("iperf3", "-c", "127.0.0.1", "-p", port, "-t", "1", "-P", "2", "-b", "50M", timeout=60)
    ours = start(*program("net", at(port), "--no-record", "-t", "60", "-P", "2", "-b", "50M"))
    wait_until(lambda: ours.text().count("[SUM]") > 1)
    assert ours.poll() is None and "throughput" not in ours.text(), ours.text()
    head = [r for r in its.lines if r.startswith("[ ID]")][0]
    contains(ours.text(), head)
    ours.send_signal(signal.SIGINT)
    got = [m.group(1) for m in map(line.match, ours.finish().lines) if m]
    equal(got[:6], ["  1", "  3", "SUM"] * 2)
    for args in (("-i", "0"), ("--format", "json"), ("--output", "/dev/null")):
        r = ebscope("net", at(port), "--no-record", "-n", "10m", *args)
        assert r.status == 0 and "[  1]" not in r.out, r


# ---- iperf3's client, our server -----------------------------------------------------------------------------------

@test(tools=["iperf3"])
def an_iperf3_client_gets_our_figures_to_the_byte():
    port, server = our_server()
    for args, ours, its in ((("-P", "3"), "received", "sum_received"), (("-R", "-P", "10"), "sent", "sum_sent"),
                            (("-P", "128"), "received", "sum_received"), (("-R", "-P", "128"), "sent", "sum_sent")):
        before = len(server.text().splitlines())
        doc = iperf3(port, "-t", "1", *args)
        line = wait_until(lambda: server.text().splitlines()[before:])[0]
        equal(json.loads(line)[ours], doc["end"][its]["bytes"])
        assert 0 < doc["end"]["sum_received"]["bytes"] <= doc["end"]["sum_sent"]["bytes"]


@test(tools=["iperf3"])
def an_iperf3_client_goes_both_ways_at_once():
    port, server = our_server()
    doc = iperf3(port, "-t", "1", "--bidir", "-P", "2")
    line = json.loads(wait_until(lambda: server.text().splitlines())[0])
    equal(line["received"], doc["end"]["sum_received"]["bytes"])
    equal(line["sent"], doc["end"]["sum_sent_bidir_reverse"]["bytes"])
    for key in ("", "_bidir_reverse"):
        assert 0 < doc["end"]["sum_received" + key]["bytes"] <= doc["end"]["sum_sent" + key]["bytes"]


@test(tools=["iperf3"])
def ten_iperf3_clients_in_a_row_with_all_sorts_of_options_are_served():
    port, _ = our_server()
    for i in range(10):
        iperf3(port, "-n", "20M", *([[], ["-R"], ["-N", "-l", "16K"], ["-w", "200K"], ["-M", "1200"]][i % 5]))
    iperf3(port, "-t", "1", "-O", "1", "-b", "50M")


@test(tools=["iperf3"])
def of_a_test_that_ends_by_bytes_every_byte_is_counted():
    port, _ = our_server()
    for args in (("-F", "/bin/ls"), ("-n", "1K", "-l", "1K"), ("-n", "100K"), ("-n", "20M", "-P", "4")):
        end = iperf3(port, *args)["end"]
        equal(end["sum_received"]["bytes"], end["sum_sent"]["bytes"], args)


@test(tools=["iperf3"])
def strays_do_not_keep_the_next_client_out():
    port, _ = our_server()
    kept, began = [], time.monotonic()
    for _i in range(100):
        socket.create_connection(("127.0.0.1", port)).close()
    for _i in range(10):
        kept.append(socket.create_connection(("127.0.0.1", port)))
        kept[-1].sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: a-scanner\r\n\r\n")
    kept.append(socket.create_connection(("127.0.0.1", port)))
    try:
        kept[-1].sendall(bytes(1 << 20))
    except OSError:
        pass
    kept.append(socket.create_connection(("127.0.0.1", port)))     # and one that never says a word
    iperf3(port, "-n", "10M")
    assert time.monotonic() - began < 10, "each of them is given 10 s"
    for s in kept:
        s.close()


@test(tools=["iperf3"])
def nonsense_is_refused_and_the_next_client_is_served():
    port, _ = our_server()
    for frame in (b"\x7f\xff\xff\xff", b"\0\0\0\0", b"\0\0\0\4{{{{", b"\0\0\0\2{}"):
        with socket.create_connection(("127.0.0.1", port)) as s:
            s.settimeout(5)
            s.sendall(b"a" * 36 + b"\0")
            equal(s.recv(1), b"\x09")
            s.sendall(frame)
            equal(struct.unpack(">bii", s.recv(9)), (-2, 114, 0))
    iperf3(port, "-n", "10M")


@test(tools=["iperf3"], quiet=True)
def a_second_client_is_refused_and_the_first_is_not_disturbed():
    port, server = our_server()
    first = start("iperf3", "-c", "127.0.0.1", "-p", port, "-J", "-t", "6", "-b", "100M")
    wait_until(lambda: "connects" in server.text(1))
    time.sleep(0.5)
    second = run("iperf3", "-c", "127.0.0.1", "-p", port, "-t", "1")
    contains(second.out + second.err, "busy")
    ours = ebscope("net", "127.0.0.1:%d" % port, "--no-record", "-t", "1", "--format", "json")
    equal(ours.status, 3)
    contains(ours.json["error"]["message"], "busy", "127.0.0.1:", "s left")
    doc = first.finish()
    equal(doc.status, 0)
    near(doc.json["end"]["sum_received"]["bits_per_second"], 100e6, 0.1)
    contains(server.text(1), "is refused: 127.0.0.1:")


@test(tools=["iperf3"])
def a_queued_client_is_told_and_served_in_its_turn():
    port, server = our_server("--queue", "2")
    first = start("iperf3", "-c", "127.0.0.1", "-p", port, "-J", "-t", "60", "-b", "10M")
    wait_until(lambda: "connects" in server.text(1))
    ours = start(*program("net", "127.0.0.1:%d" % port, "--no-record", "-n", "10m", "--format", "json"))
    wait_until(lambda: "queued, 1 ahead: 127.0.0.1:" in ours.text(1))
    stock = start("iperf3", "-c", "127.0.0.1", "-p", port, "-J", "-n", "10M")
    wait_until(lambda: "waits as number 2" in server.text(1))
    assert first.poll() is None and ours.poll() is None, (first.text(), ours.text())
    first.send_signal(signal.SIGINT)
    equal(ours.finish().status, 0)
    equal(stock.finish().status, 0)
    contains(server.text(1), "waits as number 1", "s left")


@test(tools=["iperf3"])
def a_one_off_server_ends_with_its_test_and_a_signal_ends_one_at_once():
    port, server = our_server("-1")
    iperf3(port, "-n", "10M")
    equal(server.finish().status, 0)
    port, server = our_server()
    server.send_signal(signal.SIGTERM)
    equal(server.finish().status, 143)


# ---- what goes wrong -----------------------------------------------------------------------------------------------

@test
def a_simulated_network_refuses_what_its_model_does_not_keep_to():
    for words in (["-b", "10m"], ["-u"], ["--fq-rate=1G"], ["-w", "64k"], ["-C", "cubic"]):
        r = ebscope("net", "sim:net:2:4", "-t", "1", *words)
        equal((r.status, r.out), (2, ""), repr(r))
        contains(r.err, "a simulated network has no sockets")


@test
def a_closed_port_is_exit_3_and_one_line():
    r = fails("127.0.0.1:1")
    equal(r.err, "ebscope: 127.0.0.1 port 1: connect: Connection refused: no server listens there "
                 "(iperf3 -s or ebscope net --server is one)\n")


@test
def a_name_that_no_one_knows_is_exit_3():
    contains(fails("no-such-host.invalid", "--connect-timeout", "3000").err, "no-such-host.invalid: cannot resolve the name")


@test
def a_busy_server_is_exit_3_and_busy():
    contains(fails("127.0.0.1:%d" % scripted(b"\xff")).err, "busy")
    contains(fails("127.0.0.1:%d" % scripted(b"\xff", wait=False)).err, "busy")


@test
def a_server_error_is_told_with_its_number():
    contains(fails("127.0.0.1:%d" % scripted(b"\xfe" + struct.pack(">ii", 37, 0))).err,
             "the duration is over the server's maximum", "37")


@test
def a_peer_that_speaks_another_protocol_or_none_is_told_in_time():
    contains(fails("127.0.0.1:%d" % scripted(b"SSH-2.0-OpenSSH_9.2\r\n")).err, "no iperf3 server")
    r = fails("127.0.0.1:%d" % scripted(None), "--connect-timeout", "500")
    contains(r.err, "no answer in time")
    assert r.seconds < 5, "that is what it waits where nothing is said: %r" % r


@test(tools=["iperf3"])
def a_server_that_dies_in_the_middle_leaves_what_was_measured():
    port, server = iperf3_server()
    state = scratch()
    ours = start(*program("net", "127.0.0.1:%d" % port, "-t", "60", "--format", "json"), env={"XDG_STATE_HOME": state})
    wait_until(lambda: samples(state) > 1)
    server.kill()
    r = ours.finish(15)
    equal(r.status, 3)
    contains(r.err, "gone in the middle of the test")
    recording, = os.listdir(os.path.join(state, "ebscope/runs"))
    table = ebscope("export", os.path.join(state, "ebscope/runs", recording)).out
    contains(table, "- received by the peer", "of a core here")
    assert "nan" not in table, table
    assert r.json["tests"][0]["sent"] > 0, r
    equal(r.json["tests"][0]["peer"]["bytes"], None)
    equal(r.json["error"]["code"], 3)


@test(tools=["iperf3"])
def ctrl_c_ends_the_test_in_the_protocol_and_the_server_is_free_at_once():
    port, _ = iperf3_server()
    state = scratch()
    ours = start(*program("net", at(port), "-t", "60", "--format", "json"), env={"XDG_STATE_HOME": state})
    wait_until(lambda: samples(state) > 1)
    ours.send_signal(signal.SIGINT)
    r = ours.finish()
    equal(r.status, 130)
    t = r.json["tests"][0]
    assert t["stopped"] and 0 < t["peer"]["received"] <= t["sent"], t
    assert net(port, "-n", "10m")["peer"]["bytes"] > 0


@test
def what_is_not_allowed_is_one_line_and_exit_2():
    for args, word in ((["-P", "129"], "1 to 128"), (["-R", "--bidir"], "exclude"), (["-t", "0"], "1 to 86400"),
                       (["-b", "fast"], "bit rate"), (["-p", "0"], "1 to 65535"), (["--preset", "ec2"], "fargate, lambda"),
                       (["-l", "2m"], "1 to 1m"), (["-4", "-6"], "exclude"), (["-u", "-N"], "TCP's"),
                       (["-u", "-l", "70000"], "16 to 65507"), (["--task", "3:1"], "--task"),
                       (["--time-scale", "60"], "sim:net"), (["--queue", "3"], "--server"), (["-i", "0.05"], "0.1 to 60")):
        r = ebscope("net", "127.0.0.1:1", *args)
        equal(r.status, 2, repr(r))
        contains(r.err, word)
        equal(len(r.err.splitlines()), 1)


@test
def what_a_client_decides_is_refused_with_a_server():
    for args in (["--reverse"], ["-P", "2"], ["-t", "5"], ["-i", "1"], ["--record", "x"], ["--output", "x"], ["--format", "csv"]):
        r = ebscope("net", "--server", *args)
        equal(r.status, 2, repr(r))
        contains(r.err, "--server")
        equal(len(r.err.splitlines()), 1)


main()
