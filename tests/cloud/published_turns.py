"""Events of turns to publish, and reading the broadcasts that Realtime got of them."""

from typing import Any
from uuid import uuid4

from server.protocol.events import (
    ModelChunkAppend,
    ModelChunkStart,
    ModelResponseEnd,
    TurnEvent,
    TurnStarted,
)
from server.protocol.wire_values import Usage
from tests.cloud.supabase_server import SupabaseServer

S1, T1, T2 = (str(uuid4()) for _ in range(3))
END = {"model_response_end", "turn_cancelled", "turn_failed"}
BOUND_S = 60


def stamped(*events: TurnEvent, turn_id: str = T1, session_id: str = S1, first: int = 1) -> list[TurnEvent]:
    return [
        event.model_copy(update={"turn_id": turn_id, "session_id": session_id, "seq": first + number})
        for number, event in enumerate(events)
    ]


def words(count: int, *, message_id: str = "m1") -> list[TurnEvent]:
    first = ModelChunkStart(message_id=message_id, offset=0, chunk="0 ")
    return [
        first,
        *(ModelChunkAppend(message_id=message_id, offset=2 * n, chunk=f"{n % 10} ") for n in range(1, count)),
    ]


STARTED = TurnStarted(attempt=1, model="m", prompt_version="v")
ENDED = ModelResponseEnd(message_id="m1", usage=Usage(), citations=[], checks=[], suggestions=[])


def text_of(events: list[dict[str, Any]]) -> str:
    text = ""
    for event in events:
        if event["type"] in {"model_chunk_start", "model_chunk_append"}:
            text = text[: event["offset"]] + event["chunk"]
    return text


def events_of(broadcasts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [event for one in broadcasts if one["event"] == "ai_response" for event in one["payload"]["events"]]


async def broadcasts_until_end(supabase: SupabaseServer, ends: int = 1) -> list[dict[str, Any]]:
    """The broadcasts, once so many turns have ended in them."""
    await supabase.realtime.broadcasts.until(
        lambda broadcasts: sum(event["type"] in END for event in events_of(broadcasts)) >= ends
    )
    return supabase.realtime.broadcasts
