"""What a client may do with saved questions: list, save, change, remove. What is saved is a question by the schema."""

import uuid
from collections.abc import Sequence
from typing import Any

from server.agent.questions.question_schema import as_json, question_of
from server.cleaning import clean
from server.errors import BadRequest
from server.ports.identity import Caller
from server.ports.saved_questions import MOST_CHARACTERS, SavedQuestion, SavedQuestions


class QuestionKeeping:
    """The use cases of saved questions. Every method raises NotFound for what is not the caller's."""

    def __init__(self, saved: SavedQuestions) -> None:
        self._saved = saved

    async def all(self, caller: Caller) -> Sequence[SavedQuestion]:
        """By name."""
        return await self._saved.all(caller)

    async def save(self, caller: Caller, name: str, question: dict[str, Any]) -> SavedQuestion:
        """Raises BadRequest for what is no question, for a name of nothing or too much, and where there is no room."""
        return await self._saved.save(caller, str(uuid.uuid4()), _fit(name), as_json(question_of(question)))

    async def change(
        self, caller: Caller, question_id: str, *, name: str | None, question: dict[str, Any] | None
    ) -> SavedQuestion:
        """Raises BadRequest as `save`."""
        fit = None if name is None else _fit(name)
        asked = None if question is None else as_json(question_of(question))
        return await self._saved.change(caller, question_id, name=fit, question=asked)

    async def remove(self, caller: Caller, question_id: str) -> None:
        await self._saved.remove(caller, question_id)


def _fit(name: str) -> str:
    fit = " ".join(clean(name).split())
    if not fit:
        raise BadRequest("A saved question needs a name.", field="name")
    if len(fit) > MOST_CHARACTERS:
        raise BadRequest(f"A name has at most {MOST_CHARACTERS} characters: this has {len(fit):,}.", field="name")
    return fit
