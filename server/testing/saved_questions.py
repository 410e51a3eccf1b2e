"""Saved questions in dictionaries: the twin of PostgresSavedQuestions, by the rules of
`supabase/migrations/*_saved_questions.sql`."""

from dataclasses import replace
from typing import Any

from server.adapters.storable import known_id, new_id, not_found, storable_json, storable_text
from server.errors import BadRequest
from server.ports.identity import Caller
from server.ports.saved_questions import MOST_QUESTIONS, SavedQuestion
from server.testing.account_state import MemoryAccounts


class MemorySavedQuestions:
    """Questions of the accounts of MemoryAccounts."""

    def __init__(self, accounts: MemoryAccounts) -> None:
        self._accounts = accounts
        self._kept: dict[str, dict[str, SavedQuestion]] = {}

    async def all(self, caller: Caller) -> list[SavedQuestion]:
        return sorted(self._of(caller).values(), key=lambda one: (one.name.lower(), one.question_id))

    async def save(self, caller: Caller, question_id: str, name: str, question: dict[str, Any]) -> SavedQuestion:
        if not self._accounts.are_of(caller, caller.account_id):
            raise not_found("account")
        kept, now = self._kept.setdefault(caller.account_id, {}), self._accounts.clock.now()
        new = str(new_id(question_id, "question", "questionId"))
        if len(kept) >= MOST_QUESTIONS:
            raise BadRequest(
                f"There are {MOST_QUESTIONS} saved questions, which is as many as can be kept. Delete one first."
            )
        if any(new in others for others in self._kept.values()):
            raise BadRequest("Something with this id exists already. Choose a new one.")
        kept[new] = SavedQuestion(new, storable_text(name), storable_json(question), now, now)
        return kept[new]

    async def change(
        self, caller: Caller, question_id: str, *, name: str | None = None, question: dict[str, Any] | None = None
    ) -> SavedQuestion:
        kept, known = self._of(caller), str(known_id(question_id, "question"))
        if known not in kept:
            raise not_found("question")
        was = kept[known]
        kept[known] = replace(
            was,
            name=was.name if name is None else storable_text(name),
            question=was.question if question is None else storable_json(question),
            updated_at=self._accounts.clock.now(),
        )
        return kept[known]

    async def remove(self, caller: Caller, question_id: str) -> None:
        if self._of(caller).pop(str(known_id(question_id, "question")), None) is None:
            raise not_found("question")

    def _of(self, caller: Caller) -> dict[str, SavedQuestion]:
        return self._kept.get(caller.account_id, {}) if self._accounts.are_of(caller, caller.account_id) else {}
