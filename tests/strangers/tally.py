#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# How often the first row of a report names the fault of programs whose author did not know how rows are made. Reads the
# reports and stamps that tests/long/strangers.sh has left in a folder: PROGRAM.BUILD.MODE.N.json and
# PROGRAM.BUILD.MODE.N.stamps. BUILD is faulty or fixed; MODE is quiet, loaded (beside busy loops) or crowded (four threads
# per processor).
# usage: tally.py EXPECTED FOLDER      exit status 1 if too few recordings pass somewhere

import collections
import json
import pathlib
import re
import sys

CLAIM = 0.02  # share of the time on processors from which on a row needs a confirmation
PASS = {"quiet": 1, "loaded": 0.9, "crowded": 0.9}
CONFIRMED = 0.9
HEAD = ("program", "kind", "lost+waited by stamps", "fixed", *PASS, "same first row", "fixed: unconfirmed", "fault")


def read_expected(path):
    """Rows of program, kind, fault, pattern of accepted rows ("-": the program has no fault)."""
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


def frames(traceback):
    """Function and line of each frame."""
    return [f"{pathlib.Path(frame['file'] or '').name}:{frame['line']} {frame['short']}" for frame in traceback]


def culprit(row):
    """All that a row says about the transaction in the way, but not its advice."""
    parts = [title(row), *frames(row["frames"]), row["text"]["how"], row["text"]["data"]]
    return " ; ".join([*parts, *row["objects"]])


def losers(row):
    """The transactions that have lost because of it."""
    return " ; ".join(text for loser in row["losers"] for text in (loser["text"], *frames(loser["frames"])))


def title(row):
    """What identifies a row among those of several recordings."""
    return f"{row['name']} {row['line']}".strip()


def running_ns(report):
    """The time in which the threads had processors."""
    return report["totals"]["attached_ns"] - report["totals"]["descheduled_ns"]


def share(row, report):
    """A row's part of that time."""
    return row["lost_ns"] / running_ns(report) if running_ns(report) > 0 else 0


def unconfirmed(report, stamped):
    """Rows that claim a share of the time of which the program's own stamps see less than half."""
    for row in report["rows"]:
        if share(row, report) > CLAIM and stamped < share(row, report) / 2:
            yield share(row, report), title(row)


def median(values):
    """0 if there are none."""
    return sorted(values)[len(values) // 2] if values else 0


class Program:
    """What was recorded of a program, for both builds in all modes."""

    def __init__(self, cells, folder):
        self.name, self.kind, self.fault, self.pattern = cells
        self.reports, self.stamps = {}, {}
        for build in ("faulty", "fixed"):
            for mode in PASS:
                of_mode = f"{self.name}.{build}.{mode}"
                reports = numbers(folder / f"{of_mode}.*.json")
                self.reports[build, mode] = [json.loads(path.read_text()) for path in reports]
                self.stamps[build, mode] = [read_lost(path) for path in numbers(folder / f"{of_mode}.*.stamps")]

    def has_fault(self):
        return self.pattern != "-"

    def firsts(self, mode):
        """The first row of each recording with the fault, its share of the time, whether it names the fault as in the way,
        and whether it names it among those that lose only."""
        for report in self.reports["faulty", mode]:
            row = report["rows"][0] if report["rows"] else None
            if row is None:
                yield "no row", 0, False, False
                continue
            is_culprit = re.search(self.pattern, culprit(row)) is not None
            is_loser = not is_culprit and re.search(self.pattern, losers(row)) is not None
            yield title(row), share(row, report), is_culprit, is_loser

    def hits(self, mode):
        """N of RUNS, and whether these are enough."""
        if not self.has_fault():
            return "-", True
        right = [is_right for _, _, is_right, _ in self.firsts(mode)]
        return f"{sum(right)} of {len(right)}", len(right) > 0 and sum(right) >= PASS[mode] * len(right)

    def same(self, mode):
        """In how many recordings the first row is the most frequent one."""
        names = collections.Counter(name for name, *_ in self.firsts(mode))
        return max(names.values(), default=0)

    def claims(self):
        """The unconfirmed rows of each recording without a fault."""
        for mode in PASS:
            stamped = max(map(sum, self.stamps["fixed", mode]), default=0)
            for report in self.reports["fixed", mode]:
                yield list(unconfirmed(report, stamped))

    def lost(self, build):
        """The median shares in percent for each mode."""
        for_modes = []
        for mode in PASS:
            lost, waited = (median([stamp[i] for stamp in self.stamps[build, mode]]) for i in (0, 1))
            for_modes.append(f"{100 * lost:.0f}+{100 * waited:.0f} %")
        return " / ".join(for_modes)

    def warned(self, mode):
        """How many recordings say that the run was disturbed, and of how many."""
        reports = self.reports["faulty", mode] + self.reports["fixed", mode]
        return sum(bool(report["warnings"]) for report in reports), len(reports)

    def is_warned(self):
        warned, runs = self.warned("loaded")
        return warned >= CONFIRMED * runs

    def is_stable(self):
        """Whether all quiet recordings have the same first row."""
        return not self.has_fault() or self.same("quiet") == len(self.reports["faulty", "quiet"])

    def row(self):
        """The cells of the table, and whether the program passes."""
        hits = [self.hits(mode) for mode in PASS]
        claims = list(self.claims())
        wrong = sum(bool(rows) for rows in claims)
        claimed = f"{sum(map(len, claims))} in {wrong} of {len(claims)}"
        same = " / ".join(str(self.same(mode)) for mode in PASS) if self.has_fault() else "-"
        cells = (self.name, self.kind, self.lost("faulty"), self.lost("fixed"), *(text for text, _ in hits), same,
                 claimed, self.fault)
        is_confirmed = len(claims) > 0 and wrong <= (1 - CONFIRMED) * len(claims)
        return cells, all(enough for _, enough in hits) and self.is_stable() and is_confirmed and self.is_warned()

    def faults(self):
        """Lines about what was wrong: the costliest row of each kind, and missing warnings."""
        if not self.is_warned():
            warned, runs = self.warned("loaded")
            yield f"{self.name}, loaded: {warned} of {runs} say that the run was disturbed"
        for mode in PASS if self.has_fault() else ():
            firsts = list(self.firsts(mode))
            wrong = max(((part, name) for name, part, is_right, _ in firsts if not is_right), default=None)
            if wrong is not None:
                yield f"{self.name}, {mode}, {100 * wrong[0]:.1f} %: {wrong[1]}"
            by_losers = sum(is_loser for *_, is_loser in firsts)
            if by_losers > 0:
                yield f"{self.name}, {mode}: {by_losers} have the fault only among those that lose"
        claims = [claim for rows in self.claims() for claim in rows]
        if claims:
            part, text = max(claims)
            yield f"{self.name}, fixed, unconfirmed, {100 * part:.1f} %: {text}"


def descheduled(programs, mode):
    """The median share of the threads' time in which they had no processor, of programs with their faults."""
    totals = [report["totals"] for program in programs for report in program.reports["faulty", mode]]
    return median([total["descheduled_ns"] / total["attached_ns"] for total in totals if total["descheduled_ns"]])


def main():
    expected, folder = (pathlib.Path(argument) for argument in sys.argv[1:])
    programs = [Program(cells, folder) for cells in read_expected(expected)]
    rows = [program.row() for program in programs]
    widths = [max(len(line[i]) for line in [HEAD, *(cells for cells, _ in rows)]) for i in range(len(HEAD))]
    for cells in [HEAD, *(cells for cells, _ in rows)]:
        print(" | ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip())
    off = [f"{100 * descheduled(programs, mode):.0f} % of the time in {mode} runs" for mode in PASS]
    print("\nThreads had no processor for " + ", ".join(off))
    for mode in PASS:
        warned, runs = (sum(counts) for counts in zip(*(program.warned(mode) for program in programs)))
        print(f"{warned} of {runs} {mode} runs are said to be disturbed")
    print("\nWhat was wrong; of first rows the costliest, by its share of the time on processors:")
    for program in programs:
        for line in program.faults():
            print("  " + line)
    failed = [cells[0] for cells, is_right in rows if not is_right]
    print(f"\n{len(rows) - len(failed)} of {len(rows)} programs pass")
    if failed:
        print("not " + ", ".join(failed))
    return 1 if failed else 0


sys.exit(main())
