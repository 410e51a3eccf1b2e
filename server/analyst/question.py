"""What a prompt asks: its intent, and the names, threads, numbers and time ranges in it."""

import re
from dataclasses import dataclass, replace
from typing import Any

from server.analyst.asked_things import (
    alternatives,
    asks_by_form,
    asks_of_forced_layout,
    asks_of_sizes,
    asks_of_vitals,
    place_ranked,
    plainer,
    share_asked_of,
    without_condition,
    words_of_a_page,
)
from server.analyst.chosen_intent import (
    CERTAIN,
    OF_A_CAUSE,
    OF_ALL,
    SQL,
    SURE,
    chosen_intent,
    may_be_topic,
    part_asked_of,
)
from server.analyst.forms import first_form, forms
from server.analyst.intent import ABOUT_ONE_FUNCTION, Intent
from server.analyst.languages import note_in
from server.analyst.measured import Measured
from server.analyst.moments import TimeRange, lengths, time_ranges
from server.analyst.nearest_intent import nearest
from server.analyst.other_words import in_known_words
from server.analyst.sentence_forms import (
    asks_for_any,
    asks_whether,
    done_to,
    is_yes_or_no,
    limit_asked,
    number_asked_of,
    pair_asked_of,
    ranked_thing,
    refers,
    relation_asked_of,
)
from server.analyst.subjects import CODE, NO_NAMES, Subjects, subjects, without_verbs
from server.analyst.topic_words import stems_of, topic_stems
from traces.lazy_regex import lazy_regex

_FORMS = forms("question")
_CALLS_OF, _CHOSEN_INTENT = forms("calls_of"), forms("chosen_intent")
_GOING_ON = forms("going_on")
_KNOWN_FORMS = forms("known_forms")
_CALLS_OF = forms("calls_of")

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
    against: str = ""
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
    place: int | None = None
    """The place in the ranking of what is meant, from 0; -1 for its end, -2 for what follows what was spoken
    of."""
    is_of_the_other: bool = False
    """Whether it asks for what is in the other recording of a comparison."""
    excluded: str = ""
    """What a ranking is to leave out."""
    on_thread: str | None = None
    """Part of the name of the thread that a question for something else is narrowed to."""
    unfound: tuple[str, ...] = ()
    """Names of a prompt of nothing but measures and names that the trace has not."""
    measured: Measured | None = None
    """What it asks for where it is nothing but measures and names."""
    is_known_otherwise: bool = False
    """Whether another kind has that measure, and surely of the function."""
    value: str = ""
    """The quantity of the main profile that is asked for, where that is not the one that it measures first."""
    handles: tuple[str, ...] = ()
    """The functions whose measures are asked for, once they are known; before, those that were spoken of."""

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
        return _GOING_ON.saves.search(self.text) is not None and self.intent is not Intent.COMPARE

    def about(self, intent: Intent) -> "Question":
        """The same question, of another intent."""
        return replace(self, intent=intent)


ON_AVERAGE = OF_ALL | ABOUT_ONE_FUNCTION - {Intent.TWO_FUNCTIONS, Intent.SHOW} | {Intent.MEMORY, Intent.GROUP}
"""Intents that words for an average turn into the question for the calls of a function."""
COUNTS = OF_ALL | ABOUT_ONE_FUNCTION | {Intent.EXCEPTIONS, Intent.SUSPECT, Intent.GROUP, Intent.REPEATED}
"""Intents that `how many forks?` may be near to, which asks how often a function is called."""
SHARED = (
    OF_ALL | ABOUT_ONE_FUNCTION | {Intent.GROUP, Intent.SUSPECT, Intent.LIBRARIES, Intent.SEQUENTIAL, Intent.PARALLEL}
)
"""Intents that are for what several functions take where ordinary words say which."""
NARROWED_WITH_A_NAME = frozenset({Intent.FUNCTION, Intent.SUSPECT, Intent.GROUP})
"""Intents that a time range turns into the question for that time, with what is named."""
SUMMED_BY_FILE = ABOUT_ONE_FUNCTION | OF_ALL | {Intent.MEMORY, Intent.SUSPECT} - {Intent.TWO_FUNCTIONS}
_FILE = lazy_regex(r"[\w-]\.(?:[cm]?[jt]sx?|py|go|cc?|cpp|hp?p?|java|kt|rb|php|rs|cs|so)(?:\.\d+)*$")
"""A name that is a file's: what is asked of it is asked of all its functions."""


def of_the_recording(
    prompt: str, viewer: dict[str, Any], windows: list[dict[str, Any]] | None, *, is_first: bool
) -> Question | None:
    """The question of a prompt for the recording's own time, in which `the run` is no function's name; None of any
    other prompt."""
    if not (first_form("recorded_time", prompt) or (is_first and first_form("recorded_time_first", prompt))):
        return None
    return replace(
        alone(prompt, viewer, windows), intent=Intent.RECORDING, names=(), maybe=(), placed=(), stems=(), handle=None,
        thread=None, on_thread=None, time_ranges=(), understood=True,
    )  # fmt: skip


def _named(text: str, meant: str, *, of_any: bool) -> Subjects:
    """What a prompt names; nothing where it is a ranking, or of any calls (`of_any`)."""
    named = subjects(meant)
    if of_any or _KNOWN_FORMS.by_calls.search(text):  # a ranking, whatever kind of function it is of
        return replace(named, names=(), maybe=(), placed=())
    if asks_of_vitals(meant) or asks_of_forced_layout(meant) or asks_of_sizes(meant):
        return replace(named, maybe=(), placed=())  # short for a figure, and no part of a name
    return named


def alone(
    prompt: str, viewer: dict[str, Any], windows: list[dict[str, Any]] | None, *, is_first: bool = False
) -> Question:
    """What a prompt asks by itself."""
    said, not_read = _read(prompt)
    text = in_known_words(said)
    meant = plainer(text)
    of_any = is_first and _CALLS_OF.longest_of_any.match(text) is not None
    named = _named(text, meant, of_any=of_any)
    handle, selection = named.handle, viewer.get("selection") or ""
    if handle is None and not named.names and _FORMS.this_one.search(text) and selection[:1] in ("f", "n", "s"):
        handle = selection
    ranges = time_ranges(CODE.sub(" ", text), windows or [])
    near = nearest(named.masked)
    if is_first and near.intents[0][0] in GO_ON:
        near = replace(near, intents=tuple(one for one in near.intents if one[0] not in GO_ON))
    intent = chosen_intent(meant, near, named, has_function=bool(named.names or handle), has_range=bool(ranges))
    intent = Intent.CALLS_OF if of_any else intent
    otherwise = chosen_intent(meant, nearest(named.plain), named, has_function=False, has_range=bool(ranges))
    if not named.names and (counted := number_asked_of(text)) and intent in COUNTS:
        named, otherwise = replace(named, maybe=(counted,), placed=(counted,)), intent
        intent = Intent.HOW_OFTEN
    pair = pair_asked_of(text) if not named.names and intent in COUNTS | {Intent.STARTUP} else ""
    if not (named.names or place_ranked(text)) and (ranked := ranked_thing(text)):
        named, otherwise = replace(named, maybe=(ranked,), placed=(ranked,)), intent
        intent = Intent.GROUP
    listed, steps = alternatives(text), words_of_a_page(text)
    of_words = steps or listed or ((share_asked_of(text),) if share_asked_of(text) else ())
    fits = steps or intent in (SHARED | OF_A_CAUSE if listed else SHARED)
    if of_words and fits and not (named.names or handle):
        named, intent = replace(named, names=of_words, maybe=(), placed=()), Intent.GROUP
    in_kernel = intent is Intent.GROUP and _CHOSEN_INTENT.of_a_kernel.search(text) is not None
    if named.placed == (text.rstrip("?"),):  # one word: a function, or else what it is about
        intent, otherwise = Intent.FUNCTION, intent
    named, intent = _of_two(text, named, intent, pair)
    saves = _GOING_ON.saves.search(text) is not None and intent is not Intent.COMPARE
    topics = topic_stems(without_condition(without_verbs(CODE.sub(" ", text))), NO_NAMES)
    stems = topics if may_be_topic(text, named, near, intent) else ()
    stems = (
        stems_of(pair, frozenset())
        or _thing(text, intent)
        or stems
        or (() if named.names else stems_of(part_asked_of(text), NO_NAMES))
    )
    if saves and (named.names or handle or ((named.maybe or stems) and near.intents[0][1] < CERTAIN)):
        intent = Intent.FIRST_FIX
    intent = _of_single_calls(text, intent, has_function=bool(named.names or handle))
    intent = Intent.WINDOW if ranges and named.names and intent in NARROWED_WITH_A_NAME else intent
    known = of_any or near.intents[0][1] >= SURE or asks_by_form(text) or bool(ranges or named.names or handle)
    limit = next((int(group) for group in found.groups() if group), 10) if (found := _FORMS.limit.search(text)) else 10
    language = nearest(said) if said != text else near
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
        on_thread=named.thread,
        profiles=named.profiles,
        labels=named.labels if intent is not Intent.THREAD else (),
        sort_by="total" if re.search(r"\b(?:total|inclusive|cumulative)\b", text, re.IGNORECASE) else "self",
        limit=max(1, min(limit, 50)),
        time_ranges=ranges if intent is not Intent.BUSIEST else (),
        length_ms=spans[0] if spans else None,
        view=_view(text),
        why=_CHOSEN_INTENT.why.match(text) is not None,
        asks_time=bool(_FORMS.asks_time.search(_FORMS.occasion.sub(" ", text))),
        asks_speed=bool(_FORMS.asks_speed.search(text)),
        understood=known,
        note=" ".join(filter(None, (not_read, note_in(language.language, language.language_probability, said))))
        or None,
    )


def _of_two(text: str, named: Subjects, intent: Intent, pair: str) -> tuple[Subjects, Intent]:
    """What is asked of files, or of two words: whether one calls the other, or how often what they name is called."""
    if named.names and intent in SUMMED_BY_FILE and all(map(_FILE.search, named.names)):
        return named, Intent.GROUP
    if (relation := relation_asked_of(text)) and {*relation} & {*named.names, *named.placed, *named.maybe}:
        return replace(named, names=relation, maybe=(), placed=()), Intent.CALLERS
    return (replace(named, maybe=(), placed=()), Intent.HOW_OFTEN) if pair else (named, intent)


def _of_single_calls(text: str, intent: Intent, *, has_function: bool) -> Intent:
    """What an average, or calls longer than that, are asked of; `how often does it load the rules` is of calls."""
    if intent is Intent.BUSIEST and done_to(text) and not has_function:
        return Intent.HOW_OFTEN
    if limit_asked(text) and has_function:
        return Intent.CALLS_OF
    return (
        Intent.HOW_OFTEN
        if _GOING_ON.per_call.search(text) and not _FORMS.most.search(text) and intent in ON_AVERAGE
        else intent
    )


def _thing(text: str, intent: Intent) -> tuple[str, ...]:
    """The stems of a prompt that is nothing but the name of a kind of thing."""
    return stems_of(text, NO_NAMES) if intent is Intent.OVERVIEW and _FORMS.a_thing.match(text) else ()


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


__all__ = ["ABOUT_ONE_FUNCTION", "Intent", "Question", "alone"]
