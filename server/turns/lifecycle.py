"""The life of a turn: its states, what happens to it, and which state follows.

Rule: everything that changes a turn's state stands in `TRANSITIONS`. The runner, the endings, the view that listeners
see and the relay take it from here; the functions of the database (`supabase/migrations/*_turns.sql`, called by
`server/adapters/postgres/conversations.py`) and the in-memory twin are compared with it cell by cell, by
`tests/contracts/test_turn_lifecycle.py`. The form is that of h11's `_state.py`.

    (absent) --ACCEPT_BEHIND--> waiting --EARLIER_ENDED--> accepted <--ACCEPT-- (absent)
                                                               |
                                                             START
                                                               v
          START of the next attempt: the last one's    +--> running --HAND_OVER--> handed over
          server died, or had handed the turn over     |       |                        |
                                                       +-------+<--------START----------+

    running --INTERRUPT--> interrupted --RESUME, EXPIRE--> handed over

    waiting, accepted, running, handed over, interrupted --REQUEST_STOP--> stopping (START finds nothing to run)

    each of these six  --COMPLETE--> completed --+
                       --CANCEL----> cancelled --+--SUPERSEDE--> superseded --RESTORE--> as it had ended
                       --FAIL------> failed -----+

    the last four --DELETE--> (absent)

The database has a status (`chat_turns.status`) and facts beside it; `state_of` reads a state from both:

    state                      status                         and
    waiting                    accepted                       an earlier turn of its session has not ended
    stopping                   accepted, running              cancel_requested
    handed over                running                        no owner
    interrupted                running                        an interrupt without a result
    superseded                 completed, cancelled, failed   a later turn, which did not fail, has its place
"""

from enum import Enum
from typing import TypeGuard

from server.errors import BadRequest, NotFound, ServerError, TurnInProgress
from server.ports.conversations import TurnRow, TurnStatus
from server.protocol.events import ModelResponseEnd, TurnCancelled, TurnEnd, TurnEvent, TurnFailed, TurnStarted
from server.protocol.server import TurnSnapshot

MAX_OVERTAKEN = 8
"""In 10 minutes: a turn that makes every process hang must not travel for ever."""

MAX_ATTEMPTS = 3
"""A turn that was running when its server died is tried again; a turn that kills servers must not do so for ever. One
whose server was stopped, or lost the database, goes on however often."""


class State(Enum):
    """Where a turn is in its life."""

    ABSENT = "absent"  #: there is no such turn: not accepted yet, refused, or deleted with its session
    WAITING = "waiting"  #: accepted, and waits for the answer to an earlier prompt of its session
    ACCEPTED = "accepted"  #: accepted, and next in its session
    RUNNING = "running"  #: an attempt has started; its server may have died since
    INTERRUPTED = "interrupted"  #: waits for the page's answer: nobody runs it, and no time of it is counted
    HANDED_OVER = "handed over"  #: its server gave it up in good order; the next attempt goes on
    STOPPING = "stopping"  #: its user asked to stop it, and it has not ended yet
    COMPLETED = "completed"  #: ended with an answer
    CANCELLED = "cancelled"  #: ended by its user
    FAILED = "failed"  #: ended without an answer
    SUPERSEDED = "superseded"  #: ended, and a later turn has its place in the history

    @property
    def has_ended(self) -> bool:
        """Whether no attempt of it runs or will run, although it is there."""
        return self in ENDED


class Event(Enum):
    """What happens to a turn: a call of the store, but for EARLIER_ENDED and RESTORE, which another turn causes."""

    ACCEPT = "accept"  #: reserve_turn: its prompt is accepted, nothing of its session runs
    ACCEPT_BEHIND = "accept behind"  #: reserve_turn with `queue_behind`, while an earlier turn has not ended
    EARLIER_ENDED = "earlier ended"  #: the last earlier turn of its session ended
    START = "start"  #: start_turn: an attempt begins
    HAND_OVER = "hand over"  #: hand_over_turn: its newest attempt's server is stopped, or lost the database
    INTERRUPT = "interrupt"  #: interrupt_turn: its newest attempt ends, and the turn waits for the page
    RESUME = "resume"  #: resume_turn: the page has answered
    EXPIRE = "expire"  #: expire_interrupts: no page has answered in time
    REQUEST_STOP = "request stop"  #: request_cancel: its user asks to stop it
    COMPLETE = "complete"  #: end_turn of the newest attempt, with an answer
    CANCEL = "cancel"  #: end_turn of the newest attempt, or of nobody's: stopped by its user
    FAIL = "fail"  #: end_turn of the newest attempt, without an answer
    SUPERSEDE = "supersede"  #: reserve_turn of another turn in its place
    RESTORE = "restore"  #: the turn in its place ended without an answer
    DELETE = "delete"  #: delete_session: nothing else of its session runs


S, E = State, Event
Refusal = type[ServerError]
Next = State | Refusal | frozenset[State]
"""What follows: a state, the error of a call that is refused and changes nothing, or the state that its status says."""

ENDED = frozenset({S.COMPLETED, S.CANCELLED, S.FAILED, S.SUPERSEDED})
AS_IT_ENDED = frozenset({S.COMPLETED, S.CANCELLED, S.FAILED})

TRANSITIONS: dict[State, dict[Event, Next]] = {
    S.ABSENT: {
        E.ACCEPT: S.ACCEPTED,
        E.ACCEPT_BEHIND: S.WAITING,
        E.START: S.ABSENT,
        E.HAND_OVER: S.ABSENT,
        E.INTERRUPT: S.ABSENT,
        E.RESUME: S.ABSENT,
        E.EXPIRE: S.ABSENT,
        E.REQUEST_STOP: NotFound,
        E.COMPLETE: S.ABSENT,
        E.CANCEL: S.ABSENT,
        E.FAIL: S.ABSENT,
        E.SUPERSEDE: NotFound,
        E.DELETE: NotFound,
    },
    S.WAITING: {
        E.ACCEPT: S.WAITING,
        E.ACCEPT_BEHIND: S.WAITING,
        E.EARLIER_ENDED: S.ACCEPTED,
        E.START: TurnInProgress,
        E.HAND_OVER: S.WAITING,
        E.INTERRUPT: S.WAITING,
        E.RESUME: S.WAITING,
        E.EXPIRE: S.WAITING,
        E.REQUEST_STOP: S.STOPPING,
        E.COMPLETE: S.COMPLETED,
        E.CANCEL: S.CANCELLED,
        E.FAIL: S.FAILED,
        E.SUPERSEDE: TurnInProgress,
        E.DELETE: TurnInProgress,
    },
    S.ACCEPTED: {
        E.ACCEPT: S.ACCEPTED,
        E.ACCEPT_BEHIND: S.ACCEPTED,
        E.START: S.RUNNING,
        E.HAND_OVER: S.ACCEPTED,
        E.INTERRUPT: S.ACCEPTED,
        E.RESUME: S.ACCEPTED,
        E.EXPIRE: S.ACCEPTED,
        E.REQUEST_STOP: S.STOPPING,
        E.COMPLETE: S.COMPLETED,
        E.CANCEL: S.CANCELLED,
        E.FAIL: S.FAILED,
        E.SUPERSEDE: TurnInProgress,
        E.DELETE: TurnInProgress,
    },
    S.RUNNING: {
        E.ACCEPT: S.RUNNING,
        E.ACCEPT_BEHIND: S.RUNNING,
        E.START: S.RUNNING,
        E.HAND_OVER: S.HANDED_OVER,
        E.INTERRUPT: S.INTERRUPTED,
        E.RESUME: S.RUNNING,
        E.EXPIRE: S.RUNNING,
        E.REQUEST_STOP: S.STOPPING,
        E.COMPLETE: S.COMPLETED,
        E.CANCEL: S.CANCELLED,
        E.FAIL: S.FAILED,
        E.SUPERSEDE: TurnInProgress,
        E.DELETE: TurnInProgress,
    },
    S.HANDED_OVER: {
        E.ACCEPT: S.HANDED_OVER,
        E.ACCEPT_BEHIND: S.HANDED_OVER,
        E.START: S.RUNNING,
        E.HAND_OVER: S.HANDED_OVER,
        E.INTERRUPT: S.HANDED_OVER,
        E.RESUME: S.HANDED_OVER,
        E.EXPIRE: S.HANDED_OVER,
        E.REQUEST_STOP: S.STOPPING,
        E.COMPLETE: S.COMPLETED,
        E.CANCEL: S.CANCELLED,
        E.FAIL: S.FAILED,
        E.SUPERSEDE: TurnInProgress,
        E.DELETE: TurnInProgress,
    },
    S.INTERRUPTED: {
        E.ACCEPT: S.INTERRUPTED,
        E.ACCEPT_BEHIND: S.INTERRUPTED,
        E.START: S.INTERRUPTED,
        E.HAND_OVER: S.INTERRUPTED,
        E.INTERRUPT: S.INTERRUPTED,
        E.RESUME: S.HANDED_OVER,
        E.EXPIRE: S.HANDED_OVER,
        E.REQUEST_STOP: S.STOPPING,
        E.COMPLETE: S.COMPLETED,
        E.CANCEL: S.CANCELLED,
        E.FAIL: S.FAILED,
        E.SUPERSEDE: TurnInProgress,
        E.DELETE: TurnInProgress,
    },
    S.STOPPING: {
        E.ACCEPT: S.STOPPING,
        E.ACCEPT_BEHIND: S.STOPPING,
        E.EARLIER_ENDED: S.STOPPING,
        E.START: S.STOPPING,
        E.HAND_OVER: S.STOPPING,
        E.INTERRUPT: S.STOPPING,
        E.RESUME: S.STOPPING,
        E.EXPIRE: S.STOPPING,
        E.REQUEST_STOP: S.STOPPING,
        E.COMPLETE: S.COMPLETED,
        E.CANCEL: S.CANCELLED,
        E.FAIL: S.FAILED,
        E.SUPERSEDE: TurnInProgress,
        E.DELETE: TurnInProgress,
    },
    S.COMPLETED: {
        E.ACCEPT: S.COMPLETED,
        E.ACCEPT_BEHIND: S.COMPLETED,
        E.EARLIER_ENDED: S.COMPLETED,
        E.START: S.COMPLETED,
        E.HAND_OVER: S.COMPLETED,
        E.INTERRUPT: S.COMPLETED,
        E.RESUME: S.COMPLETED,
        E.EXPIRE: S.COMPLETED,
        E.REQUEST_STOP: S.COMPLETED,
        E.COMPLETE: S.COMPLETED,
        E.CANCEL: S.COMPLETED,
        E.FAIL: S.COMPLETED,
        E.SUPERSEDE: S.SUPERSEDED,
        E.DELETE: S.ABSENT,
    },
    S.CANCELLED: {
        E.ACCEPT: S.CANCELLED,
        E.ACCEPT_BEHIND: S.CANCELLED,
        E.EARLIER_ENDED: S.CANCELLED,
        E.START: S.CANCELLED,
        E.HAND_OVER: S.CANCELLED,
        E.INTERRUPT: S.CANCELLED,
        E.RESUME: S.CANCELLED,
        E.EXPIRE: S.CANCELLED,
        E.REQUEST_STOP: S.CANCELLED,
        E.COMPLETE: S.CANCELLED,
        E.CANCEL: S.CANCELLED,
        E.FAIL: S.CANCELLED,
        E.SUPERSEDE: S.SUPERSEDED,
        E.DELETE: S.ABSENT,
    },
    S.FAILED: {
        E.ACCEPT: S.FAILED,
        E.ACCEPT_BEHIND: S.FAILED,
        E.EARLIER_ENDED: S.FAILED,
        E.START: S.FAILED,
        E.HAND_OVER: S.FAILED,
        E.INTERRUPT: S.FAILED,
        E.RESUME: S.FAILED,
        E.EXPIRE: S.FAILED,
        E.REQUEST_STOP: S.FAILED,
        E.COMPLETE: S.FAILED,
        E.CANCEL: S.FAILED,
        E.FAIL: S.FAILED,
        E.SUPERSEDE: S.SUPERSEDED,
        E.DELETE: S.ABSENT,
    },
    S.SUPERSEDED: {
        E.ACCEPT: S.SUPERSEDED,
        E.ACCEPT_BEHIND: S.SUPERSEDED,
        E.START: S.SUPERSEDED,
        E.HAND_OVER: S.SUPERSEDED,
        E.INTERRUPT: S.SUPERSEDED,
        E.RESUME: S.SUPERSEDED,
        E.EXPIRE: S.SUPERSEDED,
        E.REQUEST_STOP: S.SUPERSEDED,
        E.COMPLETE: S.SUPERSEDED,
        E.CANCEL: S.SUPERSEDED,
        E.FAIL: S.SUPERSEDED,
        E.SUPERSEDE: BadRequest,
        E.RESTORE: AS_IT_ENDED,
        E.DELETE: S.ABSENT,
    },
}
"""By state and event. A cell that is not there cannot happen: nothing earlier runs, nothing has its place."""

_HAPPENED: dict[type[TurnEvent], Event] = {
    TurnStarted: E.START,
    ModelResponseEnd: E.COMPLETE,
    TurnCancelled: E.CANCEL,
    TurnFailed: E.FAIL,
}
"""Events on the wire that change a turn's state; all others happen within an attempt. An `interrupt` ends one, of which
only the store need know: whoever listens gets the next one's snapshot."""


def after(state: State, event: Event) -> State:
    """The state that follows. Raises the error with which the store refuses, and ValueError for what cannot happen."""
    following = TRANSITIONS[state].get(event)
    if isinstance(following, State):
        return following
    if following is None or isinstance(following, frozenset):
        raise ValueError(f"{event} of a turn that is {state}")
    raise following(f"This turn is {state.value}.")


def state_of(turn: TurnRow | None, *, waits: bool = False, is_superseded: bool = False) -> State:
    """The state of a row; `waits` says that an earlier turn of its session has not ended, `is_superseded` that a later
    one has its place, which no row says by itself."""
    if turn is None:
        return S.ABSENT
    if turn.status.has_ended:
        return S.SUPERSEDED if is_superseded else S(turn.status.value)
    if turn.cancel_requested:
        return S.STOPPING
    if turn.status is TurnStatus.ACCEPTED:
        return S.WAITING if waits else S.ACCEPTED
    if turn.waits_for_page:
        return S.INTERRUPTED
    return S.HANDED_OVER if turn.owner is None else S.RUNNING


def seen_in(state: State, event: TurnEvent) -> State:
    """The state after an event of the wire, as those see it who read nothing else."""
    happened = _HAPPENED.get(type(event))
    return state if happened is None else after(state, happened)


def ends_turn(event: TurnEvent | TurnSnapshot) -> TypeGuard[TurnEnd]:
    """Whether this event is a turn's last: nothing follows it."""
    return not isinstance(event, TurnSnapshot) and seen_in(S.RUNNING, event).has_ended


def status_at_end(state: State, end: TurnEnd) -> TurnStatus:
    """What the database calls the state in which this event ends a turn. Raises ValueError when it has ended."""
    if state.has_ended:
        raise ValueError(f"{type(end).__name__} of a turn that is {state}")
    return TurnStatus(seen_in(state, end).value)


def is_overtaken_too_often(turn: TurnRow) -> bool:
    """Whether the attempt that has just started is to FAIL at once, since it stalls whatever server runs it."""
    return turn.overtaken_lately >= MAX_OVERTAKEN


def has_died_too_often(turn: TurnRow) -> bool:
    """Whether the attempt that has just started is to FAIL at once, since so many before it died with their server."""
    return turn.attempts_that_died >= MAX_ATTEMPTS
