"""`gate_changed`: who is in a conversation of an account is informed of what its gates judge, and nobody else."""

from pathlib import Path

from server.adapters.in_process.clock import SystemClock
from server.errors import DatabaseUnavailable
from server.protocol.server import GateChanged
from server.turns.gate_checks import GateChecks
from server.turns.gate_informing import GateInforming
from tests.server.running_server import ANNA, RunningServer, Socket, running_server
from tests.server.turns.test_gates_at_uploads import a_baseline, checks_of, made, result_of, stacks, uploaded


def informing_of(server: RunningServer) -> GateInforming:
    informing = server.parts.services.socket.news.gates
    assert informing is not None
    return informing


async def gates_before_a_pong(server: RunningServer, socket: Socket, nonce: str) -> list[dict[str, object]]:
    """What has come of gates; a pong that is asked for afterwards closes the list."""
    await informing_of(server).look()
    await socket.send(type="ping", nonce=nonce)
    return [one for one in await socket.until("pong") if one["type"] == "gate_changed"]


async def test_members_of_the_account_are_informed_once_and_others_never(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        await a_baseline(server)
        await made(server, labels={"scenario": "pr"})
        mine = await server.trace_id()
        theirs = (await server.upload(name="b.txt", token="ben")).json()["trace"]["traceId"]
        async with server.session(mine) as anna, server.session(theirs, token="ben") as ben:
            assert await gates_before_a_pong(server, anna, "1") == []
            slower = await uploaded(server, stacks(450), "program:app", "scenario:pr")
            assert await gates_before_a_pong(server, anna, "2") == [], "it is not judged yet"
            assert await checks_of(server).check_one()
            (changed,) = await gates_before_a_pong(server, anna, "3")
            result = await result_of(server, slower)
            assert changed == {
                "type": "gate_changed",
                "resultId": result["resultId"],
                "gateId": result["gateId"],
                "gateName": "hot",
                "traceId": slower,
                "outcome": "broken",
                "problem": None,
            }
            assert await gates_before_a_pong(server, anna, "4") == []
            assert await gates_before_a_pong(server, ben, "5") == []
            async with server.session(mine) as later:
                assert await gates_before_a_pong(server, later, "6") == [changed], "of the last minute"
        assert informing_of(server)._listeners == set()


async def test_nothing_is_asked_where_nobody_listens_and_a_look_that_fails_is_made_up_for(tmp_path: Path) -> None:
    asked: list[float] = []

    class Away:
        async def judged_lately(self, seconds: float) -> list[object]:
            asked.append(seconds)
            raise DatabaseUnavailable("away")

    async with running_server(tmp_path) as server:
        informing = informing_of(server)
        gates, informing._gates = informing._gates, Away()  # type: ignore[assignment]
        await informing.look()
        assert asked == []
        await a_baseline(server)
        await made(server, labels={"scenario": "pr"})
        async with server.session(await server.trace_id()) as anna:
            await uploaded(server, stacks(450), "program:app", "scenario:pr")
            assert await checks_of(server).check_one()
            try:
                await informing.look()
            except DatabaseUnavailable:
                informing._gates = gates
            assert asked == [60.0]
            assert len(await gates_before_a_pong(server, anna, "1")) == 1


async def test_whoever_ends_a_check_sends_it_to_those_who_listen_elsewhere(tmp_path: Path) -> None:
    sent: list[tuple[str, GateChanged]] = []
    async with running_server(tmp_path) as server:
        await a_baseline(server)
        await made(server, labels={"scenario": "pr"}, rules=["self_share(nothing) +5%"])
        run = await uploaded(server, stacks(450), "program:app", "scenario:pr")
        inner = checks_of(server)
        checks = GateChecks(
            inner._gates, inner._library, SystemClock(), None, lambda account, message: sent.append((account, message))
        )
        assert await checks.check_one()
        assert not await checks.check_one()
        ((account, message),) = sent
        assert (account, message.trace_id, message.outcome) == (ANNA.account_id, run, None)
        assert "nothing" in str(message.problem)
