"""Which thread of the recording a prompt is narrowed to or means, by number or by the words of its name: before such a
word is denied as a function."""

import re
from dataclasses import replace
from typing import Any

from server.analyst.chosen_intent import OF_A_THREAD, OF_ALL
from server.analyst.evidence import Evidence, busy_of
from server.analyst.forms import forms
from server.analyst.intent import ABOUT_ONE_FUNCTION, Intent
from server.analyst.question import Question, alone
from server.analyst.subjects import NO_NAMES, NO_THREAD
from server.analyst.thread_names import called, in_text, is_in, names_of
from server.analyst.unread_words import SMALL_WORDS
from traces.lazy_regex import lazy_regex

_FORMS = forms("thread_scope")

NARROWED = ABOUT_ONE_FUNCTION | {Intent.TOP, Intent.LONG_TASKS, Intent.WINDOW, Intent.THREAD, Intent.MAIN_THREAD}
"""Intents that can be asked of one thread alone."""
_WORD = lazy_regex(r"[^\W_][\w-]*")
_PART = lazy_regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
MOST = 0.5
"""Part of the threads from which on a word of their names is no sign of one of them."""


def narrowed(question: Question, evidence: Evidence) -> Question:
    """The question in the profile of the thread that it names besides what it is about; a time range of a thread is
    the question for that time."""
    if question.profile or question.intent not in NARROWED:
        return question
    row = thread_named(question, evidence)
    if row is None:
        return question
    if question.time_ranges and question.intent in (Intent.THREAD, Intent.MAIN_THREAD, Intent.WINDOW):
        ranges = tuple(replace(one, profile=row["handle"]) for one in question.time_ranges)
        return replace(question, intent=Intent.WINDOW, time_ranges=ranges, profile=row["handle"], thread=row["name"])
    if question.intent in (Intent.THREAD, Intent.MAIN_THREAD):
        return question
    return replace(question, profile=row["handle"])


def thread_named(question: Question, evidence: Evidence) -> dict[str, Any] | None:
    """The profile of the one thread whose number or name the prompt has, the busiest of its profiles; None without
    one, or where several fit."""
    rows = [row for row in evidence.profiles if row["unit"] == evidence.unit]
    threads = {(row["pid"], row["tid"] or row["handle"]) for row in rows}
    if (name := in_text(question.text, rows)) and len(threads) > 1:
        return _busiest(called(name, rows))
    if len(threads) < 2 or not _FORMS.of_one.search(question.text):
        return None
    numbers = {*_FORMS.number.findall(question.text)}
    if by_number := [row for row in rows if {str(row["tid"]), str(row["pid"])} & numbers]:
        return _busiest(by_number)
    name = (question.thread or question.on_thread or "").casefold()
    exact = [row for row in rows if name and (name in (row["handle"], row["name"].casefold()) or _is_part(name, row))]
    if len({(row["pid"], row["tid"] or row["handle"]) for row in exact}) == 1:
        return _busiest(exact)
    words = {word for word in _words(question) if word not in NO_NAMES | NO_THREAD | SMALL_WORDS}
    scored = [(len(words & parts_of_thread(row["name"])), row) for row in rows]
    most = max((score for score, _ in scored), default=0)
    found = [row for score, row in scored if score == most]
    if not most or len({(row["pid"], row["tid"] or row["handle"]) for row in found}) > MOST * len(threads):
        return None
    return _busiest(found) if len({row["name"] for row in found}) == 1 else None


def threads_meant(question: Question, evidence: Evidence) -> list[dict[str, Any]]:
    """The profiles that are meant, the busiest first: by handle, by name, or the main thread by what it is called."""
    rows = evidence.profiles or (evidence.first("list_profiles") or {"profiles": []})["profiles"]
    if question.thread:
        name = question.thread.casefold()
        exact = [row for row in rows if name in (row["handle"], row["name"].casefold(), str(row["tid"]))]
        exact = exact or called(name, rows)
        begins = [row for row in rows if row["name"].casefold().startswith(name)]
        if carried := [row for row in exact if row["handle"] == name and row["tid"]]:  # with the thread's other views
            of_it = {(row["pid"], row["tid"]) for row in carried}
            exact = [row for row in rows if (row["pid"], row["tid"]) in of_it]
        found = exact or begins or [row for row in rows if name in row["name"].casefold()]
    else:
        found = next((some for name in MAIN_NAMES if (some := [r for r in rows if name in r["name"].casefold()])), [])
        found = found or rows[:1]  # a recorder lists the thread that began the program first
    default = evidence.profile((evidence.summary or {}).get("default_profile")) or {"handle": "", "pid": ""}
    if not question.thread and any(row["pid"] == default["pid"] for row in found):
        found = [row for row in found if row["pid"] == default["pid"]]
    return sorted(found, key=lambda row: (row["handle"] != default["handle"], row["kind"] != "sampled", -busy_of(row)))


MAIN_NAMES = ("crrenderermain", "mainthread", "main thread", "geckomain", "(main)", "main", "javascript main thread")


def placed_in(question: Question, evidence: Evidence) -> Question:
    """The question without the name of the one thread that its text has: of the function that is named besides, or of
    the thread where nothing is; `and on press-2?` asks what was asked before."""
    rows = evidence.profiles
    name = in_text(question.text, rows) if len(rows) > 1 and question.intent is not Intent.COMPARE else ""
    if not name or in_text(question.text.replace(name, " "), rows):
        return question
    words = {part for row in called(name, rows) for one in names_of(row) for part in (one.casefold(), *_parts(one))}

    def others(found: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(one for one in found if one.casefold() not in words and not is_in(name, one))

    left = replace(question, names=others(question.names), maybe=others(question.maybe), placed=others(question.placed))
    if name.isalpha() and name.islower() and not left.names:
        return question  # `radio` may be a word of the language
    left = replace(left, labels=others(question.labels), on_thread=name, unfound=others(question.unfound))
    if evidence.spoken_of and _FORMS.only_a_place.match(_without(name, question.text)):
        return _asked_there(left, name, evidence)
    is_bare = not (left.names or left.maybe or left.stems or left.handle)
    if left.names:
        is_of_it = question.intent in (Intent.THREAD, Intent.MAIN_THREAD, Intent.PROFILES)
        return replace(left, intent=Intent.FUNCTION if is_of_it else left.intent, thread=None, understood=True)
    if is_bare and not question.refers and _FORMS.single_call.search(question.text):
        return replace(left, intent=Intent.LONG_TASKS, thread=None, measured=None, carried=None, understood=True)
    of_it = ABOUT_ONE_FUNCTION | {Intent.GROUP, Intent.SUSPECT} | OF_ALL - {Intent.TOP}
    is_of_all = question.intent in of_it and not question.carried
    if (is_bare and is_of_all) or question.intent is Intent.THREAD:
        names = () if question.time_ranges else (name,)
        return replace(left, intent=Intent.THREAD, thread=name, names=names, measured=None, understood=True)
    return left


def _without(name: str, text: str) -> str:
    return " ".join(re.sub(re.escape(name), " ", text, flags=re.IGNORECASE).split())


def _asked_there(question: Question, name: str, evidence: Evidence) -> Question:
    """What the newest prompt asked that was no mere place, of this thread."""
    asked = (*evidence.spoken_of.prompts, evidence.spoken_of.prompt) if evidence.spoken_of else ()
    for prompt in reversed(asked):
        old = in_text(prompt, evidence.profiles)
        rest = _without(old, prompt) if old else prompt
        if not _FORMS.only_a_place.match(rest):
            before = alone(f"{rest.rstrip('?!. ')} on {name}", {}, None)
            if before.intent in NARROWED - {Intent.THREAD, Intent.MAIN_THREAD} and not before.refers:
                return placed_in(before, replace(evidence, spoken_of=None))
            break
    return replace(
        question, intent=Intent.THREAD, thread=name, names=(), maybe=(), placed=(), stems=(), understood=True
    )


def _parts(name: str) -> list[str]:
    return [part.casefold() for part in _WORD.findall(name)]


def _is_part(name: str, row: dict[str, Any]) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", row["name"], re.IGNORECASE) is not None


def _words(question: Question) -> set[str]:
    named = {part.casefold() for name in (*question.names, *question.maybe) for part in _WORD.findall(name)}
    return {word.casefold() for word in _WORD.findall(question.text)} - named


def parts_of_thread(name: str) -> set[str]:
    return {part.casefold() for part in (*_PART.findall(name), *_WORD.findall(name))}


def _busiest(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return max(rows, key=lambda row: (row["stands_for_thread"], busy_of(row)))


def threads_alike(question: Question, evidence: Evidence) -> str:
    """The word of the prompt that is in the names of several threads: `clerk` of `which clerk waits the most` where
    there are clerk-1 to clerk-6; empty without one, or where it is spelled as code."""
    rows = [row for row in evidence.profiles if row["stands_for_thread"]]
    for word in _WORD.findall(question.text):
        one = word.casefold()
        ways = [way for way in singular(one) if len(way) >= SHORTEST_WORD]
        if {one, *ways} & (NO_NAMES | NO_THREAD | SMALL_WORDS) or word in question.names:
            continue
        for way in ways:
            named = {
                row["name"]
                for row in rows
                if way in parts_of_thread(row["name"]) and _NUMBERED_NAME.search(row["name"])
            }
            if len(named) > 1 and (one != way or _FORMS.which_of_them.search(question.text)):
                return way
    return ""


def singular(word: str) -> tuple[str, ...]:
    """The word, and what it may be the plural of: `press` of `presses`."""
    return tuple(dict.fromkeys((word, word.removesuffix("s"), word.removesuffix("es"))))


SHORTEST_WORD = 3
_NUMBERED_NAME = lazy_regex(r"[A-Za-z][-_ #]?\d")


def without_word(question: Question, word: str) -> Question:
    """The question without a word that only says which threads it is about."""

    def others(words: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(one for one in words if word not in singular(one.casefold()))

    left = replace(question, maybe=others(question.maybe), placed=others(question.placed), stems=others(question.stems))
    nothing = not (left.maybe or left.placed or left.stems or question.names or question.handle)
    if left == question or not nothing or question.intent not in ABOUT_ONE_FUNCTION:
        return left
    return left.about(Intent.OVERVIEW)


_LONG_WORD = lazy_regex(r"[^\W\d_][\w-]{2,}")
_WHICH_MAIN = lazy_regex(r"\b([a-z]{3,}) main (?:thread|process)\b")
OF_ONE_THREAD = frozenset({"worker", "renderer", "gpu", "compositor"})
"""Words that are the name of a thread where just one has them."""


def is_no_thread(question: Question, evidence: Evidence) -> bool:
    """Whether a plain word (`slow threads`) was taken for the name of a thread, and there is none of that name."""
    listed, name = evidence.first("list_profiles"), question.thread or ""
    meant = re.search(rf"\b(?:the|only) {re.escape(name)} (?:thread|process|worker)\b", question.text, re.IGNORECASE)
    if not listed or not (name.isalpha() and name.islower()) or f"`{name}`" in question.text or meant:
        return False
    return not any(name in row["name"].casefold() for row in listed["profiles"])


def thread_of_a_word(question: Question, evidence: Evidence) -> str:
    """The name of one thread that is a word of the prompt, where that names no function; empty without one."""
    if question.names or question.handle or question.intent not in OF_A_THREAD | {Intent.PROFILES, Intent.PARALLEL}:
        return ""
    rows = evidence.profiles
    threads = [((row["pid"], row["tid"] or row["handle"]), _at_capitals(row["name"])) for row in rows]
    text = question.text.casefold()
    for word in _LONG_WORD.findall(text):
        of_it = {thread for thread, words in threads if word in words}
        if len(of_it) == 1 and len(rows) > 1 and word not in (NO_NAMES | NO_THREAD | SMALL_WORDS) - OF_ONE_THREAD:
            return str(word)
    which = _WHICH_MAIN.search(text)
    is_none = which and which[1] not in NO_NAMES | NO_THREAD | SMALL_WORDS
    return str(which[1]) if which and is_none and not any(which[1] in row["name"].casefold() for row in rows) else ""


def thread_for_a_name(question: Question, evidence: Evidence) -> str:
    """The only name of the prompt where no function has it, and a thread does; empty otherwise."""
    (name, *others) = (*question.names, "")
    found = evidence.first("find_frames", pattern=name) if name else None
    if found is None or others != [""] or found["rows"] or question.intent is Intent.COMPARE:
        return ""
    rows = evidence.profiles
    return name if any(name.casefold() in row["name"].casefold() for row in rows) else ""


def of_a_named_thread(question: Question, evidence: Evidence) -> Question:
    """The question for the thread that a name of the prompt is the name of, where the word that stands before `thread`
    names none: `the plugin thread (CrPluginMain)`."""
    rows, word = evidence.profiles, (question.thread or "").casefold()
    is_known = any(word == row["handle"] or word in row["name"].casefold() for row in rows)
    if question.intent is not Intent.THREAD or is_known:
        return question
    named = next((name for name in question.names if any(_is_part(name, row) for row in rows)), None)
    return replace(question, thread=named, names=()) if named else question


def _at_capitals(name: str) -> set[str]:
    """The words of a thread's name, and their parts at a capital letter: `gpu` of `CrGpuMain`."""
    return set(_LONG_WORD.findall(" ".join((name, re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name))).casefold()))
