"""Of which threads the figures of a function are, and how often it was seen there."""

from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.wording import cited_profile, counted, total

ROUNDING = 1.001
"""By how much more it must be that is a function's in all threads than in one, so that it is in others, too."""


def seen(around: dict[str, Any]) -> str:
    """`, in 14 calls` or `, in 5 samples`; nothing without counts, or where no sample ended in it."""
    row = around["frame"]
    return f", in {counted(row, around['counted'])}" if row["count"] else ""


def elsewhere(evidence: Evidence, around: dict[str, Any]) -> str:
    """Which profile it is about, when that is not the main one."""
    profile = evidence.profile(around["profile"])
    if profile is None:
        return " of all profiles together" if around["profile"] == "all" else ""
    return "" if profile["handle"] == (evidence.summary or {})["default_profile"] else f" of {cited_profile(profile)}"


def in_all(evidence: Evidence, around: dict[str, Any]) -> str:
    """What it takes in all threads together, where the main one has only a part of that; empty without more."""
    row, unit = around["frame"], around["unit"]
    of_all = evidence.first("get_callers_callees", frame=row["handle"], profile="all")
    if not of_all or around["profile"] == "all" or of_all["frame"]["total_value"] <= row["total_value"] * ROUNDING:
        return ""
    profile = evidence.profile(around["profile"])
    where = f"That is {cited_profile(profile)} alone; in" if profile else "In"
    return f"{where} all threads together it takes {total(of_all['frame'], unit)}{seen(of_all)}."
