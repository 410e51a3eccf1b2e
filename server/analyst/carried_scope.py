"""What a prompt takes from the turns before it by a word of its own: the time (`in the same time`), a neighbour."""

from dataclasses import replace

from server.analyst.forms import forms
from server.analyst.intent import Intent
from server.analyst.question import Question, alone
from server.analyst.spoken_of import SpokenOf

_FORMS = forms("carried_scope")


def of_the_neighbour(prompt: str, spoken_of: SpokenOf) -> str:
    """The prompt with the function that the answer before named as caller or callee in place of `that one`, where `it`
    would still be the one whose neighbours these are."""
    around = alone(spoken_of.prompt, {}, None).intent in (Intent.CALLERS, Intent.CALLEES)
    found = _FORMS.that_one.search(prompt) if around and len(spoken_of.listed) > 1 else None
    return f"{prompt[: found.start()]} {spoken_of.listed[1]} {prompt[found.end() :]}".strip() if found else prompt


def of_threads(prompt: str, spoken_of: SpokenOf) -> Question | None:
    """The question before about tasks, of all threads (`and on any other thread?`); or for one of the threads that were
    asked for (`which one is busiest`). None for any other."""
    before = alone(spoken_of.prompt, {}, None)
    if before.intent is Intent.PROFILES and _FORMS.which_one.match(" ".join(prompt.split())):
        return replace(alone(prompt, {}, None), intent=Intent.PROFILES, names=(), maybe=(), stems=(), understood=True)
    if before.intent is not Intent.LONG_TASKS or not _FORMS.other_threads.match(" ".join(prompt.split())):
        return None
    return replace(before, text="longest task of all threads", time_ranges=(), on_thread=None, understood=True)


def in_the_same_time(question: Question, spoken_of: SpokenOf) -> Question | None:
    """The question for the time that a prompt before named, of what this one names; None where it has no such words."""
    if question.time_ranges or not _FORMS.same_time.search(question.text):
        return None
    asked = (*spoken_of.prompts, spoken_of.prompt)
    ranges = next((found for one in reversed(asked) if (found := alone(one, {}, None).time_ranges)), ())
    return replace(question, intent=Intent.WINDOW, time_ranges=ranges, understood=True) if ranges else None
