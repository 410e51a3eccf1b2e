"""Prompts about a profile of goroutines: what most of them wait for, the others, whether any waits for a mutex, and
which one to look at where they may leak. All of them end in one function that parks; what says something is how they
came there, and the first function above that is none of Go's own packages.
"""

import re
from dataclasses import dataclass

from server.analyst.asks.answering import Row, called
from server.analyst.asks.ask_statements import table
from server.analyst.asks.asked_turn import Step
from server.analyst.asks.named import PROFILES
from server.analyst.asks.thread_asks import asking, found_rows
from server.analyst.evidence import Evidence
from server.analyst.forms import first_form, forms
from server.analyst.kinds.kind import SUMMARY
from server.analyst.wording import amount, few, joined, share

_FORMS = forms("goroutines")
_THREAD_ASKS = forms("thread_asks")
OFFERED = frozenset({"list_profiles", "query_trace"})
COUNT = "count"
MOST_WORDS = 14
NAMED = 3
LISTED = 12
_WAYS = {
    "waitgroup": (r"WaitGroup", "for others to end"),
    "condition": (r"sync\.\(\*Cond\)", "for a condition"),
    "mutex": (r"Mutex|semacquire|lockSlow", "for a lock"),
    "select": (r"selectgo|selectnb|\.block$", "in a select"),
    "send": (r"chansend", "to send to a channel"),
    "receive": (r"chanrecv", "to receive from a channel"),
    "sleep": (r"time\.Sleep|timeSleep", "in a sleep"),
    "network": (r"runtime_pollWait|netpoll|internal/poll", "for the network or a file"),
}
"""How a goroutine was parked, by the functions below the program's own, and what it waits for by that."""
_ANY_CHANNEL = ("send", "receive")


@dataclass(frozen=True, slots=True)
class GoroutineAsk:
    """`what` is asked: for (what they wait for), others, leak, or one of the ways of waiting."""

    what: str
    asks_whether: bool = False


def read_goroutines(prompt: str, opening: str = "") -> GoroutineAsk | None:
    """What a prompt asks of goroutines; `opening` is that of the answer before."""
    text = " ".join(prompt.casefold().split())
    if _FORMS.otherwise.search(text) or len(text.split()) > MOST_WORDS:
        return None
    if _FORMS.leak.search(text):
        return GoroutineAsk("leak") if _FORMS.starts.search(text) else None
    spoken = "goroutines" in opening.casefold() and "wait" in opening.casefold()
    if spoken and _FORMS.others.search(text):
        return GoroutineAsk("others")
    is_waiting = _THREAD_ASKS.waits.search(text) is not None
    way = first_form("goroutine_ways", text)
    if way and (is_waiting or spoken or _FORMS.any.search(text)):
        return GoroutineAsk(way, asks_whether=_FORMS.whether.search(text) is not None)
    asks_what = _FORMS.what.search(text) is not None
    is_doing = _THREAD_ASKS.does.search(text) and _THREAD_ASKS.threads.search(text)
    return GoroutineAsk("for") if asks_what and (is_waiting or is_doing) else None


def step(evidence: Evidence, offered: frozenset[str]) -> Step | None:
    """What such a prompt needs next, or its answer; None where the recording counts no goroutines."""
    opening = evidence.openings[-1] if evidence.openings else ""
    ask = read_goroutines(evidence.prompt, opening) if offered >= OFFERED else None
    if ask is None:
        return None
    if not evidence.results:
        return Step((SUMMARY, PROFILES))
    if evidence.counted != "goroutine":
        return None
    sql = str(table()["parked"])
    if (rows := found_rows(sql, evidence)) is None:
        return asking(sql, evidence)
    text = _written(ask, rows, opening) if rows else ""
    return Step(text=text) if text else None


def _way(row: Row) -> str:
    """How it was parked; empty where it runs, or is parked otherwise."""
    return next((way for way, (form, _) in _WAYS.items() if re.search(form, str(row["below"]))), "")


def _waits(row: Row) -> str:
    """`37 wait to send to a channel, in ...`."""
    way, said = _way(row), amount(row["own"], COUNT)
    if not way:
        doing = "wait otherwise" if "park" in str(row["leaf_name"]) else "run"
        return f"{said} {doing}, in {called(row)}"
    return f"{said} wait {_WAYS[way][1]}, in {called(row)}"


def _of_all(row: Row) -> str:
    return f"of {amount(row['every'], COUNT)} goroutines ({share(row['own'] / row['every'])})"


def _written(ask: GoroutineAsk, rows: list[Row], opening: str) -> str:
    waiting = [row for row in rows if _way(row) or "park" in str(row["leaf_name"])]
    if not waiting:
        return "" if ask.what in ("others", "leak") else "**No goroutine waits by the functions that it was seen in.**"
    first, lines = waiting[0], "\n".join(f"- {_waits(row)}" for row in rows[:LISTED])
    count, _, rest = _waits(first).partition(" ")
    most = f"{count} {_of_all(first)} {rest}"
    if ask.what == "leak":
        one = "Whether they leak one profile does not show: take a second one later and compare the numbers."
        return f"**Start with {called(first)}: {most}.** {one}\n\n{lines}"
    if ask.what == "for":
        return (
            f"**{most}.** Then {joined([_waits(row) for row in rows[1 : 1 + NAMED]])}."
            + (f"\n\n{lines}" if len(rows) > 1 + NAMED else "")
            if len(rows) > 1
            else f"**{most}.**"
        )
    if ask.what == "others":
        others = [row for row in rows if f"`{row['name']}`" not in opening.partition(".**")[0]]
        return f"**The others: {'; '.join(_waits(row) for row in others[:LISTED])}.**" if others else ""
    ways = _ANY_CHANNEL if ask.what == "channel" else (ask.what,)
    some = [row for row in rows if _way(row) in ways]
    if not some:
        return f"**No: none of the goroutines waits {_named(ask.what)}.** The most: {_waits(first)}."
    yes = "Yes: " if ask.asks_whether else ""
    count, _, rest = _waits(some[0]).partition(" ")
    then = f" Then {joined([_waits(row) for row in some[1 : 1 + NAMED]])}." if len(some) > 1 else ""
    more = f" {few(len(some) - 1 - NAMED).capitalize()} more places have fewer." if len(some) > 1 + NAMED else ""
    return f"**{yes}{count} {_of_all(some[0])} {rest}.**{then}{more}"


def _named(what: str) -> str:
    return "at a channel" if what == "channel" else _WAYS[what][1]
