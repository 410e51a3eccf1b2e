"""How threads stand to each other: which waits longest, how many are idle, how even they are; and how the work divides
between programs."""

from typing import Any

from server.analyst.evidence import Evidence, Lead, busy_of, length_of
from server.analyst.forms import forms
from server.analyst.question import Question
from server.analyst.wording import amount, cited, cited_profile, coded, joined, own, share

_FORMS = forms("threads_compared")

NAMED = 3
KINDS_NAMED = 4
BUSY = 0.5
"""Busy share of the time from which a thread is called busy."""


def always_sampled(alike: list[dict[str, Any]], lead: Lead | None, each: str) -> str:
    """What stands for a ranking where several threads were sampled all the time, working or not."""
    more = len(alike) - NAMED
    names = ", ".join(cited_profile(row) for row in alike[:NAMED]) + (f" and {more} more" if more > 0 else "")
    most = f" In the first the most is in {cited(lead.row)}: {own(lead.row, lead.unit)}." if lead else ""
    return (
        f"**None is the busiest: {len(alike)} threads were sampled for {each} or nearly so**, {names}. Whether they "
        "worked or waited the recording does not say: threads that take turns look alike in it, and so does one that "
        "only sleeps."
        f"{most}"
    )


def waits_most(question: Question, rows: list[dict[str, Any]], lead: Lead | None = None) -> str:
    """The threads that waited longest, or least, where that is asked for, or nothing else was recorded of them; empty
    where no waiting was recorded. `lead` is what leads in one of them."""
    part = "waiting" if any(row["waiting"] for row in rows) else "idle"
    of_threads = [row for row in rows if row["tid"] and row[part] and length_of(row)]
    ranked = sorted(of_threads, key=lambda row: -row[part])
    asks = _FORMS.who_waits.search(question.text) or not any(busy_of(row) for row in rows)
    if not ranked or not asks:
        return ""
    least = _FORMS.least.search(question.text) is not None
    ranked = ranked[::-1] if least else ranked
    word = "waits" if part == "waiting" else "is idle"
    said = [
        f"{cited_profile(row)} for {amount(row[part], 'nanoseconds')} ({share(row[part] / length_of(row))})"
        for row in ranked[:KINDS_NAMED]
    ]
    more = f", then {joined(said[1:NAMED])}" if len(said) > 1 else ""
    leads = lead is not None and lead.profile == ranked[0]["handle"] and lead.row["self_value"] <= ranked[0][part]
    most = f" Most of that is in {cited(lead.row)}: {own(lead.row, lead.unit)}." if lead and leads else ""
    return (
        f"**Of {len(ranked)} threads the one that {word} {'least' if least else 'longest'} is {said[0]}**{more}.{most}"
    )


def mostly_idle(question: Question, rows: list[dict[str, Any]]) -> str:
    """How many threads do nothing most of the time, where it is asked whether any does; empty where it is unknown."""
    known = [row for row in rows if row.get("idle_share") is not None]
    if not (known and question.asks_whether and _FORMS.idle.search(question.text)):
        return ""
    idle = sum(row["idle_share"] >= BUSY for row in known)
    if not idle:
        return f"**No: none of {len(known)} threads is idle for half of the time.**"
    return f"**Yes: {idle} of {len(known)} threads {'are' if idle > 1 else 'is'} idle for half of the time or more.**"


def of_page(text: str, row: dict[str, Any], evidence: Evidence) -> str:
    """That a thread is none of the page, where it is asked whether it blocks that."""
    main = evidence.main
    if not main or not _FORMS.blocks_it.search(text) or not (row["tid"] and main["tid"]) or row["tid"] == main["tid"]:
        return ""
    thread = f"it is a thread of its own beside {cited_profile(main)}"
    return f"**Not by its own work: {thread}**; whether that one waits for it is not recorded. "


def evenness(ranked: list[dict[str, Any]]) -> str:
    total = sum(map(busy_of, ranked))
    part = busy_of(ranked[0]) / total if total else 0.0
    return "**Not evenly.**" if part > 1.5 / len(ranked) else "**Fairly evenly.**"


PROGRAM = 0.05
"""Part of all work from which a program is named."""


def by_program(listed: dict[str, Any], asked: tuple[str, ...] = ()) -> str:
    """How the work divides between programs, where there are several: those asked for, or those that weigh."""
    named = [one.casefold() for one in asked]
    rows = [
        row
        for row in listed["processes"]
        if row["name"].casefold() in named or row["name"].casefold().rstrip("0123456789.") in named
    ]
    if rows:
        each = [
            f"{coded(row['name'])} takes {share(row['share'])} ({amount(row['busy'], 'nanoseconds')})" for row in rows
        ]
        return f"**Of all that was recorded {joined(each)}.**"
    rows = [row for row in listed["processes"] if row["share"] >= PROGRAM]
    if len(rows) < 2:
        return ""
    said = joined(
        [f"{coded(row['name'])} {share(row['share'])} ({amount(row['busy'], 'nanoseconds')})" for row in rows]
    )
    return f"**By program the work divides into {said}.**"
