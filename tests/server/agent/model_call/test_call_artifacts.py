"""What a call really contained, kept by its invocation's id."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from server.adapters.in_process.clock import SystemClock
from server.agent.model_call.call_artifacts import ArtifactFolder
from server.agent.model_call.call_ledger import CallLedger
from server.errors import ConfigError
from server.settings import load_settings
from server.testing.invocations import MemoryInvocations
from tests.openai_endpoint import Reply, openai_endpoint
from tests.server.agent.turns import endpoint_models, stage

LOOKING = Reply(text="Let me look.", calls=(("get_top_functions", "{}"), ("generate_flamegraph_screenshot", "{}")))
ANSWER = Reply(text="[`parse_json`](#f2) dominates with 60.0% (600 ms).")


async def kept_by(folder: Path, *replies: Reply, **turn: Any) -> tuple[MemoryInvocations, list[dict[str, Any]]]:
    rows = MemoryInvocations()
    ledger = CallLedger(
        invocations=rows, clock=SystemClock(), graph_version="9.9+abc", artifacts=ArtifactFolder(folder)
    )
    async with openai_endpoint(*replies) as endpoint:
        scene = stage(endpoint_models(endpoint.base_url), ledger=ledger, **turn)
        await scene.agent.answer(scene.turn, scene.sink)
        return rows, endpoint.requests


async def test_each_request_has_its_file_with_what_it_was_sent_and_answered(tmp_path: Path) -> None:
    folder = tmp_path / "artifacts"
    rows, requests = await kept_by(folder, LOOKING, Reply(text="half", fault="drop"), ANSWER)
    calls = sorted(rows.rows.values(), key=lambda row: (row.call_number, row.try_number))
    kept = [json.loads((folder / f"{row.invocation_id}.json").read_text(encoding="utf-8")) for row in calls]
    assert len(calls) == len(requests) == 3
    assert {path.stem for path in folder.glob("*.json")} == set(rows.rows)
    for one, request in zip(kept, requests, strict=True):
        assert [message["role"] for message in one["messages"]] == [message["role"] for message in request["messages"]]
        assert [tool["function"]["name"] for tool in one["tools"]] == [
            tool["function"]["name"] for tool in request["tools"]
        ]
    assert [one["function"]["name"] for one in kept[0]["reply"]["tool_calls"]] == [name for name, _ in LOOKING.calls]
    results = [message["content"] for message in kept[1]["messages"] if message["role"] == "tool"]
    assert results == [message["content"] for message in requests[1]["messages"] if message["role"] == "tool"]
    assert (kept[1]["reply"], kept[1]["problem"] is None) == (None, False)
    assert (kept[2]["reply"]["content"], kept[2]["problem"]) == (ANSWER.text, None)
    for path in folder.iterdir():
        assert path.stat().st_mode & 0o077 == 0, "nobody else reads it"
        assert not path.name.startswith("."), "nothing half written stays"


async def test_a_picture_is_a_file_by_its_hash(tmp_path: Path) -> None:
    await kept_by(tmp_path, LOOKING, ANSWER)
    (picture,) = tmp_path.glob("*.png")
    assert hashlib.sha256(picture.read_bytes()).hexdigest() == picture.stem
    texts = [path.read_text(encoding="utf-8") for path in tmp_path.glob("*.json")]
    assert sum(picture.name in text for text in texts) == 1
    assert not any("base64" in text for text in texts)


async def test_keys_are_masked(tmp_path: Path) -> None:
    await kept_by(tmp_path, ANSWER, prompt="my key is sk-abcdefghijklmnop1234, why?")
    (text,) = [path.read_text(encoding="utf-8") for path in tmp_path.glob("*.json")]
    assert "sk-abcdef" not in text
    assert "my key is ***" in text


async def test_a_folder_that_cannot_be_written_costs_no_answer(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder", encoding="utf-8")
    rows, _ = await kept_by(blocked / "artifacts", ANSWER)
    assert len(rows.rows) == 1


def test_what_cannot_be_done_is_refused(tmp_path: Path) -> None:
    assert load_settings(data=tmp_path).artifacts_dir is None
    assert load_settings(data=tmp_path, artifacts=str(tmp_path / "a")).artifacts_dir == tmp_path / "a"
    with_langfuse = load_settings(data=tmp_path, artifacts="langfuse")
    assert with_langfuse.artifacts_dir is None
    with pytest.raises(ConfigError, match="FLAMECHAT_ARTIFACTS"):
        with_langfuse.check_langfuse()
