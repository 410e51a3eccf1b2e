"""Questions that an account keeps, over HTTP."""

from datetime import datetime
from typing import Annotated, Any, Self

from fastapi import APIRouter
from pydantic import Field

from server.edges.http.api_address import API
from server.edges.http.services import CurrentCaller, ForQuestions
from server.ports.saved_questions import MOST_CHARACTERS, SavedQuestion
from server.protocol.base import WireModel

MAX_BODY_BYTES = 64 << 10
"""Many times the longest question."""

routes = APIRouter(prefix=f"{API}/questions", tags=["questions"], max_body_size=MAX_BODY_BYTES)

Name = Annotated[str, Field(max_length=4 * MOST_CHARACTERS)]


class QuestionToSave(WireModel):
    """A question as an answer shows it, under a name."""

    name: Name
    question: dict[str, Any]


class QuestionChange(WireModel):
    """Another name, another question, or both."""

    name: Name | None = None
    question: dict[str, Any] | None = None


class SavedQuestionView(WireModel):
    """A saved question, which can be sent to `run` as it is."""

    question_id: str
    name: str
    question: dict[str, Any]
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, saved: SavedQuestion) -> Self:
        return cls(
            question_id=saved.question_id,
            name=saved.name,
            question=saved.question,
            created_at=saved.created_at,
            updated_at=saved.updated_at,
        )


@routes.get("")
async def saved(caller: CurrentCaller, services: ForQuestions) -> dict[str, list[SavedQuestionView]]:
    """The account's saved questions, by name."""
    return {"questions": [SavedQuestionView.of(one) for one in await services.kept_questions.all(caller)]}


@routes.post("", status_code=201)
async def save(body: QuestionToSave, caller: CurrentCaller, services: ForQuestions) -> dict[str, SavedQuestionView]:
    """Keep a question; an account has room for 200."""
    return {"question": SavedQuestionView.of(await services.kept_questions.save(caller, body.name, body.question))}


@routes.patch("/{question_id}")
async def change(
    question_id: str, body: QuestionChange, caller: CurrentCaller, services: ForQuestions
) -> dict[str, SavedQuestionView]:
    changed = await services.kept_questions.change(caller, question_id, name=body.name, question=body.question)
    return {"question": SavedQuestionView.of(changed)}


@routes.delete("/{question_id}", status_code=204)
async def remove(question_id: str, caller: CurrentCaller, services: ForQuestions) -> None:
    await services.kept_questions.remove(caller, question_id)
