"""Exceptions that were recorded one by one, in a profile of their own: how many, on whose behalf, of which types."""

import re
from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.figures import linked
from server.analyst.kinds.kind import Call
from server.analyst.queries import query
from server.analyst.wording import amount, cited, cited_profile, coded, joined, own

THROWN, THROWN_FOR = query("thrown"), query("thrown_for")
WERE = "exceptions were "
TYPE = re.compile(r"(?<![\w$])([A-Za-z_$][\w$]*(?:Exception|Error|Throwable))s?(?![\w$])")


def recorded_in(evidence: Evidence) -> dict[str, Any] | None:
    """The profile of nothing but exceptions; None without one that has any."""
    rows = [row for row in evidence.profiles if any(one["name"] == "exceptions" for one in row["values"])]
    return max((row for row in rows if row["total"]), key=lambda row: row["total"], default=None)


def calls(evidence: Evidence) -> list[Call]:
    """Their types, and the program's own functions that they were thrown for."""
    row = recorded_in(evidence)
    if row is None:
        return []
    own_code = {"sort_by": "self", "limit": 3, "my_code": True, "profile": row["handle"]}
    types = ("query_trace", {"sql": THROWN.format(profile=row["handle"])})
    return [types, *_of_type(row, evidence), ("get_top_functions", own_code)]


def _of_type(row: dict[str, Any], evidence: Evidence) -> list[Call]:
    """The query for those of the type that the prompt names; none where it asks for all."""
    found = TYPE.search(evidence.prompt)
    return [("query_trace", {"sql": THROWN_FOR.format(profile=row["handle"], kind=found[1])})] if found else []


def _written_of_type(row: dict[str, Any], evidence: Evidence) -> str:
    """How many of a type there were, and for which functions; empty where none is named, or there are none."""
    for _, arguments in _of_type(row, evidence):
        data = evidence.first("query_trace", **arguments)
        each = [
            (f"[{coded(name['name'])}](#{frame['name']})", thrown["value"], of_all["value"])
            for frame, name, thrown, of_all in (data or {"rows": []})["rows"]
        ]
        if each and (found := TYPE.search(evidence.prompt)):
            counts = [f"{linked(f'{int(thrown):,}', thrown)} in {function}" for function, thrown, _ in each]
            many = f"{linked(f'{int(each[0][2]):,}', each[0][2])} of {amount(row['total'], row['unit'])}"
            were = f"**In all {many} exceptions were {coded(found[1])}**"
            return f"{were}, thrown for the program's own {joined(counts)}, in {cited_profile(row)}."
    return ""


def written(evidence: Evidence) -> str:
    """How many there were, on whose behalf, and of which types; empty without any."""
    row = recorded_in(evidence)
    if row is None:
        return ""
    if of_type := _written_of_type(row, evidence):
        return of_type
    types, *_, ranked = (evidence.first(tool, **arguments) for tool, arguments in calls(evidence))
    most = next(iter((ranked or {"rows": []})["rows"]), None)
    behalf = f", the most on behalf of {cited(most)}: {own(most, row['unit'])}" if most else ""
    each = [
        f"{linked(f'{int(thrown):,}', thrown)} {coded(name)}"
        for name, thrown in ((kind["name"], sum_["value"]) for kind, sum_ in (types or {"rows": []})["rows"])
    ]
    of_types = f" By type: {joined(each)}." if each else ""
    many = f"{amount(row['total'], row['unit'])} {'exception was recorded' if row['total'] == 1 else f'{WERE}recorded'}"
    thread = f" They are in {cited_profile(row)}" + ("." if row["tid"] else ", without the threads that threw them.")
    return f"**In all {many}{behalf}.**{of_types}{thread}"
