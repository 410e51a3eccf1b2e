"""What a prompt asks: its intent, and the names, threads, numbers and time ranges in it."""

import re
from dataclasses import dataclass, replace
from typing import Any

from server.analyst.evidence import SpokenOf
from server.analyst.intent import ABOUT_ONE_FUNCTION, Intent
from server.analyst.languages import note_in
from server.analyst.moments import TimeRange, lengths, time_ranges
from server.analyst.nearest_intent import Nearest, nearest
from server.analyst.subjects import CODE, Subjects, subjects

SHORT, SHORT_CHARACTERS = 4, 24
"""Words and characters of a bare follow-up (`why?`, in any language)."""
GO_ON = frozenset({Intent.CORRECTION})
"""Intents that no conversation begins with."""
UNLIKELY = {Intent.USAGE: 0.7, Intent.SMALLTALK: 0.5, Intent.CODE: 0.5, Intent.SUMMARISE: 0.5, Intent.CORRECTION: 0.5}
"""Intents about something else than the trace, with the probability from which they are taken."""
SURE = 0.4
"""Probability from which the nearest intent is taken without a word."""
LIKELY = 0.2
"""Probability from which the nearest intent is taken at all; below it the question is what takes the time."""
NAMES_AN_INTENT = 0.05
"""Probability from which an intent that fits what is named goes before a likelier one that does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`names` are functions that are meant, the surest first; `maybe` are words that a function may have for its name,
    `placed` those of them in a function's place, and `otherwise` is the intent if none has. `handle` is one of a frame,
    node or span; `thread` part of a thread's name; `labels` are words with a hyphen, which may name a thread or another
    recording. `carried` is the citation of what the answer before was about, and `profile` the one that it named, where
    this prompt goes on about it; `why` is whether it asks for a cause; `note` is a sentence for a person who did not
    ask in English.
    """

    intent: Intent
    text: str
    names: tuple[str, ...] = ()
    maybe: tuple[str, ...] = ()
    placed: tuple[str, ...] = ()
    otherwise: Intent = Intent.OVERVIEW
    handle: str | None = None
    thread: str | None = None
    profiles: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    sort_by: str = "self"
    limit: int = 10
    time_ranges: tuple[TimeRange, ...] = ()
    length_ms: float | None = None
    view: str | None = None
    why: bool = False
    asks_time: bool = False
    asks_speed: bool = False
    understood: bool = True
    carried: str | None = None
    profile: str | None = None
    note: str | None = None

    def about(self, intent: Intent) -> "Question":
        """The same question, of another intent."""
        return replace(self, intent=intent)


_LIMIT = re.compile(
    r"\b(?:top|first|worst|slowest|hottest|biggest|heaviest)\s+(\d{1,2})\b(?!\s*(?:ms|s|us|µs|sec)\b)|"
    r"\b(\d{1,2})\s+(?:slowest|hottest|heaviest|biggest|top|most|worst|functions)",
    re.IGNORECASE,
)
_ASKS_SPEED = re.compile(r"\b(?:cpu|processor|slow\w*|fast\w*)\b", re.IGNORECASE)
_ASKS_TIME = re.compile(
    r"\b(?:milliseconds?|seconds?|ms|how long|how much time|duration|latency|minutes?|time)\b", re.IGNORECASE
)
_THIS_ONE = re.compile(
    r"\b(?:this|selected|that) (?:function|frame|one|call|box|selection|method|block)\b|\bthe selection\b",
    re.IGNORECASE,
)
_SQL = re.compile(r"^\s*(?:select\b.+\bfrom\b|with\s+\w+\s+as\s*\()", re.IGNORECASE | re.DOTALL)
_MOST = re.compile(r"\b(?:most|least|slowest|longest|biggest|heaviest|fewest|top)\b", re.IGNORECASE)
"""A superlative asks for one of all, not for what was spoken of."""
_AND = re.compile(r"^(?:and|what about|how about|und|et|y|e|и|那|では)\b", re.IGNORECASE)
"""How a prompt begins that asks the same of something else."""
_REFERS = re.compile(r"\b(?:it|its|that|them|they|those|same)\b", re.IGNORECASE)
_GOES_ON = re.compile(
    r"^(?:and |but |so |ok(?:ay)?,? |then )*(?:why|why so|why that|how|how come|how so|who|who else|more|go on|"
    r"how long|how much|how slow|"
    r"details?|tell me more|elaborate)\W*$",
    re.IGNORECASE,
)
"""Prompts that are nothing without what was said before."""

NEED_NAMES = frozenset({Intent.SUSPECT, Intent.GROUP})
OF_A_CAUSE = frozenset(
    {
        Intent.WAITING,
        Intent.GARBAGE,
        Intent.QUERIES,
        Intent.MEMORY,
        Intent.EXCEPTIONS,
        Intent.LOGGING,
        Intent.SERIALISATION,
        Intent.REGEX,
        Intent.LIBRARIES,
        Intent.STARTUP,
        Intent.PAGE,
        Intent.PARALLEL,
    }
)
"""Intents about one kind of cause: what is meant where a suspicion names nothing of the trace."""
OF_ALL = frozenset(
    {
        Intent.OVERVIEW,
        Intent.WHY,
        Intent.TOP,
        Intent.ANYTHING_WRONG,
        Intent.SMALLTALK,
        Intent.RECORDING,
        Intent.ABILITIES,
        Intent.PROFILES,
        Intent.LIBRARIES,
    }
)
"""Intents about everything: with a function's name they are about that function."""
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


ASKED_AGAIN = frozenset({Intent.FUNCTION, Intent.CALLERS, Intent.CALLEES, Intent.HOW_OFTEN, Intent.CALLS_OF})
"""Intents that `and parse?` asks of `parse`, too."""
FOLLOWS = frozenset({Intent.WHY, Intent.RECURSION, Intent.OVERVIEW})
"""Intents that are about the function of the answer before, if that was about one, where the prompt refers to it."""


def understood(
    prompt: str,
    viewer: dict[str, Any],
    windows: list[dict[str, Any]] | None = None,
    spoken_of: SpokenOf | None = None,
) -> Question:
    """The question behind a prompt. `viewer` is what the person looks at: its selection is what `this function` means;
    `windows` are the time ranges that have a name; `spoken_of` is what a prompt without a name may go on about.
    """
    question = _alone(prompt, viewer, windows, is_first=spoken_of is None)
    if spoken_of is None:
        return question
    before = _alone((*spoken_of.prompts, spoken_of.prompt)[0], {}, None)
    for earlier in (*spoken_of.prompts, spoken_of.prompt)[1:]:
        before = _asked_again(_alone(earlier, {}, None), before)
    if question.names or question.placed or question.handle or question.thread:
        return _asked_again(question, before)
    return _carried_over(question, before, spoken_of)


def _asked_again(question: Question, before: Question) -> Question:
    """The question before, about what this prompt names, where it only names something (`and parse?`, `no, I meant
    parse`)."""
    only_names = question.intent is Intent.CORRECTION or (
        question.intent in OF_ALL | {Intent.FUNCTION} and _AND.match(question.text) is not None
    )
    if only_names and before.intent is Intent.COMPARE and question.names:
        return question.about(Intent.COMPARE)
    if not only_names or before.intent not in ASKED_AGAIN:
        return question.about(Intent.FUNCTION) if question.intent is Intent.CORRECTION else question
    return question.about(before.intent)


def _carried_over(question: Question, before: Question, spoken_of: SpokenOf) -> Question:
    """The question, about what was spoken of where it names nothing itself and goes on."""
    about_one = before.intent in ABOUT_ONE_FUNCTION or bool(before.names)
    refers = _REFERS.search(question.text) is not None
    intent = question.intent
    short = len(question.text.split()) <= SHORT and len(question.text) <= SHORT_CHARACTERS
    goes_on = _GOES_ON.match(question.text) is not None or (intent is Intent.WHY and short)
    if goes_on or (intent in FOLLOWS and refers and about_one):
        intent = Intent.FUNCTION
    elif intent is Intent.SHOW and not refers:
        return question
    if intent not in ABOUT_ONE_FUNCTION | ({Intent.TIMELINE} if refers else set()) or question.time_ranges:
        return question
    if not goes_on and (_MOST.search(question.text) or not (refers or question.understood)):
        return question
    return replace(
        question,
        intent=intent,
        handle=spoken_of.handle,
        carried=spoken_of.cited,
        profile=spoken_of.profile,
        understood=True,
    )


def _alone(
    prompt: str, viewer: dict[str, Any], windows: list[dict[str, Any]] | None, *, is_first: bool = False
) -> Question:
    """What a prompt asks by itself."""
    text = " ".join(prompt.split())
    named = subjects(text)
    handle, selection = named.handle, viewer.get("selection") or ""
    if handle is None and not named.names and _THIS_ONE.search(text) and selection[:1] in ("f", "n", "s"):
        handle = selection
    ranges = time_ranges(CODE.sub(" ", text), windows or [])
    near = nearest(named.masked)
    if is_first and near.intents[0][0] in GO_ON:
        near = replace(near, intents=tuple(one for one in near.intents if one[0] not in GO_ON))
    intent = _intent(text, near, named, has_function=bool(named.names or handle), has_range=bool(ranges))
    otherwise = _intent(text, nearest(named.plain), named, has_function=False, has_range=bool(ranges))
    if named.placed == (text.rstrip("?"),):  # one word: a function, or else what it is about
        intent, otherwise = Intent.FUNCTION, intent
    known = near.intents[0][1] >= SURE or bool(ranges or named.names or handle)
    limit = next((int(group) for group in found.groups() if group), 10) if (found := _LIMIT.search(text)) else 10
    spans = lengths(text)
    return Question(
        intent=intent,
        text=prompt.strip() if intent is Intent.SQL else text,
        names=named.names,
        maybe=named.maybe if not handle else (),
        placed=named.placed if not handle else (),
        otherwise=otherwise,
        handle=handle,
        thread=named.thread if intent is Intent.THREAD else None,
        profiles=named.profiles,
        labels=named.labels if intent is not Intent.THREAD else (),
        sort_by="total" if re.search(r"\b(?:total|inclusive|cumulative)\b", text, re.IGNORECASE) else "self",
        limit=max(1, min(limit, 50)),
        time_ranges=ranges if intent is not Intent.BUSIEST else (),
        length_ms=spans[0] if spans else None,
        view=_view(text),
        why=_WHY.match(text) is not None,
        asks_time=bool(_ASKS_TIME.search(text)),
        asks_speed=bool(_ASKS_SPEED.search(text)),
        understood=known,
        note=note_in(near.language, near.language_probability, text),
    )


def _intent(text: str, near: Nearest, named: Subjects, *, has_function: bool, has_range: bool) -> Intent:
    """The nearest intent that fits what the prompt names."""
    if _SQL.match(text):
        return Intent.SQL
    if not _HAS_A_WORD.search(text):
        return Intent.SMALLTALK
    if len(set(named.profiles)) > 1:
        return Intent.COMPARE
    intent = _nearest(text, near, names_something=has_function or bool(named.maybe))
    if has_function and intent in OF_ALL:
        return _likely(near, ABOUT_ONE_FUNCTION) or Intent.FUNCTION
    if named.thread is not None and intent in OF_A_THREAD and not has_function:
        return Intent.THREAD
    if has_range and intent in NARROWED_BY_TIME and not (intent is Intent.SHOW and has_function):
        return Intent.WINDOW
    without = {Intent.WINDOW: Intent.BUSIEST, Intent.THREAD: Intent.PROFILES}
    missing = (intent is Intent.WINDOW and not has_range) or (intent is Intent.THREAD and named.thread is None)
    return without[intent] if missing else intent


_WHY = re.compile(
    r"(?:so |and |but )?(?:why|how come|what makes|warum|wieso|pourquoi|por qu|perch|waarom)", re.IGNORECASE
)
"""How a prompt begins that asks for a cause: what is not sure beyond that is asked of everything."""
_HAS_A_WORD = re.compile(r"\w")


def _nearest(text: str, near: Nearest, *, names_something: bool) -> Intent:
    """The nearest intent, or the next one where that needs what the prompt does not have."""
    name, probability = near.intents[0]
    intent = Intent(name)
    if intent in NEED_NAMES and not names_something:
        intent = _likely(near, OF_A_CAUSE) or intent
    if probability < UNLIKELY.get(intent, 0.0):
        intent = next(Intent(one) for one, _ in near.intents if Intent(one) not in UNLIKELY)
    if intent in OF_ALL | {Intent.PAGE, Intent.SHOW, Intent.DRAW} and _LAYOUT.search(text):
        return Intent.SUSPECT
    if intent is Intent.PAGE and not _OF_A_PAGE.search(text):
        intent = _likely(near, OF_A_SLOW_PAGE) or Intent.OVERVIEW
    asks_why = _WHY.match(text) is not None
    unlikely = probability < LIKELY or (asks_why and (probability < SURE or intent is Intent.TOP))
    return Intent.OVERVIEW if unlikely and intent not in ABOUT_ONE_FUNCTION else intent


_OF_A_PAGE = re.compile(
    r"\b(?:lcp|inp|cls|fcp|ttfb|tbt|fid|vitals?|lighthouse|paint\w*|shift\w*|blocking|metrics?|"
    r"interaction\w*|contentful)\b|[^\x00-\x7f]",
    re.IGNORECASE,
)
"""Words for what is measured of a page; without one a prompt that speaks of a page asks what it does."""
_LAYOUT = re.compile(r"\b(?:re-?flow\w*|layouts?|thrash\w*)\b", re.IGNORECASE)
OF_A_SLOW_PAGE = frozenset({Intent.LONG_TASKS, Intent.MAIN_THREAD, Intent.EVENT_LOOP, Intent.STARTUP, Intent.OVERVIEW})


def _likely(near: Nearest, among: frozenset[Intent]) -> Intent | None:
    return next((Intent(name) for name, sure in near.intents if name in among and sure >= NAMES_AN_INTENT), None)


def _view(text: str) -> str | None:
    lower = text.casefold()
    if "time order" in lower or "timeline" in lower or "flame chart" in lower or "over time" in lower:
        return "time_order"
    return "sandwich" if "sandwich" in lower else "left_heavy" if "left heavy" in lower else None


__all__ = ["ABOUT_ONE_FUNCTION", "Intent", "Question", "understood"]
