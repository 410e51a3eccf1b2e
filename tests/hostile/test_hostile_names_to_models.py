"""Hostile names on their way to a model: its first words about a trace, every tool, the answer of the analyst."""

import json
import re
import unicodedata
from contextlib import suppress
from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from server.adapters.model.choice import ChosenModels, ModelChoice
from server.adapters.prompt_file import PromptFile
from server.agent.tools.all_tools import TOOLS
from server.agent.tools.contract.run_tool import run_tool
from server.agent.tools.contract.tool_errors import ToolProblem
from server.agent.verification.references.addresses import Address, parse_address
from server.protocol.events import ToolStart
from tests.hostile.names import GROUPS, MARK, NAMES, chrome, speedscope
from tests.inline_workers import inline_workers
from tests.openai_endpoint import Reply, openai_endpoint
from tests.server.agent.turns import Stage, endpoint_models, stage
from traces.errors import DamagedTrace
from traces.model import Trace
from traces.reader import read_trace

pytestmark = pytest.mark.long

BY_NAME = pytest.mark.parametrize("name", NAMES)
TOGETHER = pytest.mark.parametrize("keys", GROUPS, ids=lambda keys: keys[0])
ORDERS = tuple(NAMES)[:11]
QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"')
INVISIBLE = {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"}
FIRST_CONTEXT_CHARACTERS = 12_000
_of_a_plain_name: list[str] = []

CALLS: dict[str, tuple[dict[str, Any], ...]] = {
    "get_trace_summary": ({},),
    "get_insights": ({}, {"name": "hot-function"}),
    "list_profiles": ({},),
    "get_top_functions": ({}, {"sort_by": "total"}),
    "get_call_tree": ({}, {"inverted": True}),
    "get_callers_callees": ({"frame": "f0"}, {"frame": "f1"}),
    "find_frames": ({"pattern": MARK}, {"pattern": "nothing like this"}),
    "get_hottest_windows": ({"window_ms": 10},),
    "get_longest_calls": ({},),
    "get_span_details": ({"handle": "s0"}, {"handle": "s1"}),
    "get_schema": ({},),
    "query_trace": ({"sql": "SELECT * FROM frames"}, {"sql": "SELECT nme FROM frames"}),
    "generate_flamegraph_screenshot": ({}, {"mode": "time_order"}),
    "generate_sandwich_flamegraph_screenshot": ({"frame": "f1"},),
    "draw_chart": ({"kind": "self_time"}, {"kind": "activity"}, {"kind": "counter"}),
    "compare_traces": ({"others": ["p0"]}, {"others": ["p0"], "profile": "p1"}),
    "show_in_viewer": ({"handle": "f1"},),
    "navigate": ({"action": "select", "handle": "f1"}, {"action": "highlight", "pattern": "nothing"}),
    "set_filter": (
        {"filter": "hide", "frame": "f1"},
        {"filter": "only", "text": MARK},
        {"filter": "focus", "frame": "none"},
    ),
}
"""Calls of every tool that answers from the trace alone."""


def sampled(keys: tuple[str, ...]) -> Trace:
    names = [NAMES[key] for key in keys]
    return read_trace(speedscope(names), name=names[0][:4000])


def timeline(keys: tuple[str, ...]) -> Trace:
    return read_trace(chrome([NAMES[key] for key in keys]), name="timeline.json")


def analyst(trace: Trace) -> Stage:
    return stage(ChosenModels(ModelChoice()), trace)


def tools_called(at: Stage) -> list[str]:
    return [event.tool_name for event in at.sink.events if isinstance(event, ToolStart)]


def unseen(text: str) -> list[str]:
    """Characters that a reader cannot see, line feeds aside."""
    return sorted({f"U+{ord(c):04X}" for c in text if c != "\n" and unicodedata.category(c) in INVISIBLE})


def outside_quotes(text: str) -> str:
    """What is left of a text without its quoted strings."""
    return QUOTED.sub("", text)


def is_figure(href: str) -> bool:
    return href.startswith("#") and isinstance(parse_address(href[1:]), Address)


def links_and_markup(tokens: list[Token]) -> list[str]:
    """Everything a Markdown reader would make of an answer: no text, citation of a handle or figure's address."""
    found = []
    for token in tokens:
        if token.type in {"html_block", "html_inline", "image", "fence", "heading_open"}:
            found.append(token.type)
        href = str(token.attrs.get("href", ""))
        if token.type == "link_open" and not (re.fullmatch(r"#[fpns]\d+", href) or is_figure(href)):
            found.append(href)
        found += links_and_markup(token.children or [])
    return found


@TOGETHER
async def test_names_reach_a_model_quoted_and_visible_and_short(keys: tuple[str, ...]) -> None:
    for trace in (sampled(keys), timeline(keys)):
        async with openai_endpoint(Reply(text="Nothing.")) as endpoint:
            at = stage(endpoint_models(endpoint.base_url), trace)
            await at.agent.answer(at.turn, at.sink)
        system, *others = (message["content"] for message in endpoint.requests[0]["messages"])
        assert unseen(system) == []
        assert MARK not in outside_quotes(system)
        assert MARK not in outside_quotes(json.dumps(others).replace('\\"', '"'))
        assert len(system) < FIRST_CONTEXT_CHARACTERS


def test_every_tool_that_needs_nothing_but_the_trace_is_tried() -> None:
    assert {tool.name for tool in TOOLS if tool.needs <= {"viewer"}} == set(CALLS)


@TOGETHER
async def test_every_tool_gives_names_quoted_and_visible(keys: tuple[str, ...]) -> None:
    workers = inline_workers()
    for trace in (sampled(keys), timeline(keys)):
        opened = workers.hold(trace)
        for tool in TOOLS:
            for arguments in CALLS.get(tool.name, ()):
                try:
                    outcome, _ = await run_tool(
                        tool, arguments, trace=opened, workers=workers, seconds=50, characters=20_000
                    )
                    text = outcome.text
                except ToolProblem as problem:
                    text = str(problem)
                assert unseen(text) == [], tool.name
                assert MARK not in outside_quotes(text), f"{tool.name}: {outside_quotes(text)}"


async def tools_of_a_plain_name() -> list[str]:
    if not _of_a_plain_name:
        plain = analyst(read_trace(speedscope(["parse_rows"]), name="plain"))
        await plain.agent.answer(plain.turn, plain.sink)
        _of_a_plain_name.extend(tools_called(plain))
    return _of_a_plain_name


@BY_NAME
async def test_the_analyst_shows_a_name_as_code_and_calls_no_tool_because_of_it(name: str) -> None:
    at = analyst(sampled((name,)))
    answer = await at.agent.answer(at.turn, at.sink)
    shown = [answer.text, *answer.suggestions, answer.title or ""]
    assert [unseen(text) for text in shown] == [[]] * len(shown)
    assert links_and_markup(MarkdownIt("commonmark").parse(answer.text)) == []
    assert tools_called(at) == await tools_of_a_plain_name()


@pytest.mark.parametrize("name", ORDERS)
async def test_no_name_gets_the_prompt_revealed(name: str) -> None:
    prompt = (await PromptFile().system_prompt()).template
    lines = {line.strip() for line in prompt.splitlines() if len(line.strip()) >= 40}
    at = analyst(sampled((name,)))
    answer = await at.agent.answer(at.asking(NAMES[name]), at.sink)
    assert lines
    assert [line for line in lines if line in answer.text] == []


def test_half_a_character_is_no_name() -> None:
    """Read as U+FFFD or refused: what would not go into UTF-8 goes nowhere."""
    with suppress(DamagedTrace):
        assert "\ud800" not in read_trace(speedscope([f"{MARK}\ud800end"]), name="half.json").frame_name(1)
