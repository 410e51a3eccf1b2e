"""Rules that make a question for a path of words: "how many calls of f reach g, then h"."""

import re
from uuid import UUID

from server.agent.questions.question_schema import CallPath, PathStep, Runs
from traces.lazy_regex import lazy_regex

_NAME = r"(?:`[^`]{1,300}`|[\w.:$#<>~/-]*[\w>](?:\(\))?)"
_REACH = r"(?:reach(?:es|ed)?|get to|got to|arrive (?:at|in)|go on to|lead to|make it to|pass through)"
_CALLS = rf"(?:the |all )?calls (?:of|to) (?P<first>{_NAME})"
_FORMS = tuple(
    lazy_regex(form, re.IGNORECASE)
    for form in (
        rf"\bhow (?:many|much|often)(?: of)? {_CALLS},? {_REACH} (?P<rest>.+)",
        rf"\b(?:of|from) {_CALLS},? how (?:many|often) {_REACH} (?P<rest>.+)",
        (
            rf"\bwhere (?:are|do|does|is) {_CALLS},? (?:get |that )?(?:lost|lose|end|stop|drop out)\b.*?"
            r"\b(?:before(?: reaching)?|on (?:the|their) way to|between) (?P<rest>.+)"
        ),
        rf"\bhow long (?:does it take|is it|from one to the next,?)?,? ?from (?P<first>{_NAME}) to (?P<rest>.+)",
        rf"\b(?:the )?path (?:from|of) (?P<first>{_NAME}),? (?:to|over|via|through) (?P<rest>.+)",
    )
)
_BETWEEN = lazy_regex(rf"^(?:,? ?(?:and then|then|and|to|via|over|,))* ?(?P<name>{_NAME})(?=$|[\s,])")
_OVER = lazy_regex(
    r",? (?:over|in|on|for|across|since|of) (?:all |my |our |the |these |any |branch |release )*[\w`].*$"
)
_SAYS_RUNS = lazy_regex(
    r"\b(?:my|our|all|last|past|newest|these) (?:the )?(?:\d+ )?(?:runs|recordings|traces|profiles|nights|builds)\b|"
    r"\bon (?:the )?branch\b|\bsince\b",
    re.IGNORECASE,
)
_MOST = 6


def is_path(prompt: str) -> bool:
    """Whether a prompt asks how many calls go on to others."""
    return _named(prompt) is not None


def says_runs(prompt: str) -> bool:
    """Whether it speaks of many recordings."""
    return _SAYS_RUNS.search(prompt) is not None


def spoken_path(prompt: str, runs: Runs, trace: UUID | None = None) -> CallPath | None:
    """The question, of a trace or else of runs; None for other words."""
    names = _named(prompt)
    if names is None:
        return None
    steps = []
    for one in names:
        name, at, file = one.strip("`").partition(" @ ")
        steps.append(PathStep(name=name.removesuffix("()"), file=file if at else None))
    if trace is not None and not says_runs(prompt):
        return CallPath(form="path", steps=tuple(steps), trace=trace)
    return CallPath(form="path", steps=tuple(steps), runs=runs)


def _named(prompt: str) -> list[str] | None:
    text = " ".join(prompt.split()).rstrip("?.! ")
    if len(text) > 600:
        return None
    found = next((match for form in _FORMS if (match := form.search(text))), None)
    if found is None:
        return None
    names, rest = [found["first"]], _OVER.sub("", found["rest"])
    while len(names) < _MOST and (step := _BETWEEN.match(rest)):
        names.append(step["name"])
        rest = rest[step.end() :]
    return names if len(names) > 1 else None
