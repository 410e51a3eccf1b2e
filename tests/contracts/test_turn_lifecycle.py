"""The table of a turn's life against what does it: the functions of the database, and their twin in memory. Every cell
is walked, from every way into its state."""

from collections import deque
from datetime import UTC, datetime, timedelta
from typing import get_args

import psycopg
import pytest

from server.errors import NotFound
from server.ports.conversations import TurnEnding, TurnKind, TurnRow, TurnStatus
from server.protocol.events import ModelResponseEnd, TurnCancelled, TurnEnd, TurnEvent, TurnFailed, TurnStarted
from server.protocol.wire_values import AskedOfPage, Usage
from server.turns.lifecycle import (
    AS_IT_ENDED,
    ENDED,
    MAX_ATTEMPTS,
    TRANSITIONS,
    Event,
    Next,
    State,
    after,
    ends_turn,
    has_died_too_often,
    state_of,
    status_at_end,
)
from tests.plugins.worlds import Talk, World, new_uuid

Way = tuple[Event, ...]
STATUS = {Event.COMPLETE: TurnStatus.COMPLETED, Event.CANCEL: TurnStatus.CANCELLED, Event.FAIL: TurnStatus.FAILED}


def shortest_ways() -> dict[State, Way]:
    """To each state from where there is no turn."""
    ways: dict[State, Way] = {State.ABSENT: ()}
    line = deque(ways)
    while line:
        state = line.popleft()
        for event, following in TRANSITIONS[state].items():
            if isinstance(following, State) and following not in ways:
                ways[following] = (*ways[state], event)
                line.append(following)
    return ways


def ways_into(state: State) -> list[Way]:
    """One over each edge of the table that leads there."""
    shortest = shortest_ways()
    into = [
        (*shortest[before], event)
        for before, row in TRANSITIONS.items()
        for event, following in row.items()
        if following is state and before is not state
    ]
    ending = next((event for event, status in STATUS.items() if status.value == state.value), None)
    if ending is not None:
        into.append((Event.ACCEPT, Event.START, ending, Event.SUPERSEDE, Event.RESTORE))
    return [(), *into] if state is State.ABSENT else into


class Scene:
    """One turn, and the turns of its session that bear on it."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._store = talk.world.conversations
        self.turn_id = new_uuid()
        self.interrupt_id = new_uuid()
        self.earlier: str | None = None
        self.replacement: str | None = None
        self.overtaken: int | None = None
        """The attempt that acts, where it is not the newest."""
        self.answered: object = None
        """What the store answered last."""

    def can(self, event: Event) -> bool:
        """Whether there is a turn that may cause it."""
        needed = {Event.EARLIER_ENDED: self.earlier, Event.RESTORE: self.replacement}
        return needed.get(event, self.turn_id) is not None

    async def happens(self, event: Event) -> None:
        """Raises what the store raises."""
        self.answered = None
        if event in STATUS:
            await self._end(STATUS[event])
        else:
            await getattr(self, f"_{event.name.lower()}")()

    async def _accept(self) -> None:
        await self._talk.ask(self.turn_id)

    async def _accept_behind(self) -> None:
        if await self.state() is State.ABSENT:
            self.earlier = new_uuid()
            await self._talk.ask(self.earlier)
        await self._talk.ask(self.turn_id, queue_behind=True)

    async def _earlier_ended(self) -> None:
        await self._end_others()

    async def _start(self) -> None:
        self.answered = await self._store.start_turn(self.turn_id, owner="a process")

    async def _hand_over(self) -> None:
        await self._store.hand_over_turn(self.turn_id, attempt=await self._attempt() or 0)

    async def _interrupt(self) -> None:
        asked = AskedOfPage(
            interrupt_id=self.interrupt_id,
            tool_call_id="call",
            tool_name="navigate",
            args={},
            expires_at=datetime.now(UTC) + timedelta(hours=1),
        )
        await self._store.interrupt_turn(self.turn_id, asked, attempt=await self._attempt() or 0)

    async def _resume(self) -> None:
        await self._store.resume_turn(self._talk.caller, self.interrupt_id, {"status": "shown"})

    async def _expire(self) -> None:
        if not (await self.state()).has_ended:
            await self._talk.world.let_expire(self.interrupt_id)
        await self._store.expire_interrupts()

    async def _request_stop(self) -> None:
        await self._store.request_cancel(self._talk.caller, self.turn_id)

    async def _end(self, status: TurnStatus) -> None:
        ending, attempt = TurnEnding(status=status), await self._attempt()
        self.answered = await self._store.end_turn(self.turn_id, ending, attempt=attempt)

    async def _supersede(self) -> None:
        if (await self.state()).has_ended:
            await self._end_others()
        replacement = new_uuid()
        await self._talk.ask(replacement, "better?", kind=TurnKind.EDIT, supersedes=self.turn_id)
        self.replacement = replacement

    async def _restore(self) -> None:
        assert self.replacement is not None
        await self._talk.end(self.replacement, TurnStatus.FAILED)
        self.replacement = None

    async def _delete(self) -> None:
        if (await self.state()).has_ended:
            await self._end_others()
        await self._store.delete_session(self._talk.caller, self._talk.session_id)
        self.replacement = None

    async def state(self) -> State:
        row = await self.row()
        if row is None:
            return State.ABSENT
        unended = {turn.turn_id for turn in await self._store.unended_turns()}
        shown = {message.turn_id for message in await self._store.messages(self._talk.caller, self._talk.session_id)}
        return state_of(row, waits=self.earlier in unended, is_superseded=self.turn_id not in shown)

    async def row(self) -> TurnRow | None:
        try:
            return await self._store.turn(self._talk.caller, self.turn_id)
        except NotFound:
            return None

    async def _attempt(self) -> int | None:
        """The one that acts; None before the first."""
        row = await self.row()
        return self.overtaken or (row.attempt if row is not None and row.attempt else None)

    async def _end_others(self) -> None:
        for other in (self.earlier, self.replacement):
            if other is not None:
                await self._talk.end(other)
        self.earlier = None


@pytest.mark.parametrize("state", State, ids=lambda state: state.name)
@pytest.mark.long
async def test_every_cell_is_what_the_store_does(world: World, state: State) -> None:
    talk, walked = await Talk.begin(world, await world.user()), set()
    for way in ways_into(state):
        for event in Event:
            talk.session_id = new_uuid()
            scene = Scene(talk)
            for step in way:
                await scene.happens(step)
            assert await scene.state() is state, way
            if scene.can(event):
                walked.add(event)
                await walk(scene, state, event)
    assert walked == set(TRANSITIONS[state])


async def walk(scene: Scene, state: State, event: Event) -> None:
    """Let it happen, and compare with the cell."""
    before = await scene.row()
    expected: Next = TRANSITIONS[state][event]
    if isinstance(expected, type):
        with pytest.raises(expected):
            await scene.happens(event)
        with pytest.raises(expected):
            after(state, event)
        expected = state
    else:
        await scene.happens(event)
    found = await scene.state()
    assert found in (expected if isinstance(expected, frozenset) else {expected}), f"{state} {event}"
    if state.has_ended and found is not State.ABSENT:
        assert await scene.row() == before, f"{state} {event}: what has ended stays as it is"
    if event is Event.START:
        assert (scene.answered is not None) == (found is State.RUNNING)
    if event in STATUS:
        assert (scene.answered is not None) == (found is not state)


@pytest.mark.parametrize("state", [state for state in State if state in AS_IT_ENDED], ids=lambda state: state.name)
async def test_a_turn_whose_place_is_free_again_is_as_it_had_ended(world: World, state: State) -> None:
    scene = Scene(await Talk.begin(world, await world.user()))
    for step in ways_into(state)[-1]:
        await scene.happens(step)
    assert await scene.state() is state


@pytest.mark.parametrize("event", [Event.HAND_OVER, Event.INTERRUPT, *STATUS], ids=lambda event: event.name)
async def test_an_attempt_that_was_overtaken_changes_nothing(world: World, event: Event) -> None:
    scene = Scene(await Talk.begin(world, await world.user()))
    for step in (Event.ACCEPT, Event.START, Event.START):
        await scene.happens(step)
    assert await scene.state() is State.RUNNING
    scene.overtaken = 1
    await scene.happens(event)
    assert scene.answered is None
    assert await scene.state() is State.RUNNING


async def test_an_attempt_that_waits_for_the_page_did_not_die(world: World) -> None:
    talk = await Talk.begin(world, await world.user())
    scene = Scene(talk)
    for step in (Event.ACCEPT, Event.START, Event.INTERRUPT, Event.RESUME, Event.START):
        await scene.happens(step)
    row = await world.conversations.turn(talk.caller, scene.turn_id)
    assert (row.attempt, row.attempts_that_died) == (2, 0)
    assert row.interrupt_result == {"status": "shown"}


async def test_a_hand_over_that_is_noted_twice_is_counted_once(world: World) -> None:
    talk = await Talk.begin(world, await world.user())
    scene = Scene(talk)
    for step in (Event.ACCEPT, Event.START, Event.HAND_OVER, Event.HAND_OVER, Event.START):
        await scene.happens(step)
    row = await world.conversations.turn(talk.caller, scene.turn_id)
    assert (row.handed_over, row.attempts_that_died) == (1, 0)


async def test_an_attempt_gives_up_after_as_many_that_died_and_never_after_those_handed_over(world: World) -> None:
    talk = await Talk.begin(world, await world.user())
    scene, gives_up = Scene(talk), []
    await scene.happens(Event.ACCEPT)
    for _ in range(MAX_ATTEMPTS):
        await scene.happens(Event.START)
        await scene.happens(Event.HAND_OVER)
    for _ in range(MAX_ATTEMPTS + 1):
        await scene.happens(Event.START)
        gives_up.append(has_died_too_often(await world.conversations.turn(talk.caller, scene.turn_id)))
    assert gives_up == [False] * MAX_ATTEMPTS + [True]


def test_the_statuses_are_those_of_the_database(owner: psycopg.Connection[tuple[object, ...]]) -> None:
    found = owner.execute(
        "select pg_get_constraintdef(oid) from pg_constraint where conname = 'chat_turns_status_check'"
    ).fetchone()
    assert found is not None
    assert sorted(str(found[0]).split("'")[1::2]) == sorted(TurnStatus)
    assert {state.value for state in ENDED - {State.SUPERSEDED}} == {one for one in TurnStatus if one.has_ended}


def test_the_wire_s_endings_are_those_of_the_table() -> None:
    usage = Usage(model_calls=1)
    answer = ModelResponseEnd(message_id="m", usage=usage, citations=[], checks=[], suggestions=[])
    failed = TurnFailed(code="c", message="m", retryable=True)
    pairs: list[tuple[TurnEnd, TurnStatus]] = [
        (answer, TurnStatus.COMPLETED),
        (TurnCancelled(), TurnStatus.CANCELLED),
        (failed, TurnStatus.FAILED),
    ]
    assert {type(end) for end, _ in pairs} == set(get_args(TurnEnd))
    for end, status in pairs:
        assert ends_turn(end)
        assert {status_at_end(state, end) for state in State if state not in {*ENDED, State.ABSENT}} == {status}
        with pytest.raises(ValueError, match=type(end).__name__):
            status_at_end(State.COMPLETED, end)
    others: list[TurnEvent] = [TurnStarted(attempt=1, model="m", prompt_version="v")]
    assert not any(ends_turn(event) for event in others)
