"""Supabase Realtime: broadcasts in by HTTP, out by WebSocket, in both of its serialisations.

`vsn=2.0.0` frames are arrays `[join_ref, ref, topic, event, payload]`, `vsn=1.0.0` frames objects of the same fields. A
private channel is joined by whom the database's policies let.
"""

import json
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import jwt
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from tests.arrivals import Arrivals
from tests.cloud.faults import Faults
from tests.cloud.people import ProjectKeys
from tests.cloud.policies import Policies

MAX_PAYLOAD_BYTES = 3_000_000


@dataclass(slots=True)
class RealtimeServer:
    """`broadcasts` are the messages taken, in order; past `per_second` a request is refused as a tenant's is. Who sends
    is whom `Authorization` names, then `apikey`; what they may not write is answered 202 and `dropped`."""

    keys: ProjectKeys
    policies: Policies
    faults: Faults
    per_second: int = 100
    broadcasts: Arrivals[dict[str, Any]] = field(default_factory=Arrivals)
    dropped: list[dict[str, Any]] = field(default_factory=list)
    bad_topics: set[str] = field(default_factory=set)
    requests: int = 0
    arrivals: deque[float] = field(default_factory=lambda: deque(maxlen=10_000))
    _channels: "set[_Channel]" = field(default_factory=set)
    _joined: Arrivals[str] = field(default_factory=Arrivals)

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/api/broadcast", self.broadcast, methods=["POST"]),
            WebSocketRoute("/websocket", self.websocket),
        ]

    async def until_joined(self, topic: str) -> None:
        """Return once somebody has joined the topic. Raises TimeoutError."""
        await self._joined.until(lambda joined: f"realtime:{topic}" in joined)

    def busiest_second(self) -> int:
        """The most messages that came within any second."""
        times = sorted(self.arrivals)
        first = most = 0
        for last, moment in enumerate(times):
            while times[first] <= moment - 1:
                first += 1
            most = max(most, last - first + 1)
        return most

    async def broadcast(self, request: Request) -> Response:
        self.requests += 1
        fault = await self.faults.meet("realtime")
        if fault is not None:
            return fault
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        try:
            claims = self.keys.read(bearer if scheme.lower() == "bearer" else request.headers.get("apikey", ""))
        except jwt.PyJWTError:
            return JSONResponse({"message": "Unauthorized"}, 401)
        messages = (await request.json()).get("messages")
        if not isinstance(messages, list) or any(
            not message.get("topic")
            or message["topic"] in self.bad_topics
            or not message.get("event")
            or not isinstance(message.get("payload"), dict)
            for message in messages
        ):
            return JSONResponse({"errors": {"messages": [{"payload": ["can't be blank"]}]}}, 422)
        if any(len(json.dumps(message["payload"])) > MAX_PAYLOAD_BYTES for message in messages):
            return JSONResponse({"errors": {"messages": [{"payload": ["Payload size exceeds tenant limit"]}]}}, 422)
        if sum(moment > time.monotonic() - 60 for moment in self.arrivals) + len(messages) > self.per_second * 60:
            return JSONResponse({"message": "too_many_requests"}, 429)
        for message in messages:
            self.arrivals.append(time.monotonic())
            if message.get("private") and claims["role"] != "service_role":
                self.dropped.append(
                    message
                )  # no policy of ours lets anybody else write, and the sender does not learn of it
                continue
            self.broadcasts.append(message)
            await self._pass_on(message)
        return Response(status_code=202)

    async def _pass_on(self, message: dict[str, Any]) -> None:
        payload = {"type": "broadcast", "event": message["event"], "payload": message["payload"]}
        for channel in list(self._channels):
            if channel.topic == f"realtime:{message['topic']}" and channel.private == bool(message.get("private")):
                await channel.send("broadcast", payload)

    async def websocket(self, websocket: WebSocket) -> None:
        if await self.faults.meet("realtime socket") is not None:
            await websocket.close(1011)
            return
        await websocket.accept()
        joined: dict[str, _Channel] = {}
        as_array = websocket.query_params.get("vsn") == "2.0.0"
        try:
            while True:
                frame = json.loads(await websocket.receive_text())
                join_ref, ref, topic, event, payload = (
                    frame
                    if as_array
                    else (frame.get("join_ref"), frame.get("ref"), frame["topic"], frame["event"], frame["payload"])
                )
                channel = _Channel(websocket, as_array, topic, join_ref)
                match event:
                    case "heartbeat":
                        await channel.send("phx_reply", {"status": "ok", "response": {}}, ref=ref)
                    case "phx_join":
                        refusal = await self._refusal(channel, payload, websocket.query_params.get("apikey", ""))
                        if refusal is None:
                            joined[topic] = channel
                            self._channels.add(channel)
                            self._joined.append(topic)
                            answer = {"status": "ok", "response": {"postgres_changes": []}}
                        else:
                            answer = {"status": "error", "response": {"reason": refusal}}
                        await channel.send("phx_reply", answer, ref=ref)
                    case "phx_leave":
                        self._channels.discard(joined.pop(topic, channel))
                        await channel.send("phx_reply", {"status": "ok", "response": {}}, ref=ref)
                        await channel.send("phx_close", {}, ref=ref)
                    case _:  # a fresh access token, a broadcast or presence of the client's: nobody gets those
                        pass
        except WebSocketDisconnect:
            pass
        finally:
            self._channels.difference_update(joined.values())

    async def _refusal(self, channel: "_Channel", payload: dict[str, Any], api_key: str) -> str | None:
        channel.private = bool(payload.get("config", {}).get("private"))
        try:
            self.keys.read(api_key)
            claims = self.keys.read(payload.get("access_token") or api_key)
        except jwt.PyJWTError:
            return "InvalidJWTToken: Token is not valid"
        topic = channel.topic.removeprefix("realtime:")
        if channel.private and not await self.policies.may_listen(claims, topic):
            return f"Unauthorized: You do not have permissions to read from this Channel topic: {topic}"
        return None


@dataclass(eq=False, slots=True)
class _Channel:
    """A topic that one socket has joined."""

    websocket: WebSocket
    as_array: bool
    topic: str
    join_ref: str | None
    private: bool = False

    async def send(self, event: str, payload: dict[str, Any], *, ref: str | None = None) -> None:
        frame: object = [self.join_ref, ref, self.topic, event, payload]
        if not self.as_array:
            frame = {"join_ref": self.join_ref, "ref": ref, "topic": self.topic, "event": event, "payload": payload}
        try:
            await self.websocket.send_text(json.dumps(frame))
        except (WebSocketDisconnect, RuntimeError):
            return  # it has left meanwhile; its own loop notices
