#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Finds circles among the objects of the product (not of tests and benchmarks). An object depends on the object that
# defines a symbol which it uses; a folder depends on the folders of those. Reported are
# - circles of folders, anywhere;
# - circles of files within one folder;
# - objects that were compiled with a file of tests/.
# Objects whose source is gone are passed over.
# usage: circles.py OBJECTS      from the top of the tree; OBJECTS is build/obj

import collections
import pathlib
import re
import subprocess
import sys

LIBRARY = ("base/", "format/", "traceback/", "report/", "stmlog/")
PRODUCT = ("base", "format", "traceback", "report", "stmlog", "runtimes", "examples", "tools")
DEFINED = "TDBRVWGSC"


def product_objects(objects):
    """Names like base/clock, of objects whose source exists or was generated beside the object."""
    for path in sorted(objects.rglob("*.o")):
        name = path.relative_to(objects).with_suffix("")
        sources = [name.with_suffix(suffix) for suffix in (".c", ".S")] + [path.with_suffix(".c")]
        if name.parts[0] in PRODUCT and any(source.exists() for source in sources):
            yield str(name)


def read_symbols(objects, names):
    """For each symbol the objects that define it, and for each object the symbols that it takes from others."""
    paths = {str(objects / (name + ".o")): name for name in names}
    definers, used = collections.defaultdict(list), {name: [] for name in names}
    listing = subprocess.run(
        ["nm", "--format=posix", "--print-file-name", *paths], capture_output=True, text=True, check=True
    )
    for line in listing.stdout.splitlines():
        path, _, row = line.partition(": ")
        symbol, kind = row.split()[:2]
        if kind == "U":
            used[paths[path]].append(symbol)
        elif kind in DEFINED:
            definers[symbol].append(paths[path])
    return definers, used


def distance(name, other):
    """How many folders are between two names: a program that defines a symbol again does so for itself."""
    left, right = name.split("/")[:-1], other.split("/")[:-1]
    common = 0
    while left[common : common + 1] == right[common : common + 1] != []:
        common += 1
    return len(left) + len(right) - 2 * common


def may_use(name, other):
    """The library is linked without the runtimes, and these without the command: a symbol of libc that an agent, or the
    command, interposes is libc's to the others."""
    if other.startswith("runtimes/") != name.startswith("runtimes/") and not other.startswith(LIBRARY):
        return False
    return other.startswith(LIBRARY) or not name.startswith(LIBRARY)


def file_graph(definers, used):
    """graph[a][b]: a symbol of b that a uses."""
    graph = {name: {} for name in used}
    for name, symbols in used.items():
        for symbol in symbols:
            others = [other for other in definers[symbol] if may_use(name, other)]
            nearest = min((distance(name, other) for other in others), default=0)
            for other in others:
                if distance(name, other) == nearest:
                    graph[name].setdefault(other, symbol)
    return graph


def folder_of(name):
    return name.rsplit("/", 1)[0]


def folder_graph(files):
    graph = {folder_of(name): {} for name in files}
    for name, others in files.items():
        for other, symbol in others.items():
            if folder_of(other) != folder_of(name):
                graph[folder_of(name)].setdefault(folder_of(other), f"{name.rsplit('/', 1)[1]} uses {symbol}")
    return graph


def within_folders(files):
    """The file graph without the edges between folders."""
    return {
        name: {other: symbol for other, symbol in others.items() if folder_of(other) == folder_of(name)}
        for name, others in files.items()
    }


def reachable(graph, start):
    found, left = set(), [start]
    while left:
        for other in graph[left.pop()]:
            if other not in found:
                found.add(other)
                left.append(other)
    return found


def circles(graph):
    """The largest sets of nodes of which each depends on all others."""
    reach = {node: reachable(graph, node) for node in graph}
    found = {frozenset(other for other in reach[node] if node in reach[other]) for node in graph if node in reach[node]}
    return sorted(sorted(circle) for circle in found)


def describe(graph, circle):
    lines = [f"    {node} -> {other}: {graph[node][other]}" for node in circle for other in sorted(graph[node]) if other in circle]
    return "\n".join(lines)


def check_files(files):
    graph = within_folders(files)
    for circle in circles(graph):
        yield f"circle of files: {' '.join(circle)}\n{describe(graph, circle)}"


def check_folders(files):
    graph = folder_graph(files)
    for circle in circles(graph):
        yield f"circle of folders: {' '.join(circle)}\n{describe(graph, circle)}"


def check_tests(objects, names):
    for name in names:
        dependencies = objects / (name + ".d")
        if dependencies.exists():
            for path in sorted(set(re.findall(r"\btests/[^\s:\\]+", dependencies.read_text()))):
                yield f"{name} is compiled with {path}"


def main():
    objects = pathlib.Path(sys.argv[1])
    names = list(product_objects(objects))
    files = file_graph(*read_symbols(objects, names))
    faults = [*check_folders(files), *check_files(files), *check_tests(objects, names)]
    if faults:
        print(*faults, "(An object that no rule makes any more may be left of an earlier build: make clean.)", sep="\n")
    print(f"{len(names)} objects in {len(folder_graph(files))} folders: {len(faults)} faults")
    sys.exit(1 if faults else 0)


main()
