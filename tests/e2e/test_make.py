# SPDX-License-Identifier: MIT
"""The Makefile and what installs the dependencies, as a newcomer meets them."""
import os
import re
import shutil
import stat

from e2e import *

DEPS = os.path.join(TOP, "tests/support/deps")
# a machine that has a shell and a compiler and no more than that
BARE = ["sh", "mktemp", "rm", "sed", "tr", "cut", "sort", "paste", "grep", "cat", "ls", "tail", "env", "cc", "gcc", "as",
        "ld", "collect2", "id"]


def make(*args, **kw):
    return run("make", "-C", TOP, "--no-print-directory", *args, **kw)


def machine(**scripts):
    """-> a PATH with the BARE commands and the scripts given, each logging its arguments to the file `log` there."""
    folder = scratch()
    for name in BARE:
        found = shutil.which(name)
        if found:
            os.symlink(found, os.path.join(folder, name))
    for name, body in scripts.items():
        path = os.path.join(folder, name.replace("_", "-"))
        if os.path.lexists(path):
            os.unlink(path)
        with open(path, "w") as f:
            f.write('#!/bin/sh\necho "%s $*" >>"%s/log"\n%s\n' % (os.path.basename(path), folder, body))
        os.chmod(path, stat.S_IRWXU)
    return folder


def log(folder):
    try:
        with open(os.path.join(folder, "log")) as f:
            return f.read()
    except FileNotFoundError:
        return ""




def cc_without(words, folder_of_installed=""):
    return ('f=; for a; do case $a in *.c) f=$a;; esac; done\n'
            'for w in %s; do [ -e "%s/$w" ] || ! grep -q "$w" "$f" || exit 1; done; exec gcc "$@"' %
            (words, folder_of_installed))


@test
def help_names_every_target():
    r = make("help")
    equal(r.status, 0)
    named = [line.split()[0] for line in r.lines]
    for target in "all run test unit e2e asan tsan fuzz bench install uninstall format headers clean help".split():
        assert target in named, target
    assert all(re.fullmatch(r"\S+ +\S.*", line) for line in r.lines)


@test
def install_puts_the_program_and_themes_under_destdir_and_uninstall_takes_them_away():
    root = os.path.join(scratch(), "a root")
    equal(make("install", "DESTDIR=" + root, "PREFIX=/opt/x", timeout=60).status, 0)
    installed = os.path.join(root, "opt/x/bin/ebscope")
    equal(run(installed, "--version").status, 0)
    assert any(name.endswith(".theme") for name in os.listdir(os.path.join(root, "opt/x/share/ebscope/themes")))
    equal(make("uninstall", "DESTDIR=" + root, "PREFIX=/opt/x").status, 0)
    equal([f for _, _, files in os.walk(root) for f in files], [])


@test
def the_program_needs_nothing_but_itself():
    folder = scratch()
    copied = shutil.copy(program()[0], folder)
    r = run(copied, "--help", cwd="/", env={"HOME": folder})
    equal(r.status, 0)
    equal(run(copied, "expect", "gp2:100", "--instance", "m5.large", cwd="/").status, 0)


@test
def nothing_is_installed_where_nothing_is_missing():
    path = machine(apt_get="exit 1", dnf="exit 1", sudo="exit 1")
    r = run(DEPS, "build", env={"PATH": path, "CC": "cc"})
    equal((r.status, r.err, log(path)), (0, "", ""))


@test
def what_is_missing_is_named_where_there_is_no_package_manager():
    path = machine(cc=cc_without("jansson.h libaio.h"))
    r = run(DEPS, "build", env={"PATH": path, "CC": "cc"})
    equal(r.status, 1)
    contains(r.err, "neither apt-get nor dnf", ": jansson, libaio\n", "cannot build without jansson, libaio")


@test
def apt_get_reads_its_lists_again_when_it_does_not_know_a_package():
    path = machine()
    fake = machine(cc=cc_without("jansson.h", path), id="echo 0",
                   apt_get='cd "%s"; case "$*" in *update*) touch updated;; *install*) [ -e updated ] && touch jansson.h;; '
                           'esac' % path)
    os.symlink(shutil.which("touch"), os.path.join(fake, "touch"))
    r = run(DEPS, "build", env={"PATH": fake, "CC": "cc"})
    equal((r.status, r.err), (0, "deps: installing libjansson-dev (as root, with apt)\n"))
    calls = log(fake).splitlines()
    calls = [c for c in calls if c.startswith("apt-get")]
    contains(calls[-2], "update")
    contains(calls[-1], "install -y", "libjansson-dev")


@test
def dnf_installs_under_its_own_names_with_sudo_that_never_asks():
    path = machine()
    fake = machine(cc=cc_without("jansson.h blkid.h", path), id="echo 1000", sudo='shift; exec "$@"',
                   dnf='cd "%s" && touch jansson.h blkid.h' % path)
    os.symlink(shutil.which("touch"), os.path.join(fake, "touch"))
    r = run(DEPS, "build", env={"PATH": fake, "CC": "cc"})
    equal(r.status, 0)
    contains(log(fake), "sudo -n dnf -q -y install jansson-devel libblkid-devel")


@test
def without_root_and_sudo_it_says_what_to_install():
    path = machine(cc=cc_without("jansson.h"), id="echo 1000", apt_get="exit 0")
    r = run(DEPS, "build", env={"PATH": path, "CC": "cc"})
    equal(r.status, 1)
    contains(r.err, "no sudo to install it: as root, install libjansson-dev")


@test
def a_missing_test_tool_is_no_reason_to_stop():
    path = machine(id="echo 0", apt_get="exit 100")
    r = run(DEPS, "test", env={"PATH": path, "CC": "cc"})
    equal(r.status, 0)
    contains(r.err, "what needs it is skipped", "tmux", "fio")


main(sanitized=False)
