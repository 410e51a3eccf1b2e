"""`start_analysis` with `resume {turnId, seq}` over a real WebSocket: what follows that event, or else a snapshot."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest

from server.errors import REMOVED
from server.protocol.events import ToolStart, TurnEvent
from server.turns.followed_turn import EVENTS_KEPT
from tests.plugins.postgres import FreshDatabase
from tests.server.running_server import RunningServer, ScriptedAgent, Socket, running_server, saying
from tests.server.talking import END, answer_text, ask, history, new_id, sequence
from tests.server.turns.test_conversation_on_postgres import local_server, seen

NO_SUCH_TURN = f"There is no such turn in this conversation.{REMOVED}"


def calls(number: int) -> list[TurnEvent]:
    """Events that are sent one by one, unlike text, which is joined."""
    return [ToolStart(tool_call_id=f"c{place}", tool_name="t", args={}, message="m") for place in range(number)]


@asynccontextmanager
async def rejoined(
    server: RunningServer, trace_id: str, session_id: str, turn_id: str, seq: int, *, token: str = "anna"
) -> AsyncIterator[Socket]:
    """A socket that has asked to go on after an event. What answered that is `ack`."""
    async with server.socket() as socket:
        resume = {"turnId": turn_id, "seq": seq}
        await socket.send(
            type="start_analysis", traceId=trace_id, sessionId=session_id, accessToken=token, resume=resume
        )
        socket.ack = await socket.next()
        yield socket


@dataclass(frozen=True, slots=True, kw_only=True)
class Half:
    """A turn that is half done and waits for `go_on`; what a client got of it until it left; the number of the last."""

    server: RunningServer
    trace_id: str
    session_id: str
    turn_id: str
    received: list[dict[str, Any]]
    last: int
    go_on: anyio.Event

    def after(self, seq: int, *, turn_id: str | None = None) -> AbstractAsyncContextManager[Socket]:
        """The client comes back."""
        return rejoined(self.server, self.trace_id, self.session_id, turn_id or self.turn_id, seq)


@asynccontextmanager
async def half_an_answer(tmp_path: Path, script: Sequence[TurnEvent]) -> AsyncIterator[Half]:
    go_on, last = anyio.Event(), len(script) + 2
    agent = ScriptedAgent([*saying("It "), *script, go_on, saying("It ", "is")[2]])
    async with running_server(tmp_path, agent) as server:
        trace_id = await server.trace_id()
        async with server.session(trace_id) as socket:
            turn_id, received = await ask(socket), [await socket.next()]
            while received[-1].get("seq", 0) < last:
                received.append(await socket.next())
        yield Half(
            server=server,
            trace_id=trace_id,
            session_id=socket.ack["sessionId"],
            turn_id=turn_id,
            received=received[1:],
            last=last,
            go_on=go_on,
        )


async def test_a_listener_goes_on_after_what_it_has_and_gets_nothing_twice(tmp_path: Path) -> None:
    async with half_an_answer(tmp_path, calls(5)) as half, half.after(3) as socket:
        assert socket.ack["running"] == {"turnId": half.turn_id, "seq": half.last}
        assert [await socket.next() for _ in half.received[3:]] == half.received[3:]
        half.go_on.set()
        rest = await socket.until(*END)
        assert sequence(rest) == list(range(half.last + 1, rest[-1]["seq"] + 1))
        assert answer_text([*half.received, *rest]) == "It is"


async def test_a_listener_that_has_everything_gets_only_what_is_new(tmp_path: Path) -> None:
    async with half_an_answer(tmp_path, calls(2)) as half, half.after(4) as socket:
        half.go_on.set()
        assert (await socket.next())["seq"] == half.last + 1


@pytest.mark.long
async def test_a_listener_that_was_away_for_too_long_gets_a_snapshot(tmp_path: Path) -> None:
    async with half_an_answer(tmp_path, calls(EVENTS_KEPT + 10)) as half:
        async with half.after(3) as socket:
            snapshot = await socket.next()
            assert (snapshot["type"], snapshot["seq"]) == ("turn_snapshot", half.last)
            assert len(snapshot["tools"]) == EVENTS_KEPT + 10
        oldest = half.last - EVENTS_KEPT
        async with half.after(oldest - 1) as socket:
            assert (await socket.next())["type"] == "turn_snapshot"
        async with half.after(oldest) as socket:
            assert sequence([await socket.next(), await socket.next()]) == [oldest + 1, oldest + 2]


async def test_a_number_that_has_not_come_yet_gets_a_snapshot(tmp_path: Path) -> None:
    async with half_an_answer(tmp_path, calls(1)) as half, half.after(1_000) as socket:
        snapshot = await socket.next()
        assert (snapshot["type"], snapshot["seq"]) == ("turn_snapshot", half.last)
        half.go_on.set()
        assert sequence(await socket.until(*END))[0] == half.last + 1


async def test_a_turn_that_ended_meanwhile_is_in_the_history_and_not_sent_again(tmp_path: Path) -> None:
    async with half_an_answer(tmp_path, calls(1)) as half:
        async with half.after(half.last) as socket:
            half.go_on.set()
            await socket.until(*END)
        async with half.after(2) as socket:
            assert socket.ack["running"] is None
            assert "It is" in [row["contentText"] for row in socket.ack["history"]]
            await socket.send(type="ping", nonce="next")
            assert await socket.next() == {"type": "pong", "nonce": "next"}


async def test_while_another_turn_runs_its_snapshot_comes(tmp_path: Path) -> None:
    async with half_an_answer(tmp_path, calls(1)) as half:
        async with half.server.session(half.trace_id, session_id=half.session_id) as socket:
            later = await ask(socket, mode="queue")
            await socket.until("waiting_for_model")
        async with half.after(0, turn_id=later) as socket:
            snapshot = await socket.next()
            assert (snapshot["type"], snapshot["turnId"]) == ("turn_snapshot", half.turn_id)


async def test_turns_of_others_of_other_sessions_and_none_are_refused_alike(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        trace_id = await server.trace_id()
        bens = (await server.upload(token="ben")).json()["trace"]["traceId"]
        turns = [new_id()]
        for trace, token in ((bens, "ben"), (trace_id, "anna")):
            async with server.session(trace, token=token) as socket:
                turns.append(await ask(socket))
                await socket.until(*END)
        for turn_id in turns:
            async with rejoined(server, trace_id, new_id(), turn_id, 1) as socket:
                assert socket.ack == {
                    "type": "protocol_error",
                    "code": "bad_field",
                    "message": NO_SUCH_TURN,
                    "field": "resume.turnId",
                }
                session_id = new_id()
                await socket.send(type="start_analysis", traceId=trace_id, sessionId=session_id, accessToken="anna")
                assert (await socket.next())["sessionId"] == session_id


async def test_a_negative_number_is_no_number_of_an_event(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        trace_id, session_id = await server.trace_id(), new_id()
        async with rejoined(server, trace_id, session_id, new_id(), -1) as socket:
            assert (socket.ack["code"], socket.ack["field"]) == ("bad_field", "resume.seq")


@pytest.mark.parametrize("where", ["in the same process", "in another process"])
@pytest.mark.long
async def test_over_postgresql_a_listener_goes_on_after_what_it_has(
    database: FreshDatabase, tmp_path: Path, where: str
) -> None:
    go_on = anyio.Event()
    agent = ScriptedAgent([*saying("It "), *calls(4), go_on, saying("It ", "is")[2]])
    async with local_server(database, tmp_path, agent) as one, local_server(database, tmp_path, agent) as other:
        trace_id = await one.trace_id()
        async with one.session(trace_id) as socket:
            turn_id, session_id = await ask(socket), socket.ack["sessionId"]
            first = (await socket.until("tool_start"))[1:]
            while len(first) < 6:
                first.append(await socket.next())
        await seen(database, "select seq from flamechat_private.turn_events where seq = 6")
        runs_at_one = bool(one.parts.runner.running_turns)
        server = one if runs_at_one == (where == "in the same process") else other
        async with rejoined(server, trace_id, session_id, turn_id, 2) as socket:
            assert [await socket.next() for _ in first[2:]] == first[2:]
            go_on.set()
            rest = await socket.until(*END)
            assert sequence(rest) == list(range(7, rest[-1]["seq"] + 1))
            assert answer_text([*first, *rest]) == "It is"
        assert [row["contentText"] for row in await history(one, session_id) if row["sender"] == "model"] == ["It is"]
