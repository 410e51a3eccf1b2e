"""Answerers that must fail in conversations: what they get right shows how soft the questions are."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from evals.questions import Conversation, file_of
from evals.talking import Talking
from server.agent.tools.get_insights import GetInsights, answer_insights
from traces.analysis.functions import FunctionRow, top_functions
from traces.analysis.units import format_share, format_value
from traces.model import Trace
from traces.reader import read_trace
from traces.values import Unit

OVERVIEW = "Why is this slow?"


class Talker(Protocol):
    """Whoever answers a conversation's questions."""

    @property
    def name(self) -> str: ...

    async def answers(self, conversation: Conversation) -> Sequence[str]:
        """One text a question, in order."""
        ...


class Analyst:
    """The product, asked as it is."""

    def __init__(self, talking: Talking, name: str = "analyst") -> None:
        self.name = name
        self._talking = talking

    async def answers(self, conversation: Conversation) -> Sequence[str]:
        return await self._talking.answers(conversation)


class Blind:
    """The product with every question replaced by the same one; asked once a trace."""

    name = "blind"

    def __init__(self, talking: Talking) -> None:
        self._talking = talking
        self._overviews: dict[str, str] = {}

    async def answers(self, conversation: Conversation) -> Sequence[str]:
        if conversation.trace not in self._overviews:
            (self._overviews[conversation.trace],) = await self._talking.answers(conversation, [OVERVIEW])
        return [self._overviews[conversation.trace]] * len(conversation.turns)


class TopFunction:
    """The function with most time of its own and its figures, then the next nine, whatever is asked."""

    name = "top-1"

    async def answers(self, conversation: Conversation) -> Sequence[str]:
        return [_ranking(_trace(conversation))] * len(conversation.turns)


class Symptom:
    """The title of the worst finding, whatever is asked."""

    name = "symptom"

    async def answers(self, conversation: Conversation) -> Sequence[str]:
        lines = answer_insights(_trace(conversation), GetInsights()).text.splitlines()
        found = [line.partition(": ")[2] for line in lines if line.split(" ", 1)[0] in ("high", "medium", "low")]
        return [found[0] if found else "Nothing stands out."] * len(conversation.turns)


def _trace(conversation: Conversation) -> Trace:
    return _read(file_of(conversation.trace))


@lru_cache(maxsize=2)
def _read(path: Path) -> Trace:
    """Conversations about one trace follow each other."""
    return read_trace(path.read_bytes(), name=path.name)


def _ranking(trace: Trace) -> str:
    top = top_functions(trace, limit=10)
    unit = Unit(top.unit)
    lines = [f"- `{row.name}`: {_figures(row, unit)}" for row in top.rows]
    first = top.rows[0]
    return "\n".join([f"`{first.name}` dominates: {_figures(first, unit)} is spent in it itself.", "", *lines])


def _figures(row: FunctionRow, unit: Unit) -> str:
    return f"{format_share(row.self_share)} ({format_value(row.self_value, unit)})"
