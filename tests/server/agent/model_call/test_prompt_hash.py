"""Hashes of conversations against a file that another program wrote: its canonical texts and hashes are those of
JavaScript's JSON.stringify, String.normalize and Node's crypto."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage

from server.agent.model_call.prompt_hash import LOCAL_TIME, canonical, prompt_hash

RECORDED = json.loads(Path(__file__).with_name("recorded_prompts.json").read_text(encoding="utf-8"))
ROOT = Path(__file__).parents[4]
KINDS: dict[str, type[HumanMessage | SystemMessage]] = {"user": HumanMessage, "system": SystemMessage}


def message_of(row: dict[str, Any], number: int) -> AnyMessage:
    if row["role"] == "assistant":
        calls = [
            {"name": one["name"], "args": one["arguments"], "id": one["id"], "type": "tool_call"}
            for one in row.get("tool_calls", [])
        ]
        return AIMessage(row["content"], tool_calls=calls, id=f"m{number}")
    if row["role"] == "tool":
        return ToolMessage(row["content"], tool_call_id=row["tool_call_id"])
    extra = {LOCAL_TIME: row["local_time"]} if "local_time" in row else {}
    return KINDS[row["role"]](row["content"], additional_kwargs=extra)


def hashed(row: dict[str, Any]) -> str:
    messages = [message_of(one, number) for number, one in enumerate(row["messages"])]
    return prompt_hash(row["model"], messages, row["tools"], max_tokens=row["max_tokens"])


def test_fifty_recorded_conversations_have_the_hashes_of_the_file() -> None:
    assert len(RECORDED) == len({row["hash"] for row in RECORDED}) == 50
    assert {row["name"]: hashed(row) for row in RECORDED} == {row["name"]: row["hash"] for row in RECORDED}
    texts = [row for row in RECORDED if "canonical" in row]
    assert len(texts) == 5
    for row in texts:
        messages = [message_of(one, number) for number, one in enumerate(row["messages"])]
        assert canonical(row["model"], messages, row["tools"], max_tokens=row["max_tokens"]) == row["canonical"]


@pytest.mark.long
@pytest.mark.parametrize("seed", ["1", "2"])
def test_every_process_has_the_same_hashes(seed: str) -> None:
    script = (
        "from tests.server.agent.model_call.test_prompt_hash import RECORDED, hashed\n"
        "print('\\n'.join(map(hashed, RECORDED)))"
    )
    environment = os.environ | {"PYTHONHASHSEED": seed}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert done.stdout.split() == [row["hash"] for row in RECORDED]


def test_what_is_asked_changes_the_hash_and_ids_and_times_do_not() -> None:
    tools = [{"type": "function", "function": {"name": "a", "description": "lists"}}]
    call = {"name": "a", "args": {"n": 1}, "id": "call_1", "type": "tool_call"}
    asked: list[AnyMessage] = [
        HumanMessage("why? At 15:04.", additional_kwargs={LOCAL_TIME: "15:04"}, id="1"),
        AIMessage("", tool_calls=[call]),
        ToolMessage("x", tool_call_id="call_1"),
    ]
    plain = prompt_hash("m", asked, tools, max_tokens=10)
    again: list[AnyMessage] = [
        HumanMessage("why? At 16:05.", additional_kwargs={LOCAL_TIME: "16:05"}, id="2"),
        AIMessage("", tool_calls=[call | {"id": "call_2"}]),
        ToolMessage("x", tool_call_id="call_2"),
    ]
    assert prompt_hash("m", again, tools, max_tokens=10) == plain
    described = [{"type": "function", "function": {"name": "a", "description": "lists all"}}]
    others = {
        prompt_hash("n", asked, tools, max_tokens=10),
        prompt_hash("m", asked[:2], tools, max_tokens=10),
        prompt_hash("m", asked, described, max_tokens=10),
        prompt_hash("m", asked, tools, max_tokens=11),
        prompt_hash("m", asked, tools, max_tokens=10, temperature=0.5),
        prompt_hash("m", [HumanMessage("why? At 15:04."), *asked[1:]], tools, max_tokens=10),
    }
    assert plain not in others
    assert len(others) == 6
