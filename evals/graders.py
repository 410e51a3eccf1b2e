"""Deterministic graders: each says what an answer lacks or must not say. An answer passes when none says anything."""

import re
from collections.abc import Callable

from evals.answer import Answer
from evals.case import Case, Expected, Figure
from evals.reading import amounts, not_called_cause, opening, prose, says, sentences

ANSWER_CHARACTERS = 9_000
"""Longer is no answer but a dump of what the tools said."""


def failures(case: Case, answer: Answer) -> list[str]:
    """What is wrong with an answer; empty when it passes."""
    if answer.error is not None:
        return [f"no answer: {answer.error}"]
    found = [f"it is {len(answer.read):,} characters long"] if len(answer.read) > ANSWER_CHARACTERS else []
    for grader in GRADERS:
        found += grader(case.expect, answer)
    return found


def _cause(expect: Expected, answer: Answer) -> list[str]:
    why = not_called_cause(answer.read, expect.cause) if expect.cause else None
    return [] if why is None else [why]


def _causes(expect: Expected, answer: Answer) -> list[str]:
    first = opening(answer.read)
    return [f"the opening does not name {names[0]}" for names in expect.causes if not says(first, names)]


def _figures(expect: Expected, answer: Answer) -> list[str]:
    return [
        f"no {figure.value:g} {figure.unit} (within {figure.within:g}){f' beside {figure.near}' if figure.near else ''}"
        for figure in expect.figures
        if not any(_holds(sentence, figure) for sentence in sentences(answer.read))
    ]


def _holds(sentence: str, figure: Figure) -> bool:
    if figure.near is not None and not says(sentence, (figure.near,)):
        return False
    return any(abs(value - figure.value) <= figure.within for value in amounts(sentence, figure.unit))


def _patterns(expect: Expected, answer: Answer) -> list[str]:
    first, body = opening(answer.read), prose(answer.read)
    found = [f"the opening lacks {one!r}: {first[:160]!r}" for one in expect.opening if not _in(one, first)]
    found += [f"it lacks {one!r}" for one in expect.says if not _in(one, body)]
    found += [f"the opening says {one!r}: {first[:160]!r}" for one in expect.never_opening if _in(one, first)]
    return found + [f"it says {one!r}" for one in expect.never if _in(one, body)]


def _in(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


def _cites(expect: Expected, answer: Answer) -> list[str]:
    cited = {citation.name for citation in answer.citations}
    missing = [name for name in expect.cites if not any(says(f"`{one}`", (name,)) for one in cited)]
    return [f"no citation resolves to {name}" for name in missing] if answer.with_tools else []


def _finding(expect: Expected, answer: Answer) -> list[str]:
    if expect.finding is None or not answer.with_tools:
        return []
    line = re.compile(
        rf"^(?:q\d+: )?(?:(?:high|medium|low|info) {re.escape(expect.finding)} \("
        rf"|{re.escape(expect.finding)}: .*: fail)",
        re.MULTILINE,
    )
    seen = any(line.search(call.text) for call in answer.calls)
    return [] if seen else [f"the finding {expect.finding} was not fetched"]


def _calls(expect: Expected, answer: Answer) -> list[str]:
    made = {call.tool for call in answer.calls}
    found = [f"it did not call {tool}" for tool in expect.calls if tool not in made] if answer.with_tools else []
    return found + [f"it called {tool}" for tool in expect.never_calls if tool in made]


GRADERS: tuple[Callable[[Expected, Answer], list[str]], ...] = (
    _cause,
    _causes,
    _figures,
    _patterns,
    _cites,
    _finding,
    _calls,
)
