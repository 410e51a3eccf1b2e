"""What a prompt without a subject goes on about where that was a kind of events, and no function: `worst one?` after an
answer about collections asks for the longest pause.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from server.analyst.asks.spoken_calls import inside_of
from server.analyst.forms import first_form, forms
from server.analyst.intent import Intent
from server.analyst.question import Question, alone
from server.analyst.sentence_forms import asks_of_single_ones, is_yes_or_no, judges, limit_asked, refers
from server.analyst.spoken_of import SpokenOf
from server.analyst.subjects import CODE, NO_NAMES
from server.analyst.topic_words import topic_stems
from server.analyst.unread_words import SMALL_WORDS
from traces.insights.registry import DETECTORS

_FORMS = forms("spoken_topics")
_GOING_ON = forms("going_on")
_WAITING = forms("waiting")
_SINGLE_EVENTS = forms("single_events")
_UNDERSTANDING = forms("understanding")
_RECORDED_NUMBERS = forms("recorded_numbers")


def of_what_was_spoken_of(prompt: str, spoken_of: SpokenOf, openings: Sequence[str]) -> Question | None:
    """The question of a prompt for what lies in a function, for imports or for a kind of events of which the answer
    before was; None for any other."""
    if handle := inside_of(prompt, spoken_of, openings):
        note = alone(prompt, {}, None).note
        return Question(intent=Intent.CALLEES, text=prompt, handle=handle, note=note, understood=True)
    return of_imports(prompt, openings) or of_the_topic(prompt, spoken_of, openings)


NOUNS = {
    Intent.GARBAGE: "garbage collection",
    Intent.WAITING: "wait",
    Intent.LONG_TASKS: "task",
    Intent.EXCEPTIONS: "exceptions",
    Intent.REQUESTS: "request",
    Intent.QUERIES: "query",
    Intent.LOGGING: "logging",
    Intent.SERIALISATION: "serialisation",
    Intent.REGEX: "regular expression",
    Intent.SUSPECT: "",
    Intent.REPEATED: "repeated work",
    Intent.EVENT_LOOP: "event loop",
    Intent.MEMORY: "memory",
    Intent.PARALLEL: "parallel",
    Intent.STARTUP: "startup",
    Intent.PAGE: "page",
    Intent.LIBRARIES: "libraries",
}
"""Intents of questions that are about a kind of thing, and about no function, with a word for it."""
OF_EVENTS = frozenset({Intent.GARBAGE, Intent.WAITING, Intent.LONG_TASKS})
"""Those of which single events may be recorded."""
_BY_CAUSE = {"gc_pressure": Intent.GARBAGE, "lock_contention": Intent.WAITING}
_OF_TITLES = {one.title: _BY_CAUSE[one.cause] for one in DETECTORS if one.cause in _BY_CAUSE}
_TITLE = re.compile(rf"\*\*({'|'.join(map(re.escape, _OF_TITLES))})\*\*")
_NEIGHBOURS = frozenset({Intent.CALLERS, Intent.CALLEES, Intent.COMPARE, Intent.SQL, Intent.DRAW, Intent.SHOW})
OF_IMPORTS = "**Imports take "
"""How the answer for all imports begins."""
SHORTER = 5
"""Words of `how long in total` and its kin, which name nothing."""
MOST_WORDS = 9
"""Of a prompt that goes on: a longer one has a subject."""


def topic_before(spoken_of: SpokenOf, openings: Sequence[str]) -> Intent | None:
    """The kind of events that was spoken of last; None where it was a function, or nothing of the kind."""
    for prompt in (spoken_of.prompt, *reversed(spoken_of.prompts)):
        if _UNDERSTANDING.what_then.match(prompt):
            break
        before = alone(prompt, {}, None)
        by_word = Intent(word) if (word := first_form("topics", prompt)) else None
        topic = by_word or (before.otherwise if before.placed else before.intent)
        if topic in NOUNS and (by_word or topic not in OF_EVENTS) and not _is_named(before):
            return topic
        if before.intent in _NEIGHBOURS or not _goes_on(before, prompt):
            break
    answered = next((one for one in reversed(openings) if not one.startswith("**I cannot answer that**")), "")
    found, by_answer = _TITLE.match(answered), first_form("answered_topics", answered)
    return _OF_TITLES[found[1]] if found else Intent(by_answer) if by_answer else None


def _is_named(question: Question) -> bool:
    return bool(question.names or question.handle or question.thread or question.labels)


def _goes_on(question: Question, prompt: str) -> bool:
    """Whether it has no subject of its own, and asks for something all the same."""
    own = (
        _is_named(question)
        or question.time_ranges
        or (not question.why and topic_stems(CODE.sub(" ", prompt), NO_NAMES | SMALL_WORDS))
    )
    asks = (
        question.why
        or refers(prompt)
        or judges(prompt)
        or limit_asked(prompt)
        or _GOING_ON.goes_on.match(prompt)
        or asks_of_single_ones(prompt)
    )
    return not own and bool(asks) and len(prompt.split()) <= MOST_WORDS


def of_the_topic(prompt: str, spoken_of: SpokenOf, openings: Sequence[str]) -> Question | None:
    """The question with the word for what was spoken of; None where it has a subject, or goes on about a function."""
    question = alone(prompt, {}, None)
    if forced := _who_forces_it(prompt, spoken_of):
        return replace(question, intent=Intent.SUSPECT, text=forced, maybe=(), placed=(), stems=(), understood=True)
    within = question.intent is Intent.CALLEES or _GOING_ON.within.search(prompt) is not None
    of_rest = _UNDERSTANDING.rest.match(prompt) is not None
    in_all = _WAITING.in_all.search(prompt) is not None and len(prompt.split()) < SHORTER
    placed = (question.placed and not (of_rest or asks_of_single_ones(prompt))) or _asks_of_another_wait(prompt)
    placed = placed or _RECORDED_NUMBERS.samples.search(prompt) is not None
    if placed or not (within or of_rest or in_all or _goes_on(question, prompt)) or _is_named(question):
        return None
    topic = topic_before(spoken_of, openings)
    topic = None if in_all and topic is not Intent.WAITING else topic
    if topic is Intent.LONG_TASKS and within:
        return replace(
            question, intent=topic, text=f"what is in the task: {prompt}", maybe=(), stems=(), understood=True
        )
    if question.intent in _NEIGHBOURS and not of_rest:
        return None
    is_another = question.intent in NOUNS and question.intent != topic and question.understood
    if topic is None or (is_another and (question.intent not in OF_EVENTS or first_form("topics", prompt))):
        return None
    asks = of_rest or in_all or asks_of_single_ones(prompt) or judges(prompt)
    saves = question.saves and not of_rest  # the mean of the others is no saving
    events = topic in OF_EVENTS and asks and not (_FORMS.of_functions.search(prompt) or saves)
    fixes = _GOING_ON.can_be_fixed.match(prompt) is not None and not is_yes_or_no(
        spoken_of.prompt
    )  # that was only suspected
    if saves and not fixes:
        return None
    if not (events or fixes or spoken_of.is_aside):
        return None
    noun = NOUNS[topic]
    if events or fixes:
        text, count = _FORMS.one.subn(noun, question.text, 1)
        if of_rest:
            is_set_against = _SINGLE_EVENTS.than_others.search(prompt)
            text = f"longest {noun} than the others" if is_set_against else f"mean without the longest {noun}"
        text = (
            f"how to reduce {noun}" if fixes else text if of_rest or count else f"{question.text.rstrip('?!. ')} {noun}"
        )
    else:
        text = f"{spoken_of.prompt} {question.text}"
    named = replace(question, intent=topic, text=text, maybe=(), placed=(), stems=(), understood=True)
    return replace(named, why=question.why and not (events or fixes))


def _asks_of_another_wait(prompt: str) -> bool:
    """Whether it asks if it is the disk, a lock or a network, whatever was spoken of."""
    return is_yes_or_no(prompt) and first_form("waited_for", prompt) not in ("", "waiting")


def _who_forces_it(prompt: str, spoken_of: SpokenOf) -> str:
    """`who forces forced layout` for `who forces it` after a question for layout; empty for any other."""
    found = _FORMS.forces_it.match(prompt)
    if found is None or first_form("work", spoken_of.prompt) != "layout-thrashing":
        return ""
    return f"{found['before']} forced layout{found['after']}"


def of_imports(prompt: str, openings: Sequence[str]) -> Question | None:
    """`which one mostly`, after an answer for all imports; None for any other."""
    if not (openings and openings[-1].startswith(OF_IMPORTS) and _FORMS.which_of_them.match(prompt)):
        return None
    return Question(intent=Intent.STARTUP, text="which import takes the most")
