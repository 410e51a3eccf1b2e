"""Exceptions that were recorded one by one, in a profile of their own: how many, on whose behalf, of which types."""

from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.figures import linked
from server.analyst.kinds.kind import Call
from server.analyst.queries import query
from server.analyst.wording import amount, cited, cited_profile, coded, joined, own

THROWN = query("thrown")
WERE = "exceptions were recorded"


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
    return [("query_trace", {"sql": THROWN.format(profile=row["handle"])}), ("get_top_functions", own_code)]


def written(evidence: Evidence) -> str:
    """How many there were, on whose behalf, and of which types; empty without any."""
    row = recorded_in(evidence)
    if row is None:
        return ""
    types, ranked = (evidence.first(tool, **arguments) for tool, arguments in calls(evidence))
    most = next(iter((ranked or {"rows": []})["rows"]), None)
    behalf = f", the most on behalf of {cited(most)}: {own(most, row['unit'])}" if most else ""
    each = [
        f"{linked(f'{int(thrown):,}', thrown)} {coded(name)}"
        for name, thrown in ((kind["name"], sum_["value"]) for kind, sum_ in (types or {"rows": []})["rows"])
    ]
    of_types = f" By type: {joined(each)}." if each else ""
    many = f"{amount(row['total'], row['unit'])} {'exception was recorded' if row['total'] == 1 else WERE}"
    thread = "" if row["tid"] else " Which thread threw them is not kept with them."
    return f"**In all {many}, in {cited_profile(row)}{behalf}.**{of_types}{thread}"
