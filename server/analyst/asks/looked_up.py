"""An ask with what its names stand for in the recording, or that one of them stands for nothing here."""

from dataclasses import replace
from typing import Any

from server.agent.memory.word_stem import stem
from server.analyst.asks import answering
from server.analyst.asks.ask import CALLS_LEFT_OUT, EVERYTHING, IT, MOMENTS, OWN_THREAD, THEM, Ask
from server.analyst.asks.ask_statements import Asked
from server.analyst.asks.named import (
    Subject,
    divisor,
    elsewhere,
    listed,
    meant_by,
    named,
    placed,
    spoken_of,
    them,
    threads,
)
from server.analyst.asks.read_asks import read
from server.analyst.evidence import Evidence
from server.analyst.forms import forms, word_list
from server.analyst.subjects import IDENTIFIER
from server.analyst.wording import joined

_FORMS = forms("asks")
_GENERIC = word_list("generic") | word_list("stands_for_it")
_WAITS = frozenset({"wait", "waits", "waiting", "contention", "contentions", "lock", "locks", "delay", "block"})
_OF_THREADS = frozenset({*answering.OF_THREADS, "total"})
_KEYS = ("", "thread", "caller")
_Placed = tuple[Subject | None, tuple[str, ...], bool]
MOST_LEFT = 2
"""Words that may be passed over next to a name that the recording has."""


def looked_up(ask: Ask, evidence: Evidence) -> Asked | None:
    """The ask with its names looked up; None where one stands for nothing here."""
    every, before = threads(evidence), spoken_of(evidence)
    ask = _of_waits(ask, every)
    of = _subjects(ask, evidence)
    scopes = [
        named(one, evidence, is_thread=is_thread, is_sure=True)
        for one, is_thread in ((ask.within, False), (ask.thread, True))
        if one
    ]
    others = [named(one, evidence, is_sure=True) for one in (ask.without, ask.base) if one and one not in _NO_NAMES]
    others += [divisor(ask.by, evidence)] if ask.by not in _KEYS else []
    if of is None or None in (*scopes, *others) or not every:
        return None
    ask, known, by = _of_itself(ask, list(of), others[-1] if ask.by not in _KEYS else None)
    within = next((one for one in scopes if one and one.frames), None)
    within = None if within and [one.frames for one in known] == [within.frames] else within
    thread = next((one for one in scopes if one and one.profiles), None)
    base = named(ask.base, evidence) if ask.base not in ("", EVERYTHING, OWN_THREAD) else None
    if base and base.profiles:
        thread, base = base, None
    if thread is None and (found := _thread_among(known, ask, before)):
        known, thread = found
    subjects = [one for one in known if one.profiles]
    if "compare" in ask.how and len(subjects) == len(known) > 1:
        every = [row for one in known for row in one.profiles]
        known = subjects = [Subject(listed(every), profiles=tuple(every))]
    if subjects and (len(known) > 1 or by or not ({*ask.measures} <= _OF_THREADS or {*ask.measures} <= MOMENTS)):
        return None
    gone = named(ask.without, evidence) if ask.without not in ("", *CALLS_LEFT_OUT) else None
    if gone and known and known[0] == gone:
        known = []  # `without parse, what is left of parse`
    if by and by.profiles:
        ask, thread, by = replace(ask, by="thread"), by, None
    place = thread or (subjects[0] if subjects else None)
    others_ = () if place else elsewhere(known, evidence)
    profiles = place.profiles if place else others_ or tuple(every)
    ask = _usually(ask, profiles)
    if ask.placed and not thread and not ask.goes_on and known and known[0].frames:
        own = read(evidence.prompt)
        ask = replace(ask, window=own.window if own else None)
    if _has_no_clock(ask, profiles):
        return None
    return Asked(
        ask=ask,
        frames=tuple(frame for one in known for frame in one.frames),
        profiles=profiles,
        label=joined([one.label for one in known]) if known else "the recording",
        within=within,
        thread=thread if ask.by != "thread" or ask.thread else None,
        window=ask.window.within(max(row["duration"] or 0.0 for row in profiles) / 1e6) if ask.window else None,
        divisor=by,
        gone=gone,
        base=base,
        subjects=tuple(known),
        is_of_threads=bool(subjects),
        is_elsewhere=bool(others_),
        is_carried=IT in (*ask.of, ask.without),
    )


def _of_waits(ask: Ask, profiles: list[dict[str, Any]]) -> Ask:
    """The ask without the word for what alone is recorded there: `avg wait in note`."""
    if not profiles or profiles[0]["counted"] != "contentions":
        return ask
    of = tuple(one for one in ask.of if one.casefold() not in _WAITS)
    return replace(ask, of=of) if of or not ask.within else replace(ask, of=(ask.within,), within="")


def _of_itself(ask: Ask, known: list[Subject], by: Subject | None) -> tuple[Ask, list[Subject], Subject | None]:
    """The ask for the average, where a function is divided by itself: `ms per parse`, after an answer about parse."""
    if by is None or not by.frames or [one.frames for one in known] not in ([], [by.frames]):
        return ask, known, by
    return replace(ask, by="", measures=("mean",)), [by], None


def _usually(ask: Ask, profiles: tuple[dict[str, Any], ...]) -> Ask:
    """The ask with what is usual: the middle of single calls, or the average where these are not recorded."""
    usual = "median" if profiles[0]["kind"] == "evented" else "mean"
    return replace(ask, measures=tuple(usual if one == "usual" else one for one in ask.measures))


def _thread_among(known: list[Subject], ask: Ask, before: Subject | None) -> tuple[list[Subject], Subject] | None:
    """The threads among what it is asked of, where they narrow the rest; None where they are what it is asked of."""
    threads_, functions = ([one for one in known if bool(one.profiles) is way] for way in (True, False))
    if len(threads_) != 1:
        return None
    if functions or ask.rank:
        return functions, threads_[0]
    if not {*ask.measures} <= _OF_THREADS and before and before.frames and ask.placed:
        return [before], threads_[0]  # `on press-2?` after an answer about a function
    return None


def _has_no_clock(ask: Ask, profiles: tuple[dict[str, Any], ...]) -> bool:
    """Whether it asks for moments of threads that cannot be set next to each other."""
    is_timed = ask.window is not None or bool({*ask.measures} & MOMENTS)
    return is_timed and len(profiles) > 1 and any(row["clock"] == "own" for row in profiles)


_NO_NAMES = frozenset({*_KEYS, *CALLS_LEFT_OUT, EVERYTHING, OWN_THREAD})


def _subjects(ask: Ask, evidence: Evidence) -> tuple[Subject, ...] | None:
    """What it is asked of; None where a name stands for nothing, or words are left over that may matter."""
    of_it = {*evidence.spoken_of.name.casefold().split()} if evidence.spoken_of else set()
    if any(word.casefold() not in _GENERIC | of_it for run in ask.nouns for word in run.split()):
        return None
    some = [one for name in ask.of if name in THEM for one in them(name, evidence)]
    if not some and {*THEM} & {*ask.of}:
        return None
    if (verb := _FORMS.done_to_it.search(evidence.prompt)) and (subject := meant_by(verb["verb"], ask.of, evidence)):
        return (subject,)
    known = [(one, (), True) for one in some] + [placed(run, evidence) for run in ask.of if run not in THEM]
    known = _without_what_they_do(known, ask.of)
    found = list({one.label: one for one, _, _ in known if one}.values())
    sure = [is_its_name for one, _, is_its_name in known if one]
    left = [word for _, words, _ in known for word in words]
    places = {word: place for word in left if (place := named(word, evidence, is_thread=True))}
    if len(places) == 1 and len(found) == 1 and not found[0].profiles:  # `heat, na kettle-3?`
        found, left = [*found, *places.values()], [word for word in left if word not in places]
    if not found and left and not ask.placed and {word.casefold() for word in left} <= _GENERIC | of_it:
        subject = spoken_of(evidence)
        return (subject,) if subject else None
    is_missing = IT in ask.of and spoken_of(evidence) is None
    needs_names = ask.is_strict or len(known) > 1 or ask.base or ask.what_if or ask.rank
    if is_missing or (ask.of and not found) or (needs_names and not all(sure)):
        return None
    is_quoted = any(f"`{word}" in evidence.prompt for word in left)
    return tuple(found) if _may_be_passed_over(left, ask, is_sure=any(sure)) and not is_quoted else None


def _without_what_they_do(known: list[_Placed], of: tuple[str, ...]) -> list[_Placed]:
    """What is known, without a word that only says what a function does that is named, too: `the sort with usort`."""
    names = [one.label.casefold() for one, _, is_its_name in known if one and is_its_name]
    if len(names) != 1 or len(of) != len(known):
        return known
    return [one for one, run in zip(known, of, strict=True) if one[2] or stem(run) not in names[0]]


def _may_be_passed_over(words: list[str], ask: Ask, *, is_sure: bool) -> bool:
    """Whether these words, which stand for nothing in the recording, change nothing of what is asked."""
    if {*words} <= _GENERIC:
        return True
    are_plain = not any(IDENTIFIER.search(word) or not word.islower() for word in words)
    few = len(words) <= (0 if ask.is_strict else MOST_LEFT)
    return are_plain and few and is_sure and IT not in ask.of and not (ask.placed or ask.how)
