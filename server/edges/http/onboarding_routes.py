"""What an account is asked when it remembers nothing: answered in any order, kept meanwhile, confirmed."""

from typing import Annotated, Self

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import JSONResponse, Response

from server.edges.http.api_address import API
from server.edges.http.memory_routes import CoreMemoryText, CoreMemoryView, memory_overtaken
from server.edges.http.services import CurrentCaller, ForMemory
from server.ports.core_memory import MOST_CHARACTERS, MemoryChanged
from server.protocol.base import WireModel
from server.turns.onboarding import MOST_OF_AN_ANSWER, QUESTIONS, Asked

MAX_BODY_BYTES = 128 << 10
routes = APIRouter(prefix=API, tags=["memory"], max_body_size=MAX_BODY_BYTES)

Line = Annotated[str, Field(max_length=1_000)]
Answer = Annotated[str, Field(max_length=MOST_OF_AN_ANSWER)]


class QuestionView(WireModel):
    name: str
    text: str
    answer: str


class OnboardingView(WireModel):
    """`observed` is what the recordings show, of which `struck` is not so; `facts` is what is to be confirmed, one a
    line, null before the answers became facts; `version` is that of the memory, which a confirmation names."""

    offered: bool
    started: bool
    observed: list[str]
    struck: list[str]
    questions: list[QuestionView]
    facts: str | None
    version: int

    @classmethod
    def of(cls, asked: Asked) -> Self:
        return cls(
            offered=asked.is_offered,
            started=asked.is_started,
            observed=list(asked.observed),
            struck=list(asked.struck),
            questions=[
                QuestionView(name=name, text=text, answer=asked.answers[name]) for name, text in QUESTIONS.items()
            ],
            facts=asked.facts,
            version=asked.version,
        )


class OnboardingAnswers(WireModel):
    """Answers by the names of their questions."""

    struck: Annotated[tuple[Line, ...], Field(max_length=50)] = ()
    answers: Annotated[dict[str, Answer], Field(default_factory=dict)]
    facts: Annotated[str, Field(max_length=2 * MOST_CHARACTERS)] | None = None


class OnboardingConfirmed(CoreMemoryText):
    """The facts, one a line, in place of the version that was read."""

    version: int


@routes.get("/memory/onboarding")
async def onboarding(caller: CurrentCaller, services: ForMemory) -> OnboardingView:
    """Where the caller is."""
    return OnboardingView.of(await services.onboarding.look(caller, await services.recordings(caller)))


@routes.put("/memory/onboarding")
async def answer(body: OnboardingAnswers, caller: CurrentCaller, services: ForMemory) -> OnboardingView:
    """Keep what was answered so far; begins it."""
    await services.onboarding.keep(caller, struck=body.struck, answers=body.answers, facts=body.facts)
    return OnboardingView.of(await services.onboarding.look(caller, await services.recordings(caller)))


@routes.post("/memory/onboarding/facts")
async def facts(caller: CurrentCaller, services: ForMemory) -> OnboardingView:
    """Make facts of what was answered."""
    return OnboardingView.of(await services.onboarding.draft(caller, await services.recordings(caller)))


@routes.post("/memory/onboarding/confirmation", response_model=CoreMemoryView)
async def confirm(body: OnboardingConfirmed, caller: CurrentCaller, services: ForMemory, request: Request) -> Response:
    """The facts are remembered from now on. 409 when somebody has written meanwhile: the answer has both."""
    try:
        memory = await services.onboarding.confirm(caller, body.text, version=body.version)
    except MemoryChanged as error:
        return memory_overtaken(error, services.memory.writes, body.text, request.url.path)
    return JSONResponse(CoreMemoryView.of(memory, services.memory.writes).model_dump(mode="json", by_alias=True))


@routes.delete("/memory/onboarding", status_code=204)
async def decline(caller: CurrentCaller, services: ForMemory) -> None:
    """Not now: it is not offered again, and begins when it is asked for."""
    await services.onboarding.decline(caller)
