# SPDX-License-Identifier: MIT
#
# Checks a dashboard for Grafana against what Grafana's schema of dashboards (kinds/dashboard of its sources) requires of
# the members that are used here, and against exports for Prometheus: each metric and label that the dashboard names is in
# an export, and each metric of an export is in a panel. Prints each fault, and exits with 1 if there is any.
#
# For promtool it writes all expressions as a file of rules, and a test that evaluates each of them on the first export.
# usage: dashboard.py check DASHBOARD EXPORT...
#        dashboard.py rules DASHBOARD EXPORT RULES TEST
import json
import re
import sys

COUNT = {"type": "integer", "minimum": 0}
TEXT = {"type": "string", "minLength": 1}


def members(required, **properties):
    return {"type": "object", "required": required.split(), "properties": properties, "additionalProperties": False}


SOURCE = members("type uid", type={"const": "prometheus"}, uid={"const": "${datasource}"})
GRID = members("h w x y", h={"type": "integer", "minimum": 1}, w={"type": "integer", "minimum": 1, "maximum": 24},
               x={"type": "integer", "minimum": 0, "maximum": 23}, y=COUNT)
THRESHOLDS = members("mode steps", mode={"enum": ["absolute", "percentage"]}, steps={
    "type": "array", "minItems": 1, "items": members("color value", color=TEXT, value={"type": ["number", "null"]})})
MAPPING = members("type options", type={"const": "value"}, options={
    "type": "object", "additionalProperties": members("", text=TEXT, color=TEXT)})
# Units that Grafana knows: a number, seconds, a part of 1, operations per second.
UNIT = {"enum": ["short", "s", "percentunit", "ops"]}
FIELDS = members("defaults overrides", defaults=members(
    "unit", unit=UNIT, custom={"type": "object"}, thresholds=THRESHOLDS, mappings={"type": "array", "items": MAPPING}),
    overrides={"type": "array", "items": members(
        "matcher properties", matcher=members("id options", id={"const": "byName"}, options=TEXT),
        properties={"type": "array", "items": members("id value", id={"const": "unit"}, value=UNIT)})})
TARGET = members("refId datasource expr", refId={"pattern": "^[A-Z]$"}, datasource=SOURCE, expr=TEXT, legendFormat=TEXT,
                 instant={"type": "boolean"}, range={"type": "boolean"}, format={"enum": ["table", "time_series"]})
ROW = members("id type title collapsed gridPos panels", id=COUNT, type={"const": "row"}, title=TEXT,
              collapsed={"const": False}, gridPos=GRID, panels={"maxItems": 0})
PANEL = members("id type title description datasource gridPos targets fieldConfig options", id=COUNT,
                type={"enum": ["bargauge", "stat", "table", "timeseries"]}, title=TEXT, description=TEXT,
                datasource=SOURCE, gridPos=GRID, targets={"type": "array", "minItems": 1, "items": TARGET},
                fieldConfig=FIELDS, options={"type": "object"}, transformations={
                    "type": "array", "items": members("id options", options={"type": "object"},
                                                      id={"enum": ["joinByField", "merge", "organize"]})})
VARIABLE = {"type": "object", "required": ["type", "name", "query"],
            "properties": {"type": {"enum": ["datasource", "query"]}, "name": TEXT, "hide": {"enum": [0, 1, 2]}}}
DASHBOARD = members(
    "uid title tags style editable graphTooltip schemaVersion time annotations templating panels",
    uid={"type": "string", "pattern": "^[a-zA-Z0-9_-]{8,40}$"}, title=TEXT, description=TEXT,
    tags={"type": "array", "items": TEXT}, style={"enum": ["dark", "light"]}, timezone=TEXT,
    editable={"type": "boolean"}, graphTooltip={"enum": [0, 1, 2]}, schemaVersion={"type": "integer", "minimum": 36},
    version=COUNT, time=members("from to", **{"from": TEXT, "to": TEXT}), refresh={"type": "string"},
    annotations=members("list", list={"maxItems": 0}), links={"maxItems": 0},
    templating=members("list", list={"type": "array", "items": VARIABLE}),
    panels={"type": "array", "minItems": 1, "items": {
        "if": {"properties": {"type": {"const": "row"}}}, "then": ROW, "else": PANEL}})

# What PromQL itself has: the words that may stand where a metric or a label could.
PROMQL = set("by group_left histogram_quantile max min on sum topk".split())


# Each function of_...() yields the faults of this kind, as texts; of_expression() returns them.
def of_schema(board):
    import jsonschema
    for error in jsonschema.Draft7Validator(DASHBOARD).iter_errors(board):
        yield f"{'/'.join(map(str, error.absolute_path))}: {error.message}"


def overlap(one, other):
    return (one["x"] < other["x"] + other["w"] and other["x"] < one["x"] + one["w"] and
            one["y"] < other["y"] + other["h"] and other["y"] < one["y"] + one["h"])


def of_layout(panels):
    for i, panel in enumerate(panels):
        grid, name = panel["gridPos"], panel["title"]
        if grid["x"] + grid["w"] > 24:
            yield f"'{name}' is wider than the page"
        for other in panels[:i]:
            if other["id"] == panel["id"]:
                yield f"'{name}' has the id of '{other['title']}'"
            if overlap(grid, other["gridPos"]):
                yield f"'{name}' lies over '{other['title']}'"
        references = [target["refId"] for target in panel.get("targets", [])]
        if len(set(references)) != len(references):
            yield f"'{name}' has two targets of one name"


def targets_of(board):
    return [(panel, target) for panel in board["panels"] for target in panel.get("targets", [])]


def of_variables(board):
    """Each variable is used, and each that is used is there."""
    names = [variable["name"] for variable in board["templating"]["list"]]
    used = set(re.findall(r"\$\{?(\w+)", json.dumps([board["panels"], board["templating"]]).replace("$__all", "")))
    for name in used.symmetric_difference(names):
        yield f"variable {name} is not there, or not used"


def exported(paths):
    """The labels of each metric, and the names that have a HELP line."""
    labels, families = {}, {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.startswith("# TYPE "):
                    families[line.split()[2]] = line.split()[3]
                elif not line.startswith("#"):
                    name, rest = re.match(r"(\w+)\{(.*)\} ", line).groups()
                    labels.setdefault(name, set()).update(re.findall(r'(\w+)="(?:[^"\\]|\\.)*"', rest))
    return labels, families


def of_expression(expr, legend, labels):
    """The metrics of an expression, and its faults."""
    bare = re.sub(r'"[^"]*"', '""', expr)
    metrics = {word for word in re.findall(r"\bstmlog_\w+", bare)}
    known = set().union(*(labels.get(metric, set()) for metric in metrics))
    faults = [f"no metric {metric}" for metric in metrics - set(labels)]
    for metric, matchers in re.findall(r"(stmlog_\w+)\{([^}]*)\}", bare):
        faults += [f"{metric} has no label {word}" for word in re.findall(r"(\w+)\s*[=!]", matchers)
                   if metric in labels and word not in labels[metric]]
        if "program" not in matchers:
            faults.append(f"{metric} is of all programs")
    for groups, metric in re.findall(r"\w+ by \(([^)]*)\) \((stmlog_\w+)", bare):
        faults += [f"{metric} has no label {word}" for word in re.findall(r"\w+", groups)
                   if metric in labels and word not in labels[metric]]
    words = set(re.findall(r"[a-zA-Z_]\w*", re.sub(r"\{[^}]*\}", "", bare)))
    faults += [f"neither metric nor label: {word}" for word in words - metrics - known - PROMQL]
    grouped = set(re.findall(r"\w+", " ".join(re.findall(r"(?:by|on) \(([^)]*)\)", bare))))
    faults += [f"the legend's {word} is no label of the series" for word in re.findall(r"\{\{(\w+)\}\}", legend)
               if word not in grouped]
    return metrics, faults


def of_metrics(board, labels, families):
    shown = set()
    queries = [variable["query"]["query"] for variable in board["templating"]["list"] if variable["type"] == "query"]
    for query in queries:
        metric, label = re.fullmatch(r"label_values\((\w+), (\w+)\)", query).groups()
        if label not in labels.get(metric, set()):
            yield f"{query}: no such series"
    for panel, target in targets_of(board):
        metrics, faults = of_expression(target["expr"], target.get("legendFormat", ""), labels)
        shown |= metrics
        for fault in faults:
            yield f"'{panel['title']}' {target['refId']}: {fault}"
    for family, kind in families.items():
        for name in [family] if kind != "histogram" else [family + end for end in ("_bucket", "_sum", "_count")]:
            if name not in shown:
                yield f"{name} is in no panel"


def check(board, *exports):
    labels, families = exported(exports)
    if len(families) < 20:
        yield f"only {len(families)} metrics were exported"
    faults = list(of_schema(board))
    yield from faults
    if not faults:
        yield from of_layout(board["panels"])
        yield from of_variables(board)
        yield from of_metrics(board, labels, families)


def write(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)


def rules(board, export, rules_path, test_path):
    """JSON is YAML, too. The test expects of each expression that it has no series: it is to fail for each."""
    expressions = [target["expr"].replace("$program", ".*") for _, target in targets_of(board)]
    write(rules_path, {"groups": [{"name": "panels", "rules": [
        {"record": f"panel:{i}", "expr": expr} for i, expr in enumerate(expressions)]}]})
    with open(export, encoding="utf-8") as file:
        samples = [line.rstrip("\n").rsplit(" ", 1) for line in file if not line.startswith("#")]
    write(test_path, {"rule_files": [], "tests": [{
        "interval": "1m", "input_series": [{"series": series, "values": value} for series, value in samples],
        "promql_expr_test": [{"expr": expr, "eval_time": "0m", "exp_samples": []} for expr in expressions]}]})
    print(len(expressions))
    return []


def main():
    with open(sys.argv[2], encoding="utf-8") as file:
        board = json.load(file)
    faults = list({"check": check, "rules": rules}[sys.argv[1]](board, *sys.argv[3:]))
    for fault in faults:
        print(fault)
    return bool(faults)


sys.exit(main())
