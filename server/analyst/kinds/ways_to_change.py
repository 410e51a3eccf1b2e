"""What is to be changed, and how: by the finding of a cause that names a function, by what it waits for, else by what
functions are called that do its work.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from server.analyst.evidence import Evidence
from server.analyst.findings import sentence_of
from server.analyst.kinds.caller_chains import chain_above
from server.analyst.kinds.kind import OWN_CODE, Call
from server.analyst.pseudo_frames import collects, is_pseudo
from server.analyst.wording import CALLS, cited
from traces.analysis.waiting_names import waits

TABLE = Path(__file__).with_suffix(".toml")

NO_CAUSES = frozenset({"code", "timeline", "quality"})
"""Kinds of findings that say where it is, and not why."""
SYMPTOMS = frozenset({None, "long_task", "gc_pressure", "outlier_call"})
"""Classes that do not say what the work is: what functions are called says more of that."""
HEAVY = 0.25
"""Part of what a function takes from which what it calls is what it does."""
STEPS = 4
"""Callers that are followed from a library's function to the program's own."""
OWN: Call = (OWN_CODE[0], OWN_CODE[1] | {"limit": 40})
"""The program's own functions, the light ones, too."""
FEWER = (
    "Call it less often: work an answer out once and keep it (a set, a table, an index, a cache), or do many at once"
)
LESS = "Do less in it: run it once, outside of loops, over less data, or by an algorithm that needs fewer steps"
_SCOPES = re.compile(r"^(?:[\w<>&,\s]+::)+")
"""Modules before a name, which say nothing of its work."""
LOCKED = "; if it waits for a lock there, hold that lock for less: move work outside it"
TOGETHER = (
    "Start what it waits for together and wait for all at once (gather, a task group, promises, threads) instead of "
    "one after the other, or ask less often (a batch, a cache)"
)


@dataclass(frozen=True, slots=True)
class Way:
    """What is advised, of which function, and why; `names_it` where a finding gives the reason."""

    at: dict[str, Any]
    advice: str
    reason: str
    names_it: bool = False


@cache
def _ways() -> tuple[tuple[re.Pattern[str], int, str, str], ...]:
    rows = tomllib.loads(TABLE.read_text(encoding="utf-8"))["way"]
    return tuple(
        (re.compile(one["names"], re.IGNORECASE), one.get("calls", 0), one["does"], one["advice"]) for one in rows
    )


def calls(row: dict[str, Any], where: dict[str, Any], evidence: Evidence) -> list[Call]:
    """The neighbours of a function and of its callers, as far as they may be what is to be changed."""
    found: list[Call] = [("get_callers_callees", {"frame": row["handle"]} | where), OWN]
    above = chain_above([row], evidence)[:STEPS]
    return [*found, *(("get_callers_callees", {"frame": one["handle"]} | where) for one in above[: STEPS - 1])]


def way(row: dict[str, Any], evidence: Evidence, *, is_thrown: bool = False) -> Way:
    """What is changed about a function; `is_thrown` where it was spoken of for the exceptions that it makes."""
    causes = _causes([row], evidence)
    for one in (*causes, *_causes(chain_above([row], evidence)[:STEPS], evidence)):
        if one["cause"] not in SYMPTOMS and one["confidence"] != "low":
            return Way(row, one["advice"], sentence_of(one), names_it=True)
    place = _own(row, evidence)
    if is_thrown:
        _, _, _, advice = _ways()[0]
        return Way(row, advice, f"For {cited(row)} exceptions were thrown")
    if waits(row["name"]) or row["name"].startswith("await "):
        return Way(place, TOGETHER, f"By its name {cited(row)} is waiting, and no work")
    around = evidence.first("get_callers_callees", frame=row["handle"]) or {"callees": []}
    below = [one for one in around["callees"] if one["handle"] and one["value"] >= HEAVY * row["total_value"]]
    above = chain_above([row], evidence)[:STEPS]
    looked_at = (row, *below, *(above if place["handle"] != row["handle"] else ()))
    for names, least, does, advice in _ways():
        for one in looked_at:
            many = one.get("count") or one.get("direct_calls") or 0
            if names.search(_SCOPES.sub("", one["name"])) and not (evidence.counted == CALLS and many < least):
                return Way(place, advice, f"By its name {cited(one)} {does}")
    if causes:
        return Way(row, causes[0]["advice"], sentence_of(causes[0]), names_it=True)
    inside = f"Most of it is in what it calls, first {cited(below[0])}" if below else ""
    may_wait = evidence.runs_in_several and (evidence.main or {}).get("waits") == "unknown"
    advice = FEWER if evidence.counted == CALLS and row["count"] > 1 else f"{LESS}{LOCKED if may_wait else ''}"
    return Way(row, advice, inside)


def _causes(rows: list[dict[str, Any]], evidence: Evidence) -> list[dict[str, Any]]:
    """The findings with an advice that name one of these functions, those of a cause first."""
    handles = {row["handle"] for row in rows}
    named = [one for one in evidence.found() if handles & {by["handle"] for by in one["evidence"]}]
    causes = [one for one in named if one["advice"] and (one["cause"] or one["kind"] not in NO_CAUSES)]
    return sorted(causes, key=lambda one: one["cause"] in SYMPTOMS)


def _own(row: dict[str, Any], evidence: Evidence) -> dict[str, Any]:
    """The function of the program's own code that leads to this one: itself, or one of its callers."""
    own = [one["handle"] for one in evidence.rows(OWN[0], **OWN[1])]
    chain = [row, *(one for one in chain_above([row], evidence)[:STEPS] if not is_pseudo(one))]
    if collects(row["name"]):
        chain += [one for one in evidence.rows(OWN[0], **OWN[1])[:1] if one["self_value"] > 0]
    return next((one for one in chain if one["handle"] in own), row)
