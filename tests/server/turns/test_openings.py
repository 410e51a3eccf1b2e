"""How a conversation begins about a recording that broke a gate: what is known at once, by rule."""

from pathlib import Path

import pytest

from tests.hostile.names import NAMES
from tests.server.running_server import RunningServer, running_server
from tests.server.turns.test_gates_at_uploads import AS_ANNA, checks_of, made, result_of, stacks, uploaded


async def gate_of(server: RunningServer, trace_id: str) -> dict[str, object] | None:
    async with server.session(trace_id) as socket:
        gate: dict[str, object] | None = socket.ack["opening"]["gate"]
        return gate


async def broken_run(server: RunningServer, *labels: str, last: str = "commit:b5") -> str:
    """The last of seven runs, which is slower than those before; their ids lead up to it."""
    await made(server, labels={"program": "app"})
    for run in range(6):
        await uploaded(server, stacks(300, noise=run % 3), "branch:main", "program:app", f"commit:a{run}")
    slower = await uploaded(server, stacks(450), "program:app", "branch:main", last, *labels)
    while await checks_of(server).check_one():
        pass
    return slower


async def test_a_conversation_about_a_broken_run_begins_with_what_is_known_of_both(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        slower = await broken_run(server)
        result = await result_of(server, slower)
        newest = result["report"]["runs_before"][-1]
        async with server.session(slower) as socket:
            opening, limits = socket.ack["opening"], socket.ack["limits"]
        gate = opening["gate"]
        assert (gate["resultId"], gate["gateName"], gate["beforeTraceId"]) == (result["resultId"], "hot", newest)
        text = gate["text"]
        assert text.startswith(
            "**The gate `hot` is broken by this recording.** It was judged by 6 runs before, the newest"
        )
        assert "- `self_share(parse) +5%`: 25.0% → 33.3%" in text or "- `self_share(parse) +5%`: " in text
        assert "→" in text
        assert "`parse` (" in text
        assert "`git log a5..b5`" in text
        assert opening["suggestions"][0] == "What changed compared with `run.txt`?"
        assert limits["messagesUsed"] == 0, "it is free"
        assert await gate_of(server, newest) is None


@pytest.mark.parametrize(
    ("last", "known"),
    [("commit:a5", "Both runs are of commit `a5`"), ("scenario:x", "is not known: this run has no label `commit`")],
)
async def test_the_range_of_commits_is_only_that_which_the_runs_name(tmp_path: Path, last: str, known: str) -> None:
    async with running_server(tmp_path) as server:
        gate = await gate_of(server, await broken_run(server, last=last))
        assert gate is not None
        assert known in str(gate["text"])


async def test_runs_that_were_deleted_are_left_out_and_one_that_was_accepted_says_so(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        slower = await broken_run(server)
        result = await result_of(server, slower)
        runs = result["report"]["runs_before"]
        await server.http.delete(f"/api/v1/traces/{runs[-1]}", headers=AS_ANNA)
        gate = await gate_of(server, slower)
        assert gate is not None
        assert gate["beforeTraceId"] == runs[-2]
        assert "`git log a4..b5`" in str(gate["text"])
        for run in runs[:-1]:
            await server.http.delete(f"/api/v1/traces/{run}", headers=AS_ANNA)
        body = {"reason": "checksums `x`"}
        await server.http.post(f"/api/v1/gates/results/{result['resultId']}/accept", json=body, headers=AS_ANNA)
        gate = await gate_of(server, slower)
        assert gate is not None
        assert gate["beforeTraceId"] is None
        assert "which are no longer here" in str(gate["text"])
        assert "It was accepted on" in str(gate["text"])
        assert "`checksums 'x'`" in str(gate["text"])


@pytest.mark.parametrize("key", ["csi_clear", "osc_8_link", "right_to_left", "rich_markup"])
async def test_no_name_leaves_its_code(tmp_path: Path, key: str) -> None:
    name = NAMES[key].replace(";", " ").replace("\n", " ")
    async with running_server(tmp_path) as server:
        await made(server, rules=["total +5%"], name="x`](javascript:1) <img>"[:80])
        for hot in (300, 301, 302, 303, 304, 305, 900):
            content = f"main;{name}` {hot}\nmain;render 200\nmain;render;paint 9\nmain 10\n"
            slower = await uploaded(server, content.encode("utf-8", "replace"), "branch:main")
        while await checks_of(server).check_one():
            pass
        gate = await gate_of(server, slower)
        assert gate is not None
        outside = "".join(str(gate["text"]).split("`")[::2])
        assert "javascript" not in outside
        assert "<img" not in outside
        assert not [c for c in str(gate["text"]) if c in "\x1b\u202e\x07"]
