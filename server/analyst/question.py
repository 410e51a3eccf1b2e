"""What a prompt asks: its intent, and the names, threads, numbers and time ranges in it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from server.analyst.chosen_intent import (
    CERTAIN,
    OF_A_CAUSE,
    OF_A_KERNEL,
    OF_ALL,
    SHORT,
    SQL,
    SURE,
    WHY,
    chosen_intent,
    may_be_topic,
)
from server.analyst.evidence import SpokenOf
from server.analyst.going_on import (
    AND_ONE,
    COMPARES,
    DOUBTS,
    PER_CALL,
    SAVES,
    TOO,
    WITHIN,
    corrected,
    long_words,
    with_ordinals,
)
from server.analyst.intent import ABOUT_ONE_FUNCTION, Intent
from server.analyst.languages import note_in
from server.analyst.moments import TimeRange, lengths, next_to, time_ranges, within
from server.analyst.nearest_intent import nearest, vocabulary
from server.analyst.sentence_forms import (
    asks_for_any,
    asks_whether,
    is_yes_or_no,
    number_asked_of,
    place_asked_for,
    ranked_thing,
    refers,
)
from server.analyst.subjects import CODE, NO_NAMES, subjects
from server.analyst.topic_words import topic_stems

SHORT_CHARACTERS = 24
"""Characters of a bare follow-up (`why?`, in any language)."""
GO_ON = frozenset({Intent.CORRECTION})
"""Intents that no conversation begins with."""
HEAD, TAIL = 1_500, 500
"""Characters of a longer prompt that are read, from its beginning and its end, where neither its first line nor its
last is a question: that stands before or after a pasted log, and reading takes time that grows with the prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`names` are functions that are meant, the surest first; `maybe` are words that a function may have for its name,
    `placed` those of them in a function's place, `stems` of ordinary words that a function may be named after, and
    `otherwise` is the intent if none has. `handle` is one of a frame,
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
    stems: tuple[str, ...] = ()
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

    @property
    def is_yes_or_no(self) -> bool:
        """Whether it is put so that yes or no answers it."""
        return is_yes_or_no(self.text)

    @property
    def asks_whether(self) -> bool:
        """Whether it is a sentence that yes or no answers, and no mere name with a question mark."""
        return asks_whether(self.text)

    @property
    def asks_for_any(self) -> bool:
        """Whether it asks if there is something."""
        return asks_for_any(self.text)

    @property
    def refers(self) -> bool:
        """Whether it has a pronoun for what was spoken of."""
        return refers(self.text)

    @property
    def saves(self) -> bool:
        """Whether it asks for what would be if a cost were none."""
        return SAVES.search(self.text) is not None and self.intent is not Intent.COMPARE

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
    r"\b(?:milliseconds?|seconds?|ms|how long|how much time|duration|latency|minutes?|time|segundos?|"
    r"sekunden?|secondes?|secondi|seconden|tiempo|tempo|zeit|temps|durée|wie lange|cuánto tarda)\b|"
    r"секунд|врем|秒|时间|時間|초|시간",
    re.IGNORECASE,
)
_THIS_ONE = re.compile(
    r"\b(?:this|selected|that) (?:function|frame|one|call|box|selection|method|block)\b|\bthe selection\b",
    re.IGNORECASE,
)
_MOST = re.compile(r"\b(?:most|least|slowest|longest|biggest|heaviest|fewest|top)\b", re.IGNORECASE)
"""A superlative asks for one of all, not for what was spoken of."""
_AND = re.compile(r"^(?:and|what about|how about|und|et|y|e|и|那|では)\b", re.IGNORECASE)
"""How a prompt begins that asks the same of something else."""
_IN_ORDER = re.compile(r"\bfirst\b|\bfix\b.*\band\b", re.IGNORECASE)
"""An order is asked for, of everything."""
_GOES_ON = re.compile(
    r"^(?:and |but |so |ok(?:ay)?,? |then )*(?:why|why so|why that|how|how come|how so|who|who else|more|go on|"
    r"how long|how much|how slow|"
    r"details?|tell me more|elaborate|wh?ich one|quanto|cuánto|combien|wie ?viel|wie lange|hoeveel|"
    r"сколько|多少|얼마나?|どのくらい)\W*$",
    re.IGNORECASE,
)
"""Prompts that are nothing without what was said before."""

AGAIN = "Looked up again in the trace: these are its figures."
"""The note for a person who doubts the answer before."""


ASKED_AGAIN = frozenset({Intent.FUNCTION, Intent.CALLERS, Intent.CALLEES, Intent.HOW_OFTEN, Intent.CALLS_OF})
"""Intents that `and parse?` asks of `parse`, too."""
ON_AVERAGE = OF_ALL | ABOUT_ONE_FUNCTION - {Intent.TWO_FUNCTIONS, Intent.SHOW} | {Intent.MEMORY, Intent.GROUP}
"""Intents that words for an average turn into the question for the calls of a function."""
COUNTS = OF_ALL | ABOUT_ONE_FUNCTION | {Intent.EXCEPTIONS, Intent.SUSPECT, Intent.GROUP, Intent.REPEATED}
"""Intents that `how many forks?` may be near to, which asks how often a function is called."""
FOLLOWS = frozenset({Intent.WHY, Intent.RECURSION, Intent.OVERVIEW})
"""Intents that are about the function of the answer before, if that was about one, where the prompt refers to it."""


def understood(
    prompt: str,
    viewer: dict[str, Any],
    windows: list[dict[str, Any]] | None = None,
    spoken_of: SpokenOf | None = None,
    openings: Sequence[str] = (),
) -> Question:
    """The question behind a prompt. `viewer` is what the person looks at: its selection is what `this function` means;
    `windows` are the time ranges that have a name; `spoken_of` is what a prompt without a name may go on about.
    """
    if spoken_of is not None and DOUBTS.match(" ".join(prompt.split())):
        return _doubted(viewer, windows, spoken_of)
    prompt = with_ordinals(prompt, spoken_of.listed) if spoken_of else prompt
    question = _alone(corrected(prompt) if openings else prompt, viewer, windows, is_first=spoken_of is None)
    asked = (*spoken_of.prompts, spoken_of.prompt) if spoken_of else ()
    if around := within(question.text, openings) or next_to(question.text, asked, openings):
        return replace(question, intent=Intent.WINDOW, time_ranges=(around,), understood=True)
    if openings and question.text != " ".join(prompt.split()) and not (question.names or question.thread):
        question = replace(question, labels=(*question.labels, *long_words(question.text)))
    if spoken_of is None:
        return question
    if question.names and question.text != " ".join(prompt.split()):
        question = question.about(Intent.CORRECTION)
    question = _without_small_words(question)
    if COMPARES.search(question.text) and not question.names and (again := _compared_again(question, asked)):
        return again
    before = _alone((*spoken_of.prompts, spoken_of.prompt)[0], {}, None)
    for earlier in (*spoken_of.prompts, spoken_of.prompt)[1:]:
        before = _asked_again(_alone(earlier, {}, None), before)
    if question.names or question.placed or question.handle or question.thread:
        return _asked_again(question, before)
    return _carried_over(question, before, spoken_of)


def _without_small_words(question: Question) -> Question:
    """The question: in `parse too` a word is a name, in `how much` none is."""
    if too := TOO.match(question.text):
        return replace(question, intent=Intent.FUNCTION, maybe=(too[1],), placed=(too[1],))
    one = AND_ONE.match(question.text)
    if one and not (question.names or question.thread) and one[1].casefold() not in vocabulary() | NO_NAMES:
        return replace(question, intent=Intent.FUNCTION, maybe=(one[1],), placed=(one[1],))
    nameless = _GOES_ON.match(question.text) or (WITHIN.search(question.text) and not question.names)
    return replace(question, maybe=(), placed=(), stems=()) if nameless else question


def _doubted(viewer: dict[str, Any], windows: list[dict[str, Any]] | None, spoken_of: SpokenOf) -> Question:
    """The question before once more; about the function of its answer where it went on about that."""
    before = _alone(spoken_of.prompt, viewer, windows)
    if before.names or before.placed or before.handle or before.thread or before.intent not in ABOUT_ONE_FUNCTION:
        return replace(before, note=AGAIN)
    about = replace(before, handle=spoken_of.handle, profile=spoken_of.profile, maybe=(), stems=())
    return replace(about, carried=spoken_of.cited, note=AGAIN, understood=True)


def _compared_again(question: Question, asked: Sequence[str]) -> Question | None:
    """The comparison that was asked for before, by the words that named the other recording there."""
    for prompt in reversed(asked):
        meant = corrected(prompt)
        before = _alone(meant, {}, None)
        if meant != " ".join(prompt.split()):
            before = replace(before, labels=(*before.labels, *long_words(meant)))
        if before.labels or before.intent is Intent.COMPARE:
            text = f"{question.text} {prompt}"
            return replace(question, intent=Intent.COMPARE, text=text, labels=before.labels, understood=True)
    return None


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
    intent = question.intent
    short = len(question.text.split()) <= SHORT and len(question.text) <= SHORT_CHARACTERS
    goes_on = _GOES_ON.match(question.text) is not None or (intent is Intent.WHY and short)
    if question.saves and (question.refers or intent not in OF_A_CAUSE) and not _IN_ORDER.search(question.text):
        intent, goes_on = Intent.FIRST_FIX, True
    elif about_one and WITHIN.search(question.text) and not question.why:
        intent, goes_on = Intent.CALLEES, True
    elif goes_on or (intent in FOLLOWS and question.refers and about_one):
        intent = Intent.FUNCTION
    elif place_asked_for(question.text) and before.intent is Intent.CALLS_OF:
        intent, goes_on = Intent.CALLS_OF, True
    elif intent is Intent.SHOW and not question.refers:
        return question
    allowed = ABOUT_ONE_FUNCTION | ({Intent.FIRST_FIX} if goes_on else set())
    if intent not in allowed | ({Intent.TIMELINE} if question.refers else set()) or question.time_ranges:
        return question
    of_it = question.refers and intent in (Intent.CALLERS, Intent.CALLEES)
    if not goes_on and not of_it and (_MOST.search(question.text) or not (question.refers or question.understood)):
        return question
    return replace(
        question,
        intent=intent,
        handle=spoken_of.handle,
        placed=(),
        carried=spoken_of.cited,
        profile=spoken_of.profile,
        understood=True,
    )


def _alone(
    prompt: str, viewer: dict[str, Any], windows: list[dict[str, Any]] | None, *, is_first: bool = False
) -> Question:
    """What a prompt asks by itself."""
    text, not_read = _read(prompt)
    named = subjects(text)
    handle, selection = named.handle, viewer.get("selection") or ""
    if handle is None and not named.names and _THIS_ONE.search(text) and selection[:1] in ("f", "n", "s"):
        handle = selection
    ranges = time_ranges(CODE.sub(" ", text), windows or [])
    near = nearest(named.masked)
    if is_first and near.intents[0][0] in GO_ON:
        near = replace(near, intents=tuple(one for one in near.intents if one[0] not in GO_ON))
    intent = chosen_intent(text, near, named, has_function=bool(named.names or handle), has_range=bool(ranges))
    otherwise = chosen_intent(text, nearest(named.plain), named, has_function=False, has_range=bool(ranges))
    if not named.names and (counted := number_asked_of(text)) and intent in COUNTS:
        named, otherwise = replace(named, maybe=(counted,), placed=(counted,)), intent
        intent = Intent.HOW_OFTEN
    if not named.names and (ranked := ranked_thing(text)):
        named, otherwise = replace(named, maybe=(ranked,), placed=(ranked,)), intent
        intent = Intent.GROUP
    in_kernel = intent is Intent.GROUP and OF_A_KERNEL.search(text) is not None
    if named.placed == (text.rstrip("?"),):  # one word: a function, or else what it is about
        intent, otherwise = Intent.FUNCTION, intent
    saves = SAVES.search(text) is not None and intent is not Intent.COMPARE
    stems = topic_stems(CODE.sub(" ", text), NO_NAMES) if may_be_topic(text, named, near, intent) else ()
    if saves and (named.names or handle or ((named.maybe or stems) and near.intents[0][1] < CERTAIN)):
        intent = Intent.FIRST_FIX
    if PER_CALL.search(text) and not _MOST.search(text) and intent in ON_AVERAGE:
        intent = Intent.HOW_OFTEN
    known = near.intents[0][1] >= SURE or PER_CALL.search(text) is not None or bool(ranges or named.names or handle)
    limit = next((int(group) for group in found.groups() if group), 10) if (found := _LIMIT.search(text)) else 10
    spans = lengths(text)
    return Question(
        intent=intent,
        text=prompt.strip() if intent is Intent.SQL else text,
        names=named.names,
        maybe=("kernel",) if in_kernel else named.maybe if not handle else (),
        placed=named.placed if not handle else (),
        stems=stems if not handle else (),
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
        why=WHY.match(text) is not None,
        asks_time=bool(_ASKS_TIME.search(text)),
        asks_speed=bool(_ASKS_SPEED.search(text)),
        understood=known,
        note=" ".join(filter(None, (not_read, note_in(near.language, near.language_probability, text)))) or None,
    )


def _read(prompt: str) -> tuple[str, str | None]:
    """What is read of a prompt, on one line, and a sentence about what is not; a query is read in full."""
    text = " ".join(prompt.split())
    if len(text) <= HEAD + TAIL or SQL.match(prompt):
        return text, None
    lines = prompt.strip().splitlines()
    for line, which in ((lines[0], "first"), (lines[-1], "last")):
        if line.rstrip().endswith(("?", "？")) and len(line) <= HEAD:
            return " ".join(line.split()), f"I read the {which} of your message's {len(lines):,} lines."
    return (
        f"{text[:HEAD]} {text[-TAIL:]}",
        f"I read the first {HEAD:,} and the last {TAIL:,} of your message's {len(prompt):,} characters.",
    )


def _view(text: str) -> str | None:
    lower = text.casefold()
    if "time order" in lower or "timeline" in lower or "flame chart" in lower or "over time" in lower:
        return "time_order"
    return "sandwich" if "sandwich" in lower else "left_heavy" if "left heavy" in lower else None


__all__ = ["ABOUT_ONE_FUNCTION", "Intent", "Question", "understood"]
