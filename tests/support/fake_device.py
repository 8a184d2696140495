# SPDX-License-Identifier: MIT
"""A machine as files (EBSCOPE_SYSROOT) with an EBS volume whose counters move while somebody looks.

    with FakeDevice(folder, volume="vol-0123456789abcdef0") as d:
        d.limit("volume iops", 0.9)         # from now on over that limit for 90 % of the time
        d.latency(16, 32, 64)               # half of its I/Os from 16 to 32 µs, the rest up to 64
"""
import os
import struct
import threading
import time

from fake_aws import make_sysroot

LIMITS = ("volume iops", "volume throughput", "host iops", "host throughput")


class FakeDevice:
    def __init__(self, root, volume="vol-0123456789abcdef0", name="nvme1n1", size=64 << 20, model=None, status=None):
        self.root, self.name, self.path = make_sysroot(root), name, "/dev/" + name
        self.rate, self.over, self.ios, self.status = dict.fromkeys(LIMITS, 0.0), [0.0] * 4, 1000, status
        model = model or "Amazon Elastic Block Store"
        self.base = "%s/sys/class/block/%s" % (root, name)
        os.makedirs(self.base + "/device")
        os.makedirs(self.base + "/queue")
        for path, text in (("size", size >> 9), ("dev", "259:1"), ("ro", 0), ("queue/logical_block_size", 512),
                           ("device/model", model.ljust(40)), ("device/serial", volume.replace("-", ""))):
            self.write("%s/%s" % (self.base, path), ("%s\n" % text).encode())
        with open(root + self.path, "wb") as f:
            f.write(os.urandom(1 << 16) * (size >> 16))
        self.bounds = (256, 512, 1024)
        self.counts, self.queue = [0, 0], 3
        self.lock, self.end = threading.Lock(), threading.Event()
        self.last = time.monotonic()
        self.update()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    @staticmethod
    def write(path, data):
        with open(path + ".new", "wb") as f:
            f.write(data)
        os.replace(path + ".new", path)

    def limit(self, name, share):
        with self.lock:
            self.rate[name] = share

    def latency(self, *bounds):
        with self.lock:
            self.bounds, self.counts = bounds, [0] * (len(bounds) - 1)

    def update(self):
        now = time.monotonic()
        with self.lock:
            for i, name in enumerate(LIMITS):
                self.over[i] += self.rate[name] * (now - self.last)
            new = int(4000 * (now - self.last)) + 1            # more than any run here: nothing looks cached
            self.ios += new
            for i in range(len(self.counts)):
                self.counts[i] += new // (2 << i) + 1
            self.last = now
            page = bytearray(4096)
            struct.pack_into("<II", page, 0, 0x3C23B510, 0)
            struct.pack_into("<11Q", page, 8, self.ios, 0, self.ios << 14, 0, self.ios * 500, 0,
                             *(int(s * 1e6) for s in self.over), self.queue)
            for d in range(2):
                at = 512 + 1544 * d
                struct.pack_into("<Q", page, at, len(self.counts))
                for i, n in enumerate(self.counts):
                    struct.pack_into("<QQII", page, at + 8 + 24 * i, self.bounds[i], self.bounds[i + 1], n * (1 - d), 0)
        self.write("%s/dev/%s.log-d0" % (self.root, self.name), bytes(page) if self.status is None else self.status)
        self.write(self.base + "/stat", ("%d 0 %d 500 0 0 0 0 0 500 500\n" % (self.ios, self.ios << 5)).encode())

    def run(self):
        while not self.end.wait(0.1):
            self.update()

    def close(self):
        self.end.set()
        self.thread.join()

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.close()
