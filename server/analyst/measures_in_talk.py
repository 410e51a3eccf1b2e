"""What a prompt of measures and names asks in its conversation: of what it names, or of what was spoken of."""

from collections.abc import Sequence
from dataclasses import replace

from server.analyst.asked_things import is_of_another_kind
from server.analyst.chosen_intent import OF_A_CAUSE
from server.analyst.forms import forms
from server.analyst.intent import Intent
from server.analyst.measured import OF_FUNCTIONS, RUNS, Measured, loosely_measured, measured
from server.analyst.ordinals import after_a_list, with_ordinals
from server.analyst.question import Question, alone
from server.analyst.sentence_forms import limit_asked, ranked_thing
from server.analyst.spoken_of import SpokenOf
from server.analyst.unread_words import is_of_asking

_FORMS = forms("measures_in_talk")
_KNOWN_FORMS = forms("known_forms")
_CHOSEN_INTENT = forms("chosen_intent")
_RANKINGS = forms("rankings")

_OF_A_MEASURE = {
    "calls": Intent.HOW_OFTEN,
    "mean": Intent.HOW_OFTEN,
    "callers": Intent.CALLERS,
    "longest": Intent.CALLS_OF,
    "when": Intent.CALLS_OF,
    "compared": Intent.TWO_FUNCTIONS,
    "total": Intent.FUNCTION,
}
"""Kinds of question that have a measure: where a prompt is one of these, and surely of a function, they answer it."""


def with_measures(question: Question, prompt: str, spoken_of: SpokenOf | None, openings: Sequence[str]) -> Question:
    """The question with the measures that its prompt asks for; as it is where it asks for something else."""
    goes_on = spoken_of and not (spoken_of.is_aside or question.names or question.handle)
    if spoken_of and goes_on and limit_asked(prompt) and question.intent not in (Intent.GARBAGE, Intent.TOP):
        about = replace(question, intent=Intent.CALLS_OF, handle=spoken_of.handle, carried=spoken_of.cited)
        return replace(about, maybe=(), placed=(), stems=(), understood=True)
    asked = _asked(prompt, spoken_of, is_loose=bool(goes_on))
    if asked is None or _is_of_another_kind(question, asked, spoken_of):
        return question
    if spoken_of is None and openings and asked.refers and not asked.runs:
        return Question(intent=Intent.FUNCTION, text=question.text, note=question.note)
    return _measured(question, asked, spoken_of)


def _asked(prompt: str, spoken_of: SpokenOf | None, *, is_loose: bool) -> Measured | None:
    """The measures of a prompt; `is_loose` where it may be a sentence about those of what was spoken of."""
    if spoken_of is None:
        return measured(prompt)
    asked = measured(with_ordinals(prompt, (), spoken_of.listed, spoken_of.handle))
    return asked or (loosely_measured(prompt, is_of_asking) if is_loose else None)


def _is_of_another_kind(question: Question, asked: Measured, spoken_of: SpokenOf | None) -> bool:
    """Whether something else than the measures is asked for: of a time, of everything, of what is only told."""
    of_itself = asked.asks("from_itself") and spoken_of is not None
    recurs = (
        question.intent is Intent.RECURSION
        and _CHOSEN_INTENT.recurs.search(question.text) is not None
        and not of_itself
    )
    is_statement = asked.asks("weighs") and not question.is_yes_or_no
    of_collections = question.intent is Intent.GARBAGE and asked.asks("calls") and not question.names
    of_listed = spoken_of is not None and question.thread in spoken_of.threads and not asked.runs
    if (
        recurs
        or of_listed
        or is_statement
        or of_collections
        or question.intent in (Intent.SQL, Intent.LONG_TASKS)
        or (question.intent is Intent.TOP and _RANKINGS.over.search(question.text))
        or question.excluded
    ):
        return True
    if question.time_ranges or question.profiles or not (asked.measures or spoken_of):
        return True
    of_a_cause = asked.asks("weighs") and question.intent in OF_A_CAUSE and not question.names
    if of_a_cause and all(is_of_another_kind(run) for run in asked.runs):  # `gc`, and no function of that name
        return True
    return _KNOWN_FORMS.in_all.search(question.text) is not None or bool(ranked_thing(question.text))


def _measured(question: Question, asked: Measured, spoken_of: SpokenOf | None) -> Question:
    of_it = question.intent in [_OF_A_MEASURE.get(one) for one in asked.measures[:1]]
    known = (
        of_it
        and len(asked.measures) == 1
        and bool(question.names or (question.carried and not asked.runs))
        and not asked.asks("compared", "each")
    )
    about = _spoken_of(asked, spoken_of) if not asked.runs or asked.sets_one_more_against else ()
    if not asked.runs and not about:
        return question
    measures = asked.measures or _measures_before(spoken_of)
    if asked.asks("compared") and spoken_of and about and _FORMS.counts.search(spoken_of.prompt) and len(measures) == 1:
        measures = (*measures, "calls")
    profile = spoken_of.profile if spoken_of and about else question.profile
    carried = None if asked.asks("compared", "each") else question.carried
    question = replace(question, handles=about, profile=profile, carried=carried, is_known_otherwise=known)
    return replace(question, measured=replace(asked, measures=measures))


def _spoken_of(asked: Measured, spoken_of: SpokenOf | None) -> tuple[str, ...]:
    """The functions that a prompt without a name asks for the measures of; empty where it may mean something else."""
    of_function = {*asked.measures} & OF_FUNCTIONS
    if (
        spoken_of is None
        or (spoken_of.threads and not of_function)
        or (spoken_of.is_aside and len(spoken_of.listed) > 1)
    ):
        return ()
    if asked.sets_one_more_against:
        return tuple(dict.fromkeys((spoken_of.handle, *spoken_of.pair)))
    if asked.asks("compared", "each"):
        of_recordings = alone(spoken_of.prompt, {}, None).intent is Intent.COMPARE and not spoken_of.sets_against
        return spoken_of.pair if len(spoken_of.pair) == RUNS and not of_recordings else ()
    return (spoken_of.handle,)


def _measures_before(spoken_of: SpokenOf | None) -> tuple[str, ...]:
    """What the newest prompt of measures asked for, which `and flush?` asks of `flush`."""
    prompts = (spoken_of.prompt, *spoken_of.prompts[::-1]) if spoken_of else ()
    before = next((found for one in prompts if (found := measured(one)) and found.measures), None)
    return before.measures if before and not before.asks("compared") else ("total",)


def in_its_order(prompt: str, spoken_of: SpokenOf, openings: Sequence[str]) -> str:
    """The prompt with the handle of what it calls `the second one`, and of what follows in a list (`and then?`)."""
    asked = after_a_list(prompt, spoken_of.ranked, openings)
    return with_ordinals(asked, spoken_of.ranked, spoken_of.listed, spoken_of.handle)
