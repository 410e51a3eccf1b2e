"""Questions over many recordings, over HTTP: in words or by the closed schema."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from server.agent.questions.question_schema import question_of
from server.edges.http.api_address import API
from server.edges.http.services import CurrentCaller, ForQuestions
from server.errors import BadRequest
from server.protocol.base import WireModel
from server.turns.run_questions import LONGEST_QUESTION

MAX_BODY_BYTES = 64 << 10
"""Many times the longest question."""

routes = APIRouter(prefix=f"{API}/questions", tags=["questions"], max_body_size=MAX_BODY_BYTES)


class QuestionToRun(WireModel):
    """Either `text`, as people ask, or a `question` as an answer shows it; of one `program` where there are several.
    `trace_id` is the one that a text means where it speaks of no others."""

    text: Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)] | None = None
    question: dict[str, Any] | None = None
    program: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    trace_id: UUID | None = None


@routes.post("/run")
async def run(asked: QuestionToRun, caller: CurrentCaller, services: ForQuestions) -> dict[str, Any]:
    """Answer a question over the caller's recordings; the question that was run is part of the answer."""
    if (asked.text is None) == (asked.question is None):
        raise BadRequest("Send either text or a question.", field="question")
    if asked.text is not None:
        answer = await services.over_runs.ask(caller, asked.text, program=asked.program, trace=asked.trace_id)
    else:
        answer = await services.over_runs.run(caller, question_of(asked.question), program=asked.program)
    return {"answer": answer.as_json()}
