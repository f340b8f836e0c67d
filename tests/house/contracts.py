# SPDX-License-Identifier: MIT
#
# contracts.py KNOWN FILE...: each function of these sources whose comment says "Requires" checks it by REQUIRES(), but
# for those that KNOWN names, one a line. Prints each other one that does not, each name in KNOWN that need not be there,
# and how many do.
import re
import sys

COMMENT = re.compile(r"/\*(?:(?!\*/).)*?\bRequires\b(?:(?!\*/).)*?\*/\n((?:[^\n]+\n)+)", re.S)
NAME = re.compile(r"^(?![#/\s]).*?\b([a-z_][a-z_0-9]*)\(", re.M)


def checks(sources, name):
    """Whether a definition of the function has a check; None: there is no definition."""
    found = None
    for text in sources.values():
        for match in re.finditer(r"\b%s\([^;{}]*?\)\s*\{" % re.escape(name), text):
            body = text[match.end():text.find("\n}", match.end())]
            found = found or "REQUIRES(" in body
    return found


def read_known(path):
    lines = open(path, encoding="utf-8").read().splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def main(known_path, paths):
    known = read_known(known_path)
    sources = {path: open(path, encoding="utf-8").read() for path in paths}
    checked, faults = 0, 0
    for path, text in sources.items():
        for comment in COMMENT.finditer(text):
            names = NAME.findall(comment.group(1))
            found = [checks(sources, name) for name in names]
            if True in found:
                checked += 1
            elif names and names[0] in known:
                known.remove(names[0])
            elif names:
                faults += 1
                line = text[:comment.start()].count("\n") + 1
                print(f"{path}:{line}: {names[0]}() says what it requires, and does not check it")
    for name in sorted(known):
        faults += 1
        print(f"{known_path}: {name}() checks what it requires, or is gone")
    print(f"{checked} requirements are checked, {faults} are not")
    return 1 if faults else 0


sys.exit(main(sys.argv[1], sys.argv[2:]))
