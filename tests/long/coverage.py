# SPDX-License-Identifier: MIT
"""The table of covered branches by folder.

usage: python3 coverage.py SUMMARY KNOWN

SUMMARY is gcovr's summary in JSON. KNOWN lists the folders that may be below 90 %: "FOLDER FIGURE REASON" in a line, the
figure in whole percents. Ends with 1 if a folder is below its limit, or is listed without need or reason.
"""

import json
import os
import sys

LIMIT = 90


def sums_of(summary):
    sums = {}
    with open(summary) as file:
        for row in json.load(file)["files"]:
            folder = sums.setdefault(os.path.dirname(row["filename"]), [0, 0])
            folder[0] += row["branch_covered"]
            folder[1] += row["branch_total"]
    return sums


def limits_of(known):
    limits = {}
    with open(known) as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                folder, figure, *reason = line.split(maxsplit=2)
                limits[folder] = int(figure), bool(reason)
    return limits


def main(summary, known):
    sums, limits = sums_of(summary), limits_of(known)
    faults = [f"{folder} is listed, and there is no such folder" for folder in sorted(limits.keys() - sums.keys())]
    faults += [f"{folder} is listed without a reason" for folder, limit in limits.items() if not limit[1]]
    print("branches of            taken    all      %")
    for folder, (taken, count) in sorted(sums.items()):
        if count == 0:
            continue
        percent = 100 * taken / count
        limit = limits.get(folder, (LIMIT,))[0]
        print(f"{folder:<20} {taken:7} {count:6} {percent:6.1f}")
        if percent < limit:
            faults.append(f"{folder} is below {limit} %")
        elif percent >= LIMIT and folder in limits:
            faults.append(f"{folder} is listed, and has {LIMIT} %")
    for fault in faults:
        print("coverage:", fault)
    return 1 if faults else 0


sys.exit(main(*sys.argv[1:]))
