#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Finds citations of the design notes that lead nowhere. In each file of the tree
#   FILE, section N      FILE has a heading with this number, and so has a file of notes itself for "section N" alone
#   FILE, "TITLE"        FILE has a heading of this title
#   claim X1, claims X1 to X5    some file of notes has each of these claims
# FILE is one of the arguments. A citation may go on in the next line of its comment.
# usage: citations.py FILE...      from the top of the tree

import pathlib
import re
import sys

NOT_OURS = {"build", ".git", "house"}
SUFFIXES = {".c", ".h", ".S", ".def", ".sh", ".inc", ".py", ".mk", ".md", ".txt", ".pml", ".litmus"}
HEADING = re.compile(r"(?m)^(\d+)\. (.+)\n-+$")
CITED = re.compile(r'([\w/]*\b[A-Z]+\.txt), (?:(?:section )(\d+)|"([^"]+)")')
CLAIMED = re.compile(r"\bclaims? ([A-Z])(\d+)(?: to [A-Z](\d+))?")
OWN = re.compile(r"(?<!\.txt, )\bsection (\d+)")


def flowing(text):
    """The text with blanks in place of line ends, and of the characters with which lines of comments begin."""
    return re.sub(r"\n[ \t]*(?:\*(?!/)|#|//)?[ \t]*", " ", text)


def files():
    for path in sorted(pathlib.Path(".").rglob("*")):
        if path.suffix in SUFFIXES and not NOT_OURS & set(path.parts) and path.is_file():
            yield path


def main():
    texts = {name: pathlib.Path(name).read_text() for name in sys.argv[1:]}
    headings = {name: dict(HEADING.findall(text)) for name, text in texts.items()}
    claims = {claim for text in texts.values() for claim in re.findall(r"(?m)^ +([A-Z]\d+) ", text)}
    count, faults = 0, []
    for path in files():
        text = flowing(path.read_text(errors="replace"))
        for name, number, title in CITED.findall(text):
            count += 1
            if name not in headings:
                faults.append(f"{path}: no notes {name}")
            elif (number and number not in headings[name]) or (title and title not in headings[name].values()):
                faults.append(f"{path}: {name} has no {number and 'section ' + number or title}")
        for letter, first, last in CLAIMED.findall(text):
            count += 1
            faults += [f"{path}: no claim {letter}{n}" for n in range(int(first), int(last or first) + 1) if f"{letter}{n}" not in claims]
        if str(path) in texts:
            own = OWN.findall(text)
            count += len(own)
            faults += [f"{path}: no section {number} here" for number in own if number not in headings[str(path)]]
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"{count} citations of notes: {len(faults)} faults")
    sys.exit(1 if faults else 0)


main()
