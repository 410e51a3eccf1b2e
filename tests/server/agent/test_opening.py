"""The words around a turn: quoting, the prompt file, titles, recorded messages."""

import json
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AnyMessage

from server.adapters.prompt_file import PromptFile
from server.agent.graph.follow_ups import title_of
from server.agent.graph.setup import filled
from server.agent.model_call.debug_messages import MessageRecorder, masked
from server.agent.model_call.token_counts import estimated_tokens
from server.agent.opening import opening
from server.agent.tools.contract.named_windows import looked_at
from server.errors import PromptUnavailable
from server.protocol.wire_values import ViewerState, Window
from server.quoting import clamp, plain, quoted
from server.testing.scripted import Line, ScriptedChat, ScriptedModels
from tests.server.agent.turns import small_trace, stage
from traces.reader import read_trace


@given(st.text(max_size=400))
def test_a_quoted_string_is_one_line_and_cannot_be_left(text: str) -> None:
    literal = quoted(text)
    assert len(literal.splitlines()) == 1
    assert isinstance(json.loads(literal), str)


@given(st.text(max_size=300), st.integers(5, 60))
def test_a_clamped_string_is_within_its_limit_and_keeps_both_ends(text: str, limit: int) -> None:
    short = clamp(text, limit)
    assert len(short) <= limit
    assert short == text or (text.startswith(short.split("…")[0]) and "…" in short)


@pytest.mark.parametrize(
    "address",
    [
        "https://x.example/a?token=hunter2",
        "https://x.example/a?b=1&api_key=hunter2",
        "https://user:hunter2@x.example/",
        "https://x.example/a?X-Amz-Signature=hunter2",
    ],
)
def test_secrets_in_addresses_are_masked(address: str) -> None:
    assert "hunter2" not in quoted(address)
    assert "hunter2" not in plain(address)
    assert "x.example" in quoted(address)


def test_what_is_put_into_the_prompt_is_never_looked_at_again() -> None:
    assert filled("{{a}} {{b}} {{unknown}}", {"a": "{{b}}", "b": "2"}) == "{{b}} 2 {{unknown}}"


async def test_the_prompt_names_trace_findings_viewer_plan_and_tools() -> None:
    chat = ScriptedChat(lines=[Line(text="Fine.")])
    scene = stage(ScriptedModels(chat))
    answer = await scene.agent.answer(scene.turn, scene.sink)
    said = chat.requests[0].messages[0].text
    for part in ('"small.json": example trace', '"parse_json"', "find_frames", "or its numbers:\n- none"):
        assert part in said
    asked = chat.requests[0].messages[-1].text
    assert asked.startswith("Why is this slow?\n\n(")
    for part in ("looking at: nothing in particular", "Plan: local", "2026-01-02 15:04"):
        assert part in asked
        assert part not in said, "the beginning of the conversation stays the same"
    assert "{{" not in said
    assert answer.prompt_version.startswith("analysis_system_prompt@")


async def test_the_prompt_is_chosen_by_file_and_its_version_follows_its_text(tmp_path: Path) -> None:
    file = tmp_path / "ours.md"
    file.write_text("Be brief.")
    first = await PromptFile(file).system_prompt()
    file.write_text("Be very brief.")
    second = await PromptFile(file).system_prompt()
    assert first.template == "Be brief."
    assert first.version.startswith("ours@")
    assert first.version != second.version


async def test_a_prompt_file_that_is_gone_says_which_setting_to_change(tmp_path: Path) -> None:
    with pytest.raises(PromptUnavailable, match="FLAMECHAT_PROMPT_FILE"):
        await PromptFile(tmp_path / "absent.md").system_prompt()


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("Why is this slow?", "a.json: Why is this slow?"),
        ("Who calls `parse_json`?", "Who calls `parse_json`?"),
        ("Explain\n the   startup", "Explain the startup"),
    ],
)
def test_a_title_is_the_prompt_and_names_the_trace_when_the_prompt_fits_any(prompt: str, title: str) -> None:
    assert title_of(prompt, "a.json") == title


@given(st.text(min_size=1, max_size=300))
def test_a_title_has_at_most_60_characters_on_one_line(prompt: str) -> None:
    title = title_of(prompt, "trace.json")
    assert len(title) <= 60
    assert "\n" not in title


def test_an_opening_says_what_it_is_what_stands_out_and_what_to_ask() -> None:
    first = opening(small_trace())
    assert first.summary == "small.json is an example trace, 1.00 s long: one profile, 4 functions."
    assert any("parse_json" in finding for finding in first.findings)
    assert "Why is this slow?" in first.suggestions


def test_an_opening_of_one_function_says_one() -> None:
    assert (
        opening(read_trace(b"main;main 3\n", name="one.txt")).summary
        == "one.txt is a collapsed trace: one profile, one function."
    )


async def test_recorded_messages_are_exact_but_for_pictures_and_keys(tmp_path: Path) -> None:
    drawing = Line(calls=(("generate_flamegraph_screenshot", "{}"),), finish_reason="tool_calls")
    chat = ScriptedChat(lines=[drawing, Line(text="Seen.")])
    scene = stage(ScriptedModels(chat), prompt="Is sk-abcdefghijklmnop1234 slow?")
    scene.agent._recorder = MessageRecorder(tmp_path / "messages")
    await scene.agent.answer(scene.turn, scene.sink)

    first, second = (json.loads(file.read_text()) for file in sorted((tmp_path / "messages").iterdir()))
    assert [message["role"] for message in second["messages"]] == ["system", "user", "assistant", "tool", "user"]
    assert first["messages"][1]["content"].startswith("Is *** slow?\n")
    assert second["messages"][4]["content"][1]["image_url"]["url"].startswith("image/png sha256:")
    assert second["reply"]["content"] == "Seen."
    assert first["tools"][0]["function"]["name"] == "get_trace_summary"


def test_masking_reaches_every_depth() -> None:
    assert masked({"a": [{"b": "Bearer abc.def"}]}) == {"a": [{"b": "Bearer ***"}]}


async def test_what_the_person_looks_at_reaches_the_model_with_names_and_numbers() -> None:
    chat = ScriptedChat(lines=[Line(text="Fine.")])
    seen = ViewerState(view="sandwich", profile="p0", selection="f3", window=Window(start=2e8, end=5e8))
    scene = stage(ScriptedModels(chat), viewer=seen)
    await scene.agent.answer(scene.turn, scene.sink)
    asked = chat.requests[0].messages[-1].text
    assert 'the sandwich view, profile p0 "MainThread", selected f3 "draw"' in asked
    assert "what is in view: start_time_ms=200 end_time_ms=500 profile=p0" in asked


def test_a_handle_that_is_not_there_is_said_to_be_missing() -> None:
    assert looked_at(small_trace(), ViewerState(selection="f99")) == 'selected "f99" (not in this trace)'


async def test_the_first_context_stays_under_5000_tokens(fixtures: Path) -> None:
    for source in sorted(fixtures.rglob("*.*")):
        if "programs" in source.parts or source.suffix in (".md", ".py") or source.name == "truth.json":
            continue
        chat = ScriptedChat(lines=[Line(text="Fine.")])
        scene = stage(ScriptedModels(chat), read_trace(source.read_bytes(), name=source.name))
        await scene.agent.answer(scene.turn, scene.sink)
        assert estimated_tokens(cast("list[AnyMessage]", chat.requests[0].messages)) < 5_000, source.name
