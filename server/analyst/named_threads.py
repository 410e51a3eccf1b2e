"""Threads that a prompt means by a word of their names: before such a word is denied as a function."""

import re
from dataclasses import replace

from server.analyst.chosen_intent import OF_A_THREAD
from server.analyst.evidence import Evidence
from server.analyst.intent import Intent
from server.analyst.question import Question
from server.analyst.subjects import NO_NAMES, NO_THREAD
from server.analyst.thread_scope import threads_alike
from server.analyst.unread_words import SMALL_WORDS
from traces.lazy_regex import lazy_regex

_WORDS = lazy_regex(r"[^\W\d_][\w-]{2,}")
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
    rows = (evidence.summary or {"profiles": []})["profiles"]
    threads = [((row["pid"], row["tid"] or row["handle"]), _parts(row["name"])) for row in rows]
    text = question.text.casefold()
    for word in _WORDS.findall(text):
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
    rows = (evidence.summary or {"profiles": []})["profiles"]
    return name if any(name.casefold() in row["name"].casefold() for row in rows) else ""


def _parts(name: str) -> set[str]:
    """The words of a thread's name, and their parts at a capital letter: `gpu` of `CrGpuMain`."""
    return set(_WORDS.findall(" ".join((name, re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name))).casefold()))


def by_thread(question: Question, evidence: Evidence) -> Question:
    """What was spoken of, for each of the threads that a prompt divides it by: `per press?` of press-1 to press-3."""
    asked = question.measured
    if asked is None or not (asked.asks("per") and threads_alike(question, evidence)):
        return question
    runs = asked.runs[: len(asked.runs) - 1]
    if not (runs or question.handles):
        return question
    return replace(question, measured=replace(asked, measures=("threads",), runs=runs), handles=question.handles[:1])
