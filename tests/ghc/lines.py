# SPDX-License-Identifier: MIT
#
# lines.py SOURCES NAMES REPORT: compares the lines that a report has for accesses with the marks of the sources. The n-th
# line of NAMES, "Plain inARow R0", says what TVar #n stands for. Prints each access whose lines have no mark, and then how
# many accesses there are, how many of them are wrong, how many have no lines, how many have one, and in how many of how many
# programs no access has none, or more than six.
import json
import pathlib
import re
import sys

HELPERS = {"outOfLine": "bump", "inlined": "push", "higher": "twice"}


def read_marks(folder):
    """The lines of each mark: by file, function and mark."""
    marks = {}
    for path in pathlib.Path(folder).glob("*.hs"):
        function = None
        for number, line in enumerate(path.read_text().splitlines(), 1):
            begins, ends = re.match(r"(\w+) ::", line), re.search(r"-- ((?:[RWrw]\d ?)+)$", line)
            function = begins[1] if begins else function
            for mark in ends[1].split() if ends else []:
                marks.setdefault((path.stem, function, mark), []).append(number)
    return marks


def marked(marks, file, program, access):
    """The lines of the access; or else of the write that is also the first access."""
    for kind in (access[0], "W"):
        found = []
        for function in (program, HELPERS.get(program)):
            for mark in (kind + access[1], kind.lower() + access[1]):
                found += marks.get((file, function, mark), [])
        if found:
            return found
    return []


def entries_of(report):
    """The entries of each TVar by its number."""
    entries = {}
    for entry in report["entries"]:
        for data in entry["objects"]:
            entries.setdefault(int(re.search(r"#(\d+)", data["name"])[1]), []).append(entry)
    return entries


def main(sources, names, path):
    marks, entries = read_marks(sources), entries_of(json.load(open(path)))
    count = wrong = without = exact = 0
    widest = {}
    for number, text in enumerate(open(names), 1):
        file, program, access = text.split()
        for entry in entries.get(number, []):
            frame = entry["local" if access[0] == "R" else "remote"]["frames"][0]
            first, last = frame["line"], frame["last_line"] or frame["line"]
            is_wrong = first != 0 and not (
                (frame["file"] or "").endswith(file + ".hs")
                and any(first <= line <= last for line in marked(marks, file, program, access))
            )
            if is_wrong:
                print(f"{file} {program} {access}: {first}-{last} of {frame['function']}")
            count, wrong, without = count + 1, wrong + is_wrong, without + (first == 0)
            exact += not is_wrong and first == last != 0
            width = last - first + 1 if first != 0 else 1000
            widest[program] = max(widest.get(program, 0), width)
    print(count, wrong, without, exact, sum(width <= 6 for width in widest.values()), len(widest))


main(*sys.argv[1:])
