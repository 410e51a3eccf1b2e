"""Every answer's grade, in this process and on a LangGraph server."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from evals.both_executors import (
    Compared,
    Outcome,
    add_compared,
    compared,
    compared_cases,
    read_compared,
    summary,
)
from evals.case import CASES, read_case
from evals.conditions import WithTools
from evals.dull import Dull
from evals.over_langgraph import KeptPictures
from evals.questions import read_batches
from server.adapters.in_process.workers import InlineTraceWorkers
from server.agent.model_call.offered_models import ANALYST
from server.composing.agent import build_agent
from server.settings import load_settings
from tests.contracts.langgraph_house import forwarded
from tests.openai_endpoint import openai_endpoint
from tests.plugins.graph_server import GraphServer
from tests.scripted_replies import scripted

ORDERS = read_case(CASES / "orders-why")
SAME = Outcome(grade="pass", why=(), text="It is parse.", calls=("get_insights",))
ROW = Compared(name="a-case", answerer="fake", here=SAME, there=SAME)


async def test_another_grade_is_seen_and_so_is_another_answer() -> None:
    workers = InlineTraceWorkers()
    analyst = WithTools("a", build_agent(load_settings(), workers=workers, pictures=KeptPictures()), workers, ANALYST)
    rows = [row async for row in compared_cases([ORDERS], analyst, analyst, "a")]
    rows += [row async for row in compared_cases([ORDERS], analyst, Dull("says nothing"), "a")]
    assert [(row.has_same_grade, row.has_same_answer) for row in rows] == [(True, True), (False, False)]
    assert rows[0].here.grade == "pass"
    assert summary(rows).splitlines() == [
        "a: 2 compared, 1 with another grade, 1 with another answer",
        "  orders-why: pass here, fail there",
    ]


def test_the_same_grade_for_another_reason_is_another_grade() -> None:
    other = replace(ROW, there=replace(SAME, why=("no 5 s",)))
    assert (ROW.has_same_grade, other.has_same_grade) == (True, False)
    assert "1 with another answer" in summary([replace(ROW, there=replace(SAME, calls=()))])


def test_what_was_compared_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "compared.jsonl"
    assert read_compared(file) == []
    for row in (ROW, replace(ROW, name="b")):
        add_compared(file, row)
    assert read_compared(file) == [ROW, replace(ROW, name="b")]


@asynccontextmanager
async def scripted_model(port: int, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """A model behind the port of the graph server's settings, and of this process's."""
    monkeypatch.setenv("FLAMECHAT_MODEL_BASE_URL", f"http://127.0.0.1:{port}/v1")
    monkeypatch.setenv("FLAMECHAT_MODEL_FALLBACKS", "none")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-key-123456")
    async with openai_endpoint(script=scripted) as endpoint, forwarded(port, endpoint):
        yield


@pytest.mark.long
@pytest.mark.xdist_group("langgraph")
@pytest.mark.timeout(300)
async def test_a_scripted_model_gets_the_same_grades_over_both(
    graph_server: GraphServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = [read_case(CASES / name) for name in ("orders-why", "bundle-prices")]
    conversations = [one for one in read_batches() if len(one.turns) > 1 and not one.others][:1]
    async with scripted_model(graph_server.model_port, monkeypatch), asyncio.timeout(240):
        rows = [row async for row in compared(graph_server.url, "fake", cases, conversations)]
    assert len(rows) == 2 + len(conversations[0].turns)
    assert [row for row in rows if not (row.has_same_grade and row.has_same_answer)] == []
    assert any(row.there.calls for row in rows)
    kept = [json.loads(file.read_text(encoding="utf-8")) for file in graph_server.artifacts.glob("*.json")]
    assert any(ORDERS.prompt in str(one["messages"]) for one in kept), "that process keeps what its calls contained"
