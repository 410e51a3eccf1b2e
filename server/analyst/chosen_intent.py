"""Which intent a prompt has, of those that it is near to: the nearest that fits what it names."""

import re

from server.analyst.asked_things import (
    REMEDIES,
    asks_by_file,
    asks_if_done_again,
    asks_of_vitals,
    place_ranked,
    words_of_a_page,
    would_help,
)
from server.analyst.forms import first_form, forms, table
from server.analyst.intent import ABOUT_ONE_FUNCTION, Intent, intents
from server.analyst.kinds.device import asks_how_busy
from server.analyst.moments import asks_of_a_time_alone
from server.analyst.nearest_intent import Nearest
from server.analyst.pseudo_frames import collects
from server.analyst.sentence_forms import asks_whether, is_yes_or_no, slow_thing
from server.analyst.subjects import Subjects
from traces.lazy_regex import lazy_regex

_FORMS = forms("chosen_intent")
_SENTENCE_FORMS = forms("sentence_forms")
_KNOWN_FORMS = forms("known_forms")
_ASKED_THINGS = forms("asked_things")
_GOING_ON = forms("going_on")
_RANKINGS = forms("rankings")
_IMPORTS = forms("imports")

SHORT = 4
"""Words of a bare follow-up (`why?`, in any language)."""
UNLIKELY = {Intent.USAGE: 0.7, Intent.SMALLTALK: 0.5, Intent.CODE: 0.5, Intent.SUMMARISE: 0.5, Intent.CORRECTION: 0.5}
"""Intents about something else than the trace, with the probability from which they are taken."""
OF_WORK = frozenset({Intent.REGEX, Intent.LOGGING, Intent.SERIALISATION, Intent.EXCEPTIONS})
"""Intents about a kind of work, for which a prompt has a word."""
PROBABLE = 0.6
"""Probability from which a kind of work is meant that a prompt has no known word for."""
SURE = 0.4
"""Probability from which the nearest intent is taken without a word."""
LIKELY = 0.2
"""Probability from which the nearest intent is taken at all; below it the question is what takes the time."""
NAMES_AN_INTENT = 0.05
"""Probability from which an intent that fits what is named goes before a likelier one that does not."""
SQL = lazy_regex(
    r"^\s*(?:explain\s+)?(?:select\b(?!(?:\s+(?!(?:as|distinct|case|all)\b)\w+){3,}\s+from\b).+\bfrom\s+(?!(?:the|my|this|that|it)\b)"
    r"|select\s+[\d(]|with\s+\w+\s+as\s*\()",
    re.IGNORECASE | re.DOTALL,
)
NEED_NAMES = frozenset({Intent.SUSPECT, Intent.GROUP})
OF_A_CAUSE = intents(
    "waiting garbage queries memory exceptions logging serialisation regex libraries startup page parallel"
)
"""Intents about one kind of cause: what is meant where a suspicion names nothing of the trace."""
OF_ALL = intents("overview why top anything_wrong smalltalk recording abilities profiles libraries")
"""Intents about everything: with a function's name they are about that function."""
RANKED_BY_FILE = OF_ALL | {Intent.GROUP, Intent.SUSPECT, Intent.LONG_TASKS, Intent.MAIN_THREAD, Intent.STARTUP}
"""Intents that a question for which file or script is near to."""
OF_NO_FUNCTION = intents("parallel main_thread page usage busiest startup event_loop")
"""Intents that say nothing of a function that a prompt surely names."""
NARROWED_BY_TIME = OF_ALL - {Intent.LIBRARIES} | {
    Intent.FIRST_FIX,
    Intent.HOT_PATH,
    Intent.STARTUP,
    Intent.TIMELINE,
    Intent.BUSIEST,
    Intent.COMPARE,
    Intent.SHOW,
    Intent.LONG_TASKS,
    Intent.SUMMARISE,
    Intent.TWO_FUNCTIONS,
}
"""Intents that a time range turns into the question for what happens in it."""
OF_A_THREAD = (
    OF_ALL | {Intent.WAITING, Intent.SHOW, Intent.FIRST_FIX, Intent.CORRECTION, Intent.FUNCTION} | {Intent.MAIN_THREAD}
)
"""Intents that a thread's name turns into the question for that thread."""


def chosen_intent(text: str, near: Nearest, named: Subjects, *, has_function: bool, has_range: bool) -> Intent:
    """The nearest intent that fits what the prompt names."""
    if at_once := _at_once(text, named):
        return at_once
    intent = _nearest(text, near, names_something=has_function or bool(named.maybe))
    if by_form := _by_form(text, intent, named, has_function=has_function):
        return by_form
    if intent is Intent.LIBRARIES and _FORMS.of_a_kernel.search(text) and not has_function:
        return Intent.GROUP
    if has_function and intent in OF_ALL | OF_NO_FUNCTION:
        return _likely(near, ABOUT_ONE_FUNCTION) or Intent.FUNCTION
    if named.thread is not None and intent in OF_A_THREAD and not (has_function or _FORMS.of_a_kernel.search(text)):
        return Intent.THREAD
    narrows = intent in NARROWED_BY_TIME or (
        not has_function and (_FORMS.the_same.match(text) or asks_of_a_time_alone(text))
    )
    narrows = narrows or (intent in ABOUT_ONE_FUNCTION and not (has_function or named.maybe))
    if has_range and narrows and not (intent is Intent.SHOW and has_function):
        return Intent.WINDOW
    if intent is Intent.GROUP and not has_function and not (named.maybe or asks_by_file(text) or asks_how_busy(text)):
        return Intent.OVERVIEW
    without = {Intent.WINDOW: Intent.BUSIEST, Intent.THREAD: Intent.PROFILES}
    missing = (intent is Intent.WINDOW and not has_range) or (intent is Intent.THREAD and named.thread is None)
    return without[intent] if missing else intent


def _at_once(text: str, named: Subjects) -> Intent | None:
    """What is sure before anything is compared with examples."""
    if SQL.match(text) or _FORMS.drawn.match(text):
        return Intent.SQL if SQL.match(text) else Intent.DRAW
    if not _HAS_A_WORD.search(text):
        return Intent.SMALLTALK
    if _KNOWN_FORMS.scales.search(text):
        return Intent.GROWTH
    if len(set(named.profiles)) > 1 or _KNOWN_FORMS.other_recording.search(text):
        return Intent.COMPARE
    of_another = named.names or _ASKED_THINGS.of_another_measure.search(text)
    if place_ranked(text) and not (of_another or _IMPORTS.asked.search(text) or _FORMS.which_line.search(text)):
        return Intent.GROUP
    if _RANKINGS.over.search(text) and not named.names:
        return Intent.TOP
    helping = would_help(text)  # what that names is no function but what would be done
    return Intent.REPEATED if helping and any(one.search(helping) for one in REMEDIES) else None


def _by_form(text: str, intent: Intent, named: Subjects, *, has_function: bool) -> Intent | None:
    """What a prompt asks by how it is put with the names in it, whatever its other words are near to."""
    if has_function and _FORMS.a_share.search(text) and is_yes_or_no(text):
        return Intent.FUNCTION
    of_no_order = intent is Intent.TIMELINE and _FORMS.then_alone.search(text)
    claims = _SENTENCE_FORMS.claims_first.search(text) or _SENTENCE_FORMS.few_calls_why.search(text)
    if has_function and (of_no_order or claims):
        return Intent.FUNCTION
    if _SENTENCE_FORMS.without_symbols.search(text) or (not has_function and (by_words := _by_words(text))):
        return Intent.SUSPECT if _SENTENCE_FORMS.without_symbols.search(text) else by_words
    names_two = len({*named.names, *named.maybe}) > 1 and intent not in (Intent.COMPARE, Intent.MEMORY)
    if names_two and (_FORMS.one_against_another.search(text) or _FORMS.together.search(text)):
        return Intent.TWO_FUNCTIONS
    of_one = _FORMS.self_and_total.search(text) or (_FORMS.which_line.search(text) and intent not in OF_A_CAUSE)
    if of_one and (has_function or named.maybe):
        return Intent.FUNCTION
    if (_FORMS.via.search(text) or _FORMS.who_calls.match(text)) and (has_function or named.maybe):
        return Intent.CALLERS
    if _FORMS.who_calls_it.match(text) or (has_function and intent is Intent.HOT_PATH):  # `the path to parse`
        return Intent.CALLERS
    if _ASKED_THINGS.by_caller.search(text) and intent in OF_ALL | ABOUT_ONE_FUNCTION:
        return Intent.CALLERS
    if asks_by_file(text) and intent in RANKED_BY_FILE and not has_function:
        return Intent.GROUP
    return Intent.CALLS_OF if has_function and intent is Intent.WAITING and _FORMS.when.match(text) else None


def _by_words(text: str) -> Intent | None:
    """What words ask for whatever stands around them."""
    if asks_of_vitals(text):
        return Intent.PAGE
    if slow := slow_thing(text):
        return Intent.QUERIES if slow in ("database", "db", "sql") else Intent.WAITING
    if helping := would_help(text):
        return Intent.PARALLEL if _ASKED_THINGS.of_workers.search(helping) else Intent.REPEATED
    if asks_whether(text) and (
        _FORMS.layout.search(text) or (_FORMS.matters.search(text) and first_form("work", text))
    ):
        return Intent.SUSPECT
    if asks_how_busy(text) and _FORMS.of_a_gpu.search(text) and not _FORMS.of_a_thread.search(text):
        return Intent.PARALLEL
    if asks_if_done_again(text):
        return Intent.REPEATED
    form = first_form("known_forms", text)
    return Intent(table()["intents_by_form"][form]) if form else None


_HAS_A_WORD = lazy_regex(r"\w")


def _nearest(text: str, near: Nearest, *, names_something: bool) -> Intent:
    """The nearest intent, or the next one where that needs what the prompt does not have."""
    name, probability = near.intents[0]
    intent = Intent(name)
    if intent is Intent.RECURSION and _FORMS.itself.search(text) and not _FORMS.recurs.search(text):
        intent = Intent.FUNCTION
    if intent in NEED_NAMES and not names_something:
        intent = Intent.WAITING if _FORMS.of_waiting.search(text) else _likely(near, OF_A_CAUSE) or intent
    if intent in OF_WORK and probability < PROBABLE and text.isascii() and not first_form("work", text):
        name, probability = next(one for one in near.intents if Intent(one[0]) not in OF_WORK)
        intent = Intent(name)
    of_plan = intent is not Intent.USAGE or _FORMS.of_a_plan.search(text)
    if (
        probability < UNLIKELY.get(intent, 0.0)
        or not of_plan
        or (intent is Intent.SQL and not _FORMS.of_sql.search(text))
    ):
        intent = next(Intent(one) for one, _ in near.intents if Intent(one) not in {*UNLIKELY, Intent.SQL})
    of_layouts = OF_ALL | {Intent.PAGE, Intent.SHOW, Intent.DRAW, Intent.HOW_OFTEN, Intent.CALLS_OF}
    if intent in of_layouts and _FORMS.layout.search(text) and not words_of_a_page(text):
        return Intent.SUSPECT
    if intent is Intent.PAGE and not _FORMS.of_a_page.search(text):
        intent = _likely(near, OF_A_SLOW_PAGE) or Intent.OVERVIEW
    asks_why = _FORMS.why.match(text) is not None
    if intent in OF_ALL - {Intent.RECORDING, Intent.PROFILES} and _FORMS.how_many.match(text):
        return Intent.HOW_OFTEN
    unlikely = probability < LIKELY or (asks_why and (probability < SURE or intent is Intent.TOP))
    return Intent.OVERVIEW if unlikely and intent not in ABOUT_ONE_FUNCTION else intent


OF_A_SLOW_PAGE = frozenset({Intent.LONG_TASKS, Intent.MAIN_THREAD, Intent.EVENT_LOOP, Intent.STARTUP, Intent.OVERVIEW})


def _likely(near: Nearest, among: frozenset[Intent]) -> Intent | None:
    return next((Intent(name) for name, sure in near.intents if name in among and sure >= NAMES_AN_INTENT), None)


def part_asked_of(text: str) -> str:
    """`matching` of `why is matching slow?`; empty where it is not put so."""
    found = _FORMS.why_a_part.match(text)
    return found["part"] if found else ""


ABOUT_A_TOPIC = ABOUT_ONE_FUNCTION | {Intent.SUSPECT, Intent.GROUP, Intent.FIRST_FIX}
_OTHER_CAUSES = frozenset({Intent.REPEATED, Intent.GROWTH, Intent.SEQUENTIAL, Intent.EVENT_LOOP, Intent.CPU_CACHES})
CERTAIN = 0.9
"""Probability from which an intent about everything stays so, whatever else a prompt has words for."""


def may_be_topic(text: str, named: Subjects, near: Nearest, intent: Intent) -> bool:
    """Whether ordinary words of the prompt may be what it is about."""
    if named.names or named.thread or named.labels or intent is Intent.COMPARE or _KNOWN_FORMS.of_imports.search(text):
        return False
    if intent is Intent.GARBAGE and collects(text) and not _GOING_ON.saves.search(text):  # its word names it already
        return False
    if _FORMS.why.match(text):  # what makes it slow is the answer, and not what it is; but a part of it may be named
        return _FORMS.why_a_part.match(text) is not None
    if intent in (Intent.OVERVIEW, Intent.WHY):
        return _GOING_ON.and_a_thing.match(text) is not None
    if _GOING_ON.saves.search(text):
        return True
    short = len(text.split()) <= SHORT and _FORMS.why.match(text) is None
    of_a_cause = intent in OF_A_CAUSE | _OTHER_CAUSES and asks_whether(text)
    unsure = near.intents[0][1] < CERTAIN and not of_a_cause and (asks_whether(text) or short)
    return intent in ABOUT_A_TOPIC or unsure or near.intents[0][1] < SURE
