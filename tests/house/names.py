#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Finds names in comments and documents that no longer exist in the tree. Looked for are
#   foo()                            a function or macro
#   foo_bar, FOO_BAR                 a name of the code, also within its strings (JSON keys, say)
#                                    (without the prefix of public names or the suffix of times, too)
#   foo_*, FOO_*                     some such name begins so
#   struct foo, enum foo, union foo
#   foo.c, room/foo.h, foo.sh ...    a file; as much of its path as is named
#   room/other/                      a folder
#   --foo                            an option: --foo or foo stands in a string or a script
#   make foo                         a target, in documents
# Names of others are in the list KNOWN, with a reason; one of these that no text has any more is a fault as well.
# usage: names.py KNOWN      from the top of the tree

import pathlib
import re
import sys

C_LIKE = {".c", ".h", ".cc", ".S", ".def", ".map", ".proto", ".js", ".pml"}
HASH_LIKE = {".sh", ".inc", ".py", ".mk"}
DOCUMENTS = {".md", ".txt"}
NOT_OURS = {"build", ".git"}
# Texts with made-up names, or of others.
NOT_READ = {"golden", "house"}

C_TOKEN = re.compile(r'(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<string>"(?:\\.|[^"\\\n])*")|(?P<char>\'(?:\\.|[^\'\\\n])+\')', re.S)
HASH_COMMENT = re.compile(r"(?m)(?:^|(?<=\s))#(?=\s|$|!).*$")
WORD = re.compile(r"[A-Za-z_]\w*")
# In a drawing, --word--> is the name of an arrow.
OPTION = re.compile(r"(?<![\w-])--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?![^\n]*-->)")
SUFFIXES = "c|h|cc|S|def|map|proto|js|pml|sh|inc|py|mk|md|txt|json"
FILE = re.compile(rf"(?<![\w./<*-])((?:[\w.-]+/)*[\w-]+\.(?:{SUFFIXES}))(?![\w/(]|\.\w)")
FOLDER = re.compile(r"(?<![\w./<*>~$-])([a-z][\w-]*(?:/[\w-]+)*/)(?=[\s,.;:)'`]|$)")
PROSE = "as|at|assigned|for|has|hangs|in|included|is|of|per|that|to|which|with"
TAGGED = re.compile(rf"\b(?:struct|enum|union) (?!(?:{PROSE})\b)([a-z_]\w*)\b")
CALLED = re.compile(r"(?<![\w.>-])([A-Za-z_]\w*)\(\)")
NAME = re.compile(r"(?<![\w./-])([A-Za-z]\w*_\w+|[A-Za-z]\w*_(?=\*))(?![\w/]|\(\)|-\w|\.[a-z])")
TARGET = re.compile(r"(?:^ {4}|`|\$ )make ([a-z][a-z0-9-]*)", re.M)

def is_makefile(path):
    return path.name in ("Makefile", "CMakeLists.txt") or path.suffix == ".mk"


def is_document(path):
    return path.suffix in DOCUMENTS and not is_makefile(path)


def tree_files():
    for path in sorted(pathlib.Path(".").rglob("*")):
        if path.is_file() and not NOT_OURS & set(path.parts):
            yield path


def beginning(name):
    """foo_ of foo_* and foo_WORD, which stand for all names that begin so; "" of any other name."""
    match = re.fullmatch(r"(\w*_)|([a-z_]+_)[A-Z]+", name)
    return (match[1] or match[2]) if match else ""


def blank(match):
    """As many lines as the text had."""
    return " " + "\n" * match.group(0).count("\n")


def split_c(text):
    """Code without strings, strings, and comments as (offset, text)."""
    comments = [(match.start("comment"), match["comment"]) for match in C_TOKEN.finditer(text) if match["comment"]]
    strings = [match["string"] for match in C_TOKEN.finditer(text) if match["string"]]
    return C_TOKEN.sub(blank, text), "\n".join(strings), comments


def split_hash(text):
    comments = [(match.start(), match.group(0)) for match in HASH_COMMENT.finditer(text)]
    code = HASH_COMMENT.sub(blank, text)
    return code, code, comments


class Tree:
    """What exists, and where comments and documents say what."""

    def __init__(self):
        self.words, self.strings, self.tags, self.pasted = set(), set(), set(), set()
        self.options, self.files, self.targets = set(), [], set()
        self.texts = []
        for path in tree_files():
            self.add(path)
        self.all_words = self.words | self.strings

    def add(self, path):
        self.files.append("/" + str(path))
        if NOT_READ & set(path.parts):
            return
        if is_document(path):
            self.texts.append((path, path.read_text(), [(0, path.read_text())]))
            return
        hash_like = path.suffix in HASH_LIKE or is_makefile(path) or path.parts[0] == ".ci"
        if not hash_like and path.suffix not in C_LIKE:
            return
        text = path.read_text()
        code, strings, comments = split_hash(text) if hash_like else split_c(text)
        self.texts.append((path, text, comments))
        self.words.update(WORD.findall(code))
        self.strings.update(WORD.findall(strings))
        self.tags.update(TAGGED.findall(code))
        self.options.update(re.findall(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*", strings))
        self.add_pasted(code)
        if is_makefile(path):
            self.targets.update(re.findall(r"(?m)^([a-z][\w %-]*):", code))
            self.targets.update(re.findall(r"(?m)^\.PHONY: (.*)$", code))

    def add_pasted(self, code):
        """FOO_##name in code: all names that begin with FOO_ may be made of it."""
        self.pasted.update(re.findall(r"\b(\w+_)##", code))

    def has_name(self, name):
        return (
            any(form in self.all_words for form in (name, "stmlog_" + name, "STMLOG_" + name, "tb_" + name, name + "_ns"))
            or (beginning(name) != "" and self.has_prefix(beginning(name)))
            or any(name.startswith(prefix) and name[len(prefix) :] in self.words for prefix in self.pasted)
            or any(re.search(rf"/{re.escape(name)}\.\w+$", file) for file in self.files)
        )

    def has_prefix(self, prefix):
        return any(word.startswith(prefix) for word in self.all_words | {file.split("/")[-1] for file in self.files})

    def has_file(self, name):
        # Where a path from the page's own folder leads, links.py checks.
        generated = re.sub(r"\.pb-c\.[ch]$", ".proto", re.sub(r"^(\.\./)+", "", name))
        return any(file.endswith("/" + generated) for file in self.files)

    def has_folder(self, name):
        return any(("/" + name) in file for file in self.files)

    def has_target(self, name):
        return any(name in line.split() for line in self.targets)


def named(tree, path, text):
    """(name, its offset, whether it exists) of all names in a comment or document."""
    for match in CALLED.finditer(text):
        yield match[1] + "()", match.start(), tree.has_name(match[1]) and match[1] not in tree.strings - tree.words
    for match in NAME.finditer(text):
        yield match[1], match.start(), tree.has_name(match[1])
    for match in TAGGED.finditer(text):
        yield match[0], match.start(), match[1] in tree.tags
    for match in FILE.finditer(text):
        yield match[1], match.start(), tree.has_file(match[1])
    for match in FOLDER.finditer(text):
        yield match[1], match.start(), tree.has_folder(match[1])
    for match in OPTION.finditer(text):
        yield match[0], match.start(), match[1] in tree.options
    if is_document(path):
        for match in TARGET.finditer(text):
            yield "make " + match[1], match.start(), tree.has_target(match[1])


def read_known(path):
    """Lines "REASON: NAME, NAME...", since a name may be "struct foo"."""
    known = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            reason, _, names = line.partition(": ")
            known.update({name: reason for name in names.strip().split(", ")})
    return known


def main():
    tree, known = Tree(), read_known(pathlib.Path(sys.argv[1]))
    faults, needed, count = [], set(), 0
    for path, whole, comments in tree.texts:
        for begin, text in comments:
            for name, offset, exists in named(tree, path, text):
                count += 1
                if not exists and name in known:
                    needed.add(name)
                elif not exists:
                    faults.append(f"{path}:{whole.count(chr(10), 0, begin + offset) + 1}: no {name}")
    faults = list(dict.fromkeys(faults))
    faults += [f"{sys.argv[1]}: nobody needs {name} ({known[name]})" for name in sorted(known.keys() - needed)]
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"{count} names in comments and documents: {len(faults)} faults")
    sys.exit(1 if faults else 0)


main()
