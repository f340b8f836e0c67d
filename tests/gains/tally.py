#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# How well `stmlog predict` foresees what programs gain. Reads what tests/long/gains.sh has left in a folder, for each
# program and turn N: PROGRAM.N.bare (commits of runs without the profiler), PROGRAM.N.report.json, and the predictions
# PROGRAM.N.predict.json (without each finding) and PROGRAM.N.threads.json (a recording of one thread, with one and two). A prediction that
# is empty was refused, and its .why says for which reason.
# usage: tally.py EXPECTED FOLDER      exit status 1 if the predictions are not near enough

import json
import pathlib
import statistics
import sys

POINTS, FACTOR = 15, 1.5  # how far a predicted gain may be off; the factor is for measured gains above 100 %
NEAR, ABORTS = 1.2, 1.5  # factors by which ratios of commits and shares of aborts may be off
FEW_ABORTS = 0.001  # attempts of which fewer fail have no aborts
PASS_NEAR, PASS_INSIDE = 0.8, 0.9  # of all programs with a fix; one without an answer is neither near nor inside
HEAD = ("program", "fix gains", "predicted", "refused", "named", "near", "inside", "aborts", "replayed", "factor",
        "2 threads : 1", "predicted", "aborts predicted", "gl_wt", "predicted", "one processor")


def read_expected(path):
    """Pairs of a program and the rules whose findings name its fault."""
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            name, rules = line.split("\t")
            yield name, [] if rules == "-" else rules.split(",")


def read_json(path):
    """An empty object if the file is missing or has no answer."""
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return {}


def read_bare(path):
    """The commits of the runs without the profiler, by what was run."""
    lines = path.read_text().splitlines() if path.exists() else []
    return {what: float(commits) for what, commits in map(str.split, lines)}


def median(values):
    """Of those that are known; None if there are none."""
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def known(pairs):
    """Those of which neither number is missing."""
    return [pair for pair in pairs if None not in pair]


def medians(pairs):
    """Of the first numbers, and of the second ones."""
    return tuple(median(numbers) for numbers in zip(*pairs)) or (None, None)


def quotient(numbers, what, base):
    """None if one of the two is missing."""
    return numbers[what] / numbers[base] if numbers.get(what) and numbers.get(base) else None


def is_within(value, truth, factor):
    """False if one is missing."""
    return bool(value and truth) and 1 / factor <= value / truth <= factor


def are_alike(shares):
    """Two shares of attempts that fail."""
    return max(shares) < FEW_ABORTS or is_within(*shares, ABORTS)


def gain(ratio):
    """In percent."""
    return 100 * (ratio - 1)


def percent(ratio, form="{:+.0f} %"):
    """A gain as text."""
    return "-" if ratio is None else form.format(gain(ratio))


def as_text(number, form="{:.2f}"):
    """Of a number that may be missing."""
    return "-" if number is None else form.format(number)


def yes_or_no(is_true):
    """None is neither."""
    return {None: "-", True: "yes", False: "no"}[is_true]


def why_not(path, answer):
    """The reason for which there is no answer; None if there is one."""
    check = answer.get("check") or {}
    if answer:
        return check.get("why_not")
    try:
        return " ".join(path.with_suffix(".why").read_text().split()) or "no answer"
    except OSError:
        return "no answer"


class Turn:
    """What was measured and predicted in one turn."""

    def __init__(self, prefix, rules):
        self.bare = read_bare(prefix.with_name(prefix.name + ".bare"))
        report = read_json(prefix.with_name(prefix.name + ".report.json"))
        path = prefix.with_name(prefix.name + ".predict.json")
        self.predicted = read_json(path)
        self.why_not = why_not(path, self.predicted)
        rows = read_json(prefix.with_name(prefix.name + ".threads.json")).get("rows") or []
        self.by_threads = {row["threads"]: row["commits_per_s"] for row in rows if row["ratio"]}
        self.two_threads_aborts = {row["threads"]: row["failed_share"] for row in rows}.get(2)
        self.is_named = any(finding["rule"] in rules for finding in report.get("findings", []))
        self.recorded_aborts = self.aborts_recorded(report)
        self.off_processor = self.part_off_processor(report)
        self.best = self.best_finding(rules)

    def aborts_recorded(self, report):
        """The share of the attempts."""
        totals = report.get("totals", {})
        attempts = totals.get("commits", 0) + totals.get("aborts", 0)
        return totals["aborts"] / attempts if attempts else None

    def part_off_processor(self, report):
        """Of the threads' time in the recording; much of it means that other processes ran."""
        totals = report.get("totals", {})
        return totals["descheduled_ns"] / totals["attached_ns"] if totals.get("attached_ns") else None

    def aborts_replayed(self):
        """The same in the replay of the program as it was, even if that differs too much for an answer."""
        attempts = (self.predicted.get("check") or {}).get("replayed_attempts_per_commit")
        return 1 - 1 / attempts if attempts else None

    def best_finding(self, rules):
        """The predicted ratios of the finding that names the fault; of several, the one that gains the most."""
        findings = [] if self.why_not else self.predicted.get("without_findings") or []
        answers = [finding for finding in findings if finding["rule"] in rules and finding.get("ratio")]
        return max(answers, key=lambda finding: finding["ratio"], default={})

    def gl_wt(self):
        """The predicted ratio."""
        method = None if self.why_not else (self.predicted.get("methods") or {}).get("gl_wt")
        return (method or {}).get("ratio")


class Program:
    """The turns of a program."""

    def __init__(self, name, rules, folder):
        self.name, self.rules = name, rules
        prefixes = sorted(path.with_suffix("") for path in folder.glob(f"{name}.*.bare"))
        self.turns = [Turn(prefix, rules) for prefix in prefixes]
        self.gains = self.measured("fixed")
        self.gain = median(self.gains)
        self.predicted, self.low, self.high = (
            median(turn.best.get(key) for turn in self.turns) for key in ("ratio", "low", "high"))
        # Of one turn each: between turns the processors may have been moved.
        pairs = known((quotient(turn.bare, "faulty", "one-thread"), quotient(turn.by_threads, 2, 1)) for turn in self.turns)
        self.two_threads = medians(pairs)
        self.two_threads_off = median(predicted / measured for measured, predicted in pairs)
        self.gl_wt = median(self.measured("gl_wt")), median(turn.gl_wt() for turn in self.turns)
        recorded = median(turn.recorded_aborts for turn in self.turns)
        self.aborts = recorded, median(turn.aborts_replayed() for turn in self.turns)
        self.two_threads_aborts = medians(known((turn.recorded_aborts, turn.two_threads_aborts) for turn in self.turns))

    def measured(self, what):
        """The ratios of the turns to the faulty form with two threads."""
        ratios = [quotient(turn.bare, what, "faulty") for turn in self.turns]
        return [ratio for ratio in ratios if ratio is not None]

    def is_near(self):
        """Whether the predicted gain is near the measured one. None: there is no fix to measure."""
        if self.gain is None:
            return None
        if gain(self.gain) > 100:
            return is_within(self.predicted, self.gain, FACTOR)
        return self.predicted is not None and abs(gain(self.predicted) - gain(self.gain)) <= POINTS

    def is_inside(self):
        """Whether the interval has the measured gain."""
        if self.gain is None:
            return None
        return None not in (self.low, self.high) and self.low <= self.gain <= self.high

    def has_aborts_right(self):
        """None: nothing was replayed."""
        return None if None in self.aborts else are_alike(self.aborts)

    def has_two_threads_right(self):
        """Throughput and aborts of two threads, from a recording of one; False if there was no answer."""
        return None not in self.two_threads_aborts and are_alike(self.two_threads_aborts) and is_within(
            self.two_threads_off, 1, NEAR)

    def refusals(self):
        """The reasons."""
        return [turn.why_not for turn in self.turns if turn.why_not]

    def factor(self):
        """By which the replayed share of aborts is off."""
        recorded, replayed = self.aborts
        return replayed / recorded if recorded and replayed is not None else None

    def cells(self):
        """Its row of the table."""
        turns = len(self.turns)
        spread = f" ({percent(min(self.gains))} to {percent(max(self.gains))})" if self.gains else ""
        interval = "" if self.low is None else f" ({percent(self.low)} to {percent(self.high)})"
        named = f"{sum(turn.is_named for turn in self.turns)} of {turns}" if self.rules else "-"
        recorded, replayed = (as_text(share, "{:.4f}") for share in self.aborts)
        return (self.name, percent(self.gain) + spread, percent(self.predicted) + interval,
                f"{len(self.refusals())} of {turns}", named, yes_or_no(self.is_near()), yes_or_no(self.is_inside()),
                recorded, replayed, as_text(self.factor()), *map(as_text, self.two_threads),
                as_text(self.two_threads_aborts[1], "{:.4f}"), *map(as_text, self.gl_wt), as_text(median(self.measured("one-processor"))))


def count(name, answers):
    """Text about answers of which None does not count, and what part of them is right."""
    counted = [answer for answer in answers if answer is not None]
    text = f"{name}: {sum(counted)} of {len(counted)}"
    return text, sum(counted) / len(counted) if counted else 1


def count_ratios(name, pairs):
    """The same for pairs of a measured ratio and a predicted one."""
    return count(name, [is_within(predicted, measured, NEAR) for measured, predicted in pairs if measured])[0]


def print_table(programs):
    """One row a program."""
    rows = [HEAD, *(program.cells() for program in programs)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    for cells in rows:
        print(" | ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip())


def main():
    expected, folder = (pathlib.Path(argument) for argument in sys.argv[1:])
    programs = [Program(name, rules, folder) for name, rules in read_expected(expected)]
    programs = [program for program in programs if program.turns]
    print_table(programs)
    for program in programs:
        for reason in sorted(set(program.refusals())):
            print(f"{program.name}, refused in {program.refusals().count(reason)} turns: {reason}")
    off = median(turn.off_processor for program in programs for turn in program.turns)
    if off is not None:
        print(f"Threads had no processor for {100 * off:.1f} % of the time; with more than some percent nothing holds")
    near, near_part = count(f"within {POINTS} points", [program.is_near() for program in programs])
    inside, inside_part = count("inside of the interval", [program.is_inside() for program in programs])
    refused = sum(len(program.refusals()) for program in programs)
    print("; ".join((
        near, inside,
        count(f"aborts within a factor {ABORTS}", [program.has_aborts_right() for program in programs])[0],
        count("two threads from one", [program.has_two_threads_right() for program in programs])[0],
        count_ratios("gl_wt within 20 %", [program.gl_wt for program in programs]),
        f"refused: {refused} of {sum(len(program.turns) for program in programs)} turns")))
    return 1 if near_part < PASS_NEAR or inside_part < PASS_INSIDE else 0


sys.exit(main())
