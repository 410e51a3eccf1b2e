"""Prompts about what threads do and wait for: `which thread does the work`, `how long does main wait for the others`,
`does compare starve for input`, `what are the dose threads doing`, `who had the lock meanwhile`.

A thread is meant by its name, by a word of it or by the function that alone begins it. What is waiting is known by the
names of functions: a prompt with a word that has no place here is left to the other kinds.
"""

import re
from dataclasses import dataclass

from server.analyst.asks import thread_answers
from server.analyst.asks.answering import Row, rows_of
from server.analyst.asks.ask_statements import listed, table
from server.analyst.asks.asked_turn import Step
from server.analyst.asks.lexicon import NO_SPACES, lexicon
from server.analyst.asks.named import PROFILES
from server.analyst.asks.thread_answers import Threads
from server.analyst.evidence import Evidence
from server.analyst.findings import of_causes
from server.analyst.forms import forms
from server.analyst.kinds.kind import FINDINGS, SUMMARY
from server.analyst.kinds.meanwhile import asks_for_holder
from server.analyst.pseudo_frames import collects
from server.analyst.thread_names import is_in, names_of
from server.analyst.thread_scope import MAIN_NAMES, parts_of_thread, singular
from traces.analysis.waiting_names import waits

_FORMS = forms("thread_asks")
OFFERED = frozenset({"list_profiles", "query_trace"})
MOST_WORDS = 22
MOST_THREADS = 40
SHORTEST = 3
_SLOTS = {
    name: getattr(_FORMS, name)
    for name in ("besides", "waits", "works", "does", "which", "least", "each", "for_what", "in_all", "degree")
}
_PLAIN = ("takes", "main", "threads", "process", "small", "which", "each", "refers", "least", "lock")
_PASSED_OVER = [getattr(_FORMS, name) for name in ("besides", "waits", "works", "does", *_PLAIN)]
_RECORDED = re.compile(r"(?i)^\((?:lock|sleep|wait|park)\b|LockSupport|AbstractQueued|[:.]await\w*$|Object[.:]+wait\b")
"""Waiting that a virtual machine records, and what parks a thread in it."""


@dataclass(frozen=True, slots=True)
class ThreadAsk:
    """`what` is asked: waits, works, does, besides (what it does when it does not wait), holder or kept."""

    what: str
    is_rank: bool = False
    is_least: bool = False
    is_each: bool = False
    asks_whether: bool = False
    asks_for_what: bool = False
    asks_how_much: bool = False
    is_sum: bool = False


def read_threads(prompt: str) -> ThreadAsk | None:
    """What a prompt asks of threads; None where it asks for something else, or for a part of the recording."""
    text = " ".join(prompt.casefold().split())
    if asks_for_holder(text) or _FORMS.blame.search(text):
        return ThreadAsk("holder")
    if _FORMS.kept.search(text):
        return ThreadAsk("kept")
    if _FORMS.alone.search(text):
        return ThreadAsk("alone")
    if _FORMS.channels.search(text):
        return ThreadAsk("channels", is_each=_FORMS.which_channel.search(text) is not None)
    if len(text.split()) > MOST_WORDS or _FORMS.otherwise.search(text):
        return None
    found = {name: form.search(text) is not None for name, form in _SLOTS.items()}
    what = next((name for name in ("besides", "waits", "works", "does") if found[name]), "")
    return (
        ThreadAsk(
            what,
            is_rank=found["which"] and what in ("waits", "works"),
            is_least=found["least"],
            is_each=found["each"] and not NO_SPACES.search(text),
            asks_whether=_FORMS.whether.match(text) is not None and not (found["waits"] and found["works"]),
            asks_for_what=found["for_what"],
            asks_how_much=found["degree"],
            is_sum=found["in_all"],
        )
        if what
        else None
    )


def step(evidence: Evidence, offered: frozenset[str]) -> Step | None:
    """What such a prompt needs next, or its answer; None where it is left to the other kinds."""
    ask = _asked(evidence) if offered >= OFFERED else None
    if ask is None:
        return None
    if not evidence.results:
        return Step((SUMMARY, FINDINGS, PROFILES))
    if ask.what == "channels":
        return _of_channels(ask, evidence) if evidence.measures_waiting else None
    if ask.what == "alone":
        return _alone(evidence)
    rows = _threads(evidence)
    if ask.what in ("holder", "kept"):
        return _of_locks(ask, rows, evidence)
    goes_on = ask.what == "besides" or (ask.asks_for_what and _was_idle(evidence))
    if not rows or (len(rows) == 1 and not (_FORMS.idle.search(evidence.prompt) or goes_on)):
        return None  # a page whose one thread is blocked works
    return _of_times(ask, rows, evidence)


def _of_times(ask: ThreadAsk, rows: list[Row], evidence: Evidence) -> Step | None:
    sql = _statement("thread_frames", rows)
    if (frames := found_rows(sql, evidence)) is None:
        return asking(sql, evidence)
    some = _meant(ask, rows, _begins(frames), evidence)
    if not some:
        return None
    are_waits = any(row["waits"] == "waiting" for row in some)
    named = [one for one in frames if one["part"] == "waits"]
    waiting = [one["frame"] for one in named if waits(one["name"]) or (are_waits and _RECORDED.search(one["name"]))]
    contended = [] if are_waits else _contended(evidence)
    if _FORMS.lock.search(evidence.prompt) and not (are_waits or contended):
        return None  # what waits may wait for something else
    waiting += contended
    sql = _statement("thread_times", some, waits=listed(waiting or ["f"]))
    if (found := found_rows(sql, evidence)) is None:
        return asking(sql, evidence)
    text = thread_answers.written(
        ask, Threads(some, found, by_name=[one for one in named if one["frame"] in waiting]), evidence
    )
    return Step(text=text) if text else None


def _asked(evidence: Evidence) -> ThreadAsk | None:
    """What the prompt asks, or what the one before did, where it names no more than another thread: `and save?`."""
    before = evidence.spoken_of
    if before and waits(before.name) and _FORMS.of_the_work.match(evidence.prompt):
        return ThreadAsk("besides")
    if before and _FORMS.another.match(evidence.prompt):
        return read_threads(before.prompt)
    return read_threads(evidence.prompt)


def _was_idle(evidence: Evidence) -> bool:
    """Whether the answer before gave the time in which nothing ran."""
    return bool(evidence.openings) and thread_answers.IDLE in evidence.openings[-1]


def _contended(evidence: Evidence) -> list[str]:
    """The functions in which threads wait for a lock of the program, as was found."""
    found = of_causes(evidence, ("lock_contention",))
    handles = [one["handle"] for row in found for one in row["evidence"] if one["handle"].startswith("f")]
    return handles[:1]


def _statement(name: str, rows: list[Row], **known: str) -> str:
    return str(table()[name].format(profiles=listed([row["handle"] for row in rows]), **known))


def found_rows(sql: str, evidence: Evidence) -> list[Row] | None:
    found = evidence.first("query_trace", sql=sql)
    return None if found is None else rows_of(found)


def asking(sql: str, evidence: Evidence) -> Step | None:
    """The query; None where it failed before."""
    asked = any(one.arguments.get("sql") == sql for one in evidence.results)
    return None if asked else Step((("query_trace", {"sql": sql}),))


def _threads(evidence: Evidence) -> list[Row]:
    """The profiles that are of one thread each, and measure its time and its waiting."""
    found: list[Row] = (evidence.first(PROFILES[0], **PROFILES[1]) or {"profiles": []})["profiles"]
    rows = [row for row in found if row["unit"] == "nanoseconds" and row["stands_for_thread"] and row["total"]]
    rows = [row for row in rows if not collects(row["name"]) and row["waits"] != "work"]
    of_threads = [row for row in rows if row["tid"]] or rows
    is_page = any(_FORMS.page.search(row["name"]) for row in of_threads)
    is_one = len(found) > 1 and any(row["waits"] == "waiting" and not row["tid"] for row in of_threads)
    return [] if is_page or is_one or evidence.measures_waiting else of_threads[:MOST_THREADS]


def _begins(frames: list[Row]) -> dict[str, list[str]]:
    """The names of functions that alone begin a thread, by its profile."""
    found: dict[str, list[str]] = {}
    for one in frames:
        name = str(one["name"])
        is_word = (
            waits(name) or name in lexicon().small or any(form.fullmatch(name) for form in (_FORMS.works, _FORMS.does))
        )
        if one["part"] == "begins" and not is_word:
            found.setdefault(str(one["key"]), []).extend((name, name.rpartition(": ")[2], re.split(r"[.:]+", name)[-1]))
    return found


def _named(text: str, rows: list[Row], begins: dict[str, list[str]]) -> list[Row]:
    """The threads that a text names, in its order."""
    at: dict[str, int] = {}
    for row in rows:
        for name in _names(row, begins):
            if len(name) >= SHORTEST and name.casefold() != "main" and is_in(name, text):
                at.setdefault(row["handle"], text.casefold().find(name.casefold()))
    named = [row for row in rows if row["handle"] in at]
    if not named and (group := _group(text, rows)):
        return group
    return sorted(named, key=lambda row: at[row["handle"]])


def _names(row: Row, begins: dict[str, list[str]]) -> list[str]:
    """What a thread is called: by its name, its number and the functions that alone begin it."""
    return [*names_of(row), str(row["tid"] or ""), *begins.get(row["handle"], ())]


def _group(text: str, rows: list[Row]) -> list[Row]:
    """The threads that have a word of the text and a number in their names: `the dose threads`."""
    for word in re.findall(r"[^\W\d_]{3,}", text.casefold()):
        for way in singular(word):
            found = [row for row in rows if way in parts_of_thread(names_of(row)[0]) and re.search(r"\d", row["name"])]
            if len(found) > 1 and not _FORMS.threads.search(way) and way not in MAIN_NAMES:
                return found
    return []


def _main(rows: list[Row]) -> list[Row]:
    named = next((some for name in MAIN_NAMES if (some := [r for r in rows if name in r["name"].casefold()])), [])
    return named[:1] or rows[:1]


def _goes_on(ask: ThreadAsk, evidence: Evidence) -> list[str]:
    """The handle of the thread that was spoken of, where the prompt goes on about it."""
    before = evidence.spoken_of
    if before is None or not (before.threads or before.profile):
        return []
    is_plain = any(form.search(evidence.prompt) for form in (_FORMS.refers, _FORMS.the_others)) or ask.what == "besides"
    return [before.threads[0] if before.threads else before.profile or ""] if is_plain else []


def _meant(ask: ThreadAsk, rows: list[Row], begins: dict[str, list[str]], evidence: Evidence) -> list[Row]:
    """The threads that are meant; none where a word is left that may mean something else."""
    prompt = _FORMS.waited_for.sub(lambda found: found["verb"] + " ", evidence.prompt)
    of_the_work = ask.what == "besides" and _FORMS.of_the_work.match(prompt)
    if of_the_work or (len(rows) == 1 and ask.asks_for_what and _was_idle(evidence)):
        known = (_goes_on(ask, evidence) or [str((evidence.main or rows[0])["handle"])])[0]
        return [row for row in rows if row["handle"] == known]
    named = _named(prompt, rows, begins)
    is_main = _FORMS.main.search(prompt) is not None
    if is_main and not any("main" in name.casefold() for row in named for name in names_of(row)):
        named = [*_main(rows), *named]
    if _left(prompt, rows, begins):
        return []
    goes_on = _goes_on(ask, evidence)
    spoken = [row for row in rows if row["handle"] in goes_on]
    if ask.is_rank:
        return named if len(named) > 1 else _listed_before(rows, evidence) or rows
    if spoken and _FORMS.the_others.search(prompt) and len(rows) > 1 and not named:
        return [row for row in rows if row not in spoken]
    if named or (spoken and not ask.is_each):
        return named or spoken
    are_waits = any(row["waits"] == "waiting" for row in rows)  # of `they` single waits were recorded
    of_all = _FORMS.threads.search(prompt) or _FORMS.every.search(prompt) or (ask.is_each and not are_waits)
    if of_all and _FORMS.workers.search(prompt) and len(rows) > 2:
        return [row for row in rows if row not in _main(rows)]
    if of_all or (len(rows) == 1 and (ask.what == "besides" or _FORMS.process.search(prompt))):
        return rows
    is_of_main = _FORMS.idle.search(prompt) and not ask.is_each and ask.what == "waits"
    return [row for row in rows if row["handle"] == (evidence.main or rows[0])["handle"]] if is_of_main else []


def _listed_before(rows: list[Row], evidence: Evidence) -> list[Row]:
    """The threads that the answer before lists, or a prompt before names, where it is asked which `of them`."""
    before = evidence.spoken_of
    if before is None or not _FORMS.of_them.search(evidence.prompt):
        return []
    some = [row for row in rows if row["handle"] in before.threads]
    groups = (_group(one, rows) for one in (before.prompt, *reversed(before.prompts)))
    return some if len(some) > 1 else next(filter(None, groups), [])


def _left(prompt: str, rows: list[Row], begins: dict[str, list[str]]) -> list[str]:
    """The words of a prompt that have no place here."""
    text = prompt.casefold()
    for row in rows:
        for name in sorted(_names(row, begins), key=len, reverse=True):
            if len(name) >= SHORTEST and is_in(name, text):
                text = re.sub(re.escape(name.casefold()), " ", text)
    parts = {way for row in rows for part in parts_of_thread(row["name"]) for way in (part, f"{part}s", f"{part}es")}
    for form in _PASSED_OVER:
        text = form.sub(" ", text)
    if NO_SPACES.search(text):
        return []
    words = re.findall(r"[^\W\d_][\w'’-]*|\d{3,}", text)
    return [one for one in words if one not in lexicon().small | parts]


def _of_locks(ask: ThreadAsk, rows: list[Row], evidence: Evidence) -> Step | None:
    """Who had a lock while others waited, by the order in which they got it, or what is done meanwhile."""
    some = [row for row in rows if row["waits"] == "waiting" and row["tid"]]
    is_of_locks = any(_FORMS.lock.search(one) for one in (evidence.prompt, *evidence.openings[-1:]))
    if len(some) < 2 or not is_of_locks:
        return None
    tables: dict[str, list[Row]] = {}
    for name in ("lock_holders", "in_a_lock"):
        found = found_rows(sql := _statement(name, some), evidence)
        if found is None:
            return asking(sql, evidence)
        tables[name] = found
    text = thread_answers.of_locks(ask.what, some, tables["lock_holders"], tables["in_a_lock"])
    return Step(text=text) if text else None


def _of_channels(ask: ThreadAsk, evidence: Evidence) -> Step | None:
    """Whether is waited to send or to receive: of the function that is named or was spoken of, else of all."""
    text = evidence.prompt
    for form in (_FORMS.channels, _FORMS.whether, *_PASSED_OVER):
        text = form.sub(" ", text)
    words = [one for one in re.findall(r"[^\W\d][\w.()*]*", text) if one.casefold() not in lexicon().small]
    before = evidence.spoken_of
    if len(words) > 1:
        return None
    place = f"regexp_matches(name, '(?i)(^|[.:/)]){re.escape(words[0])}$')" if words else "parent IS NULL"
    if not words and before and before.handle.startswith("f") and not before.is_aside:
        place = f"frame = '{before.handle}'"
    sql = str(table()["waits_below"].format(place=place))
    if (found := found_rows(sql, evidence)) is None:
        return asking(sql, evidence)
    return Step(text=thread_answers.of_channels(found, is_which=ask.is_each)) if found else None


def _alone(evidence: Evidence) -> Step | None:
    """For how long one thread still runs when those like it, or all others, have ended."""
    listed_rows = (evidence.first(PROFILES[0], **PROFILES[1]) or {"profiles": []})["profiles"]
    rows = [row for row in listed_rows if row["unit"] == "nanoseconds" and row["stands_for_thread"]]
    word = (found := _FORMS.alone.search(evidence.prompt)) and found["name"].casefold()
    goes_on = _goes_on(ThreadAsk("besides"), evidence)
    named = [row for row in rows if word in parts_of_thread(names_of(row)[0])] or [
        row for row in rows if row["handle"] in goes_on
    ]
    if len(named) != 1 or len(rows) < 2 or any(row["clock"] == "own" for row in rows):
        return None
    stem = re.sub(r"[-_ #]?\w+$", "", names_of(named[0])[0])
    alike = [row for row in rows if stem and names_of(row)[0].startswith(stem) and row is not named[0]]
    some = [named[0], *(alike or [row for row in rows if row is not named[0]])]
    sql = str(table()["threads_between"].format(profiles=listed([row["handle"] for row in some])))
    if (ends := found_rows(sql, evidence)) is None:
        return asking(sql, evidence)
    return Step(text=thread_answers.alone(some, ends)) if len(ends) == len(some) else None
