"""A server whose model and Langfuse are there or not, as a person meets it over its socket."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx
import psycopg
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

from server.adapters.postgres.embedded import EmbeddedPostgres
from server.agent.model_call.offered_models import ANALYST_LABEL
from tests.cloud.langfuse_server import LangfuseServer, langfuse_server
from tests.cloud.langfuse_turns import PROMPT
from tests.e2e.running_server import RunningServer, running_server
from tests.e2e.test_conversation_over_openai import conversation_about
from tests.openai_endpoint import Endpoint, Reply, openai_endpoint

pytestmark = [pytest.mark.long, pytest.mark.timeout(400)]
ANSWER = Reply(text="It is `subsequenceScore`.")
PRICES = '["fake"]\ninput = 2.0\noutput = 10.0\n'


@pytest.fixture
def portal() -> Iterator[BlockingPortal]:
    with start_blocking_portal() as portal:
        yield portal


@pytest.fixture
def board(fixtures: Path) -> Path:
    return fixtures / "board.chrome-object.json.gz"


def history(server: RunningServer, session_id: str) -> list[dict[str, object]]:
    answer = httpx.get(f"{server.address}/api/v1/sessions/{session_id}/messages", timeout=60)
    messages: list[dict[str, object]] = answer.json()["messages"]
    return messages


async def costs(data: Path) -> list[tuple[str | None, float | None]]:
    """The model and cost of each turn, as stored."""
    async with (
        EmbeddedPostgres(data_dir=data / "postgres") as postgres,
        await psycopg.AsyncConnection.connect(postgres.owner_dsn) as connection,
    ):
        rows = await connection.execute("select model, cost_usd::float8 from public.chat_turns order by created_at")
        return list(await rows.fetchall())


def test_the_analyst_answers_when_nobody_listens_and_the_conversation_says_so(tmp_path: Path, board: Path) -> None:
    settings = {"FLAMECHAT_MODEL_BASE_URL": "http://127.0.0.1:9/v1", "FLAMECHAT_MODEL_RETRIES": "0"}
    with running_server(tmp_path, settings) as server, conversation_about(board, server) as (_, conversation):
        events = conversation.ask("Why is this slow?")
        kept = history(server, conversation.session_id)
    assert [event["model"] for event in events if event["type"] == "turn_started"] == ["gpt-5", ANALYST_LABEL]
    assert events[-1]["type"] == "model_response_end"
    assert events[-1]["usage"]["model"] == ANALYST_LABEL
    answer = next(row for row in kept if row["messageId"] == events[-1]["messageId"])
    assert str(answer["contentText"]).startswith("*The language model cannot be reached just now.")
    assert answer["metadata"]["usage"]["model"] == ANALYST_LABEL  # type: ignore[index]
    note = next(row for row in kept if row["sender"] == "system_event")
    assert str(note["contentText"]).startswith("gpt-5 did not answer (Cannot reach the model endpoint")


def test_what_an_answer_cost_is_shown_and_stored_and_langfuse_gets_its_rating(
    portal: BlockingPortal, tmp_path: Path, board: Path
) -> None:
    (tmp_path / "prices.toml").write_text(PRICES, encoding="utf-8")
    endpoint: Endpoint
    project: LangfuseServer
    with (
        portal.wrap_async_context_manager(openai_endpoint(ANSWER)) as endpoint,
        portal.wrap_async_context_manager(langfuse_server(prompt=PROMPT)) as project,
    ):
        settings = project.settings() | {
            "FLAMECHAT_MODEL_BASE_URL": endpoint.base_url,
            "FLAMECHAT_MODEL": "fake",
            "FLAMECHAT_MODEL_PRICES": str(tmp_path / "prices.toml"),
            "FLAMECHAT_LANGFUSE_PROMPT_SECONDS": "30",
        }
        data = tmp_path / "data"
        with running_server(data, settings) as server, conversation_about(board, server) as (_, conversation):
            end = conversation.ask("Why is this slow?")[-1]
            assert end["type"] == "model_response_end", end
            conversation.send({"type": "feedback", "messageId": end["messageId"], "score": 1})
            portal.call(project.arrived, 1, 1)
        stored = asyncio.run(costs(data))
    assert end["usage"]["cost"] == pytest.approx((100 * 2.0 + 20 * 10.0) / 1e6)
    assert [model for model, _ in stored] == ["fake"]
    assert [cost for _, cost in stored] == pytest.approx([end["usage"]["cost"]])
    scores = {score["name"]: score for score in project.scores}
    assert scores["user_feedback"]["value"] == 1.0
    assert scores["cost"]["value"] == pytest.approx(end["usage"]["cost"])
    assert {score["traceId"] for score in project.scores} == {scores["cost"]["traceId"]}
    assert scores["cost"]["traceId"] in {span.trace_id for span in project.spans}
    assert project.secret_key not in "".join(server.lines)


def test_a_turn_without_its_prompt_ends_with_what_to_do(tmp_path: Path, board: Path) -> None:
    keys = {"LANGFUSE_PUBLIC_KEY": "pk", "LANGFUSE_SECRET_KEY": "sk-hidden", "LANGFUSE_HOST": "http://127.0.0.1:9"}
    with running_server(tmp_path, keys) as server, conversation_about(board, server) as (_, conversation):
        events = conversation.ask("Why is this slow?")
    assert [event["type"] for event in events] == ["turn_failed"]
    assert (events[0]["code"], events[0]["retryable"]) == ("config_error", False)
    assert "'analysis-system-prompt' of Langfuse at http://127.0.0.1:9" in events[0]["message"]
    assert "sk-hidden" not in "".join(server.lines)
