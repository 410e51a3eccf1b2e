"""What the socket's tests say and listen for."""

import uuid
from typing import Any

from tests.server.running_server import RunningServer, Socket

AS_ANNA = {"Authorization": "Bearer anna"}
END = ("model_response_end", "turn_cancelled", "turn_failed")


def new_id() -> str:
    return str(uuid.uuid4())


async def ask(socket: Socket, prompt: str = "why?", **more: Any) -> str:
    """Send a prompt; returns its turn's id."""
    turn_id = new_id()
    message = {"type": "user_prompt", "sessionId": socket.ack["sessionId"], "prompt": prompt, "turnId": turn_id}
    await socket.send(**message | more)
    return turn_id


def answer_text(messages: list[dict[str, Any]]) -> str:
    """The text of an answer, applied as a client does."""
    text = ""
    for message in messages:
        if message["type"] == "turn_snapshot":
            text = "".join(part["text"] for part in message["messages"])
        elif message["type"] in ("model_chunk_start", "model_chunk_append"):
            text = text[: message["offset"]] + message["chunk"]
    return text


def sequence(messages: list[dict[str, Any]]) -> list[int]:
    return [message["seq"] for message in messages if "seq" in message]


async def history(server: RunningServer, session_id: str) -> list[dict[str, Any]]:
    answer = await server.http.get(f"/api/v1/sessions/{session_id}/messages", headers=AS_ANNA)
    messages: list[dict[str, Any]] = answer.json()["messages"]
    return messages
