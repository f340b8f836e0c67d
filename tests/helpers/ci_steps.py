# SPDX-License-Identifier: MIT
#
# Checks steps for GitHub's Actions, as YAML: each has a command or an action, and nothing that GitHub does not know.
# Prints each fault and exits with 1 if there is any; otherwise prints how many steps there are.
# usage: ci_steps.py FILE
import re
import sys

import yaml

KEYS = set("continue-on-error env id if name run shell timeout-minutes uses with working-directory".split())


def of_step(step):
    if not isinstance(step, dict) or ("run" in step) == ("uses" in step):
        yield "neither a command nor an action, or both"
        return
    for key in set(step) - KEYS:
        yield f"GitHub knows no {key}"
    if "uses" in step and not re.fullmatch(r"[\w.-]+(/[\w.-]+)+@v\d+", step["uses"]):
        yield f"{step['uses']} is no action"


def faults_of(path):
    try:
        with open(path, encoding="utf-8") as file:
            found = yaml.safe_load(file)
    except yaml.YAMLError as error:
        yield f"no YAML: {error}"
        return
    for number, step in enumerate(found, 1):
        for fault in of_step(step):
            yield f"step {number}: {fault}"
    print("steps", len(found))


def main():
    faults = list(faults_of(sys.argv[1]))
    for fault in faults:
        print(fault)
    return bool(faults)


sys.exit(main())
