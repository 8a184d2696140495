# SPDX-License-Identifier: MIT
"""What the README says of the program is so: its command lines, its list of commands, its picture."""
import os
import re
import shlex

from e2e import *

README = open(os.path.join(TOP, "README.md"), encoding="utf-8").read()


def lines_of_commands():
    for line in re.findall(r"^    (?:build/)?(ebscope .*)$", README, re.M):
        for part in re.split(r"\s&&\s|\s\|\s", line):
            words = shlex.split(part.replace("…", "x").split(" >")[0], comments=True)
            if words[0] == "ebscope":
                yield words[1:]


@test(seconds=30)
def every_command_line_of_the_readme_is_taken():
    lines = list(lines_of_commands())
    assert len(lines) > 25, lines
    for words in lines:
        r = ebscope(*words, "--help")      # after all options have been looked at
        equal(r.status, 0, "%s\n%s" % (words, r.err))
        assert len([w for w in words if not w.startswith("-")]) < 8, "a remark without #: %s" % words


@test
def the_readme_lists_the_commands_as_the_help_does():
    told = re.findall(r"^  ebscope (\w*) +.*?(?:   |\n {40,})(\S.*)$", ebscope("--help").out, re.M)
    assert len(told) > 10, told
    for name, about in told:
        row = re.search(r"^\| `ebscope %s[ `].*\| (.*) \|$" % (name or r"\[options\]"), README, re.M)
        assert row, name
        equal(row.group(1), about)


@test(seconds=30)
def the_picture_in_the_readme_is_the_screen_that_the_story_draws():
    picture = README.split("```\n")[1].splitlines()
    screen = ebscope("--screen", "80x24", "--keys", "wait:1s", "--dump", "train", "gp2-burst", timeout=30).out.splitlines()
    equal((len(picture), picture[0], picture[-1]), (24, screen[0], screen[-1]))
    for want, is_ in zip(picture, screen):
        equal([(m.start(), m.group()) for m in re.finditer("[╭╮╰╯]", want)], [(m.start(), m.group()) for m in re.finditer("[╭╮╰╯]", is_)])
        if "╭" in want:
            equal(re.findall("[A-Za-z:/]{2,}", want), re.findall("[A-Za-z:/]{2,}", is_))


main()
