"""What goes wrong elsewhere, and must not here: streams, jobs, files and formats. The numbers are those of the list
that this product was planned against; each test says what its item means for us.
"""

import io
import json
import os
import re
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.streams.buffered import BufferedByteReceiveStream
from PIL import Image

from server.adapters.in_process.workers import InlineTraceWorkers
from server.adapters.postgres.conversations import PostgresConversations
from server.adapters.postgres.pool import Database
from server.adapters.postgres.turn_queue import PostgresTurnQueue
from server.ports.conversations import TurnRequest
from server.ports.objects import PICTURES_BUCKET, TRACES_BUCKET
from server.ports.traces import OpenTrace
from server.protocol.events import ToolResult, ToolStart
from server.turns.turn_pictures import picture_address, picture_path
from tests.plugins.postgres import FreshDatabase
from tests.plugins.worlds_on_postgres import postgres_world
from tests.process_workers import process_workers
from tests.server.running_server import ANNA, STACKS, RunningServer, ScriptedAgent, running_server, saying
from tests.server.talking import AS_ANNA, END, answer_text, ask, history, new_id, sequence
from tests.server.turns.process_of_worker import process_of
from tests.server.turns.test_conversation_on_postgres import local_server
from traces import cache
from traces.reader import read_trace

ROOT = Path(__file__).parents[3]
ROOMS = ("server", "limits", "traces", "rendering")


async def test_g22_a_tab_that_is_opened_mid_turn_misses_nothing(tmp_path: Path) -> None:
    """Events are numbered and kept while a turn runs: who comes late, or again, is sent its state."""
    go_on = anyio.Event()
    agent = ScriptedAgent([*saying("It ", "is "), go_on, saying("It is ", "read.")[-1]])
    async with running_server(tmp_path, agent) as server:
        trace_id = await server.trace_id()
        async with server.session(trace_id) as first:
            await ask(first)
            received = await first.until("model_chunk_append")
            async with server.session(trace_id, session_id=first.ack["sessionId"]) as late:
                go_on.set()
                received += await first.until(*END)
                by_late = await late.until(*END)
    numbers = sequence(received)
    assert numbers == list(range(1, len(numbers) + 1))
    assert by_late[0]["type"] == "turn_snapshot"
    assert sequence(by_late) == list(range(by_late[0]["seq"], numbers[-1] + 1))
    assert answer_text(received) == answer_text(by_late) == "It is read."


async def test_g22_two_conversations_of_one_user_do_not_mix(tmp_path: Path) -> None:
    """A socket receives its session's events, not its user's."""
    async with running_server(tmp_path) as server:
        trace_id = await server.trace_id()
        async with server.session(trace_id) as asking, server.session(trace_id) as other:
            await ask(asking)
            await asking.until(*END)
            await other.send(type="ping", nonce="n")
            assert (await other.next())["type"] == "pong"


async def test_g23_whitespace_arrives_and_is_kept(tmp_path: Path) -> None:
    """Blank pieces are pieces: the first one, newlines, indents."""
    pieces = (" ", "\n\n", "    if slow:", "\n", "\t", "read()  ")
    async with (
        running_server(tmp_path, ScriptedAgent(saying(*pieces))) as server,
        server.session(await server.trace_id()) as socket,
    ):
        await ask(socket)
        assert answer_text(await socket.until(*END)) == "".join(pieces)
        assert (await history(server, socket.ack["sessionId"]))[-1]["contentText"] == "".join(pieces)


async def test_g24_an_accepted_prompt_is_a_job_before_its_answer_is_sent(database: FreshDatabase) -> None:
    """The job is made in the transaction that accepts: there is no moment at which only a process knows of a turn."""
    async with Database(database.server) as pool, PostgresTurnQueue(database.server, at_once=1) as queue:
        world = postgres_world(database.owner, pool)
        caller = await world.user()
        turn_id = new_id()
        request = TurnRequest(
            caller=caller, trace_id=await world.trace(caller), session_id=new_id(), turn_id=turn_id, prompt="why?"
        )
        for _ in range(2):  # the id makes it one, however often it is sent
            await PostgresConversations(pool, queue).reserve_turn(request)
        async with pool.transaction() as connection:
            jobs = await connection.execute("select queueing_lock from flamechat_private.procrastinate_jobs")
            assert await jobs.fetchall() == [{"queueing_lock": turn_id}]


async def test_g24_a_turn_outlives_its_client_and_its_server(database: FreshDatabase, tmp_path: Path) -> None:
    """No connection holds it, and a server that stops hands it over."""
    session_id, stuck = str(uuid.uuid4()), ScriptedAgent([*saying("It "), anyio.Event()])
    async with local_server(database, tmp_path, stuck) as server:
        trace_id = await server.trace_id()
        async with server.session(trace_id, session_id=session_id) as socket:
            await ask(socket)
            await socket.until("model_chunk_start")
    async with local_server(database, tmp_path, ScriptedAgent()) as server:
        rows: list[dict[str, Any]] = []
        with anyio.fail_after(60):
            while len(rows) < 2:
                answer = await server.http.get(f"/api/v1/sessions/{session_id}/messages")
                rows = answer.json()["messages"]
    assert rows[-1]["contentText"] == "It is read."


class CountingWorkers(InlineTraceWorkers):
    def __init__(self) -> None:
        super().__init__()
        self.reads = 0

    async def read(self, source: Path, *, name: str, key: str) -> OpenTrace:
        self.reads += 1
        return await super().read(source, name=name, key=key)


async def test_g25_a_trace_is_read_once_however_much_is_asked_of_it(tmp_path: Path) -> None:
    """Turns, pictures and tables are answered from the columns of the first reading."""
    workers = CountingWorkers()
    async with running_server(tmp_path, workers=workers) as server:
        trace_id = await server.trace_id()
        async with server.session(trace_id) as socket:
            for _ in range(2):
                await ask(socket)
                await socket.until(*END)
        for path in ("flamegraph.png", "flamegraph.png?theme=dark", "functions", "view"):
            assert (await server.http.get(f"/api/v1/traces/{trace_id}/{path}", headers=AS_ANNA)).status_code == 200
    assert workers.reads == 1


@pytest.mark.long
async def test_g25_work_on_a_trace_is_done_in_another_process(tmp_path: Path) -> None:
    """The event loop, and with it everybody else, waits for nobody's picture."""
    workers, upload = process_workers(tmp_path / "cache"), tmp_path / "stacks.txt"
    upload.write_bytes(STACKS)
    opened = await workers.read(upload, name="stacks.txt", key="a" * 64)
    assert await workers.ask(opened, process_of) != os.getpid()


def drawn(turn_id: str, call: str) -> list[ToolStart | ToolResult]:
    address = picture_address(picture_path(ANNA.account_id, turn_id, call))
    return [
        ToolStart(tool_call_id=call, tool_name="draw", args={}, message="Drawing"),
        ToolResult(
            tool_call_id=call,
            tool_name="draw",
            status="success",
            result_type="image",
            text_content="drawn",
            image_url=address,
        ),
    ]


async def objects_of(server: RunningServer) -> list[str]:
    objects = server.parts.objects
    return [path for bucket in (TRACES_BUCKET, PICTURES_BUCKET) async for path in objects.paths(bucket)]


async def test_g26_every_picture_has_its_own_place_can_be_fetched_and_goes_with_its_trace(tmp_path: Path) -> None:
    """Named by turn and call and not by the clock; its address works; nothing of it is left behind."""
    agent, turn_id = ScriptedAgent(), new_id()
    agent.script = [*saying("Look: "), *drawn(turn_id, "one"), *drawn(turn_id, "other")]
    async with running_server(tmp_path, agent) as server:
        trace_id = await server.trace_id()
        for call in ("one", "other"):
            path = picture_path(ANNA.account_id, turn_id, call)
            await server.parts.objects.put(PICTURES_BUCKET, path, call.encode())
        async with server.session(trace_id) as socket:
            await ask(socket, turnId=turn_id)
            await socket.until(*END)
            rows = await history(server, socket.ack["sessionId"])
        addresses = [row["contentImageUrl"] for row in rows if row["contentImageUrl"]]
        fetched = [(await server.http.get(address, headers=AS_ANNA)).content for address in addresses]
        assert fetched == [b"one", b"other"]
        assert len(await objects_of(server)) == 3
        assert (await server.http.delete(f"/api/v1/traces/{trace_id}", headers=AS_ANNA)).status_code == 204
        assert await objects_of(server) == []


def of_deep_stacks(samples: int, depth: int) -> bytes:
    """A V8 cpuprofile of one deep call that is sampled again and again."""
    frame = {"scriptId": "0", "url": "a.js", "lineNumber": 1, "columnNumber": 1}
    nodes = [
        {"id": number, "callFrame": frame | {"functionName": f"f{number}"}, "children": [number + 1]}
        for number in range(1, depth + 1)
    ]
    nodes[-1]["children"] = []
    leaves = [depth - number % 7 for number in range(samples)]
    return json.dumps(
        {"nodes": nodes, "startTime": 0, "endTime": samples * 100, "samples": leaves, "timeDeltas": [100] * samples}
    ).encode()


async def test_g27_a_sampled_profile_is_kept_and_drawn_without_being_blown_up(tmp_path: Path) -> None:
    """It stays samples: no detour over events that makes 1 MB into 16 and leaves it without a picture."""
    content = of_deep_stacks(samples=40_000, depth=60)
    kept = sum(len(bytes(part)) for part in cache.encode(read_trace(content, name="a.cpuprofile")))
    assert kept < 4 * len(content)
    async with running_server(tmp_path) as server:
        trace_id = (await server.upload(content, "a.cpuprofile")).json()["trace"]["traceId"]
        answer = await server.http.get(f"/api/v1/traces/{trace_id}/flamegraph.png", headers=AS_ANNA)
    assert Image.open(io.BytesIO(answer.content)).width > 0


@pytest.mark.parametrize("kind", ["pprof", "UTF-16"])
async def test_g28_binary_and_wide_text_come_in_by_every_route(tmp_path: Path, fixtures: Path, kind: str) -> None:
    """One reading of bytes stands behind uploads, pictures of a body and the command line."""
    content = (
        (fixtures / "settlement.go-cpu.pb.gz").read_bytes() if kind == "pprof" else STACKS.decode().encode("utf-16")
    )
    async with running_server(tmp_path) as server:
        stored = await server.upload(content, "a")
        assert stored.status_code == 201, stored.text
        answer = await server.http.post("/api/v1/render?name=a", content=content, headers=AS_ANNA)
        assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")


def of_two_threads() -> bytes:
    """A speedscope file: thread `one` spends its time in a, thread `other`, the busier one, in b."""

    def profile(name: str, frame: int, value: int) -> dict[str, Any]:
        end = {"endValue": value, "samples": [[frame]], "weights": [value]}
        return {"type": "sampled", "name": name, "unit": "milliseconds", "startValue": 0} | end

    schema = {"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": []}}
    schema["shared"] = {"frames": [{"name": "a"}, {"name": "b"}]}
    return json.dumps(schema | {"profiles": [profile("one", 0, 10), profile("other", 1, 500)]}).encode()


async def test_g29_threads_are_listed_can_be_chosen_and_everything_begins_with_the_same_one(tmp_path: Path) -> None:
    """Tables and pictures agree on the profile that nobody named, and each one can be named."""
    async with running_server(tmp_path) as server:
        trace_id = (await server.upload(of_two_threads(), "two.json")).json()["trace"]["traceId"]

        async def get(path: str) -> Any:
            return await server.http.get(f"/api/v1/traces/{trace_id}/{path}", headers=AS_ANNA)

        summary = (await get("summary")).json()
        assert [(one["handle"], one["name"]) for one in summary["profiles"]] == [("p0", "one"), ("p1", "other")]
        default = summary["default_profile"]
        tops = {
            handle: (await get(f"functions?limit=1&profile={handle}")).json()["rows"][0]["name"]
            for handle in ("p0", "p1")
        }
        assert tops == {"p0": "a", "p1": "b"}
        unnamed = (await get("functions?limit=1")).json()
        view = (await get("view")).content
        head = json.loads(view[8 : 8 + int.from_bytes(view[4:8], "little")])
        assert (head["profile"], unnamed["rows"][0]["name"]) == (default, tops[default])


def asked(number: int, method: str, **parameters: Any) -> bytes:
    """A request of the Model Context Protocol: JSON-RPC 2.0, a line each."""
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}).encode() + b"\n"


@pytest.mark.long
async def test_g30_a_program_that_talks_over_stdout_prints_nothing_else_there(tmp_path: Path) -> None:
    """Reading, drawing and failing included: what a library or a log has to say goes elsewhere."""
    trace = tmp_path / "stacks.txt"
    trace.write_bytes(STACKS)
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "a test", "version": "1"},
    }
    calls = ("generate_flamegraph_screenshot", "get_top_functions", "open_trace", "no_such_tool")
    said: list[bytes] = []
    command = [sys.executable, "-c", "from server.app import main; main()", "mcp", str(trace)]
    with anyio.fail_after(60):
        async with await anyio.open_process(command, stderr=subprocess.DEVNULL) as program:
            assert program.stdin is not None
            assert program.stdout is not None
            await program.stdin.send(asked(0, "initialize", **hello))
            await program.stdin.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
            for number, name in enumerate(calls, 1):
                await program.stdin.send(asked(number, "tools/call", name=name, arguments={}))
            lines = BufferedByteReceiveStream(program.stdout)
            answered: set[int] = set()
            while len(answered) <= len(calls):
                said.append(await lines.receive_until(b"\n", 1 << 24))
                answered.add(json.loads(said[-1]).get("id", 0))
            await program.stdin.aclose()
            said += [piece async for piece in lines]
    messages = [json.loads(line) for line in b"\n".join(said).splitlines() if line.strip()]
    assert {message["jsonrpc"] for message in messages} == {"2.0"}
    assert {message["id"] for message in messages if "id" in message} == {0, 1, 2, 3, 4}
    assert "image/png" in str(messages)


def test_g31_every_room_is_tested_and_nothing_is_left_to_be_done() -> None:
    """No part without tests, and no promise in a comment."""
    unfinished = re.compile(r"\b(TO-?DO|FIX-?ME|X{3}|HACK)\b")
    for room in ROOMS:
        assert list((ROOT / "tests" / room).glob("test_*.py")), room
        modules = [path for path in (ROOT / room).rglob("*.py") if "page" not in path.parts]
        assert [path.name for path in modules if unfinished.search(path.read_text(encoding="utf-8"))] == []
