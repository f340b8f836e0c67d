# SPDX-License-Identifier: MIT
#
# contracts.py FILE...: each function of these sources whose comment says "Requires" checks it by REQUIRES(), or by
# assert() in examples. Prints each that does not, and how many do.
import collections
import re
import sys

COMMENT = re.compile(r"/\*(?:(?!\*/).)*?\bRequires\b(?:(?!\*/).)*?\*/\n((?:[^\n]+\n)+)", re.S)
NAME = re.compile(r"^(?![#/\s]).*?\b([a-z_][a-z_0-9]*)\(", re.M)
CALL = re.compile(r"\b([a-z_][a-z_0-9]*)\(")
CHECK = re.compile(r"\b(REQUIRES|assert)\(")


def bodies(text):
    """Names and body of each function: a body begins with a line "{", and its head with a line behind an empty one."""
    for match in re.finditer(r"^\{\n", text, re.M):
        before = text[: match.start()]
        head = before[max(before.rfind("\n\n"), before.rfind("*/\n"), before.rfind("\n}\n"), 0) :]
        yield CALL.findall(head), text[match.end() : text.find("\n}", match.end())]


def read_checked(sources):
    """For each function whether a body of this name has a check."""
    checked = collections.defaultdict(bool)
    for text in sources.values():
        for names, body in bodies(text):
            for name in names:
                checked[name] |= CHECK.search(body) is not None
    return checked


def main(paths):
    sources = {path: open(path, encoding="utf-8").read() for path in paths}
    checked, faults, count = read_checked(sources), 0, 0
    for path, text in sources.items():
        for comment in COMMENT.finditer(text):
            names = NAME.findall(comment.group(1))
            if any(checked[name] for name in names):
                count += 1
            elif names:
                faults += 1
                line = text[: comment.start()].count("\n") + 1
                print(f"{path}:{line}: {names[0]}() says what it requires, and does not check it")
    print(f"{count} requirements are checked, {faults} are not")
    return 1 if faults else 0


sys.exit(main(sys.argv[1:]))
