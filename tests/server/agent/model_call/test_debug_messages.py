"""What is written of each call of a model: its messages, without pictures and without keys."""

import base64
import hashlib
import json
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from server.agent.model_call.debug_messages import MessageRecorder, masked

PICTURE = b"\x89PNG and so on"
URL = f"data:image/png;base64,{base64.b64encode(PICTURE).decode()}"


def test_a_picture_is_replaced_by_its_hash_and_its_length() -> None:
    expected = f"image/png sha256:{hashlib.sha256(PICTURE).hexdigest()} {len(PICTURE)} bytes"
    assert masked({"image_url": {"url": URL}}) == {"image_url": {"url": expected}}
    assert masked([URL, "no picture"]) == [expected, "no picture"]


@pytest.mark.parametrize(
    "key",
    [
        "sk-abcdefghijklmnop",
        "pk_abcdefghijklmnop",
        "eyJhbGciOiJIUzI1.eyJzdWIiOiIx.c2lnbmF0dXJl",
        "fc_abcdefghij_" + "A" * 43,
    ],
)
def test_what_looks_like_a_key_is_masked_wherever_it_stands(key: str) -> None:
    assert masked(f"use {key} here") == "use *** here"
    assert key not in json.dumps(masked({"a": [{"b": key}]}))


def test_a_bearer_s_token_is_masked_and_ordinary_text_and_numbers_stay() -> None:
    assert masked("Authorization: Bearer abc123") == "Authorization: Bearer ***"
    ordinary = {"text": "the task-runner takes 4 ms", "count": 3, "none": None, "on": True}
    assert masked(ordinary) == ordinary


async def test_a_call_is_one_file_by_its_turn_and_name(tmp_path: Path) -> None:
    folder = tmp_path / "made" / "when needed"
    writer = MessageRecorder(folder)
    await writer.record(
        "turn", "1", "model", [HumanMessage("why? sk-abcdefghijklmnop")], [{"name": "t"}], AIMessage("so"), None
    )
    await writer.record("turn", "2", "model", [HumanMessage("ä")], [], None, "it failed")
    assert sorted(path.name for path in folder.iterdir()) == ["turn-1.json", "turn-2.json"]
    first = json.loads((folder / "turn-1.json").read_text(encoding="utf-8"))
    assert first["messages"] == [{"role": "user", "content": "why? ***"}]
    assert first["reply"] == {"role": "assistant", "content": "so"}
    assert (first["tools"], first["error"], first["model"]) == ([{"name": "t"}], None, "model")
    second = (folder / "turn-2.json").read_text(encoding="utf-8")
    assert "ä" in second
    assert (json.loads(second)["reply"], json.loads(second)["error"]) == (None, "it failed")
