"""Gates, the checks of them and their webhooks: over every adapter of rows."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from server.errors import BadRequest, NotAllowed, NotFound
from server.ports.gates import GateCheck, Gates, NewGate, Webhook, WebhookState
from server.ports.identity import Caller
from server.ports.run_labels import RunLabels
from tests.plugins.worlds import World, a_trace_of, new_uuid
from traces.gate.outcome import Outcome

BASELINE = {"branch": "main"}


def a_gate(**values: object) -> NewGate:
    gate = NewGate(gate_id=new_uuid(), name=f"g {new_uuid()}", rules=("total +3%",), baseline=BASELINE)
    return replace(gate, **values)  # type: ignore[arg-type]


async def a_run(world: World, caller: Caller, at_minute: int = 0, program: str | None = None, **labels: str) -> str:
    row = a_trace_of(caller)
    at = row.created_at.replace(microsecond=0) - timedelta(hours=1) + timedelta(minutes=at_minute)
    await world.traces.insert(replace(row, created_at=at, run=RunLabels(labels, program)))
    return row.trace_id


async def taken(gates: Gates, result_trace: str) -> GateCheck:
    """The check of that trace, past those that other tests left."""
    while (check := await gates.take_check()) is not None:
        if check.trace_id == result_trace:
            return check
        await gates.end_check(check.result_id, outcome=None, problem="another's", report=None, sends=False)
    raise AssertionError("there is no such check")


async def ended(world: World, caller: Caller, trace_id: str, outcome: Outcome = Outcome.BROKEN) -> str:
    await world.gates.note_checks(caller, trace_id)
    check = await taken(world.gates, trace_id)
    report = b'{"a": "\\u0000"}'
    assert await world.gates.end_check(check.result_id, outcome=outcome, problem=None, report=report, sends=True)
    return check.result_id


async def due(gates: Gates, result_id: str) -> Webhook | None:
    while (webhook := await gates.take_webhook(600)) is not None:
        if webhook.result.result_id == result_id:
            return webhook
    return None


async def test_gates_are_their_accounts_alone(world: World) -> None:
    caller, stranger = await world.user(), await world.user()
    made = await world.gates.make(caller, a_gate(name="b", labels={"scenario": "x"}, program="p", single_run="25%"))
    await world.gates.make(caller, a_gate(name="a"))
    assert [gate.name for gate in await world.gates.of_account(caller)] == ["a", "b"]
    assert (await world.gates.of_account(caller))[1] == made
    assert (made.labels, made.baseline, made.last_runs, made.program) == ({"scenario": "x"}, BASELINE, 10, "p")
    assert await world.gates.of_account(stranger) == []
    in_their_place = Caller(user_id=stranger.user_id, account_id=caller.account_id)
    with pytest.raises(NotAllowed):
        await world.gates.make(in_their_place, a_gate())
    for nobody, gate_id in ((stranger, made.gate_id), (in_their_place, made.gate_id), (caller, new_uuid())):
        with pytest.raises(NotFound):
            await world.gates.remove(nobody, gate_id)
    with pytest.raises(BadRequest):
        await world.gates.make(caller, a_gate(name="b"))
    await world.gates.remove(caller, made.gate_id)
    assert [gate.name for gate in await world.gates.of_account(caller)] == ["a"]


async def test_an_upload_is_checked_by_the_gates_that_mean_it_once(world: World) -> None:
    caller, stranger = await world.user(), await world.user()
    for wish in (
        a_gate(name="all"),
        a_gate(name="of p", program="p"),
        a_gate(name="of q", program="q"),
        a_gate(name="x", labels={"scenario": "x"}),
        a_gate(name="y", labels={"scenario": "x", "branch": "y"}),
    ):
        await world.gates.make(caller, wish)
    await world.gates.make(stranger, a_gate(name="theirs"))
    trace_id = await a_run(world, caller, program="p", scenario="x")
    assert await world.gates.note_checks(caller, trace_id) == 3
    assert await world.gates.note_checks(caller, trace_id) == 0
    found = await world.gates.results(caller, trace_id=trace_id)
    assert {one.gate_name for one in found} == {"all", "of p", "x"}
    assert {(one.outcome, one.judged_at, one.webhook) for one in found} == {(None, None, WebhookState.NONE)}
    assert await world.gates.results(stranger) == []
    assert await world.gates.results(stranger, trace_id=trace_id) == []


async def test_a_check_has_the_newest_runs_before_of_the_same_program(world: World) -> None:
    caller = await world.user()
    await world.gates.make(caller, a_gate(last_runs=3))
    runs = [await a_run(world, caller, minute, "p", branch="main", n=str(minute)) for minute in range(5)]
    await a_run(world, caller, 2, "q", branch="main")
    await a_run(world, caller, 2, "p", branch="other")
    judged = await a_run(world, caller, 6, "p", branch="feature")
    await a_run(world, caller, 7, "p", branch="main")
    await world.gates.note_checks(caller, judged)
    check = await taken(world.gates, judged)
    assert check.runs_before == tuple(runs[2:])
    assert (check.caller, check.rules, check.tries, check.acceptances) == (caller, ("total +3%",), 1, ())


async def test_a_check_that_was_taken_is_nobody_elses_and_ends_once(world: World) -> None:
    caller = await world.user()
    await world.gates.make(caller, a_gate())
    trace_id = await a_run(world, caller)
    await world.gates.note_checks(caller, trace_id)
    check = await taken(world.gates, trace_id)
    while (other := await world.gates.take_check()) is not None:
        assert other.result_id != check.result_id
    end = {"outcome": Outcome.KEPT, "problem": None, "report": json.dumps({"x\0": 1}).encode(), "sends": True}
    assert await world.gates.end_check(check.result_id, **end)  # type: ignore[arg-type]
    assert not await world.gates.end_check(check.result_id, **end)  # type: ignore[arg-type]
    (result,) = await world.gates.results(caller, trace_id=trace_id)
    assert (result.outcome, result.webhook) == (Outcome.KEPT, WebhookState.NONE)
    assert result.judged_at is not None
    assert not await world.gates.end_check(new_uuid(), **end)  # type: ignore[arg-type]


async def test_a_webhook_is_due_taken_and_tried_again(world: World) -> None:
    caller = await world.user()
    await world.gates.make(caller, a_gate(webhook_url="https://a.example/x", webhook_secret="s" * 43))
    result_id = await ended(world, caller, await a_run(world, caller))
    webhook = await due(world.gates, result_id)
    assert webhook is not None
    assert (webhook.url, webhook.secret, webhook.tries) == ("https://a.example/x", "s" * 43, 1)
    assert "sss" not in repr(webhook)
    assert await due(world.gates, result_id) is None
    await world.gates.end_webhook(result_id, WebhookState.WAITING, "status 500", again_in_s=-1)
    again = await due(world.gates, result_id)
    assert again is not None
    assert again.tries == 2
    await world.gates.end_webhook(result_id, WebhookState.SENT, "status 204")
    (result,) = await world.gates.results(caller, result_id=result_id)
    assert (result.webhook, result.webhook_tries, result.webhook_answer) == (WebhookState.SENT, 2, "status 204")
    assert await due(world.gates, result_id) is None


async def test_what_is_meant_is_accepted_by_an_owner_and_begins_the_baseline_anew(world: World) -> None:
    owner = await world.user()
    member, stranger = await world.member(owner), await world.user()
    await world.gates.make(owner, a_gate())
    old = await a_run(world, owner, 1, branch="main")
    slower = await a_run(world, owner, 2, branch="main")
    result_id = await ended(world, owner, slower)
    with pytest.raises(NotAllowed):
        await world.gates.accept(member, result_id, "no")
    for nobody, which in ((stranger, result_id), (owner, new_uuid()), (owner, "no id")):
        with pytest.raises(NotFound):
            await world.gates.accept(nobody, which, "no")
    accepted = await world.gates.accept(owner, result_id, "new checksums")
    assert (accepted.accepted_by, accepted.accepted_reason) == (owner.user_id, "new checksums")
    assert await world.gates.accept(owner, result_id, "something else") == accepted
    next_run = await a_run(world, owner, 3)
    await world.gates.note_checks(owner, next_run)
    check = await taken(world.gates, next_run)
    assert check.runs_before == (slower,)
    assert old not in check.runs_before
    assert check.acceptances[0].endswith(": new checksums")
    kept = await ended(world, owner, await a_run(world, owner, 4), Outcome.KEPT)
    with pytest.raises(BadRequest):
        await world.gates.accept(owner, kept, "nothing to accept")


async def test_results_go_with_their_trace_and_their_gate(world: World) -> None:
    caller = await world.user()
    gate = await world.gates.make(caller, a_gate())
    one, other = await a_run(world, caller), await a_run(world, caller)
    await world.gates.note_checks(caller, one)
    await world.gates.note_checks(caller, other)
    await world.traces.delete(caller, one)
    assert [result.trace_id for result in await world.gates.results(caller)] == [other]
    await world.gates.remove(caller, gate.gate_id)
    assert await world.gates.results(caller) == []


async def test_what_was_judged_lately_is_given_to_servers_the_oldest_first(world: World) -> None:
    caller, other = await world.user(), await world.user()
    await world.gates.make(caller, a_gate())
    await world.gates.make(other, a_gate())
    first = await ended(world, caller, await a_run(world, caller, 1))
    second = await ended(world, other, await a_run(world, other, 2))
    waiting = await a_run(world, caller, 3)
    await world.gates.note_checks(caller, waiting)
    found = [one for one in await world.gates.judged_lately(60) if one.result_id in (first, second)]
    assert [(one.result_id, one.account_id) for one in found] == [
        (first, caller.account_id),
        (second, other.account_id),
    ]
    assert waiting not in {one.trace_id for one in await world.gates.judged_lately(60)}
    assert await world.gates.judged_lately(0) == []
