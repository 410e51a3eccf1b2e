"""Questions over recordings that an account keeps; the in-memory twin obeys the same contract suite."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from server.ports.identity import Caller

MOST_QUESTIONS = 200
"""Of an account."""

MOST_CHARACTERS = 120
"""Of a name."""


@dataclass(frozen=True, slots=True)
class SavedQuestion:
    """`question` is by the closed schema, as plain values."""

    question_id: str
    name: str
    question: dict[str, Any]
    created_at: datetime
    updated_at: datetime


class SavedQuestions(Protocol):
    """Those of the caller's account: every member reads them, and who may write changes them."""

    async def all(self, caller: Caller) -> Sequence[SavedQuestion]:
        """By name."""
        ...

    async def save(self, caller: Caller, question_id: str, name: str, question: dict[str, Any]) -> SavedQuestion:
        """Raises BadRequest where the account has as many as it can keep, NotFound where the caller may not write."""
        ...

    async def change(
        self, caller: Caller, question_id: str, *, name: str | None = None, question: dict[str, Any] | None = None
    ) -> SavedQuestion:
        """Another name, another question, or both. Raises NotFound."""
        ...

    async def remove(self, caller: Caller, question_id: str) -> None:
        """Raises NotFound."""
        ...
