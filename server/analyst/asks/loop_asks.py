"""Prompts about what blocks an event loop: what runs in its steps, and is not the loop's own waiting; and how long one
step is at most, where single calls were recorded.
"""

from server.analyst.asks.answering import Row, called
from server.analyst.asks.ask_statements import table
from server.analyst.asks.asked_turn import Step
from server.analyst.asks.named import PROFILES
from server.analyst.asks.thread_asks import asking, found_rows
from server.analyst.evidence import Evidence
from server.analyst.findings import of_causes
from server.analyst.forms import forms
from server.analyst.kinds.kind import FINDINGS, SUMMARY
from server.analyst.wording import amount, cited, joined, share

_FORMS = forms("event_loop")
_THREAD_ASKS = forms("thread_asks")
OFFERED = frozenset({"list_profiles", "query_trace"})
NS = "nanoseconds"
NAMED = 2
LITTLE = 0.05
"""Part of the heaviest below which another function is not worth a word."""


def read_loop(prompt: str, opening: str = "") -> str:
    """`blocks` or `longest`; empty where a prompt asks for something else."""
    text = " ".join(prompt.casefold().split())
    is_of_loop = _FORMS.loop.search(text) is not None
    is_longest = _FORMS.longest.search(text) is not None
    if is_longest and (is_of_loop or _FORMS.loop.search(opening)):
        return "longest"
    is_plain = is_of_loop and not _THREAD_ASKS.otherwise.search(text)
    return "blocks" if is_plain and _FORMS.blocks.search(text) and _FORMS.what.search(text) else ""


def step(evidence: Evidence, offered: frozenset[str]) -> Step | None:
    """What such a prompt needs next, or its answer; None where no loop was recorded, or a finding has it."""
    opening = evidence.openings[-1] if evidence.openings else ""
    asked = read_loop(evidence.prompt, opening) if offered >= OFFERED else ""
    if not asked:
        return None
    if not evidence.results:
        return Step((SUMMARY, FINDINGS, PROFILES))
    if evidence.unit != NS or (asked == "blocks" and of_causes(evidence, ("blocked_event_loop",))):
        return None
    sql = str(table()["in_the_loop" if asked == "blocks" else "loop_steps"])
    if (rows := found_rows(sql, evidence)) is None:
        return asking(sql, evidence)
    return Step(text=(_blocks if asked == "blocks" else _longest)(rows)) if rows else None


def _below(row: Row) -> str:
    above = cited({"name": row["up_name"], "handle": row["up"]}) if row["up"] and row["up"] != row["frame"] else ""
    return f"{called(row)} below {above}" if above else called(row)


def _blocks(rows: list[Row]) -> str:
    first = rows[0]
    some = [row for row in rows[1:] if row["own"] >= LITTLE * first["own"]]
    part = f"{amount(first['own'], NS)} of {amount(first['every'], NS)} ({share(first['own'] / first['every'])})"
    then = joined([f"{_below(row)} ({amount(row['own'], NS)})" for row in some[:NAMED]])
    then = f", then {then}" if then else ""
    meanwhile = "Nothing else runs in the loop meanwhile; its own waiting for events is left out."
    return f"**The event loop is blocked most by {_below(first)}: {part} of what runs in its steps{then}.** {meanwhile}"


def _longest(rows: list[Row]) -> str:
    first = rows[0]
    place = f", from {amount(first['start'], NS)} on"
    in_it = f", most of it in {_below(first)} ({amount(first['own'], NS)})" if first["frame"] else ""
    others = [amount(one["lasts"], NS) for one in rows[1 : 1 + NAMED]]
    then = f" The next longest are {joined(others)}." if others else ""
    return f"**The longest step of the event loop takes {amount(first['lasts'], NS)} at a time{place}{in_it}.**{then}"
