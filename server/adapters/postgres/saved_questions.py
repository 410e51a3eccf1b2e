"""Saved questions in PostgreSQL. Its function decides whether there is room."""

from collections.abc import Sequence
from datetime import UTC
from typing import Any

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from server.adapters.postgres.pool import Database
from server.adapters.postgres.statements import statement
from server.adapters.storable import known_id, new_id, not_found, storable_json, storable_text
from server.ports.identity import Caller
from server.ports.saved_questions import MOST_QUESTIONS, SavedQuestion


class PostgresSavedQuestions:
    """SavedQuestions over a Database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self, caller: Caller) -> list[SavedQuestion]:
        return [_saved(row) for row in await self._rows("saved_questions", caller)]

    async def save(self, caller: Caller, question_id: str, name: str, question: dict[str, Any]) -> SavedQuestion:
        rows = await self._rows(
            "save_question",
            caller,
            question_id=new_id(question_id, "question", "questionId"),
            most=MOST_QUESTIONS,
            name=storable_text(name),
            question=Jsonb(storable_json(question)),
        )
        return _saved(rows[0])

    async def change(
        self, caller: Caller, question_id: str, *, name: str | None = None, question: dict[str, Any] | None = None
    ) -> SavedQuestion:
        rows = await self._rows(
            "change_saved_question",
            caller,
            question_id=known_id(question_id, "question"),
            name=None if name is None else storable_text(name),
            question=None if question is None else Jsonb(storable_json(question)),
        )
        if not rows:
            raise not_found("question")
        return _saved(rows[0])

    async def remove(self, caller: Caller, question_id: str) -> None:
        if not await self._rows("remove_saved_question", caller, question_id=known_id(question_id, "question")):
            raise not_found("question")

    async def _rows(self, query: str, caller: Caller, **parameters: Any) -> Sequence[DictRow]:
        named = {"user_id": caller.user_id, "account_id": caller.account_id} | parameters
        async with self._database.transaction() as connection:
            return await (await connection.execute(statement(query), named)).fetchall()


def _saved(row: DictRow) -> SavedQuestion:
    return SavedQuestion(
        question_id=str(row["id"]),
        name=row["name"],
        question=row["question"],
        created_at=row["created_at"].astimezone(UTC),
        updated_at=row["updated_at"].astimezone(UTC),
    )
