# SPDX-License-Identifier: MIT
#
# Counts the events of a timeline in the output of `stmlog export --format=json`, by rules of its own: a line for each
# figure, sorted. trace_processor.sh has the trace processor count the same in the other formats.
import collections
import json
import sys

OPENS = {"start": "transaction", "wait-begin": "wait", "task-start": "task", "task-resume": "task",
         "touch-pause": "touch", "region-begin": "region"}
CLOSES = {"commit": "transaction", "abort": "transaction", "wait-end": "wait", "task-end": "task",
          "task-suspend": "task", "touch-resume": "touch", "region-end": "region"}

counts = collections.Counter()
stacks = collections.defaultdict(list)  # by thread and what is open


def count(bar, fate, ns):
    counts[f"{bar}s"] += 1
    counts[f"ns of {bar}s"] += ns
    if bar == "transaction":
        counts[f"fate {fate}"] += 1


def close_all(thread, fate, ns):
    for (owner, bar), begins in stacks.items():
        while owner == thread and begins:
            count(bar, fate, ns - begins.pop())


with open(sys.argv[1]) as file:
    timeline = json.load(file)
last = max(event.get("latest_ns", event["time_ns"]) for event in timeline["events"])

for event in timeline["events"]:
    kind, thread, ns = event["kind"], event["thread"], event["time_ns"]
    if kind in OPENS:
        stacks[thread, OPENS[kind]].append(ns)
    elif kind in CLOSES and stacks[thread, CLOSES[kind]]:
        count(CLOSES[kind], kind, ns - stacks[thread, CLOSES[kind]].pop())
    elif kind in ("missing", "detach"):
        close_all(thread, "unknown", ns)
    if kind == "missing":
        counts["missings"] += 1
        counts["ns of missings"] += event["latest_ns"] - ns
        counts["events missing"] += event["argument"]
    if kind == "abort":
        counts["aborts"] += 1
        if "other" in event:
            counts[f"arrows from {event['other']} to {thread}"] += 1
    if kind in ("contention", "mark"):
        counts[f"{kind}s"] += 1
    if kind == "counter":
        counts["counter values"] += 1
        counts["sum of counter values"] += event["argument"]
for thread in {thread for thread, _ in stacks}:
    close_all(thread, "open", last)

for line in sorted(f"{name}\t{number}" for name, number in counts.items() if number):
    print(line)
