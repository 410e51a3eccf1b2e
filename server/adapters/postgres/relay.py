"""Events of running turns, to the listeners of every process.

Listeners in the same process get an event at once; for the others events are written in batches to an unlogged table
and announced by a NOTIFY that names turn, session and number, so that any process serves any listener.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Self

import psycopg
import structlog
from psycopg import AsyncConnection
from psycopg.rows import DictRow

from server.adapters.in_process.background_loops import BackgroundLoops
from server.adapters.in_process.relay import EVENTS_PER_LISTENER, MemoryRelay
from server.adapters.postgres.announcements import POLL_S, Announcements, channel_of
from server.adapters.postgres.event_rows import Announcement, EventRow, PassedOver, as_they_stand, event_row
from server.adapters.postgres.pool import Database
from server.adapters.postgres.statements import statement
from server.errors import ServerError, raised_at
from server.ports.relay import Listening, Seen
from server.protocol.events import TurnEnd, TurnEvent
from server.protocol.server import TurnSnapshot
from server.turns.followed_turn import FollowedTurn
from server.turns.lifecycle import ends_turn
from server.turns.view_of_turn import SEQS_PER_ATTEMPT, TurnView, attempt_of

BATCH_S = 0.02
"""Events of all turns that come within it share a transaction."""

RETRY_S = 0.3

ENDED_WITHIN_S = 30.0
"""A look asks for turns that ended up to so long before the look before it: their last events may be written later. A
process that stood still, or that could not read, thus looks as much further back."""

NOTHING_FOLLOWS = 1 << 62
"""Higher than every event's number: marks a turn that has ended as seen."""

log = structlog.get_logger(__name__)


class PostgresRelay:
    """Relay over a Database; `async with` it. `listen_dsn` makes the connection that receives announcements: it must
    not be a pooler of transactions. Without one, tables are polled."""

    def __init__(
        self,
        database: Database,
        listen_dsn: str | None,
        *,
        events_per_listener: int = EVENTS_PER_LISTENER,
        loops: BackgroundLoops | None = None,
        passed_over: PassedOver = lambda what: None,
    ) -> None:
        """`passed_over` counts what other processes wrote that this one does not understand."""
        self._database = database
        self._loops = loops or BackgroundLoops()
        self._passed_over = passed_over
        self._inner = MemoryRelay(events_per_listener=events_per_listener)
        self._own: dict[str, TurnView] = {}
        self._unwritten: list[TurnEvent | TurnSnapshot] = []
        self._lost: set[str] = set()
        self._something_to_write = asyncio.Event()
        self._listeners: dict[str, int] = {}
        self._seen: dict[str, dict[str, int]] = {}
        self._let_go_unseen: dict[str, dict[str, int]] = {}
        self._looked_at: dict[str, float] = {}
        self._dirty: set[str] = set()
        self._something_to_read = asyncio.Event()
        self._reading = asyncio.Lock()
        self._tasks: list[asyncio.Task[None]] = []
        self._announcements = Announcements(
            listen_dsn,
            self._listeners.keys(),
            received=self._receive,
            look_at=self._look_at,
            connected=self._connected,
            passed_over=passed_over,
        )

    async def __aenter__(self) -> Self:
        self._tasks = [self._loops.start(name, work) for name, work in self._works().items()]
        return self

    def _works(self) -> dict[str, Callable[[], Awaitable[None]]]:
        return {
            "events_write": self._write_on,
            "events_read": self._read_on,
            "events_announced": self._announcements.run,
            "events_unpublished_ends": self._find_unpublished_ends,
        }

    async def __aexit__(self, *exc: object) -> None:
        await self._loops.stop(*self._tasks)
        with contextlib.suppress(ServerError, psycopg.Error):
            await self._write(self._unwritten)

    async def publish(self, event: TurnEvent | TurnSnapshot) -> None:
        await self._inner.publish(event)
        view = self._inner.view(event.turn_id, event.session_id)
        if view is not None:
            self._own[event.turn_id] = view
        elif ends_turn(event):  # its view is kept until it is written; one that only ended has none
            self._own.setdefault(event.turn_id, TurnView(event.turn_id, event.session_id)).apply(event)
        self._unwritten.append(event)
        self._something_to_write.set()

    async def give_up(self, turn_id: str, session_id: str) -> bool:
        self._own.pop(turn_id, None)
        self._unwritten = [event for event in self._unwritten if event.turn_id != turn_id]
        self._lost.discard(turn_id)
        view = self._inner.view(turn_id, session_id)
        if view is not None:
            self._inner.forget(turn_id, session_id)
            self._leave_off(turn_id, session_id, attempt_of(view.seq) * SEQS_PER_ATTEMPT - 1)
        self._look_at([session_id])
        return True

    def listen(self, session_id: str, *, seen: Seen | None = None) -> Listening:
        self._listeners[session_id] = self._listeners.get(session_id, 0) + 1
        self._look_at([session_id])
        self._announcements.changed()
        return _Listening(self, session_id, self._inner.listen(session_id, seen=seen))

    async def snapshot(self, session_id: str) -> TurnSnapshot | None:
        """Raises DatabaseUnavailable."""
        running_here = self._running_here(session_id)
        if running_here is None:
            if session_id not in self._listeners:
                turns = as_they_stand(await self._rows([session_id]))
                running = [one for one in turns if not one.view.state.has_ended]
                return running[-1].view.snapshot() if running else None
            await self._read([session_id])
            return await self._inner.snapshot(session_id)
        return running_here.snapshot()

    def _running_here(self, session_id: str) -> TurnView | None:
        """The turn of a session that this process runs: all others of the session have ended in the database."""
        views = (view for view in self._own.values() if view.session_id == session_id and not view.state.has_ended)
        return next(views, None)

    def leave(self, session_id: str) -> None:
        """One listener less. What nobody listens to is no longer read."""
        self._listeners[session_id] -= 1
        if self._listeners[session_id] == 0:
            del self._listeners[session_id]
            self._announcements.changed()
            self._seen.pop(session_id, None)
            self._let_go_unseen.pop(session_id, None)
            self._looked_at.pop(session_id, None)
            self._inner.forget_others(session_id, self._own)

    def _receive(self, what: Announcement) -> None:
        if what.session_id in self._listeners and what.turn_id not in self._own:
            self._look_at([what.session_id])

    def _connected(self) -> None:
        """What was announced meanwhile may have been lost: turns of this process are written again as snapshots."""
        self._lost.update(self._own)
        self._something_to_write.set()

    def _look_at(self, sessions: list[str]) -> None:
        self._dirty.update(sessions)
        self._something_to_read.set()

    # Writing -------------------------------------------------------------------------------------------------------

    async def _write_on(self) -> None:
        while True:
            await self._something_to_write.wait()
            self._something_to_write.clear()
            batch, self._unwritten = self._unwritten, []
            try:
                await self._write(batch)
                await asyncio.sleep(BATCH_S)
            except (ServerError, psycopg.Error) as error:
                log.warning("events_not_written", error=type(error).__name__, events=len(batch))
                self._something_to_write.set()
                await asyncio.sleep(RETRY_S)

    async def _write(self, batch: list[TurnEvent | TurnSnapshot]) -> None:
        """Write and announce these events. Turns of which an earlier event is not in the table (it could not be
        written, or the server fell, which empties the table) are written again as a snapshot."""
        lost, self._lost = self._lost, set()
        if not batch and not lost:
            return
        try:
            async with self._database.transaction(durable=False) as connection:
                lost |= await self._without_beginning(connection, batch)
                events = [*self._republished(lost), *(event for event in batch if event.turn_id not in lost)]
                if again := [event for event in events if event.turn_id in lost]:
                    replaced = {"turns": [event.turn_id for event in again], "seqs": [event.seq for event in again]}
                    await connection.execute(statement("replace_turn_events"), replaced)
                last = {event.turn_id: event for event in events}
                parameters = {
                    "turns": [event.turn_id for event in events],
                    "seqs": [event.seq for event in events],
                    "sessions": [event.session_id for event in events],
                    "events": [event.to_wire() for event in events],
                    "ends": [ends_turn(event) for event in events],
                    "per_attempt": SEQS_PER_ATTEMPT,
                    "channels": [channel_of(event.session_id) for event in last.values()],
                    "news": [f"{event.session_id} {event.turn_id} {event.seq}" for event in last.values()],
                }
                await connection.execute(statement("write_turn_events"), parameters)
        except BaseException:
            self._lost |= lost | {event.turn_id for event in batch}
            self._something_to_write.set()
            raise
        for event in events:
            if ends_turn(event):
                self._let_go(event)
        for turn_id in last:
            self._rest(turn_id)

    async def _without_beginning(
        self, connection: AsyncConnection[DictRow], batch: list[TurnEvent | TurnSnapshot]
    ) -> set[str]:
        """The turns whose event before the first of the batch is not in the table."""
        first = {event.turn_id: event for event in reversed(batch)}
        following = [event for event in first.values() if not _begins(event)]
        if not following:
            return set()
        before = {"turns": [e.turn_id for e in following], "seqs": [e.seq - 1 for e in following]}
        found = await (await connection.execute(statement("turn_events_missing"), before)).fetchall()
        return {str(row["turn_id"]) for row in found}

    def _republished(self, turns: set[str]) -> list[TurnEvent | TurnSnapshot]:
        """Snapshots of these turns, which include what waits to be written of them."""
        views = [self._own[turn] for turn in turns if turn in self._own]
        self._unwritten = [event for event in self._unwritten if event.turn_id not in turns]
        snapshots: list[TurnEvent | TurnSnapshot] = [view.snapshot() for view in views]
        return snapshots + [view.end for view in views if view.end is not None]

    def _let_go(self, end: TurnEnd) -> None:
        """This turn is no longer published from here: its rows are written, and its listeners have received them."""
        self._leave_off(end.turn_id, end.session_id, NOTHING_FOLLOWS)
        self._own.pop(end.turn_id, None)

    def _leave_off(self, turn_id: str, session_id: str, seq: int) -> None:
        """Listeners have a turn of this process up to there. Where the session's first look is under way it was asked
        without the turn's rows, and the next one must not send them again."""
        if session_id in self._seen:
            self._seen[session_id][turn_id] = seq
        elif session_id in self._listeners:
            self._let_go_unseen.setdefault(session_id, {})[turn_id] = seq

    def _rest(self, turn_id: str) -> None:
        """A turn that waits for the page is nobody's: what any process publishes of it is passed on from here."""
        view = self._own.get(turn_id)
        if view is None or view.asked_of_page is None:
            return
        self._leave_off(turn_id, view.session_id, view.seq)
        del self._own[turn_id]
        if view.session_id not in self._listeners:
            self._inner.forget(turn_id, view.session_id)

    # Reading -------------------------------------------------------------------------------------------------------

    async def _read_on(self) -> None:
        while True:
            await self._something_to_read.wait()
            self._something_to_read.clear()
            sessions, self._dirty = [one for one in self._dirty if one in self._listeners], set()
            try:
                await self._read(sessions)
            except (ServerError, psycopg.Error) as error:
                log.warning("events_not_read", error=type(error).__name__)
                self._look_at(sessions)
                await asyncio.sleep(RETRY_S)
            except Exception:
                self._look_at(sessions)
                raise

    async def _read(self, sessions: list[str]) -> None:
        """Pass to the listeners of these sessions what other processes have published since the last time."""
        if not sessions:
            return
        async with self._reading:
            began = monotonic()
            rows = await self._rows(sessions)
            first_look = {session for session in sessions if session not in self._seen}
            for session in sessions:
                if session in self._listeners:
                    self._seen.setdefault(session, self._let_go_unseen.pop(session, {}))
                    self._looked_at[session] = began
            for turn in as_they_stand([row for row in rows if row.session_id in first_look]):
                self._catch_up(turn)
            for row in rows:
                if row.session_id not in first_look:
                    await self._pass_on_or_hang_up(row)

    async def _rows(self, sessions: list[str]) -> list[EventRow]:
        known = [(turn, seq) for session in sessions for turn, seq in self._seen.get(session, {}).items()]
        now = monotonic()
        parameters = {
            "ended_within_s": ENDED_WITHIN_S + max(now - self._looked_at.get(session, now) for session in sessions),
            "sessions": sessions,
            "own": list(self._own),
            "turns": [turn for turn, _ in known],
            "seen": [seq for _, seq in known],
        }
        async with self._database.transaction() as connection:
            found = await (await connection.execute(statement("read_turn_events"), parameters)).fetchall()
        return [event_row(row, self._passed_over) for row in found]

    def _catch_up(self, turn: FollowedTurn) -> None:
        """Whoever comes late gets the turn as it stands; one that has ended is in the messages already, and so is one
        that has not while the next runs here: only its end is still to come."""
        view = turn.view
        seen = self._seen.get(view.session_id)
        if seen is not None and view.turn_id not in self._own:
            seen[view.turn_id] = NOTHING_FOLLOWS if view.state.has_ended else view.seq
            if not view.state.has_ended:
                take_in = self._inner.take_up if self._running_here(view.session_id) is None else self._inner.know
                take_in(turn)

    async def _pass_on_or_hang_up(self, row: EventRow) -> None:
        """One turn's row is nobody else's trouble: whoever listens to it joins again."""
        try:
            await self._pass_on(row)
        except Exception as error:  # noqa: BLE001 - of whatever another process wrote
            log.warning("event_not_passed_on", turn_id=row.turn_id, error=type(error).__name__, where=raised_at(error))
            await self._inner.hang_up(row.turn_id, row.session_id)

    async def _pass_on(self, row: EventRow) -> None:
        """Send a row on. Of one that cannot be read listeners get the turn as it stands; where they would miss the end,
        they are disconnected, and find the answer among the messages when they come back."""
        seen = self._seen.get(row.session_id)
        if seen is None or row.turn_id in self._own or row.seq <= seen.get(row.turn_id, -1):
            return
        follows = row.seq == seen.get(row.turn_id, -1) + 1
        if row.ends_turn and (row.event is None or not (follows or row.begins)):
            seen[row.turn_id] = NOTHING_FOLLOWS
            await self._inner.hang_up(row.turn_id, row.session_id)
        elif row.begins or follows:
            seen[row.turn_id] = NOTHING_FOLLOWS if row.ends_turn else row.seq
            if row.event is None:
                self._inner.skip(row.turn_id, row.session_id, row.seq)
            else:
                await self._inner.publish(row.event)

    async def _find_unpublished_ends(self) -> None:
        """A process may die between storing an end and publishing it, or never learn that it was stored. Listeners of
        such a turn are disconnected, and find the answer among the messages when they come back."""
        while True:
            await asyncio.sleep(POLL_S)
            followed = {
                turn: session
                for session, turns in self._seen.items()
                for turn, seq in turns.items()
                if seq < NOTHING_FOLLOWS and turn not in self._own
            }
            if not followed:
                continue
            try:
                async with self._database.transaction() as connection:
                    parameters = {"turns": list(followed)}
                    rows = await (await connection.execute(statement("unpublished_ends"), parameters)).fetchall()
            except (ServerError, psycopg.Error) as error:
                log.warning("events_not_read", error=type(error).__name__)
                continue
            for turn in (str(row["id"]) for row in rows):
                log.info("untold_end", turn_id=turn)
                self._seen.get(followed[turn], {})[turn] = NOTHING_FOLLOWS
                await self._inner.hang_up(turn, followed[turn])


def _begins(event: TurnEvent | TurnSnapshot) -> bool:
    """Whether a listener can follow the turn from this event on. After a gap it waits for the next snapshot."""
    return isinstance(event, TurnSnapshot) or (event.seq - 1) % SEQS_PER_ATTEMPT == 0


class _Listening:
    """A listener, which is counted while it listens."""

    def __init__(self, relay: PostgresRelay, session_id: str, inner: Listening) -> None:
        self._relay = relay
        self._session_id = session_id
        self._inner = inner
        self._closed = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> TurnEvent | TurnSnapshot:
        return await anext(self._inner)

    async def aclose(self) -> None:
        await self._inner.aclose()
        if not self._closed:
            self._closed = True
            self._relay.leave(self._session_id)
