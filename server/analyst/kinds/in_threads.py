"""Of which threads the figures of a function are, and how often it was seen there."""

from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.wording import cited_profile, counted, own, total

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


def in_all(evidence: Evidence, around: dict[str, Any]) -> dict[str, Any] | None:
    """What is known of it in all threads together, where the main one has only a part of that; None without more."""
    row = around["frame"]
    of_all = evidence.first("get_callers_callees", frame=row["handle"], profile="all")
    if not of_all or around["profile"] == "all" or of_all["frame"]["total_value"] <= row["total_value"] * ROUNDING:
        return None
    return of_all


def together(evidence: Evidence, around: dict[str, Any]) -> str:
    """How an answer begins on a function that runs in several threads: their sum, then the thread that it goes on with;
    empty where it runs in one."""
    of_all, profile = in_all(evidence, around), evidence.profile(around["profile"])
    if of_all is None or profile is None:
        return ""
    row, unit = of_all["frame"], around["unit"]
    return (
        f" takes {total(row, unit)} in total and {own(row, unit)} itself in all threads together{seen(of_all)}. In "
        f"{cited_profile(profile)} it"
    )
