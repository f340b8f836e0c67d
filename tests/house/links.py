#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Finds links of the tree's pages (*.md) that lead nowhere: a relative link must name a file or folder of the tree, and
# its #anchor a heading of that page, as GitHub makes anchors of headings. The README must link each page of docs/.
# usage: links.py      from the top of the tree

import pathlib
import re
import sys

NOT_OURS = {"build", ".git"}
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
ELSEWHERE = re.compile(r"[a-z]+:")


def pages():
    return [path for path in sorted(pathlib.Path(".").rglob("*.md")) if not NOT_OURS & set(path.parts)]


def prose(page):
    """The page's text without blocks of code, and without code within lines. Links may span two lines."""
    text = re.sub(r"(?ms)^```.*?^```$", lambda block: "\n" * block[0].count("\n"), page.read_text())
    return re.sub(r"`[^`\n]*`|(?m:^    .*$)", "code", text)


def anchors(page):
    """Anchors of the headings: small letters, digits, _ and -, with - for each blank."""
    text = re.sub(r"(?ms)^```.*?^```$", "", page.read_text())
    headings = re.findall(r"(?m)^#+ +(.*?) *$", text)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def faults_of(page, links):
    text = prose(page)
    for match in LINK.finditer(text):
        target, _, anchor = match[1].partition("#")
        if ELSEWHERE.match(target):
            continue
        path = page.parent / target if target else page
        where = f"{page}:{text.count(chr(10), 0, match.start()) + 1}"
        if not path.exists():
            yield f"{where}: no file {target}"
        elif anchor and anchor not in anchors(path):
            yield f"{where}: no heading #{anchor} in {path}"
        else:
            links.add((str(page), path.resolve()))


def main():
    links, faults = set(), []
    for page in pages():
        faults += faults_of(page, links)
    for page in pages():
        if page.parts[0] == "docs" and ("README.md", page.resolve()) not in links:
            faults.append(f"README.md does not link {page}")
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"{len(links)} links between pages: {len(faults)} faults")
    sys.exit(1 if faults else 0)


main()
