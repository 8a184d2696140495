# SPDX-License-Identifier: MIT
"""Peers for network tests on loopback: iperf3's server and client, ours, and one that plays a script."""
import contextlib
import json
import os
import random
import re
import signal
import socket
import threading

from e2e import *


def free_port():
    """Of those that the kernel gives to nobody by itself: it is still free when the server asks for it."""
    with open("/proc/sys/net/ipv4/ip_local_port_range") as f:
        first, last = map(int, f.read().split())
    while True:
        port = random.choice([p for p in range(1024, 65536) if not first <= p <= last])
        with socket.socket() as s, contextlib.suppress(OSError):
            s.bind(("127.0.0.1", port))
            return port


def listens(port):
    """Is there a listening socket? Asked of the kernel: to connect would be a test's first client."""
    wanted = ":%04X" % port
    for path in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(path) as f:
            if any(r.split()[1].endswith(wanted) and r.split()[3] == "0A" for r in f.readlines()[1:]):
                return True
    return False


asked = {}      # port of an iperf3 server: [its process, how many tests were asked of it]


def iperf3_server(*more):
    """-> (port, process) of iperf3 -s -J: its own documents go to its stdout."""
    port = free_port()
    server = start("iperf3", "-s", "-p", port, "-B", "127.0.0.1", "-J", *more)
    asked[port] = [server, 0]
    wait_until(lambda: listens(port))
    return port, server


def at(port):
    """-> the address of the server there, for one test, once it takes one: after each, iperf3 closes its socket, writes
    its document and listens anew, and whoever comes meanwhile is refused."""
    if port in asked:
        server, tests = asked[port]
        wait_until(lambda: len(re.findall("^}", server.text(), re.M)) == tests and listens(port), 30)
        asked[port][1] += 1
    return "127.0.0.1:%d" % port


def our_server(*more):
    port = free_port()
    server = start(*program("net", "--server", "-p", port, "-B", "127.0.0.1", "--format", "json", *more))
    wait_until(lambda: listens(port))
    return port, server


def net(port, *args, status=0, timeout=60):
    r = ebscope("net", at(port), "--no-record", "--format", "json", *args, timeout=timeout)
    equal(r.status, status, repr(r))
    return r.json["tests"][0]


def iperf3(port, *args):
    at(port)
    r = run("iperf3", "-c", "127.0.0.1", "-p", port, "-J", *args, timeout=60)
    equal(r.status, 0, repr(r))
    return r.json


def documents(text):
    """The JSON documents in a row that an iperf3 server prints."""
    decoder, at, docs = json.JSONDecoder(), 0, []
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        doc, end = decoder.raw_decode(text[at:])
        docs.append(doc)
        at += end
    return docs


def server_said(port, server, *args):
    """One test of ours; -> our test object, and iperf3's own document about it."""
    t = net(port, *args)
    server.send_signal(signal.SIGINT)
    server.wait(10)
    return t, documents(server.text())[0]


def fails(*args, timeout=30, env=None):
    """A failure before any byte: exit 3, one line, one document, no recording."""
    state = scratch()
    r = ebscope("net", *args, "--format", "json", timeout=timeout, env={"XDG_STATE_HOME": state, **(env or {})})
    equal(r.status, 3, repr(r))
    equal(r.json["error"]["code"], 3)
    equal([f for _d, _s, files in os.walk(state) for f in files], [])
    contains(r.err, r.json["error"]["message"])
    return r


def scripted(answer, wait=True):
    """A listener that answers one client's cookie with these bytes; -> port."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(8)

    def serve():
        try:
            with listener.accept()[0] as c:
                if answer is not None:
                    if wait:
                        c.recv(37)
                    c.sendall(answer)
                while c.recv(4096):         # to close with something unread would take the answer back
                    pass
        except OSError:
            pass
    threading.Thread(target=serve, daemon=True).start()
    defer(listener.close)
    return listener.getsockname()[1]


def samples(state):
    """-> how many there are so far in the recording of the only test."""
    files = [os.path.join(at, name) for at, _, names in os.walk(state) for name in names]
    return sum(open(file).read().count('"type":"sample"') for file in files)
