"""Rows of model calls against what the model's endpoint knows of its requests."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from tests.soak.speaking import SentReply


class CallRow(NamedTuple):
    """A row of `ai_invocation_summaries`."""

    outcome: str
    error_code: str | None
    reply_id: str | None
    input_tokens: int | None
    output_tokens: int | None
    request_id: str | None
    request_trace_id: str | None
    graph_run_id: str | None
    prompt_hash: str | None
    attempt: int
    call_number: int
    try_number: int


class TurnSums(NamedTuple):
    """What the turn's row says of all of them."""

    attempts: int
    input_tokens: int | None
    output_tokens: int | None
    prompt_hash: str | None
    stopped_after_kill: bool = False
    """Whether a person stopped it after a kill: then no attempt ends the call that was cut off."""


def unaccounted(log: Sequence[SentReply], rows: Sequence[CallRow], turn: TurnSums) -> list[str]:
    """What of the log has no row, or two, and which rows or sums say something else. A server that was killed leaves
    the row of the request that it had sent or was about to send: `unfinished`; one that a person stopped before its
    first word has no name of its answer."""
    return [*_of_answers(log, rows, turn), *_of_rows(log, rows), *_of_sums(rows, turn)]


def _of_answers(log: Sequence[SentReply], rows: Sequence[CallRow], turn: TurnSums) -> list[str]:
    unfinished = [row for row in rows if row.error_code == "unfinished"]
    named = Counter(row.reply_id for row in rows if row.reply_id is not None)
    known = {sent.reply_id for sent in log}
    problems = [f"{reply_id} has {times} rows" for reply_id, times in named.items() if times > 1]
    problems += [f"the endpoint never answered {reply_id}" for reply_id in named if reply_id not in known]
    missing = [sent.reply_id for sent in log if sent.reply_id not in named and sent.mishap != "busy"]
    nameless = [row for row in rows if row.outcome == "cancelled" and row.reply_id is None]
    if len(missing) > len(unfinished) + len(nameless):
        problems.append(f"{len(missing)} answers without a row, {len(unfinished)} unfinished ones: {missing}")
    if not len(log) <= len(rows) <= len(log) + len(unfinished):
        problems.append(f"{len(log)} requests, {len(rows)} rows, {len(unfinished)} of them unfinished")
    if len(unfinished) > max(turn.attempts - (not turn.stopped_after_kill), 0):
        problems.append(f"{len(unfinished)} unfinished rows in {turn.attempts} attempts")
    return problems


def _of_rows(log: Sequence[SentReply], rows: Sequence[CallRow]) -> list[str]:
    tokens = {sent.reply_id: sent.tokens for sent in log if sent.mishap is None}
    without = [row for row in rows if None in (row.request_id, row.request_trace_id, row.graph_run_id, row.prompt_hash)]
    taken = [row for row in rows if row.outcome == "ok"]
    other = [row for row in taken if (row.input_tokens, row.output_tokens) != tokens.get(row.reply_id or "")]
    return [f"a row without ids or hash: {row}" for row in without] + [
        f"a row says what was not sent: {row}" for row in other
    ]


def _of_sums(rows: Sequence[CallRow], turn: TurnSums) -> list[str]:
    """Where an attempt died after an answer and before its step was kept, the call was made again: both cost."""
    sums = sum(row.input_tokens or 0 for row in rows), sum(row.output_tokens or 0 for row in rows)
    stored = turn.input_tokens or 0, turn.output_tokens or 0
    problems = []
    if sums != stored:
        problems.append(f"the turn says {stored}, its calls {sums}")
    if rows and turn.prompt_hash != rows[0].prompt_hash:
        problems.append("the turn has not the hash of its first call")
    return problems
