"""What a client sends on `/api/v1/chat`."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, TypeAdapter
from pydantic_core import PydanticCustomError

from server.protocol.base import WireModel
from server.protocol.mounted import Mounted
from server.protocol.wire_values import Colours, ViewerState, Window

MAX_PROMPT_CHARACTERS = 16_000
"""Longest prompt: about 4,000 tokens, more than a person types and less than a pasted log."""

Identifier = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
NO_TEXT = "It has no text to answer: write what you want to know."


def _with_text(prompt: str) -> str:
    """Blanks ask nothing, wherever they are sent."""
    if not prompt.strip():
        raise PydanticCustomError("no_text", NO_TEXT)
    return prompt


Prompt = Annotated[str, Field(min_length=1, max_length=MAX_PROMPT_CHARACTERS), AfterValidator(_with_text)]


class Resume(WireModel):
    """What the client has of a turn of this session: every event up to `seq`."""

    turn_id: Identifier
    seq: Annotated[int, Field(ge=0)]


class StartAnalysis(WireModel):
    """Opens or rejoins a session. Starts a turn only when it carries a prompt."""

    type: Literal["start_analysis"] = "start_analysis"
    trace_id: Identifier
    session_id: Identifier
    access_token: str | None = None
    user_id: str | None = None
    account_id: Identifier | None = None
    prompt: Prompt | None = None
    turn_id: Identifier | None = None
    mounted_tools: Mounted = ()
    resume: Resume | None = None


class UserPrompt(WireModel):
    """One prompt. `turn_id` is the client's idempotency key; the server mints one when it is absent."""

    type: Literal["user_prompt"] = "user_prompt"
    session_id: Identifier
    prompt: Prompt
    turn_id: Identifier | None = None
    trace_id: Identifier | None = None
    user_id: str | None = None
    model: str | None = None
    mode: Literal["reject", "queue"] = "reject"
    context: ViewerState | None = None


class CancelTurn(WireModel):
    type: Literal["cancel_turn"] = "cancel_turn"
    turn_id: Identifier


class Regenerate(WireModel):
    """Answers a prompt again, in the place of the turn it names and of what followed that. `new_turn_id` is the
    client's idempotency key; the server mints one when it is absent."""

    type: Literal["regenerate"] = "regenerate"
    turn_id: Identifier
    new_turn_id: Identifier | None = None
    model: str | None = None


class EditPrompt(WireModel):
    """As `Regenerate`, with another prompt."""

    type: Literal["edit_prompt"] = "edit_prompt"
    turn_id: Identifier
    prompt: Prompt
    new_turn_id: Identifier | None = None
    model: str | None = None


class Feedback(WireModel):
    type: Literal["feedback"] = "feedback"
    message_id: Identifier
    score: Literal[-1, 0, 1]
    reason: Annotated[str, Field(max_length=2000)] | None = None


class DecideMemory(WireModel):
    """What the person says of a proposal; `text` is their own for `edit`. `no` takes back what a setting has kept."""

    type: Literal["decide_memory"] = "decide_memory"
    proposal_id: Identifier
    decision: Literal["keep", "edit", "no"]
    text: Annotated[str, Field(max_length=1000)] | None = None


class ViewerContext(WireModel):
    """What the person is looking at, sent when it changes."""

    type: Literal["viewer_context"] = "viewer_context"
    view: Literal["time_order", "left_heavy", "sandwich", "diff"] | None = None
    profile: str | None = None
    selection: str | None = None
    window: Window | None = None
    mounted_tools: Mounted = ()
    colours: Colours = "file"


class ResumeTurn(WireModel):
    """The page's answer to an `interrupt`. `context` is what is on screen now, with the tools that are mounted now;
    without it those of the prompt stand."""

    type: Literal["resume"] = "resume"
    interrupt_id: Identifier
    result: dict[str, Any]
    context: ViewerState | None = None


class Authenticate(WireModel):
    type: Literal["authenticate"] = "authenticate"
    access_token: str


class Ping(WireModel):
    type: Literal["ping"] = "ping"
    nonce: Annotated[str, Field(max_length=64)]


ClientMessage = (
    StartAnalysis
    | UserPrompt
    | CancelTurn
    | Regenerate
    | EditPrompt
    | Feedback
    | DecideMemory
    | ViewerContext
    | ResumeTurn
    | Authenticate
    | Ping
)
CLIENT_MESSAGE: TypeAdapter[ClientMessage] = TypeAdapter(Annotated[ClientMessage, Field(discriminator="type")])
