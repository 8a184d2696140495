# SPDX-License-Identifier: MIT
"""ebscope net -u against iperf3 itself, and over a way that loses and overtakes. Loopback only."""
import json
import re
import socket
import struct
import threading

from e2e import *
from net_peers import *


@test(tools=["iperf3"])
def datagrams_are_counted_as_an_iperf3_server_counts_them():
    port, server = iperf3_server("-1")
    t, doc = server_said(port, server, "-u", "-t", "1", "-b", "4M", "-l", "1000", "-P", "2")
    end = doc["end"]["sum"]
    equal((t["udp"]["packets"], t["udp"]["lost_packets"]), (end["packets"], end["lost_packets"]))
    near(t["udp"]["jitter_us"], 1000 * end["jitter_ms"], 1e-3)
    equal((t["udp"]["len"], t["retransmits"], t["rtt_us"], t["mss"]), (1000, None, None, None))
    for s in t["per_stream"]:
        equal((s["bytes"], s["peer_bytes"]), (1000 * s["packets"], 1000 * (s["peer_packets"] - s["lost_packets"])))


@test(tools=["iperf3"])
def datagrams_come_from_an_iperf3_server_and_go_both_ways():
    port, _ = iperf3_server()
    t = net(port, "-u", "-t", "1", "-b", "4M", "-R", "-P", "2")
    assert 0 < t["received"] <= t["peer"]["sent"], t["peer"]
    equal(t["received"], t["udp"]["len"] * (t["udp"]["packets"] - t["udp"]["lost_packets"]))
    assert t["udp"]["dropped_here"] is not None and t["udp"]["out_of_order"] == 0, t["udp"]
    t = net(port, "-u", "-t", "1", "-b", "4M", "--bidir", "-O", "1")
    equal([s["direction"] for s in t["per_stream"]], ["send", "receive"])
    assert t["peer"]["received"] > 0 and t["received"] > 0, t
    assert all(s["lost_packets"] is not None for s in t["per_stream"]), t["per_stream"]
    assert net(port, "-u", "-k", "50", "-b", "4M")["udp"]["packets"] == 50


@test(tools=["iperf3"])
def an_iperf3_client_of_datagrams_is_served():
    port, server = our_server()
    for n, args in enumerate((["-P", "3"], ["-R"], ["--bidir"], ["--udp-counters-64bit", "-l", "500"], ["-O", "1"])):
        end = iperf3(port, "-u", "-t", "1", "-b", "2M", *args)["end"]
        assert end["sum"]["packets"] > 0 and end["sum_received"]["bytes"] > 0, end
        line = json.loads(wait_until(lambda: server.text().splitlines()[n:])[0])
        equal((line["udp"], line["error"]), (True, None))


class Relay:
    """Stands in front of a server on a port of its own. Of each ten datagrams of data, by their number, the sixth is
    lost and the eighth is overtaken by the ninth."""

    def __init__(self, port, wide):
        self.port, self.wide, self.held = port, wide, {}
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.address = self.tcp.getsockname()
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(self.address)
        for f in (self.serve, self.datagrams):
            threading.Thread(target=f, daemon=True).start()

    def serve(self):
        while True:
            here = self.tcp.accept()[0]
            there = socket.create_connection(("127.0.0.1", self.port))
            for a, b in ((here, there), (there, here)):
                threading.Thread(target=self.pipe, args=(a, b), daemon=True).start()

    def pipe(self, a, b):
        try:
            while data := a.recv(65536):
                b.sendall(data)
            b.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def datagrams(self):
        streams = {}
        while True:
            data, client = self.udp.recvfrom(65536)
            if client not in streams:
                s = streams[client] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                s.connect(("127.0.0.1", self.port))
                threading.Thread(target=self.back, args=(s, client), daemon=True).start()
            self.send(data, streams[client].send, client)

    def back(self, s, client):
        try:
            while True:
                self.send(s.recv(65536), lambda d: self.udp.sendto(d, client), s)
        except OSError:
            pass

    def send(self, data, send, stream):
        number = (struct.unpack(">8xQ" if self.wide else ">8xL", data[:16 if self.wide else 12])[0]) if len(data) > 4 else 0
        if number % 10 == 6:
            return
        if number % 10 == 8:
            self.held[stream] = data
            return
        try:
            send(data)
            if number % 10 == 9:
                send(self.held.pop(stream))
        except OSError:
            pass


@test(tools=["iperf3"])
def what_is_lost_and_what_is_overtaken_on_the_way_is_told():
    port, _ = iperf3_server()
    relay = Relay(port, wide=True)
    host, front = relay.address
    for args in ([], ["-R"]):
        at(port)
        r = ebscope("net", "%s:%d" % (host, front), "--no-record", "--format", "json", "-u", "-t", "1", "-b", "2M", "-l",
                    "1000", *args)
        equal(r.status, 0, repr(r))
        t = r.json["tests"][0]
        packets, lost = t["udp"]["packets"], t["udp"]["lost_packets"]
        assert packets > 20 and lost >= (packets + 4) // 10, t["udp"]      # and what a busy machine's sockets drop
        near(t["udp"]["lost_pct"], 100 * lost / packets, 1e-6)
        if args:
            assert 0 < t["udp"]["out_of_order"] <= packets // 10 + 1, t["udp"]
        contains(t["reason"], "%.1f %% of the datagrams were lost" % t["udp"]["lost_pct"])
    at(port)
    table = ebscope("net", "%s:%d" % (host, front), "--no-record", "-u", "-t", "1", "-b", "2M", "-l", "1000", "-R").out
    assert re.search(r"^datagrams lost +\d+ of \d+ \([\d.]+ %\) of 1000 bytes; \d+ out of order$", table, re.M), table
    assert re.search(r"^\[  1\] .* ms  \d+/\d+ \([\d.]+%\)$", table, re.M), table


@test
def a_firewall_that_keeps_datagrams_out_is_named():
    tcp = scripted(b"\x09\x0a")
    r = fails("127.0.0.1:%d" % tcp, "-u", "--connect-timeout", "700")
    contains(r.err, "stream 1")
    assert "firewall" in r.err or "no way for datagrams" in r.err, r


@test(tools=["iperf3"])
def the_iperf3_format_of_datagrams_has_what_iperf3_has():
    port, _ = iperf3_server()
    for args in ([], ["-R"], ["--bidir"]):
        args = ["-u", "-t", "1", "-b", "4M", "-P", "2", *args]
        its = iperf3(port, *args)
        r = ebscope("net", at(port), "--no-record", "--format", "iperf3", *args)
        equal(r.status, 0, repr(r))

        def keys(v, path=""):
            if isinstance(v, dict):
                return {k for key in v for k in keys(v[key], path + "/" + key)}
            return {k for x in v for k in keys(x, path + "[]")} if isinstance(v, list) else {path}
        equal(keys(its) - keys(r.json), set())
        equal(r.json["start"]["test_start"]["protocol"], "UDP")


main()
