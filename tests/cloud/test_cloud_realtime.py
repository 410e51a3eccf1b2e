"""What a project's Realtime is sent of turns: merged, in order, bounded, and never in a turn's way."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from uuid import uuid4

import anyio
import httpx
import pytest

from server.adapters.in_process.relay import MemoryRelay
from server.adapters.postgres.broadcast_budget import BroadcastBudget
from server.adapters.postgres.people import account_of
from server.adapters.postgres.pool import Database
from server.adapters.supabase.realtime import Budget, RealtimeRelay
from server.ports.identity import Caller
from server.protocol.server import ChatError, GateChanged, MemoryProposed
from tests.cloud.faults import Fault
from tests.cloud.node import needs_supabase_js, supabase_js
from tests.cloud.published_turns import (
    BOUND_S,
    END,
    ENDED,
    S1,
    STARTED,
    T2,
    broadcasts_until_end,
    events_of,
    stamped,
    text_of,
    words,
)
from tests.cloud.real_project import real_project
from tests.cloud.supabase_client import supabase_client
from tests.cloud.supabase_server import SupabaseServer, supabase_server
from tests.plugins.postgres import FreshDatabase
from tests.plugins.worlds import Talk
from tests.plugins.worlds_on_postgres import postgres_world


async def all_requested(requested: int) -> int:
    return requested


@asynccontextmanager
async def relaying(
    supabase: SupabaseServer, budget: Budget = all_requested, *, answer_s: float = 5.0
) -> AsyncIterator[RealtimeRelay]:
    async with (
        supabase.project.client() as client,
        RealtimeRelay(MemoryRelay(), client, budget, wait_s=0.001, pause_s=0.05, answer_s=answer_s) as relay,
    ):
        yield relay


# A relay and Realtime ------------------------------------------------------------------------------------------------


async def test_a_turn_arrives_in_order_and_in_few_broadcasts() -> None:
    async with supabase_server() as supabase, relaying(supabase) as relay:
        for event in stamped(STARTED, *words(200), ENDED):
            await relay.publish(event)
        broadcasts = await broadcasts_until_end(supabase)
        assert text_of(events_of(broadcasts)) == "".join(f"{n % 10} " for n in range(200))
        assert len(broadcasts) < 10


async def test_a_refusal_is_sent_as_chat_error() -> None:
    async with supabase_server() as supabase:
        async with relaying(supabase) as relay:
            relay.refuse(S1, ChatError(error_code="limit_exceeded", message="No more.", used=5, limit=5))
        (broadcast,) = supabase.realtime.broadcasts
        assert (broadcast["event"], broadcast["payload"]["used"]) == ("chat_error", 5)


async def test_what_a_gate_has_found_goes_to_the_topic_of_its_account() -> None:
    account_id = "5f0c3a52-9d0f-4b7e-8a49-6d1f0f3c9b11"
    found = GateChanged(result_id="r", gate_id="g", gate_name="hot", trace_id="t", outcome="broken")
    async with supabase_server() as supabase:
        async with relaying(supabase) as relay:
            relay.inform(account_id, found)
            for event in stamped(STARTED, *words(3), ENDED):
                await relay.publish(event)
        first, *others = supabase.realtime.broadcasts
        assert (first["topic"], first["event"], first["private"]) == (f"account:{account_id}", "gate_changed", True)
        assert (first["payload"]["gateName"], first["payload"]["outcome"]) == ("hot", "broken")
        assert {one["event"] for one in others} == {"ai_response"}


async def test_what_is_proposed_to_remember_goes_to_the_topic_of_its_conversation() -> None:
    new = MemoryProposed(
        old=None, proposal_id="p", turn_id="t", action="append", text="we ship on Fridays", reason="in your words"
    )
    async with supabase_server() as supabase:
        async with relaying(supabase) as relay:
            relay.announce(S1, new)
        (broadcast,) = supabase.realtime.broadcasts
        assert (broadcast["topic"], broadcast["event"], broadcast["private"]) == (f"chat:{S1}", "memory_proposed", True)
        assert broadcast["payload"]["text"] == "we ship on Fridays"


@pytest.mark.parametrize("fault", ["slow", "500", "cut", "hang", "wrong"])
async def test_one_failure_of_realtime_is_made_good(fault: Fault) -> None:
    async with supabase_server() as supabase, relaying(supabase, answer_s=0.5) as relay:
        supabase.faults.plan("realtime", fault)
        for event in stamped(STARTED, *words(20), ENDED):
            await relay.publish(event)
        assert text_of(events_of(await broadcasts_until_end(supabase))) == "".join(f"{n % 10} " for n in range(20))
        assert supabase.faults.done == [("realtime", fault)]


@pytest.mark.parametrize("fault", ["500", "cut", "hang", "wrong"])
async def test_while_realtime_is_dead_turns_go_elsewhere_and_later_ones_are_sent_again(fault: Fault) -> None:
    async with supabase_server() as supabase, relaying(supabase, answer_s=0.1) as relay:
        supabase.faults.always("realtime", fault)
        listening = relay.listen(S1)
        events = stamped(STARTED, *words(50), ENDED)
        for event in events:
            await relay.publish(event)
        with anyio.fail_after(BOUND_S):
            assert [await anext(listening) for _ in events] == events
            await supabase.faults.done.until(lambda done: len(done) >= 3)
        await listening.aclose()
        supabase.faults.always("realtime", None)
        with anyio.fail_after(BOUND_S):
            while not supabase.realtime.broadcasts:
                for event in stamped(STARTED, *words(3), ENDED, turn_id=str(uuid4())):
                    await relay.publish(event)
                with suppress(TimeoutError):
                    await supabase.realtime.broadcasts.until(len, within_s=0.1)


async def test_one_bad_message_is_left_out_and_the_others_are_sent() -> None:
    async with supabase_server() as supabase, relaying(supabase) as relay:
        good = str(uuid4())
        bad = stamped(STARTED, ENDED, session_id="")
        bad = [event.model_copy(update={"turn_id": T2}) for event in bad]
        supabase.realtime.bad_topics.add("chat:")
        for event in [*bad, *stamped(STARTED, ENDED, session_id=good)]:
            await relay.publish(event)
        assert {one["topic"] for one in await broadcasts_until_end(supabase)} == {f"chat:{good}"}


async def test_past_the_budget_text_waits_and_grows_and_the_ends_go_first() -> None:
    granted = 0

    async def one_at_a_time(requested: int) -> int:
        nonlocal granted
        granted += 1
        return min(requested, 1)

    sessions = [str(uuid4()) for _ in range(6)]
    async with supabase_server() as supabase, relaying(supabase, one_at_a_time) as relay:
        for session in sessions:
            for event in stamped(STARTED, *words(30), ENDED, session_id=session, turn_id=str(uuid4())):
                await relay.publish(event)
        broadcasts = await broadcasts_until_end(supabase, ends=len(sessions))
        assert granted >= len(broadcasts)
        for session in sessions:
            broadcast = [one for one in broadcasts if one["topic"] == f"chat:{session}"]
            assert text_of(events_of(broadcast)) == "".join(f"{n % 10} " for n in range(30))


async def test_all_processes_together_keep_to_the_budget(database: FreshDatabase) -> None:
    async with Database(database.server) as first, Database(database.server) as second:
        one, other = BroadcastBudget(first, per_second=20), BroadcastBudget(second, per_second=20)
        started = anyio.current_time()
        taken = 0
        while anyio.current_time() - started < 1.0:
            taken += await one(50) + await other(50)
        lasted = anyio.current_time() - started
        assert 5 <= taken <= 20 * lasted + 5 + 1


async def test_without_a_database_nothing_is_sent_and_nothing_fails() -> None:
    database = Database("postgresql://nobody@127.0.0.1:1/nothing")
    assert await BroadcastBudget(database, per_second=80)(5) == 0


# The other end -------------------------------------------------------------------------------------------------------


async def a_session_of(supabase: SupabaseServer, database: FreshDatabase, name: str) -> tuple[str, str]:
    """An access token and the id of a session of that person's."""
    token = await supabase.auth.sign_in(name)
    async with Database(database.server) as pool:
        world = postgres_world(database.owner, pool)
        user_id = supabase.keys.read(token)["sub"]
        talk = await Talk.begin(world, Caller(user_id=user_id, account_id=await account_of(pool, user_id)))
        await talk.ask(str(uuid4()))
        return token, talk.session_id


@needs_supabase_js
async def test_supabase_js_receives_a_turn_of_its_own_session(database: FreshDatabase) -> None:
    async with supabase_server(database.owner) as supabase, relaying(supabase) as relay:
        token, session_id = await a_session_of(supabase, database, "anna")
        async with supabase_js(supabase, token=token, topic=f"chat:{session_id}") as listener:
            assert await listener.next() == {"status": "SUBSCRIBED"}
            for event in stamped(STARTED, *words(40), ENDED, session_id=session_id):
                await relay.publish(event)
            received = events_of(await listener.to_the_end())
        assert [event["type"] for event in received][:: len(received) - 1] == ["turn_started", "model_response_end"]
        assert text_of(received) == "".join(f"{n % 10} " for n in range(40))


@needs_supabase_js
async def test_supabase_js_receives_nothing_of_another_users_session(database: FreshDatabase) -> None:
    async with supabase_server(database.owner) as supabase:
        _, session_id = await a_session_of(supabase, database, "anna")
        bens = await supabase.auth.sign_in("ben")
        async with supabase_js(supabase, token=bens, topic=f"chat:{session_id}") as listener:
            said = await listener.next()
            assert said is not None
            assert said["status"] == "CHANNEL_ERROR"
            assert "Unauthorized" in said["error"]


async def test_the_supabase_package_receives_a_turn(database: FreshDatabase) -> None:
    async with (
        supabase_server(database.owner) as supabase,
        relaying(supabase) as relay,
        supabase_client(supabase) as client,
    ):
        token, session_id = await a_session_of(supabase, database, "anna")
        await client.realtime.set_auth(token)
        received: list[dict[str, Any]] = []
        ended = anyio.Event()

        def receive(payload: Any) -> None:
            received.append(payload)
            if any(event["type"] in END for event in payload["payload"]["events"]):
                ended.set()

        options: Any = {"config": {"private": True}}
        channel = client.channel(f"chat:{session_id}", options)
        await channel.on_broadcast("ai_response", receive).subscribe()
        with anyio.fail_after(BOUND_S):
            await supabase.realtime.until_joined(f"chat:{session_id}")
            for event in stamped(STARTED, *words(10), ENDED, session_id=session_id):
                await relay.publish(event)
            await ended.wait()
        events = [event for payload in received for event in payload["payload"]["events"]]
        assert text_of(events) == "".join(f"{n % 10} " for n in range(10))
        await client.remove_all_channels()
        await client.realtime.close()


@pytest.mark.skipif(real_project() is None, reason="no real project is named: see tests/cloud/real_project.py")
async def test_a_real_project_takes_our_broadcasts() -> None:
    project = real_project()
    assert project is not None
    refused: list[int] = []

    async def watched(answer: httpx.Response) -> None:
        refused.extend([] if answer.status_code == httpx.codes.ACCEPTED else [answer.status_code])

    async with project.client() as client:
        client.event_hooks["response"].append(watched)
        async with RealtimeRelay(MemoryRelay(), client, all_requested) as relay:
            for event in stamped(STARTED, *words(20), ENDED):
                await relay.publish(event)
    assert refused == []
