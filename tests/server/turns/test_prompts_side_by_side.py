"""Two versions of the prompt by a flag: who gets which, what a resumed turn keeps, and how the report compares them."""

import asyncio
import uuid
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import anyio
import pytest

from limits.plans import Plan
from server.adapters.executors.in_process_executor import InProcess
from server.adapters.flags.flag_file import Rule, file_provider, share_of
from server.adapters.flags.openfeature_flags import OpenFeatureFlags
from server.adapters.in_process.clock import SystemClock
from server.adapters.in_process.queue import MemoryQueue
from server.adapters.in_process.relay import MemoryRelay
from server.adapters.model.choice import ChosenModels, ModelChoice
from server.adapters.postgres.pool import Database
from server.adapters.prometheus import PrometheusMeasures
from server.adapters.prompt_file import PromptFile
from server.agent.model_call.call_ledger import CallLedger
from server.agent.model_call.chat_model import Price
from server.agent.model_call.offered_models import OfferedModels
from server.agent.turn import TurnInput
from server.ports.conversations import TurnRequest, TurnRow
from server.ports.flags import flags_of
from server.ports.identity import Caller
from server.ports.invocations import SpendBy
from server.ports.queue import TurnJob
from server.ports.request_ids import RunFacts
from server.turns.prepared_turn import TurnPreparation
from server.turns.runner import TurnRunner
from tests.openai_endpoint import Reply, openai_endpoint
from tests.plugins.postgres import FreshDatabase
from tests.plugins.worlds import new_uuid
from tests.plugins.worlds_on_postgres import postgres_world
from tests.server.agent.turns import stage

SHARE = 0.5
LOOKING = Reply(text="Let me look.", calls=(("get_top_functions", "{}"),))
RIGHT = Reply(text="[`parse_json`](#f2) dominates with 60.0% (600 ms).")
BOUND_S = 240


def flags(share: float = SHARE) -> OpenFeatureFlags:
    return OpenFeatureFlags(file_provider({"prompt_version": Rule(value="candidate", share=share)}), ())


def is_chosen(caller: Caller) -> bool:
    return share_of("prompt_version", caller.user_id) < SHARE


def prompt_files(folder: Path) -> PromptFile:
    (folder / "asking.md").write_text("You read traces. {{trace_summary}}", encoding="utf-8")
    (folder / "asking.candidate.md").write_text("You read traces well. {{trace_summary}}", encoding="utf-8")
    return PromptFile(folder / "asking.md")


@pytest.mark.parametrize("turns", [8, pytest.param(200, marks=pytest.mark.long)])
@pytest.mark.timeout(300)
async def test_two_versions_run_side_by_side_and_are_compared(
    database: FreshDatabase, tmp_path: Path, turns: int
) -> None:
    relay, queue = MemoryRelay(), MemoryQueue()
    async with Database(database.server) as pool, openai_endpoint(*[LOOKING, RIGHT] * turns) as endpoint:
        world = postgres_world(database.owner, pool)
        plan = Plan(name="team", display_name="Team")
        callers = [await world.user(plan) for _ in range(2)]
        while len({is_chosen(caller) for caller in callers}) < 2 or len(callers) < turns // 4:
            callers.append(await world.user(plan))
        of_caller = {caller.user_id: await world.trace(caller) for caller in callers}
        choice = ModelChoice(
            base_url=endpoint.base_url,
            api_key="sk-test-key-123456",
            model="fake",
            prices={"fake": Price(input=1, output=5, version="list-1")},
        )
        ledger = CallLedger(invocations=world.invocations, clock=SystemClock(), graph_version="9.9+abc")
        scene = stage(ChosenModels(choice), prompts=prompt_files(tmp_path), ledger=ledger)

        async def inputs(turn: TurnRow) -> TurnInput:
            return replace(
                scene.turn,
                turn_id=turn.turn_id,
                session_id=turn.session_id,
                caller=Caller(user_id=turn.user_id, account_id=turn.account_id),
                flags=flags_of(turn.context),
            )

        runner = TurnRunner(
            conversations=world.conversations,
            inputs=inputs,
            queue=queue,
            relay=relay,
            executor=InProcess(scene.agent),
            clock=SystemClock(),
            measures=PrometheusMeasures(),
            turn_seconds=60,
            turns_at_once=1,
            run_facts=lambda _: RunFacts(graph_name="flamechat", graph_version="9.9+abc"),
        )
        prepare = TurnPreparation(
            conversations=world.conversations,
            plans=world.plans,
            models=OfferedModels.of_settings("fake", (), has_provider=True),
            flags=flags(),
        )
        asked: dict[str, Caller] = {}
        for number in range(turns):
            caller = callers[number % len(callers)]
            turn_id, session_id = new_uuid(), new_uuid()
            request = TurnRequest(
                caller=caller,
                trace_id=of_caller[caller.user_id],
                session_id=session_id,
                turn_id=turn_id,
                prompt="Why is this slow?",
            )
            await world.conversations.accept_turn(await prepare(request))
            await queue.put(TurnJob(turn_id, session_id))
            asked[turn_id] = caller
        running = asyncio.create_task(runner.run())
        with anyio.fail_after(BOUND_S):
            while await world.conversations.unended_turns():
                await anyio.lowlevel.checkpoint()
        await runner.drain(5)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

        versions: dict[str, list[str]] = {}
        for turn_id, caller in asked.items():
            calls = await world.invocations.of_turn(caller, turn_id)
            (version,) = {call.prompt_version for call in calls}
            assert {call.flags for call in calls} == {"promptVersion=candidate" if is_chosen(caller) else None}
            assert str(version).startswith("asking.candidate@" if is_chosen(caller) else "asking@")
            versions.setdefault(str(version), []).append(turn_id)
        assert len(versions) == 2
        for turn_id in next(iter(versions.values()))[:2]:
            caller = asked[turn_id]
            session_id = (await world.conversations.turn(caller, turn_id)).session_id
            rows = await world.conversations.messages(caller, session_id)
            answer = [row for row in rows if row.sender == "model"][-1]
            await world.conversations.rate_message(caller, answer.message_id, score=1, reason=None)
        spend = {one.key: one for one in await world.invocations.spend(SpendBy.PROMPT)}
        outcomes = {one.prompt_version: one for one in await world.invocations.prompt_outcomes()}
    assert set(spend) == set(outcomes) == set(versions)
    assert {name: one.turns for name, one in outcomes.items()} == {name: len(ids) for name, ids in versions.items()}
    for name, one in outcomes.items():
        assert one.completed == one.turns
        assert spend[name].calls == 2 * one.turns
        assert spend[name].cost_usd == Decimal("0.0002") * 2 * one.turns
        assert 0 < one.median_seconds <= one.p95_seconds
        assert one.claims >= one.verified_claims > 0
    rated = min(2, len(next(iter(versions.values()))))
    assert [outcomes[name].thumbs_up for name in versions] == [rated, 0]


async def test_a_turn_keeps_what_was_decided_when_the_flags_change(database: FreshDatabase) -> None:
    async with Database(database.server) as pool:
        world = postgres_world(database.owner, pool)
        caller = await world.user(Plan(name="team", display_name="Team"))
        request = TurnRequest(
            caller=caller,
            trace_id=await world.trace(caller),
            session_id=new_uuid(),
            turn_id=str(uuid.uuid4()),
            prompt="why?",
        )

        async def accepted(share: float) -> TurnRow:
            prepare = TurnPreparation(
                conversations=world.conversations,
                plans=world.plans,
                models=OfferedModels.of_settings("fake", (), has_provider=True),
                flags=flags(share),
            )
            await world.conversations.accept_turn(await prepare(request))
            return await world.conversations.turn(caller, request.turn_id)

        assert flags_of((await accepted(1.0)).context).prompt_version == "candidate"
        assert flags_of((await accepted(0.0)).context).prompt_version == "candidate", "asked again, the same turn"
        started = await world.conversations.start_turn(request.turn_id, owner="o1")
        assert started is not None
        resumed = await world.conversations.start_turn(request.turn_id, owner="o2")
        assert resumed is not None
        assert (resumed.attempt, flags_of(resumed.context).prompt_version) == (2, "candidate")
