"""Langfuse fails in every way: without its prompt a turn ends and says why, and nothing else of it touches a turn."""

import asyncio
import threading

import anyio
import pytest

from server.adapters.langfuse.prompts import AGAIN_S
from server.errors import PromptUnavailable
from server.turns.turn_failures import turn_failure
from tests.cloud.faults import FAULTS, Fault
from tests.cloud.langfuse_turns import PROMPT, Watched, watched

pytestmark = pytest.mark.long

BREAKING: tuple[Fault, ...] = tuple(fault for fault in FAULTS if fault != "slow")


@pytest.mark.parametrize("fault", BREAKING)
async def test_a_turn_without_its_prompt_ends_as_a_configuration_error_before_anything_is_said(fault: Fault) -> None:
    async with watched(timeout_s=1 if fault == "hang" else 30) as around:
        around.project.faults.always("prompts", fault)
        with pytest.raises(PromptUnavailable) as failed:
            await around.answer()
    ended = turn_failure(failed.value)
    assert (ended.code, ended.retryable) == ("config_error", False)
    assert "'analysis-system-prompt'" in ended.message
    assert around.project.url in ended.message
    assert ended.message.endswith("No answer is given without it.")
    assert around.scene.sink.events == []


async def test_each_reason_has_its_own_text() -> None:
    async with watched() as around:
        said: dict[str, str] = {}

        async def refused(name: str) -> None:
            with pytest.raises(PromptUnavailable) as failed:
                await around.prompts.system_prompt()
            said[name] = str(failed.value).partition(around.project.url)[2].partition(" No answer")[0].strip()

        for fault in BREAKING:
            around.prompts._timeout_s = 1 if fault == "hang" else 30
            around.project.faults.plan("prompts", fault)
            await refused(fault)
        around.prompts._timeout_s = 30
        around.project.prompts["analysis-system-prompt"] = (3, "staging", PROMPT)
        await refused("label")
        around.project.prompts["analysis-system-prompt"] = (3, "production", [{"role": "system", "content": PROMPT}])
        await refused("chat")
        around.project.prompts["analysis-system-prompt"] = (3, "production", "You read traces.")
        await refused("place")
        around.project.secret_key = "sk-lf-another"
        await refused("key")
    assert said == {
        "500": "cannot be read: Langfuse answered 500.",
        "cut": "cannot be fetched: it cannot be reached (RemoteProtocolError).",
        "hang": "did not come within 1 s.",
        "wrong": "cannot be read: Langfuse answered 200.",
        "label": "does not exist with the label 'production'.",
        "chat": "is a chat prompt: make it a text prompt.",
        "place": "has no place {{trace_summary}}: put one in.",
        "key": "is refused: check the keys.",
    }


async def test_a_langfuse_that_is_not_there_is_reported_too() -> None:
    async with watched() as around:
        pass
    with pytest.raises(PromptUnavailable, match=r"it cannot be reached \(ConnectError\)"):
        await around.prompts.system_prompt()


@pytest.mark.parametrize("fault", ["500", "cut", "wrong"])
async def test_a_prompt_is_asked_for_once_a_turn_and_never_again_when_that_fails(fault: Fault) -> None:
    async with watched() as around:
        around.project.faults.plan("prompts", fault)
        with pytest.raises(PromptUnavailable):
            await around.answer()
        assert len(around.project.asked) == 1
        await around.answer()
    assert len(around.project.asked) == 2


async def test_turns_that_begin_at_the_same_time_share_one_request() -> None:
    async with watched() as around:
        around.project.faults.plan("prompts", "slow")
        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(around.prompts.system_prompt)
    assert len(around.project.asked) == 1


async def test_turns_that_hang_on_a_prompt_take_no_threads_from_others() -> None:
    async with watched(timeout_s=1) as around:
        around.project.faults.always("prompts", "hang")
        before = threading.active_count()
        for _ in range(4):
            with pytest.raises(PromptUnavailable):
                await around.prompts.system_prompt()
        assert threading.active_count() <= before + 2


@pytest.mark.parametrize("fault", BREAKING)
async def test_a_copy_serves_while_langfuse_fails_and_says_how_old_it_is(fault: Fault) -> None:
    async with watched(stale_s=60) as around:
        assert (await around.answer()).prompt_version == "analysis-system-prompt@v3"
        around.prompts._timeout_s = 1 if fault == "hang" else 30
        around.project.faults.always("prompts", fault)
        around.clock.advance(42)
        assert (await around.answer()).prompt_version == "analysis-system-prompt@v3 (copy, 42 s old)"


async def test_a_copy_that_is_too_old_does_not_serve() -> None:
    async with watched(stale_s=60) as around:
        await around.answer()
        around.project.faults.always("prompts", "cut")
        around.clock.advance(61)
        with pytest.raises(PromptUnavailable):
            await around.answer()


@pytest.mark.parametrize("fault", ["slow", "hang"])
async def test_a_turn_that_could_do_with_a_copy_does_not_wait_for_langfuse(fault: Fault) -> None:
    async with watched(stale_s=60) as around:
        await around.prompts.system_prompt()
        around.project.faults.always("prompts", fault)
        assert (await around.prompts.system_prompt()).version == "analysis-system-prompt@v3 (copy, 0 s old)"


async def asked(around: Watched) -> None:
    """Return once no question is on its way to Langfuse."""
    if around.prompts._asking is not None:
        await asyncio.wait({around.prompts._asking})


@pytest.mark.parametrize("fault", ["slow", "cut"])
async def test_the_new_text_counts_once_langfuse_is_back(fault: Fault) -> None:
    async with watched(stale_s=60) as around:
        await around.prompts.system_prompt()
        around.project.prompts["analysis-system-prompt"] = (4, "production", PROMPT)
        around.project.faults.plan("prompts", fault)
        assert (await around.prompts.system_prompt()).version == "analysis-system-prompt@v3 (copy, 0 s old)"
        await asked(around)  # it may be under way: what fails later is left alone from then on
        around.clock.advance(AGAIN_S)
        with anyio.fail_after(60):
            while not (await around.prompts.system_prompt()).version.startswith("analysis-system-prompt@v4"):
                await asked(around)


async def test_a_langfuse_that_failed_is_left_alone_for_a_while_where_a_copy_serves() -> None:
    async with watched(stale_s=60) as around:
        await around.prompts.system_prompt()
        around.project.faults.always("prompts", "cut")
        around.clock.advance(10)
        for _ in range(5):
            await around.prompts.system_prompt()
        await around.project.asked.until(lambda asked: len(asked) == 2)
        await around.prompts.system_prompt()
    assert len(around.project.asked) == 2


async def test_without_copies_a_slow_langfuse_is_waited_for() -> None:
    async with watched() as around:
        await around.prompts.system_prompt()
        around.project.faults.plan("prompts", "slow")
        assert (await around.prompts.system_prompt()).version == "analysis-system-prompt@v3"


@pytest.mark.parametrize("service", ["traces", "scores"])
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_turn_and_its_rating_do_not_notice_what_becomes_of_traces_and_scores(
    service: str, fault: Fault
) -> None:
    async with watched() as around:
        around.project.faults.always(service, fault)
        with anyio.fail_after(60):
            answer = await around.answer()
            around.scores.rated(
                turn_id=around.scene.turn.turn_id, message_id=answer.message_id, user_id="u1", score=1, reason=None
            )
        assert "parse_json" in answer.text


async def test_a_server_stops_though_langfuse_hangs() -> None:
    with anyio.fail_after(60):
        async with watched() as around:
            around.project.faults.always("traces", "hang")
            around.project.faults.always("scores", "hang")
            await around.answer()
