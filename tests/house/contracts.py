# SPDX-License-Identifier: MIT
#
# contracts.py KNOWN FILE...: each function of these sources whose comment says "Requires" checks it by REQUIRES(), or by
# assert() in examples. Prints each that does not, and how many do. The file KNOWN names functions that do not check it
# yet: a name there that is no longer one of them is a fault.
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
            found = found or "REQUIRES(" in body or "assert(" in body
    return found


def main(known_path, paths):
    known = {line for line in open(known_path, encoding="utf-8").read().splitlines() if not line.startswith("#")}
    sources = {path: open(path, encoding="utf-8").read() for path in paths}
    checked, faults, left = 0, 0, set(known)
    for path, text in sources.items():
        for comment in COMMENT.finditer(text):
            names = NAME.findall(comment.group(1))
            found = [checks(sources, name) for name in names]
            if True in found:
                checked += 1
            elif names and names[0] in known:
                left.discard(names[0])
            elif names:
                faults += 1
                line = text[:comment.start()].count("\n") + 1
                print(f"{path}:{line}: {names[0]}() says what it requires, and does not check it")
    for name in sorted(left):
        print(f"{known_path}: {name}() checks what it requires: strike it off")
    print(f"{checked} requirements are checked, {faults} are not, {len(known) - len(left)} are known not to be")
    return 1 if faults or left else 0


sys.exit(main(sys.argv[1], sys.argv[2:]))
