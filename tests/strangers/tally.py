#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# How often findings name the fault of programs whose author did not know the rules. Reads the reports and stamps that
# tests/long/strangers.sh has left in a folder: PROGRAM.BUILD.MODE.N.json and PROGRAM.BUILD.MODE.N.stamps. BUILD is
# faulty or fixed, MODE quiet or loaded.
# usage: tally.py EXPECTED FOLDER      exit status 1 if fewer than nine of ten recordings pass somewhere

import json
import pathlib
import re
import sys

CLAIM = 0.02  # share of the threads' time from which on a finding needs a confirmation
PASS = 0.9
HEAD = ("program", "kind", "lost+waited by stamps", "fixed", "quiet first", "loaded first 3", "fixed: unconfirmed",
        "fault")


def read_expected(path):
    """Rows of program, kind, fault, pattern of accepted findings ("-": the program has no fault), rules."""
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def numbers(path):
    """The files of all runs."""
    return sorted(path.parent.glob(path.name))


def read_lost(path):
    """Shares of failed attempts and of waits in the time that other processes left, by the program's own stamps."""
    values = {name: float(value) for name, value in (pair.split("=") for pair in path.read_text().split())}
    own = values["threads_ns"] - values["taken_ns"]
    return (values["lost_ns"] / own, values["waited_ns"] / own) if own > 0 else (0, 0)


def frames(side):
    """Function and line of each frame, as in the text of a finding."""
    for frame in side:
        yield f"{pathlib.Path(frame['file'] or '').name}:{frame['line']} {frame['short']}"


def subject(finding):
    """All that a finding says about where the loss is and because of what, but not its advice."""
    because = finding["because"]
    parts = [finding["text"], *frames(finding["where"]), *frames(because["frames"])]
    return " ; ".join([*parts, json.dumps(because["objects"])])


def does_match(findings, pattern):
    """Whether one of the findings names the fault."""
    return any(re.search(pattern, subject(finding)) for finding in findings)


def unconfirmed(report, stamped):
    """Findings that claim a share of the threads' time of which the program's own stamps see less than half."""
    attached = report["totals"]["attached_ns"]
    for finding in report["findings"]:
        share = finding["lost_ns"] / attached if attached else 0
        if share > CLAIM and stamped < share / 2:
            yield share, finding["text"]


def median(values):
    """0 if there are none."""
    return sorted(values)[len(values) // 2] if values else 0


class Program:
    """What was recorded of a program, for both builds in both modes."""

    def __init__(self, row, folder):
        self.name, self.kind, self.fault, self.pattern = row[:4]
        self.reports, self.stamps = {}, {}
        for build in ("faulty", "fixed"):
            for mode in ("quiet", "loaded"):
                of_mode = f"{self.name}.{build}.{mode}"
                reports = numbers(folder / f"{of_mode}.*.json")
                self.reports[build, mode] = [json.loads(path.read_text()) for path in reports]
                self.stamps[build, mode] = [read_lost(path) for path in numbers(folder / f"{of_mode}.*.stamps")]

    def hits(self, mode, depth):
        """In how many recordings one of the first findings names the fault. None: there is no fault to name."""
        if self.pattern == "-":
            return None
        return sum(does_match(report["findings"][:depth], self.pattern) for report in self.reports["faulty", mode])

    def misses(self, mode, depth):
        """The costliest first finding that is wrong; of recordings in which none was right."""
        wrong = []
        for report in self.reports["faulty", mode]:
            findings = report["findings"]
            if self.pattern != "-" and not does_match(findings[:depth], self.pattern):
                first = findings[0] if findings else {"lost_ns": 0, "text": "no finding"}
                wrong.append((first["lost_ns"] / report["totals"]["attached_ns"], first["text"]))
        return max(wrong, default=None)

    def claims(self):
        """The unconfirmed findings of each recording without a fault."""
        for mode in ("quiet", "loaded"):
            stamped = max(map(sum, self.stamps["fixed", mode]), default=0)
            for report in self.reports["fixed", mode]:
                yield list(unconfirmed(report, stamped))

    def lost(self, build):
        """The median shares in percent in quiet runs, and in loaded ones."""
        for_modes = []
        for mode in ("quiet", "loaded"):
            lost, waited = (median([stamp[i] for stamp in self.stamps[build, mode]]) for i in (0, 1))
            for_modes.append(f"{100 * lost:.0f}+{100 * waited:.0f} %")
        return " / ".join(for_modes)

    def counted(self, mode, depth):
        """N of RUNS, and whether these are enough."""
        hits, runs = self.hits(mode, depth), len(self.reports["faulty", mode])
        if hits is None:
            return "-", True
        return f"{hits} of {runs}", hits >= PASS * runs and runs > 0

    def warned(self, mode):
        """How many recordings say that the run was disturbed, and of how many."""
        reports = self.reports["faulty", mode] + self.reports["fixed", mode]
        return sum(bool(report["warnings"]) for report in reports), len(reports)

    def row(self):
        """The cells of the table, and whether the program passes."""
        first, is_first = self.counted("quiet", 1)
        three, are_three = self.counted("loaded", 3)
        claims = list(self.claims())
        wrong = sum(bool(findings) for findings in claims)
        claimed = f"{sum(map(len, claims))} in {wrong} of {len(claims)}"
        cells = (self.name, self.kind, self.lost("faulty"), self.lost("fixed"), first, three, claimed, self.fault)
        warned, loaded = self.warned("loaded")
        is_confirmed = len(claims) > 0 and wrong <= (1 - PASS) * len(claims)
        return cells, is_first and are_three and is_confirmed and warned >= PASS * loaded

    def faults(self):
        """Lines about what was wrong: the costliest finding of each kind, and missing warnings."""
        warned, loaded = self.warned("loaded")
        if warned < PASS * loaded:
            yield f"{self.name}, loaded: {warned} of {loaded} say that the run was disturbed"
        for mode, depth in (("quiet", 1), ("loaded", 3)):
            miss = self.misses(mode, depth)
            if miss is not None:
                yield f"{self.name}, {mode}, {100 * miss[0]:.1f} %: {miss[1]}"
        claims = [claim for findings in self.claims() for claim in findings]
        if claims:
            share, text = max(claims)
            yield f"{self.name}, fixed, unconfirmed, {100 * share:.1f} %: {text}"


def descheduled(programs, mode):
    """The median share of the threads' time in which they had no processor, of programs with their faults."""
    totals = [report["totals"] for program in programs for report in program.reports["faulty", mode]]
    return median([total["descheduled_ns"] / total["attached_ns"] for total in totals if total["descheduled_ns"]])


def main():
    expected, folder = (pathlib.Path(argument) for argument in sys.argv[1:])
    programs = [Program(row, folder) for row in read_expected(expected)]
    rows = [program.row() for program in programs]
    widths = [max(len(line[i]) for line in [HEAD, *(cells for cells, _ in rows)]) for i in range(len(HEAD))]
    for cells in [HEAD, *(cells for cells, _ in rows)]:
        print(" | ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip())
    off = [f"{100 * descheduled(programs, mode):.0f} % of the time in {mode} runs" for mode in ("quiet", "loaded")]
    print("\nThreads had no processor for " + ", ".join(off))
    for mode in ("quiet", "loaded"):
        warned, runs = (sum(counts) for counts in zip(*(program.warned(mode) for program in programs)))
        print(f"{warned} of {runs} {mode} runs are said to be disturbed")
    print("\nWhat was wrong; of first findings the costliest, by its share of the threads' time:")
    for program in programs:
        for line in program.faults():
            print("  " + line)
    failed = [cells[0] for cells, is_right in rows if not is_right]
    print(f"\n{len(rows) - len(failed)} of {len(rows)} programs pass")
    if failed:
        print("not " + ", ".join(failed))
    return 1 if failed else 0


sys.exit(main())
