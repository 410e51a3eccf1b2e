"""What is said of threads: how long they wait and below what, what they work at, and who has a lock meanwhile."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from server.analyst.asks.answering import Row, called
from server.analyst.evidence import Evidence
from server.analyst.forms import forms
from server.analyst.wording import amount, cited, cited_profile, few, joined, share

if TYPE_CHECKING:
    from server.analyst.asks.thread_asks import ThreadAsk

_FORMS = forms("thread_asks")
NS = "nanoseconds"
LOCK = "(lock"
MOSTLY, PARTLY = 0.5, 0.1
NEARLY = 0.98
NAMED = 4
LISTED = 12
BY_NAMES = "Waiting is known by the names of functions: one that waits in a call of the system looks like work."
IDLE = "is idle for"
_WAYS = {"send": "sending", "recv": "receiving", "select": "in a select"}


@dataclass(frozen=True, slots=True)
class Threads:
    """`rows` are the threads that are meant, `times` what was summed of them; `of_locks` where no other waiting is
    asked for."""

    rows: list[Row]
    times: list[Row]
    of_locks: bool = False
    by_name: list[Row] = field(default_factory=list)
    """The functions that are named like waiting, whether their time was recorded or not."""

    def part(self, key: str | None, part: str) -> list[Row]:
        """In what a thread, or all of them, waits or works, the longest first."""
        rows = [one for one in self.times if one["key"] == key and one["part"] == part]
        return [one for one in rows if LOCK in one["leaf_name"]] if self.of_locks and part == "waits" else rows

    def sum(self, key: str | None, part: str) -> float:
        rows = self.part(key, part)
        if self.of_locks and part == "waits":
            return sum((one["own"] for one in rows[:2]), 0.0)
        return rows[0]["of_part"] if rows else 0.0

    def length(self, key: str | None) -> float:
        return next((one["every"] for one in self.times if one["key"] == key), 0.0)

    def waiting(self, key: str | None) -> float:
        """The part of its time that a thread waits, from 0 to 1."""
        return self.sum(key, "waits") / (self.length(key) or 1.0)

    def waits(self, key: str | None) -> str:
        """`3.66 s of 5.90 s (62.0%)`."""
        waited, length = self.sum(key, "waits"), self.length(key)
        part = f" of {amount(length, NS)} ({share(waited / length)})" if 0 < waited < length else ""
        return f"{amount(waited, NS)}{part}" if waited else "nothing"

    def waits_in(self, key: str | None) -> str:
        """The same, and where it waits the most."""
        rows = self.part(key, "waits")[:1]
        return self.waits(key) + "".join(f", most of it in {_place(one)}" for one in rows)

    def works(self, key: str | None, number: int = 1) -> str:
        """`2.24 s, most of it in ... (2.10 s), then in ...`."""
        first, *others = [f"{called(one)} ({_took(one)})" for one in self.part(key, "works")[:number]] or [""]
        then = f", then in {joined(others)}" if others else ""
        return f"{amount(self.sum(key, 'works'), NS)}, most of it in {first}{then}" if first else "nothing"


def written(ask: "ThreadAsk", threads: Threads, evidence: Evidence) -> str:
    """The answer; empty where the recording has none."""
    spoken = " ".join((evidence.prompt, *evidence.openings[-1:]))
    is_of_locks = _FORMS.lock.search(spoken) is not None and any(LOCK in one["leaf_name"] for one in threads.times)
    rows = [row for row in threads.rows if threads.length(row["handle"])]
    threads = replace(threads, rows=rows, of_locks=is_of_locks and ask.what == "waits")
    if len(rows) < 2:
        return _of_one(ask, rows[0], threads) if rows else ""
    begins = _ranked(ask, threads) if ask.is_rank else _of_each(ask, threads)
    return f"{begins}\n\n{_lines(rows, threads)}"


def _took(row: Row) -> str:
    return amount(row["own"], NS)


def _leaf(row: Row) -> str:
    return cited({"name": row["leaf_name"], "handle": row["leaf"]})


def _place(row: Row) -> str:
    """Where it waits: the function, and below which one that does more than wait."""
    return f"{_leaf(row)} below {called(row)}" if row["frame"] else _leaf(row)


def _of_one(ask: "ThreadAsk", row: Row, threads: Threads) -> str:
    key, name = row["handle"], cited_profile(row)
    waits, works = threads.part(key, "waits"), threads.part(key, "works")
    part = row.get("idle_share") or 0.0
    idle = f"{amount(row['idle'], NS)} ({share(part)})" if row.get("idle") is not None else ""
    further = "".join(f"\n- waits in {_place(one)}: {_took(one)}" for one in waits[1:])
    further = f"\n{further}" if further else ""
    if ask.what == "besides":
        begins = f"**When it does not wait, {name} works for {threads.works(key, 3)}.**"
        return f"{begins} It waits for {threads.waits_in(key)}."
    is_idle = idle and part > threads.waiting(key) and not row["quality"].get("only_running")
    if ask.what == "waits" and is_idle:
        return _of_idle(ask, idle, row, threads)
    if ask.what == "waits" and not waits:
        return f"**Nothing in {name} is named like waiting**: it works for {threads.works(key, 2)}. {BY_NAMES}"
    if ask.what == "waits":
        most = f" ({_took(waits[0])})" if further else ""
        rest = f" It works for {threads.works(key)}." if works else ""
        rest += f" It is idle for another {idle}." if part >= PARTLY else ""
        return (
            f"**{_whether(ask, threads.waiting(key))}{name} waits for {threads.waits_in(key)}{most}.**{rest}{further}"
        )
    if threads.waiting(key) >= MOSTLY or not works:
        rest = f" Besides, it works for {threads.works(key)}." if works else ""
        return f"**{'No: ' if ask.asks_whether else ''}{name} mostly waits: {threads.waits_in(key)}.**{rest}{further}"
    rest = f" It waits for {threads.waits_in(key)}." if waits else ""
    if part >= MOSTLY:
        return f"**{name} works for {threads.works(key, 2)}, and is idle for {idle}.**{rest}"
    return f"**{'Yes: ' if ask.asks_whether else ''}{name} works for {threads.works(key, 2)}.**{rest}"


def _of_idle(ask: "ThreadAsk", idle: str, row: Row, threads: Threads) -> str:
    """How long nothing ran in a thread, and what is named like waiting in it."""
    key, name = row["handle"], cited_profile(row)
    by_name = joined([called(one) for one in threads.by_name[:2]])
    wait = "wait" if len(threads.by_name) > 1 else "waits"
    may = f"by name it may be {by_name} that {wait}" if by_name else "nothing in it is named like waiting"
    works = f"It works for {threads.works(key, 2)}."
    if ask.asks_for_what:
        return f"**For what {name} waits is not in its samples; {may}.** It {IDLE} {idle}. {works}"
    also = f" It waits for {threads.waits_in(key)}." if threads.part(key, "waits") else ""
    return f"**{_whether(ask, row['idle_share'])}{name} {IDLE} {idle}**, and {may}.{also} {works}"


def _whether(ask: "ThreadAsk", part: float) -> str:
    """How an answer to yes or no begins; empty where it was asked otherwise."""
    said = "Yes, mostly: " if part >= MOSTLY else "Partly: " if part >= PARTLY else "No, hardly: "
    said = said if part >= MOSTLY or ask.asks_how_much else "Yes: "
    return said if ask.asks_whether else ""


def _ranked(ask: "ThreadAsk", threads: Threads) -> str:
    """The threads by how long they wait or work, the first with what it does."""
    part = "waits" if ask.what == "waits" else "works"
    rows = sorted(threads.rows, key=lambda row: float(threads.sum(row["handle"], part)), reverse=not ask.is_least)
    key, second = rows[0]["handle"], rows[1]
    if not any(threads.sum(row["handle"], part) for row in rows):
        return f"**No thread has a function that is named like waiting.** {BY_NAMES}"
    begins = f"**Of {few(len(rows))} threads {cited_profile(rows[0])}"
    if part == "waits":
        others = [row for row in rows[1 : NAMED - 1] if threads.sum(row["handle"], part)]
        then = joined([f"{cited_profile(one)} ({amount(threads.sum(one['handle'], part), NS)})" for one in others])
        where = "".join(f" Most of that is in {_leaf(one)}." for one in threads.part(key, part)[:1])
        word = "least" if ask.is_least else "longest"
        return f"{begins} waits {word}: {threads.waits(key)}**{', then ' if then else ''}{then}.{where}"
    then = f"{cited_profile(second)}: {threads.works(second['handle'])}"
    if threads.sum(second["handle"], part) >= NEARLY * threads.sum(key, part):
        both = f"{cited_profile(rows[0])}: {threads.works(key)}, and {then}"
        return (
            f"**None of {few(len(rows))} threads works the {'least' if ask.is_least else 'most'}: {both}.** {BY_NAMES}"
        )
    return f"{begins} works {'least' if ask.is_least else 'most'}: {threads.works(key)}**, then {then}. {BY_NAMES}"


def _of_each(ask: "ThreadAsk", threads: Threads) -> str:
    """What several threads do, or how long each waits."""
    rows, waits = threads.rows, threads.part(None, "waits")
    if ask.what == "waits":
        longest = sorted(rows, key=lambda row: -float(threads.sum(row["handle"], "waits")))
        if not waits:
            return f"**{'No: n' if ask.asks_whether else 'N'}othing in them is named like waiting.** {BY_NAMES}"
        first = longest[0]
        of_longest = f" The longest waits {cited_profile(first)}: {threads.waits(first['handle'])}."
        if ask.is_sum:
            return f"**Together they wait for {threads.waits_in(None)}.**{of_longest}"
        if ask.asks_for_what or ask.asks_whether:
            then = "".join(f", then in {_leaf(one)} ({_took(one)})" for one in waits[1:2])
            begins = (
                f"{_whether(ask, threads.waiting(None))}they wait in {_place(waits[0])} for {_took(waits[0])}{then}"
            )
            return f"**{begins[0].upper()}{begins[1:]}.**{of_longest}"
        named = [row for row in rows if row in longest[: NAMED - 1]]
        each = joined([f"{cited_profile(row)} waits for {threads.waits(row['handle'])}" for row in named])
        more = f", less in {few(len(rows) - len(named))} more" if len(rows) > len(named) else ""
        return f"**{each}{more}.** The most of it is in {_leaf(waits[0])}."
    if len(rows) == NAMED // 2:
        return f"**{joined([_mostly(row, threads) for row in rows])}.**"
    if not threads.part(None, "works"):
        return f"**They only wait: {threads.waits_in(None)}.**"
    also = f" They wait for {threads.waits(None)}, most of it in {_leaf(waits[0])}." if waits else ""
    return f"**{few(len(rows)).capitalize()} threads together work for {threads.works(None, 2)}.**{also}"


def _mostly(row: Row, threads: Threads) -> str:
    """What fills most of a thread's time, in a few words."""
    key = row["handle"]
    waits, works = threads.part(key, "waits"), threads.part(key, "works")
    if waits and (threads.waiting(key) >= MOSTLY or not works):
        return f"{cited_profile(row)} mostly waits, in {_leaf(waits[0])} ({_took(waits[0])})"
    return f"{cited_profile(row)} is mostly in {called(works[0])} ({_took(works[0])})"


def _lines(rows: list[Row], threads: Threads) -> str:
    lines = []
    for row in rows[:LISTED]:
        key = row["handle"]
        works = [f"{called(one)} {_took(one)}" for one in threads.part(key, "works")[:2]]
        waits = [f"waits {threads.waits_in(key)}"] if threads.part(key, "waits") else []
        lines += [f"- {cited_profile(row)}: {'; '.join([*works, *waits])}"] if works or waits else []
    return "\n".join([*lines, *([f"- and {few(len(rows) - LISTED)} more"] if len(rows) > LISTED else [])])


def of_locks(what: str, rows: list[Row], holders: list[Row], inside: list[Row]) -> str:
    """Who had a lock while others waited for it, or what is done while it is held; empty where nobody knows."""
    names = {row["handle"]: row for row in rows}
    lock = cited({"name": inside[0]["of_name"], "handle": inside[0]["of_it"]}) if inside else ""
    in_it = f"the thread that has it waits in {_place(inside[0])}, which {lock} calls" if inside else ""
    if what == "kept":
        moved = "Move that out of what is locked."
        return f"**While it is held, {in_it}: {_took(inside[0])} in all threads.** {moved}" if inside else ""
    if not holders:
        return ""
    had, *others = [f"{cited_profile(names[one['key']])} ({amount(one['waited'], NS)}" for one in holders]
    begins = f"By the order in which they got it, {had} of {amount(holders[0]['every'], NS)}) had the lock"
    then = f", then {joined([f'{one})' for one in others])}" if others else ""
    of_it = f" While it is held, {in_it}." if in_it else ""
    begins = f"**{begins} {called(holders[0])} most while others waited**{then}"
    return f"{begins}. Who owned it was not read from the recording.{of_it}"


def of_channels(rows: list[Row], *, is_which: bool) -> str:
    """In what is waited to send and to receive, the longest first."""
    ways = [next((way for form, way in _WAYS.items() if form in one["name"].casefold()), "") for one in rows]
    each = [f"{_took(one)} in {called(one)}{f' ({way})' if way else ''}" for one, way in zip(rows, ways, strict=True)]
    of_one = rows[0]["many"] == 1
    who = cited({"name": rows[0]["of_name"], "handle": rows[0]["of_it"]}) if of_one else "all"
    said = f"{who} waits for {joined(each[:2])}, of {amount(rows[0]['every'], NS)}"
    if is_which:
        return f"**Which channel that is, is not recorded**: {said}. Only functions are, not what they send."
    return f"**{ways[0].capitalize()}{': ' if ways[0] else ''}{said}.**"


def alone(rows: list[Row], ends: list[Row]) -> str:
    """For how long the first of these threads runs when the others have ended."""
    named, end = {row["handle"]: row for row in rows}, {one["key"]: one["end"] for one in ends}
    first = rows[0]["handle"]
    last = max((key for key in end if key != first), key=lambda key: float(end[key]))
    until = f"{cited_profile(named[first])} ends at {amount(end[first], NS)}, {cited_profile(named[last])}"
    until = f"{until} at {amount(end[last], NS)}, in the recording's time"
    if end[first] <= end[last]:
        return f"**It is not alone at the end**: {until}."
    return f"**It is alone for {amount(end[first] - end[last], NS)}**: {until}."
