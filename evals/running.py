"""Asking every case under a condition and grading what comes back."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from evals.answer import Answer
from evals.case import Case
from evals.conditions import Condition
from evals.graders import failures
from evals.made import made
from traces.model import Trace
from traces.reader import read_trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """One run of one case: `failures` says why it did not pass; `format` is the trace's."""

    case: Case
    format: str
    condition: str
    answer: Answer
    failures: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not self.failures


def trace_of(case: Case) -> Trace:
    """The case's trace, read by the product's own reader. Raises TraceError, OSError."""
    if case.file is not None:
        return read_trace(case.file.read_bytes(), name=case.file.name)
    assert case.made is not None
    name, data = made(case.made)
    return read_trace(data, name=name)


async def graded(cases: Sequence[Case], conditions: Sequence[Condition]) -> AsyncIterator[Graded]:
    """Every run of every case under every condition, one after another."""
    for case in cases:
        trace = trace_of(case)
        for condition in conditions:
            for _ in range(condition.runs):
                answer = await condition.ask(trace, case.prompt)
                yield Graded(
                    case=case,
                    format=trace.format,
                    condition=condition.name,
                    answer=answer,
                    failures=tuple(failures(case, answer)),
                )
