"""What people and programs may do with gates: keep them on the server, run one now, read what came of uploads, and
accept what is meant."""

import re
import secrets
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from server.cleaning import clean
from server.errors import BadRequest, NotAllowed, NotSupported
from server.ports.gates import LONGEST_NAME, LONGEST_REASON, Gate, GateResult, Gates, NewGate
from server.ports.identity import Caller
from server.ports.run_labels import RunLabels, changed_labels
from server.ports.traces import TraceRow, TraceSearch
from server.turns.gate_judging import judge_runs
from server.turns.trace_library import TraceLibrary
from traces.gate.judgement import Judgement
from traces.gate.rule_findings import need_findings
from traces.gate.rules import parse_percent, parse_rules

SECRET_BYTES = 32
LONGEST_URL = 2_000
MOST_AFTER = 100
MOST_COMMITS = 500
"""Ancestors of a commit that are looked for."""

COMMIT = "commit"
_URL = re.compile(r"https://[^\s@/?#\\]+(?:[/?#][^\s\\]*)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class GateWish:
    """A gate as somebody wants it kept. `labels` and `baseline` may name the program, too."""

    name: str
    rules: tuple[str, ...]
    baseline: Mapping[str, str]
    labels: Mapping[str, str]
    last_runs: int
    single_run: str | None
    webhook_url: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunWish:
    """Which stored runs are to be judged now, and by which: the newest with the labels of the `baseline`. Where its
    commit has no runs, the first of `commits` that has some takes its place."""

    after: tuple[str, ...]
    baseline: Mapping[str, str]
    rules: tuple[str, ...]
    last_runs: int
    single_run: str | None = None
    commits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GateRun:
    """A judgement with the runs of both sides, oldest first; `commit` is the one whose runs are the baseline, where it
    is not the one that was asked for."""

    judgement: Judgement
    before: tuple[TraceRow, ...]
    after: tuple[TraceRow, ...]
    commit: str | None = None


class GateKeeping:
    """The use cases. Gates are kept and accepted by people; keys run them and read."""

    def __init__(self, gates: Gates, library: TraceLibrary, *, webhooks: bool) -> None:
        self._gates = gates
        self._library = library
        self._webhooks = webhooks

    async def make(self, caller: Caller, wish: GateWish) -> tuple[Gate, str | None]:
        """The gate, and the secret that signs what its webhook is sent, which nobody can see again. Raises BadRequest,
        InvalidRule, NotAllowed, NotSupported for a webhook where none are sent."""
        _person(caller)
        name = " ".join(clean(wish.name).split())
        if not 1 <= len(name) <= LONGEST_NAME:
            raise BadRequest(f"A gate has a name of 1 to {LONGEST_NAME} characters.", field="name")
        need_findings(parse_rules(wish.rules))
        _growth(wish.single_run)
        labels, baseline = _labels(wish.labels, "labels"), _labels(wish.baseline, "baseline")
        if not baseline.labels:
            raise BadRequest("A baseline is runs with labels, such as branch:main.", field="baseline")
        if baseline.program not in (None, labels.program):
            raise BadRequest("Runs are judged by runs of the same program.", field="baseline")
        secret = None if wish.webhook_url is None else secrets.token_urlsafe(SECRET_BYTES)
        gate = await self._gates.make(
            caller,
            NewGate(
                gate_id=str(uuid.uuid4()),
                name=name,
                rules=tuple(dict.fromkeys(rule.strip() for rule in wish.rules)),
                baseline=baseline.labels,
                program=labels.program,
                labels=labels.labels,
                last_runs=wish.last_runs,
                single_run=wish.single_run,
                webhook_url=self._address(wish.webhook_url),
                webhook_secret=secret,
            ),
        )
        return gate, secret

    async def of_account(self, caller: Caller) -> Sequence[Gate]:
        """By name."""
        return await self._gates.of_account(caller)

    async def remove(self, caller: Caller, gate_id: str) -> None:
        """Raises NotFound."""
        _person(caller)
        await self._gates.remove(caller, gate_id)

    async def results(
        self, caller: Caller, *, gate_id: str | None = None, trace_id: str | None = None, limit: int = 100
    ) -> Sequence[GateResult]:
        """Newest first."""
        return await self._gates.results(caller, gate_id=gate_id, trace_id=trace_id, limit=limit)

    async def accept(self, caller: Caller, result_id: str, reason: str) -> GateResult:
        """As of Gates; the reason stands in later reports. Raises BadRequest for none."""
        _person(caller)
        text = " ".join(clean(reason).split())
        if not 1 <= len(text) <= LONGEST_REASON:
            raise BadRequest(f"Say why in 1 to {LONGEST_REASON:,} characters.", field="reason")
        return await self._gates.accept(caller, result_id, text)

    async def run(self, caller: Caller, wish: RunWish) -> GateRun:
        """Judge stored runs now. Raises NotFound, InvalidRule, and BadRequest where there are no runs before."""
        rules = parse_rules(wish.rules)
        if not 1 <= len(wish.after) <= MOST_AFTER:
            raise BadRequest(f"A gate judges 1 to {MOST_AFTER} runs.", field="after")
        after = [await self._library.row(caller, trace_id) for trace_id in dict.fromkeys(wish.after)]
        chosen = _labels(wish.baseline, "baseline")
        before, commit = await self._before(caller, wish, chosen, after)
        judgement = await judge_runs(
            self._library,
            caller,
            [row.trace_id for row in before],
            [row.trace_id for row in after],
            rules,
            single_run=_growth(wish.single_run),
        )
        return GateRun(judgement, tuple(before), tuple(after), commit)

    async def _before(
        self, caller: Caller, wish: RunWish, chosen: RunLabels, after: Sequence[TraceRow]
    ) -> tuple[list[TraceRow], str | None]:
        program = chosen.program or after[0].run.program
        asked = chosen.labels.get(COMMIT)
        for commit in (asked, *(wish.commits[:MOST_COMMITS] if asked is not None else ())):
            labels = dict(chosen.labels) | ({} if commit is None else {COMMIT: commit})
            judged = {row.trace_id for row in after}
            found = await self._library.search(
                caller, TraceSearch(run=RunLabels(labels, program)), limit=wish.last_runs + len(judged)
            )
            before = [row for row in found if row.trace_id not in judged][: wish.last_runs]
            if before:
                return before[::-1], commit if commit != asked else None
        named = ", ".join(f"{key}:{value}" for key, value in chosen.labels.items())
        of = "" if program is None else f" of {program}"
        raise BadRequest(f"There are no runs{of} with {named} to judge by.", field="baseline")

    def _address(self, url: str | None) -> str | None:
        """Raises NotSupported, BadRequest."""
        if url is None:
            return None
        if not self._webhooks:
            raise NotSupported("This server sends no webhooks: FLAMECHAT_WEBHOOKS is off.")
        if len(url) > LONGEST_URL or not _URL.fullmatch(url) or not url.isprintable():
            raise BadRequest("A webhook goes to an address that begins with https://.", field="webhookUrl")
        return url


def _labels(texts: Mapping[str, str], field: str) -> RunLabels:
    """Raises BadRequest, naming what is wrong."""
    try:
        return changed_labels(RunLabels(), texts)
    except BadRequest as error:
        raise BadRequest(str(error), field=field) from None


def _growth(text: str | None) -> float | None:
    """Raises InvalidRule."""
    return None if text is None else parse_percent(text)


def _person(caller: Caller) -> None:
    if caller.key is not None:
        raise NotAllowed("Gates are kept and accepted by people who have signed in, not by keys.")
