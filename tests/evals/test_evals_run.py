"""A run: the conditions against a scripted endpoint, the table, the command."""

import json
from pathlib import Path

import pytest

from evals.__main__ import main
from evals.answer import Answer
from evals.case import CASES, read_case, read_cases
from evals.conditions import NoPictures, WithDump, WithTools
from evals.running import Graded, graded
from evals.table import Prices, printed, verified, wilson
from server.adapters.in_process.workers import InlineTraceWorkers
from server.adapters.model.choice import ChosenModels, ModelChoice
from server.adapters.prompt_file import PromptFile
from server.agent.service import FlamechatAgent
from server.protocol.wire_values import Check
from tests.openai_endpoint import Reply, openai_endpoint

RIGHT = "**[`find_discount`](#f90) dominates**: 46.5% (6.23 s) of 13.4 s is spent in it itself."
ORDERS = read_case(CASES / "orders-why")


def models(base_url: str) -> ChosenModels:
    return ChosenModels(ModelChoice(base_url=base_url, api_key="sk-test-key-123456", model="fake"))


async def test_a_model_with_tools_is_asked_as_often_as_said_and_its_tools_and_tokens_are_counted() -> None:
    called = Reply(calls=(("get_top_functions", '{"limit": 3}'), ("list_profiles", "{}")))
    workers = InlineTraceWorkers()
    async with openai_endpoint(called, Reply(text=RIGHT), called, Reply(text="It is `select`.")) as endpoint:
        agent = FlamechatAgent(
            models=models(endpoint.base_url), prompts=PromptFile(), workers=workers, pictures=NoPictures()
        )
        rows = [row async for row in graded([ORDERS], [WithTools("fake", agent, workers, "fake", runs=2)])]
    assert [row.passed for row in rows] == [True, False]
    calls = {call.tool: call.text for call in rows[0].answer.calls}
    assert set(calls) == {"get_top_functions", "list_profiles"}
    assert "find_discount" in calls["get_top_functions"]
    assert (rows[0].answer.tool_rounds, rows[0].answer.input_tokens, rows[0].answer.output_tokens) == (1, 200, 40)


async def test_a_model_with_a_dump_sees_the_functions_and_the_tree_and_no_tool() -> None:
    async with openai_endpoint(Reply(text=RIGHT)) as endpoint:
        rows = [row async for row in graded([ORDERS], [WithDump("fake", models(endpoint.base_url), "fake")])]
    asked = endpoint.requests[0]
    assert "tools" not in asked
    assert "find_discount" in asked["messages"][0]["content"]
    assert asked["messages"][1]["content"] == ORDERS.prompt
    assert rows[0].passed
    assert [check.status for check in rows[0].answer.checks if check.kind == "percentage"] == ["verified"]


async def test_a_model_that_fails_is_a_failed_run_and_not_the_end() -> None:
    refused = Reply(status=401, headers={"x-should-retry": "false"})
    async with openai_endpoint(refused) as endpoint:
        rows = [row async for row in graded([ORDERS], [WithDump("fake", models(endpoint.base_url), "fake")])]
    assert not rows[0].passed
    assert rows[0].failures[0].startswith("no answer: ")


@pytest.mark.parametrize(
    ("passed", "runs", "low", "high"), [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (81, 263, 0.2553, 0.3662)]
)
def test_intervals_are_those_of_the_literature(passed: int, runs: int, low: float, high: float) -> None:
    """81 of 263: R. G. Newcombe (1998), table I, method 3."""
    assert list(wilson(passed, runs)) == pytest.approx([low, high], abs=1e-4)


def test_the_table_holds_rates_by_kind_and_format_checked_claims_and_cost() -> None:
    checks = tuple(
        Check.model_validate({"claim": "5", "kind": kind, "status": status, "start": 0, "end": 1})
        for kind, status in (
            ("number", "verified"),
            ("percentage", "derived"),
            ("number", "not_found"),
            ("name", "verified"),
        )
    )
    rows = [
        Graded(
            case=ORDERS,
            format="speedscope",
            condition="m",
            answer=Answer(text="x", checks=checks, input_tokens=1_000_000, output_tokens=500_000),
            failures=failed,
        )
        for failed in ((), ("wrong",))
    ]
    said = printed(rows, Prices(2.0, 8.0))
    assert verified(rows) == (4, 6)
    assert "| all | 1 of 2 | 50.0% | 9.5% to 90.5% |" in said
    assert "| kind: known | 1 of 2 |" in said
    assert "| format: speedscope | 1 of 2 |" in said
    assert "| numbers verified or derived | 4 of 6 (66.7%) |" in said
    assert "| cost | $12.0000 |" in said


def test_the_command_prints_the_table_and_writes_every_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "runs.json"
    assert main(["--only", "mailing-list", "--json", str(out)]) == 0
    assert "### built-in analyst: 1 cases, 1 runs" in capsys.readouterr().out
    assert [row["case"] for row in json.loads(out.read_text(encoding="utf-8"))] == ["mailing-list"]


def test_an_unknown_case_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "no such case"]) == 2
    assert "no such case" in capsys.readouterr().err


def test_reading_some_cases_reads_those_whose_name_holds_the_word() -> None:
    assert {case.name for case in read_cases("bundle-prices")} == {"bundle-prices", "bundle-prices-calls"}
