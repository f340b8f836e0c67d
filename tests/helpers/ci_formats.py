# SPDX-License-Identifier: MIT
#
# Checks what `stmlog diff` prints for the CI against the parts of the formats' schemas that such files need: JUnit's XML
# as both usual schemas have it, Ant's (whose attributes are all required) and Jenkins'; SARIF 2.1.0. Prints each fault
# and exits with 1 if there is any; otherwise prints how many cases or results there are of each kind.
#
# It also checks steps for GitHub's Actions, as YAML: each has a command or an action and nothing that GitHub does not know,
# and the files that actions are given are in the folder where the commands have run.
# usage: ci_formats.py junit|sarif FILE
#        ci_formats.py steps FILE FOLDER
import json
import os
import re
import sys
import xml.etree.ElementTree as tree

COUNT = r"\d+"
SECONDS = r"\d+(\.\d+)?"
TEXT = r"\s*\S[\s\S]*"
ANY = r"[\s\S]*"

# Element: its attributes, its children in their order, and the children of which it may have one at most.
JUNIT = {
    "testsuites": ({}, ["testsuite"], []),
    "testsuite": (
        {"name": TEXT, "id": COUNT, "package": TEXT, "hostname": TEXT, "timestamp": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d",
         "tests": COUNT, "failures": COUNT, "errors": COUNT, "skipped": COUNT, "time": SECONDS},
        ["properties", "testcase", "system-out", "system-err"], ["properties", "system-out", "system-err"]),
    "properties": ({}, ["property"], []),
    "property": ({"name": TEXT, "value": ANY}, [], []),
    "testcase": ({"classname": TEXT, "name": TEXT, "time": SECONDS}, ["skipped", "failure"], ["skipped", "failure"]),
    "skipped": ({"message": ANY}, [], []),
    "failure": ({"type": TEXT, "message": ANY}, [], []),
    "system-out": ({}, [], []),
    "system-err": ({}, [], []),
}


def element_faults(element):
    attributes, children, single = JUNIT.get(element.tag, ({}, [], []))
    if element.tag not in JUNIT:
        yield f"no element is called {element.tag}"
        return
    for name in sorted(set(attributes) ^ set(element.attrib)):
        yield f"{element.tag} {'lacks' if name in attributes else 'has no attribute'} {name}"
    for name, value in element.attrib.items():
        if name in attributes and not re.fullmatch(attributes[name], value):
            yield f"{element.tag} {name}={value!r}"
    tags = [child.tag for child in element]
    if any(tag not in children for tag in tags):
        yield f"{element.tag} has {tags}"
    elif tags != sorted(tags, key=children.index) or any(tags.count(tag) > 1 for tag in single):
        yield f"the order in {element.tag}: {tags}"
    for child in element:
        yield from element_faults(child)


def junit(path):
    root = tree.parse(path).getroot()
    yield from element_faults(root)
    suite = root.find("testsuite")
    cases = root.findall("testsuite/testcase")
    counts = {"tests": len(cases), "errors": 0}
    for kind, tag in (("failures", "failure"), ("skipped", "skipped")):
        counts[kind] = sum(case.find(tag) is not None for case in cases)
    for kind, count in counts.items():
        if suite.get(kind) != str(count):
            yield f"{kind}={suite.get(kind)}, and there are {count}"
    names = [case.get("name") for case in cases]
    if len(names) != len(set(names)):
        yield "two cases have one name"
    if any(case.find("failure") is not None and case.find("skipped") is not None for case in cases):
        yield "a case is skipped and has failed"
    print(*(f"{kind} {count}" for kind, count in counts.items()))


def members(required, **properties):
    return {"type": "object", "required": required.split(), "properties": properties}


def array(of):
    return {"type": "array", "items": of}


STRING = {"type": "string", "minLength": 1}
MESSAGE = members("text", text=STRING)
LEVEL = {"enum": ["none", "note", "warning", "error"]}
URI = {"type": "string", "pattern": "^(file:///)?([A-Za-z0-9._~/-]|%[0-9A-F]{2})+$"}
LOCATION = members(
    "physicalLocation",
    physicalLocation=members(
        "artifactLocation region",
        artifactLocation=members("uri", uri=URI, uriBaseId=STRING),
        region=members("startLine", startLine={"type": "integer", "minimum": 1})),
    logicalLocations=array(members("fullyQualifiedName kind", fullyQualifiedName=STRING, kind={"const": "function"})),
    message=MESSAGE)
RULE = members("id name shortDescription fullDescription defaultConfiguration", id=STRING, name=STRING,
               shortDescription=MESSAGE, fullDescription=MESSAGE, defaultConfiguration=members("level", level=LEVEL))
RESULT = members("ruleId ruleIndex level message", ruleId=STRING, ruleIndex={"type": "integer", "minimum": 0}, level=LEVEL,
                 message=MESSAGE, locations=array(LOCATION), relatedLocations=array(LOCATION),
                 partialFingerprints={"type": "object", "additionalProperties": {"type": "string"}},
                 properties={"type": "object"})
NOTIFICATION = members("message level", message=MESSAGE, level=LEVEL)
INVOCATION = members("executionSuccessful", executionSuccessful={"type": "boolean"},
                     toolExecutionNotifications=array(NOTIFICATION))
RUN = members("tool results", tool=members("driver", driver=members("name", name=STRING, version=STRING, rules=array(RULE))),
              columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]}, invocations=array(INVOCATION),
              results=array(RESULT))
SARIF = members("version runs", **{"$schema": {"type": "string", "format": "uri"}}, version={"const": "2.1.0"},
                runs={**array(RUN), "minItems": 1, "maxItems": 1})


def closed(schema):
    """The same, but no object may have a member that the schema does not know."""
    if not isinstance(schema, dict):
        return schema
    schema = {key: {name: closed(value) for name, value in part.items()} if key == "properties" else closed(part)
              for key, part in schema.items()}
    if "properties" in schema:
        schema["additionalProperties"] = False
    return schema


def sarif(path):
    import jsonschema

    with open(path, encoding="utf-8") as file:
        log = json.load(file)
    for error in jsonschema.Draft7Validator(closed(SARIF)).iter_errors(log):
        yield f"{'/'.join(map(str, error.absolute_path))}: {error.message}"
        return
    run = log["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    for result in run["results"]:
        if rules[result["ruleIndex"]] != result["ruleId"]:
            yield f"rule {result['ruleIndex']} is not {result['ruleId']}"
    print("results", len(run["results"]))


def of_step(step, folder):
    if not isinstance(step, dict) or ("run" in step) == ("uses" in step):
        yield "neither a command nor an action, or both"
        return
    for key in set(step) - set("continue-on-error env id if name run shell timeout-minutes uses with working-directory".split()):
        yield f"GitHub knows no {key}"
    if "uses" in step and not re.fullmatch(r"[\w.-]+(/[\w.-]+)+@v\d+", step["uses"]):
        yield f"{step['uses']} is no action"
    for name, value in step.get("with", {}).items():
        if name in ("path", "sarif_file") and not os.path.isfile(os.path.join(folder, value)):
            yield f"no file {value}"


def steps(path, folder):
    import yaml
    try:
        with open(path, encoding="utf-8") as file:
            found = yaml.safe_load(file)
    except yaml.YAMLError as error:
        yield f"no YAML: {error}"
        return
    for number, step in enumerate(found, 1):
        for fault in of_step(step, folder):
            yield f"step {number}: {fault}"
    print("steps", len(found))


def main():
    faults = list({"junit": junit, "sarif": sarif, "steps": steps}[sys.argv[1]](*sys.argv[2:]))
    for fault in faults:
        print(fault)
    return bool(faults)


sys.exit(main())
