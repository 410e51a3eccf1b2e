"""Samples that Go took while it stopped a loop: they stand under `runtime.asyncPreempt`, and belong to the function
that was interrupted. Rankings are asked again with them merged into their callers, and stand in place of the first.
"""

import json
from dataclasses import replace
from typing import Any

from server.analyst.evidence import Evidence, Result
from server.analyst.kinds.kind import Call

INTERRUPTED = "runtime.asyncPreempt"
"""The frame that Go's signal puts on a goroutine that is to give way (src/runtime/preempt.go)."""
RANKING = "get_top_functions"
_OTHERWISE = frozenset({"filter", "transforms", "value"})
"""Arguments of rankings that are asked for one function, or already changed."""


def rankings_again(evidence: Evidence) -> list[Call]:
    """The rankings in which that frame weighs, with it merged into its callers."""
    calls: list[Call] = []
    asked = [result.arguments for result in evidence.results if result.tool == RANKING]
    for result in evidence.all(RANKING):
        row = next((row for row in result.data["rows"] if row["name"] == INTERRUPTED and row["self_value"] > 0), None)
        if row is not None and not _OTHERWISE & result.arguments.keys():
            calls.append((RANKING, result.arguments | {"transforms": f"merge:{row['handle']}"}))
    return [call for call in calls if call[1] not in asked]


def with_callers(evidence: Evidence) -> Evidence:
    """The evidence with such rankings in place of those that they were asked for."""
    merged = {_key(one.arguments): one for one in evidence.all(RANKING) if "transforms" in one.arguments}
    if not merged:
        return evidence
    return replace(
        evidence,
        results=tuple(
            _in_place(one, merged.get(_key(one.arguments)) if one.tool == RANKING else None)
            for one in evidence.results
            if one.tool != RANKING or "transforms" not in one.arguments
        ),
    )


def counted_to_callers(evidence: Evidence) -> str:
    """A sentence where figures hold samples that were taken at such points; empty where none do."""
    if not any("transforms" in one.data for one in evidence.all(RANKING)):
        return ""
    apart = f"Samples at Go's preemption points (`{INTERRUPTED}`, apart in `go tool pprof`)"
    return f"{apart} are counted to the functions that they interrupted."


def _in_place(result: Result, merged: Result | None) -> Result:
    return result if merged is None else replace(merged, arguments=result.arguments)


def _key(arguments: dict[str, Any]) -> str:
    return json.dumps({name: value for name, value in arguments.items() if name != "transforms"}, sort_keys=True)
