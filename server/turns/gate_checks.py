"""The gates of an account at work: each upload that they mean is judged, and what came of it is reported by a signed
webhook. Every server process may do it at any time; both are taken from the database, one at a time."""

import contextlib
import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import replace

import anyio
import structlog

from server.errors import Busy, DatabaseUnavailable, ServerError, raised_at
from server.ports.clock import Clock
from server.ports.gates import MOST_TRIES, GateCheck, Gates, Webhook, WebhookSender, WebhookState
from server.ports.identity import Caller
from server.ports.web import WebFailed
from server.protocol.server import GateChanged
from server.turns.gate_judging import judge_runs, judgement_of, report_of
from server.turns.trace_library import TraceLibrary
from traces.errors import TraceError
from traces.gate.judgement import Judgement
from traces.gate.outcome import Outcome
from traces.gate.rules import parse_percent, parse_rules

POLL_S = 5.0
"""How long a check may wait that another process noted."""

PAUSE_S = 10.0
"""After a round that failed."""

AGAIN_S = (60, 180, 240, 420)
"""After each try of a webhook but the last: five tries over 15 minutes."""

SENDING_S = 60.0
"""How long who sends a webhook may be silent before another does; a try itself is bounded far below."""

SIGNATURE = "Flamechat-Signature"

Broadcast = Callable[[str, GateChanged], None]
"""From an account and what its members are to be sent; never raises."""

log = structlog.get_logger(__name__)


class GateChecks:
    """`run` ends only by being cancelled. Without a `sender` nothing is reported; `broadcast` informs the members of an
    account who listen elsewhere than at a server's socket."""

    def __init__(
        self,
        gates: Gates,
        library: TraceLibrary,
        clock: Clock,
        sender: WebhookSender | None = None,
        broadcast: Broadcast | None = None,
    ) -> None:
        self._broadcast = broadcast
        self._gates = gates
        self._library = library
        self._clock = clock
        self._sender = sender
        self._woken = anyio.Event()

    async def note(self, caller: Caller, trace_id: str) -> None:
        """Note the checks of a trace that was uploaded; they are made soon. An upload stands without them."""
        with contextlib.suppress(ServerError):
            if await self._gates.note_checks(caller, trace_id):
                self._woken.set()

    async def run(self) -> None:
        """Make checks and report them, then wait for more; a round that fails is logged, and its check made later."""
        while True:
            try:
                busy = await self.check_one() | await self.report_one()
            except Exception as error:  # noqa: BLE001 - the top of a round: the database may be away for a while
                log.warning("gate_check_failed", error=type(error).__name__, where=raised_at(error))
                await anyio.sleep(PAUSE_S)
                continue
            if not busy:
                with anyio.move_on_after(POLL_S):
                    await self._woken.wait()
                self._woken = anyio.Event()

    async def check_one(self) -> bool:
        """Make one check, if there is one to be made. Raises DatabaseUnavailable, Busy; then it is made later."""
        check = await self._gates.take_check()
        if check is None:
            return False
        outcome, problem, report = await self._judged(check)
        has_ended = await self._gates.end_check(
            check.result_id, outcome=outcome, problem=problem, report=report, sends=self._sender is not None
        )
        if has_ended and self._broadcast is not None:
            changed = GateChanged(
                result_id=check.result_id,
                gate_id=check.gate_id,
                gate_name=check.gate_name,
                trace_id=check.trace_id,
                outcome=None if outcome is None else outcome.value,
                problem=problem,
            )
            self._broadcast(check.caller.account_id, changed)
        return True

    async def _judged(self, check: GateCheck) -> tuple[Outcome | None, str | None, bytes | None]:
        if check.tries > MOST_TRIES:
            return None, "Judging it stopped the server several times.", None
        if not check.runs_before:
            return Outcome.UNDECIDED, "There are no runs before to judge by.", None
        try:
            judgement = await judge_runs(
                self._library,
                check.caller,
                check.runs_before,
                (check.trace_id,),
                parse_rules(check.rules),
                single_run=None if check.single_run is None else parse_percent(check.single_run),
            )
        except (Busy, DatabaseUnavailable):
            raise
        except (ServerError, TraceError) as error:
            return None, str(error), None
        noted = replace(judgement, notes=(*judgement.notes, *check.acceptances))
        return noted.outcome, None, report_of(noted, runs_before=check.runs_before)

    async def report_one(self) -> bool:
        """Send one webhook that is due, if there is one."""
        if self._sender is None:
            return False
        webhook = await self._gates.take_webhook(SENDING_S)
        if webhook is None:
            return False
        state, answer = await self._sent(webhook, self._sender)
        again = AGAIN_S[webhook.tries - 1] if webhook.tries <= len(AGAIN_S) else None
        if state is WebhookState.FAILED and again is not None:
            await self._gates.end_webhook(webhook.result.result_id, WebhookState.WAITING, answer, again_in_s=again)
        else:
            await self._gates.end_webhook(webhook.result.result_id, state, answer)
        return True

    async def _sent(self, webhook: Webhook, sender: WebhookSender) -> tuple[WebhookState, str]:
        body = body_of(webhook)
        headers = {
            "Content-Type": "application/json",
            SIGNATURE: signature(webhook.secret, body, int(self._clock.now().timestamp())),
        }
        try:
            status = await sender.send(webhook.url, body, headers)
        except WebFailed as error:
            return WebhookState.FAILED, str(error)
        return (WebhookState.SENT if 200 <= status < 300 else WebhookState.FAILED), f"status {status}"


def signature(secret: str, body: bytes, at: int) -> str:
    """`t=<seconds since 1970>,v1=<hex>`: HMAC-SHA256 (RFC 2104) of `<t>.<body>` with the gate's secret, so that a
    receiver can refuse what is old."""
    digest = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={digest}"


def body_of(webhook: Webhook) -> bytes:
    """What a webhook is sent: the same for every try of a result."""
    result = webhook.result
    document = {
        "event": "gate_result",
        "resultId": result.result_id,
        "gateId": result.gate_id,
        "gate": result.gate_name,
        "traceId": result.trace_id,
        "outcome": None if result.outcome is None else result.outcome.value,
        "problem": result.problem,
        "rules": [] if result.report is None else _rules(judgement_of(result.report)),
    }
    return json.dumps(document, sort_keys=True).encode()


def _rules(judgement: Judgement) -> list[dict[str, str]]:
    return [{"rule": one.rule.text, "outcome": one.outcome.value, "reason": one.reason} for one in judgement.results]
