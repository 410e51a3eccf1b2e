"""Turns written by a test: prompts are answered on the page's own socket, everything else by the server."""

import json
import uuid
from collections.abc import Sequence
from typing import Any

from playwright.sync_api import Page, WebSocketRoute

Event = dict[str, Any]


class ScriptedTurns:
    """`sent` is what the page said. Each prompt takes the next list of events; `turn_started` and an end are added,
    with the `text` and `citations` of an event of the type `answer`; after one of the type `pause` nothing comes."""

    def __init__(self, page: Page, *turns: Sequence[Event]) -> None:
        self.sent: list[Event] = []
        self._turns = list(turns)
        page.route_web_socket("**/api/v1/chat", self._open)

    def sent_of(self, kind: str) -> list[Event]:
        return [message for message in self.sent if message["type"] == kind]

    def _open(self, socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def received(text: str | bytes) -> None:
            message: Event = json.loads(text)
            self.sent.append(message)
            if message["type"] == "user_prompt":
                for event in self._answer(message):
                    socket.send(json.dumps(event))
            else:
                server.send(text)

        socket.on_message(received)

    def _answer(self, prompt: Event) -> list[Event]:
        turn = {"turnId": prompt["turnId"], "sessionId": prompt["sessionId"]}
        started = {"type": "turn_started", "attempt": 1, "model": "a script", "promptVersion": "1"}
        message = str(uuid.uuid4())
        events = self._turns.pop(0)
        answer = next((event for event in events if event["type"] == "answer"), {"text": "Done.", "citations": []})
        text = {"type": "model_chunk_start", "messageId": message, "offset": 0, "chunk": answer["text"]}
        end: Event = {"type": "model_response_end", "messageId": message, "usage": {"modelCalls": 1, "toolCalls": 0}}
        end |= {"citations": answer["citations"], "checks": [], "suggestions": [], "partial": False}
        events = [started, *(event for event in events if event is not answer), text, end]
        waiting = {"type": "waiting_for_model", "turnId": prompt["turnId"], "position": None}
        until = next((at for at, event in enumerate(events) if event["type"] == "pause"), None)
        return [waiting, *({**event, **turn, "seq": seq} for seq, event in enumerate(events[:until], 1))]


def viewer_action(action: str, **fields: Any) -> Event:
    nothing = dict.fromkeys(("handle", "window", "view", "profile", "pattern", "traceId"))
    return {"type": "viewer_action", "action": action, **nothing, **fields}
