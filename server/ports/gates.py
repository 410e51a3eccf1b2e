"""Gates that a server keeps, the checks of them at uploads, and the webhooks that report these; the in-memory twin
obeys the same contract suite."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Protocol

from server.ports.identity import Caller
from traces.gate.outcome import Outcome

MOST_GATES = 50
"""Of an account: each is looked at with every upload."""
LONGEST_NAME = 80
LONGEST_REASON = 1_000
MOST_TRIES = 3
"""Of a check: one that three servers did not survive is given up."""
CHECK_S = 300
"""How long who has taken a check may be silent before another makes it."""


class WebhookState(StrEnum):
    """What became of reporting a result."""

    NONE = "none"  #: there is nobody to report to
    WAITING = "waiting"  #: it is sent, or tried again later
    SENT = "sent"  #: the other side took it
    FAILED = "failed"  #: it was tried as often as it is


@dataclass(frozen=True, slots=True, kw_only=True)
class NewGate:
    """`labels` choose the uploads that are judged, `baseline` the runs before them; both of `program`, where it is
    named. The webhook's secret is there with its address."""

    gate_id: str
    name: str
    rules: tuple[str, ...]
    baseline: Mapping[str, str]
    program: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    last_runs: int = 10
    single_run: str | None = None
    webhook_url: str | None = None
    webhook_secret: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A gate as people see it: without its webhook's secret."""

    gate_id: str
    account_id: str
    name: str
    rules: tuple[str, ...]
    baseline: Mapping[str, str]
    program: str | None
    labels: Mapping[str, str]
    last_runs: int
    single_run: str | None
    webhook_url: str | None
    created_by: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """What came of a check: `outcome`, or the `problem` that kept it from being judged; neither while it is not made.
    `report` is the judgement as `gate_judging.report_of` writes it."""

    result_id: str
    gate_id: str
    gate_name: str
    account_id: str
    trace_id: str
    outcome: Outcome | None
    problem: str | None
    report: Mapping[str, Any] | None
    created_at: datetime
    judged_at: datetime | None
    accepted_at: datetime | None = None
    accepted_by: str | None = None
    accepted_reason: str | None = None
    webhook: WebhookState = WebhookState.NONE
    webhook_tries: int = 0
    webhook_answer: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCheck:
    """A check that was taken to be made, for the one who uploaded the trace. `tries` counts this one."""

    result_id: str
    gate_id: str
    gate_name: str
    caller: Caller
    trace_id: str
    rules: tuple[str, ...]
    single_run: str | None
    runs_before: tuple[str, ...]
    acceptances: tuple[str, ...]
    """One line for each of the last that were accepted, newest first."""

    tries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """A result that is to be reported. `tries` counts this one."""

    result: GateResult
    url: str
    secret: str = field(repr=False)
    tries: int


def acceptance(at: datetime, who: str | None, reason: str) -> str:
    """What later reports say of it."""
    return f"accepted on {at.astimezone(UTC):%Y-%m-%d} by {who or 'an owner'}: {reason}"


class Gates(Protocol):
    """Gates of the caller's account; those of others are as if they did not exist."""

    async def make(self, caller: Caller, new: NewGate) -> Gate:
        """Raises NotAllowed where the caller may not write in the account or it has MOST_GATES, BadRequest for a name
        that is taken."""
        ...

    async def of_account(self, caller: Caller) -> Sequence[Gate]:
        """By name."""
        ...

    async def remove(self, caller: Caller, gate_id: str) -> None:
        """With its results. Raises NotFound."""
        ...

    async def results(
        self,
        caller: Caller,
        *,
        gate_id: str | None = None,
        trace_id: str | None = None,
        result_id: str | None = None,
        limit: int = 100,
    ) -> Sequence[GateResult]:
        """Newest first. Raises NotFound for what is no id."""
        ...

    async def accept(self, caller: Caller, result_id: str, reason: str) -> GateResult:
        """What was found is meant: the gate's baseline begins anew with that run. Again: as it is. Raises NotFound,
        NotAllowed for who is no owner, BadRequest for a result that was not broken."""
        ...

    async def note_checks(self, caller: Caller, trace_id: str) -> int:
        """Note a check for each gate that means the trace; returns how many are new."""
        ...

    async def take_check(self) -> GateCheck | None:
        """A check that nobody makes now, for CHECK_S; None when there is none."""
        ...

    async def end_check(
        self, result_id: str, *, outcome: Outcome | None, problem: str | None, report: bytes | None, sends: bool
    ) -> bool:
        """What came of it, as JSON in `report`; with `sends` its gate's webhook is to be sent. False when it has ended
        already."""
        ...

    async def judged_lately(self, seconds: float) -> Sequence[GateResult]:
        """Of all accounts, the oldest first: for servers, which inform the members."""
        ...

    async def take_webhook(self, seconds: float) -> Webhook | None:
        """One that is due, for so long; None when there is none."""
        ...

    async def end_webhook(self, result_id: str, state: WebhookState, answer: str, *, again_in_s: float = 0) -> None:
        """What came of sending it; WAITING: it is due again then."""
        ...


class WebhookSender(Protocol):
    async def send(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        """The status that the other side answers. Raises WebFailed, whose text says why it was not reached."""
        ...
