#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Training stories: what is told, when it happens."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from e2e import *  # noqa: E402,F403


def dump(keys, *args, timeout=90):
    r = ebscope("--screen", "100x30", "--keys", keys, "--dump", *args, timeout=timeout)
    equal(r.status, 0, r)
    return r.out


@test
def every_story_is_listed_and_the_closest_name_is_offered_for_a_wrong_one():
    names = [line.split()[0] for line in ebscope("train", "--list-stories").lines]
    equal(names, ["gp2-burst", "st1-scan", "instance-cap", "shallow-queue", "raid0-m5", "fargate-2vcpu"])
    r = ebscope("--screen", "80x24", "--dump", "train", "gp2-brust")
    equal(r.status, 2)
    contains(r.err, "gp2-burst")
    r = ebscope("train", "gp2-brust")
    equal(r.status, 2)
    contains(r.err, "gp2-burst")


@test
def without_a_terminal_the_command_that_shows_the_same_story_is_named():
    for given, story in ((), "gp2-burst"), (("st1-scan",), "st1-scan"):
        r = ebscope("train", *given)
        equal(r.status, 3)
        assert r.err.endswith("--dump train %s\n" % story), r.err


@test
def a_story_fills_the_form_when_it_is_chosen_on_the_setup_screen():
    screen = dump("wait:200ms", "train")
    contains(screen, "train:gp2-burst", "the burst that ends", "[ Start ]", "3,000 IOPS")


@test(quiet=True, seconds=100)
def the_gp2_story_shows_the_burst_end_explains_it_and_reports_it_in_under_a_minute():
    screen = dump("until:done,2", "train", "gp2-burst")
    contains(screen, "SIMULATED ×100", "burst", "baseline", "gp3", "0 % of 5.4M", "pass")
    assert re.search(r"(29\d|30\d) now", screen), screen


main()
