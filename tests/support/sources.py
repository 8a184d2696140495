# SPDX-License-Identifier: MIT
"""What must be true of the sources as text. Each check is a sentence and yields the places where it is not true."""
import concurrent.futures
import os
import re
import shutil
import subprocess

LAYERS = ("engine", "aws", "tui")       # a layer includes itself and those before it
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


class Skip(Exception):
    """Raised by a check that cannot look."""


def files(top, *patterns):
    return sorted(p.relative_to(top) for pattern in patterns for p in top.glob(pattern))


def sources(top):
    return files(top, *(layer + "/*.[ch]" for layer in LAYERS))


def includes(top):
    for path in sources(top):
        for number, line in enumerate((top / path).read_text().splitlines(), 1):
            found = INCLUDE.match(line)
            if found:
                yield path, number, found[1], found[2]


def no_include_runs_against_the_layers(top):
    for path, number, _, name in includes(top):
        to = name.split("/")[0]
        if to in LAYERS and LAYERS.index(to) > LAYERS.index(path.parts[0]):
            yield "%s:%d includes %s" % (path, number, name)


def a_project_header_is_named_from_the_top(top):
    for path, number, quote, name in includes(top):
        if quote == '"' and not (top / name).exists():
            yield "%s:%d includes \"%s\"" % (path, number, name)


def only_the_screen_includes_ncurses(top):
    for path, number, _, name in includes(top):
        if re.fullmatch(r"(ncursesw?/)?n?curses\.h", name) and str(path) != "tui/screen.c":
            yield "%s:%d" % (path, number)


def code(top):
    """Every line of the sources without its strings and comments."""
    for path in sources(top):
        for number, line in enumerate((top / path).read_text().splitlines(), 1):
            yield path, number, re.sub(r'"(\\.|[^"\\])*"|//.*|/\*.*?(\*/|$)|^\s*\*.*', "", line)


def only_main_ends_the_program(top):
    for path, number, line in code(top):
        if str(path) != "tui/main.c" and re.search(r"(?<![\w.>])(exit|quick_exit|abort)\s*\(", line):
            yield "%s:%d" % (path, number)


def numbers_have_a_point_since_only_the_character_set_is_the_locales(top):
    for path, number, line in code(top):
        if re.search(r"\bsetlocale\s*\((?!\s*LC_CTYPE\b)", line):
            yield "%s:%d" % (path, number)


def every_file_names_its_licence(top):
    for path in [*sources(top), *files(top, "tests/**/*.[ch]", "tests/**/*.py", "tests/support/*")]:
        if (top / path).is_file() and "SPDX-License-Identifier: MIT" not in (top / path).read_text()[:200]:
            yield str(path)


def every_header_compiles_alone(top):
    def alone(path):
        p = subprocess.run([*os.environ.get("CC", "cc").split(), "-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra",
                            "-Werror", "-I.", "-fsyntax-only", "-x", "c", "-include", str(path), "/dev/null"],
                           cwd=top, capture_output=True, text=True)
        return "%s:\n%s" % (path, p.stderr) if p.returncode else None

    first = {}
    for path, _, _, name in includes(top):
        first.setdefault(path, name)
    headers = files(top, *(layer + "/*.h" for layer in LAYERS))
    # a source that begins with its own header compiles it alone whenever it is built
    unseen = [path for path in headers if first.get(path.with_suffix(".c")) != str(path)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from filter(None, pool.map(alone, unseen))


def every_script_parses(top):
    for path in files(top, ".ci/*", "tests/support/*", "tests/e2e/*", "tests/bench/*"):
        if not (top / path).is_file():
            continue
        text = (top / path).read_text()
        first = text.partition("\n")[0]
        if path.suffix == ".py" or "python" in first:
            try:
                compile(text, str(path), "exec")
            except SyntaxError as e:
                yield str(e)
        elif first.startswith("#!"):
            shell = "bash" if "bash" in first else "sh"
            p = subprocess.run([shell, "-n", path], cwd=top, capture_output=True, text=True)
            if p.returncode:
                yield p.stderr


def the_other_compiler_has_no_warning(top):
    cc = os.environ.get("CC", "cc")
    other = "gcc" if "clang" in cc else "clang"
    if not shutil.which(other):
        raise Skip("no " + other)
    build = os.path.join(os.environ.get("BUILD", "build"), other)
    env = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
    p = subprocess.run(["make", "-s", "-k", "-j%d" % os.cpu_count(), "objects", "CC=" + other, "BUILD=" + build,
                        "CFLAGS=-O1 -Werror"], cwd=top, env=env, capture_output=True, text=True)
    if p.returncode or p.stderr.strip():
        yield other + ":\n" + p.stderr


CHECKS = (no_include_runs_against_the_layers, a_project_header_is_named_from_the_top,
          only_the_screen_includes_ncurses, only_main_ends_the_program,
          numbers_have_a_point_since_only_the_character_set_is_the_locales, every_file_names_its_licence,
          every_header_compiles_alone, every_script_parses, the_other_compiler_has_no_warning)


def check(top):
    results = []
    for function in CHECKS:
        name = function.__name__.replace("_", " ")
        try:
            places = list(function(top))
            results.append(("fail" if places else "ok", name, "\n".join(places)))
        except Skip as reason:
            results.append(("skip", name, str(reason)))
    return results
