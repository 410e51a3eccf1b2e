"""In which profile a function is that the main one may not hold: what a page does is in its tasks, not in its samples;
collections and allocations have profiles of their own.
"""

from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.kinds.asked_of_one import OF_PROFILE
from server.analyst.kinds.in_threads import elsewhere
from server.analyst.kinds.kind import Call

OTHERS = 5
"""Profiles of another kind that are asked for a function, the fullest first."""
EVERYWHERE = "all"
Where = dict[str, Any]


def around_function(handle: str, evidence: Evidence) -> dict[str, Any] | None:
    """What was found around a function, first where it weighs something; None before it was looked up."""
    found = [one.data for one in evidence.all("get_callers_callees") if one.arguments["frame"] == handle]
    around = next((one for one in found if one["frame"]["total_value"] > 0), found[0] if found else None)
    if around is None or around["profile"] == EVERYWHERE:
        return around
    return around | {OF_PROFILE: elsewhere(evidence, around)}


def further_places(handle: str, first: Where, evidence: Evidence) -> list[Call]:
    """The next profile to look a function up in, while none that was asked holds it."""
    asked = [one for one in evidence.all("get_callers_callees") if one.arguments["frame"] == handle]
    if any(one.data["frame"]["total_value"] > 0 for one in asked):
        return []
    tried = [one.arguments.get("profile") for one in asked]
    ways = [first, *({"profile": one} for one in _others(evidence))]
    left = [way for way in ways if way.get("profile") not in tried]
    return [("get_callers_callees", {"frame": handle} | left[0])] if left else []


def of_the_recording(around: dict[str, Any], evidence: Evidence) -> dict[str, Any]:
    """The function's row; of a profile of another kind whose time is only a part of the recording's, such as that of
    collections, with shares of the recording."""
    row: dict[str, Any] = around["frame"]
    main, profile = evidence.main, evidence.profile(around["profile"])
    length = (evidence.summary or {}).get("duration_ns")
    if not (main and profile and length) or around["unit"] != "nanoseconds":
        return row
    if (main["kind"], main["unit"]) == (profile["kind"], profile["unit"]):
        return row
    return row | {"total_share": row["total_value"] / length, "self_share": row["self_value"] / length}


def place_of(around: dict[str, Any], first: Where) -> Where:
    """The profile that what was found is of: the first that is asked, where it holds the function."""
    return first if around["profile"] == first.get("profile") or not around["frame"]["total_value"] else _of(around)


def _of(around: dict[str, Any]) -> Where:
    return {"profile": around["profile"]}


def _others(evidence: Evidence) -> list[str]:
    """The profiles of another kind than the main one, those of its process first, then the fullest."""
    main = evidence.main or {"kind": "", "unit": "", "pid": ""}
    rows = evidence.profiles
    others = [row for row in rows if (row["kind"], row["unit"]) != (main["kind"], main["unit"])]
    others.sort(key=lambda row: (row["pid"] != main["pid"], -(row["total"] or 0)))
    return [row["handle"] for row in others[:OTHERS]]
