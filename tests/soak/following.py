"""A client that follows the protocol as the page does, and takes down where a server breaks it."""

import asyncio
import contextlib
import json
import random
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import websockets

from tests.soak.speaking import Script

ENDS = {"model_response_end": "completed", "turn_cancelled": "cancelled", "turn_failed": "failed"}
RETRY_S = 0.2
SEQS_PER_ATTEMPT = 1_000_000
"""docs/protocol.md: each attempt numbers its events in a block of its own."""


class NotNow(Exception):
    """The server cannot take it at the moment: it is asked again, with the same turn's id."""


@dataclass(slots=True)
class Card:
    status: str = "running"
    text: str | None = None


@dataclass(slots=True)
class Shown:
    """What a person sees of one turn. `faults` are the ways in which the server broke its word: events that came twice
    or not at all, a second end. `on_event` is called at every event, with whether a new attempt starts with it."""

    turn_id: str
    on_event: Callable[["Shown", bool], None] = lambda shown, rose: None
    texts: dict[str, str] = field(default_factory=dict)
    cards: dict[str, Card] = field(default_factory=dict)
    seq: int = 0
    attempt: int = 0
    end: str | None = None
    code: str | None = None
    retryable: bool = False
    is_known: bool = False
    faults: list[str] = field(default_factory=list)

    def receive(self, message: dict[str, Any]) -> None:
        match message["type"]:
            case "connection_ack":
                self._join(message)
            case "turn_snapshot" if message["turnId"] == self.turn_id:
                self.seq, self.is_known = message["seq"], True
                self.texts = {part["messageId"]: part["text"] for part in message["messages"]}
                self.cards = {
                    card["toolCallId"]: Card(card["status"], card["textContent"]) for card in message["tools"]
                }
                self._of_attempt()
            case "waiting_for_model":
                self.is_known = True
            case "chat_error" if message["errorCode"] == "internal_error":
                raise NotNow(message["message"])
            case "chat_error" | "protocol_error":
                self.faults.append(f"{message['type']}: {message['message']}")
            case _ if message.get("turnId") == self.turn_id:
                self._event(message)

    def _of_attempt(self) -> None:
        before, self.attempt = self.attempt, max(self.attempt, self.seq // SEQS_PER_ATTEMPT + 1)
        self.on_event(self, self.attempt > before)

    def _join(self, ack: dict[str, Any]) -> None:
        """What is running comes as a snapshot; what has ended is in the history."""
        rows = [row for row in ack["history"] if row["turnId"] == self.turn_id]
        self.is_known = self.is_known or bool(rows)
        running = ack["running"]
        if (running is not None and running["turnId"] == self.turn_id) or len(rows) < 2:
            return
        self.texts = {row["messageId"]: row["contentText"] for row in rows if row["sender"] == "model"}
        self.cards = {row["toolCallId"]: Card() for row in rows if row["sender"] == "tool_request"}
        for row in rows:
            if row["sender"] in {"tool_result", "tool_error"}:
                self.cards[row["toolCallId"]] = Card(row["toolStatus"], row["contentText"])
        events = {row["metadata"]["event"]: row["metadata"] for row in rows if row["sender"] == "system_event"}
        self.end = next((ENDS[kind] for kind in events if kind in ENDS), "completed")
        self.code = events.get("turn_failed", {}).get("code")

    def _is_next(self, kind: str, seq: int) -> bool:
        """Whether the event is to be applied. Events of an overtaken attempt, whose process does not know it yet, are
        ignored."""
        if self.end is not None:
            self.faults.append(f"{kind} after the end")
        elif seq // SEQS_PER_ATTEMPT + 1 < self.attempt:
            pass
        elif seq <= self.seq:
            self.faults.append(f"{kind} {seq} twice (at {self.seq})")
        else:
            if seq != self.seq + 1:
                self.faults.append(f"lost: {kind} {seq} after {self.seq}")
            return True
        return False

    def _event(self, event: dict[str, Any]) -> None:
        kind, seq = event["type"], event["seq"]
        if not self._is_next(kind, seq):
            return
        self.seq = seq
        if kind in {"model_chunk_start", "model_chunk_append"}:
            text = self.texts.get(event["messageId"], "")
            if event["offset"] > len(text):
                self.faults.append(f"text lost before {event['offset']} (has {len(text)})")
            self.texts[event["messageId"]] = text[: event["offset"]] + event["chunk"]
        elif kind == "model_text_reset":
            self.texts[event["messageId"]] = self.texts.get(event["messageId"], "")[: event["offset"]]
        elif kind == "tool_start":
            self.cards[event["toolCallId"]] = Card()
        elif kind in {"tool_result", "tool_error"}:
            status = event.get("status", "error")
            self.cards[event["toolCallId"]] = Card(status, event.get("textContent", event.get("message")))
        elif kind in ENDS:
            self.end, self.code = ENDS[kind], event.get("code")
            self.retryable = bool(event.get("retryable"))
        self._of_attempt()


@dataclass(slots=True)
class Follower:
    """Asks one prompt in a session of its own and follows the turn to its end, through whatever happens to its
    connection. `cuts` are the seconds after joining at which it cuts the connection itself, in turn."""

    addresses: Sequence[str]
    trace_id: str
    script: Script
    cuts: Sequence[float] = ()
    seed: int = 0
    stop_after: int | None = None
    """Characters after which the person stops the answer."""
    on_event: Callable[[Shown, bool], None] = lambda shown, rose: None
    session_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    turn_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    shown: Shown = field(init=False)
    bytes: int = 0
    cut: int = 0
    """Cuts while the turn was running."""
    lost_connections: int = 0

    def __post_init__(self) -> None:
        self.shown = Shown(self.turn_id, self.on_event)

    async def follow(self, within_s: float) -> Shown:
        """The turn as it was shown at its end. Raises TimeoutError."""
        chance = random.Random(self.seed)
        left = list(self.cuts)
        async with asyncio.timeout(within_s):
            while self.shown.end is None:
                try:
                    await self._connected(chance.choice(self.addresses), left.pop(0) if left else None)
                except (OSError, websockets.WebSocketException, TimeoutError, NotNow):
                    self.lost_connections += 1  # cut, killed, refused: all the same to who comes again
                    await asyncio.sleep(RETRY_S)
        return self.shown

    async def _connected(self, address: str, cut_after_s: float | None) -> None:
        url = address.replace("http://", "ws://") + "/api/v1/chat"
        connecting = websockets.connect(
            url, proxy=None, max_size=None, open_timeout=30, compression=None, ping_interval=None
        )
        async with connecting as connection:
            cutting = asyncio.create_task(self._cut(connection, cut_after_s))
            try:
                resume = {"turnId": self.turn_id, "seq": self.shown.seq} if self.shown.seq else None
                await _send(
                    connection,
                    type="start_analysis",
                    traceId=self.trace_id,
                    sessionId=self.session_id,
                    resume=resume,
                )
                await self._receive_one(connection)
                if not self.shown.is_known:
                    await _send(
                        connection,
                        type="user_prompt",
                        sessionId=self.session_id,
                        turnId=self.turn_id,
                        prompt=self.script.prompt,
                    )
                has_stopped = False
                while self.shown.end is None:
                    await self._receive_one(connection)
                    if not has_stopped and self._has_enough():
                        has_stopped = True
                        await _send(connection, type="cancel_turn", turnId=self.turn_id)
            finally:
                cutting.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await cutting

    def _has_enough(self) -> bool:
        characters = sum(map(len, self.shown.texts.values()))
        return self.stop_after is not None and characters > self.stop_after and self.shown.end is None

    async def _receive_one(self, connection: websockets.ClientConnection) -> None:
        text = await connection.recv(decode=False)
        self.bytes += len(text)
        self.shown.receive(json.loads(text))

    async def _cut(self, connection: websockets.ClientConnection, after_s: float | None) -> None:
        if after_s is not None:
            await asyncio.sleep(after_s)
            if self.shown.end is None:
                self.cut += 1
                connection.transport.abort()


async def _send(connection: websockets.ClientConnection, **message: Any) -> None:
    await connection.send(json.dumps(message))


def numbered(card: str, looks: int) -> list[str]:
    """The texts of a turn's cards, in their order: that of the first one, each with its own number."""
    return [card.replace("q1: ", f"q{number}: ", 1) for number in range(1, looks + 1)]


def wrong(shown: Shown, script: Script, card: str | None) -> list[str]:
    """How a completed turn differs from what was to be shown: its faults, its texts, its cards, each with the text of
    an undisturbed one and its own number (`card` None: with any text)."""
    problems = list(shown.faults)
    if shown.end != "completed":
        return problems
    if list(shown.texts.values()) != script.texts:
        problems.append(f"text: {[text[-60:] for text in shown.texts.values()]}")
    cards = list(shown.cards.values())
    texts = [one.text for one in cards]
    expected = [text or "" for text in texts[: script.looks]] if card is None else numbered(card, script.looks)
    if len(cards) != script.looks or {one.status for one in cards} - {"success"} or texts != expected:
        problems.append(f"cards: {[(one.status, (one.text or '')[:60]) for one in cards]}")
    return problems
