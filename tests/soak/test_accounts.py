"""The comparison of rows with the endpoint's log sees what is missing, double or made up."""

import pytest

from tests.soak.accounts import CallRow, TurnSums, unaccounted
from tests.soak.speaking import SentReply

SUMS = TurnSums(2, 200, 20, "h1")


def row(
    reply_id: str | None,
    *,
    outcome: str = "ok",
    code: str | None = None,
    output: int | None = 10,
    attempt: int = 1,
    call: int = 1,
) -> CallRow:
    hash_ = f"h{call}"
    return CallRow(
        outcome, code, reply_id, None if output is None else 100, output, "r", "t", "g", hash_, attempt, call, 1
    )


LOG = [
    SentReply("c1", None, (100, 10), is_complete=True),
    SentReply("c2", None, (100, 10)),
    SentReply("c3", None, (100, 10), is_complete=True),
]
ROWS = [
    row("c1"),
    row(None, outcome="broken", code="unfinished", output=None, call=2),
    row("c3", attempt=2, call=2),
]


def test_a_turn_whose_server_was_killed_is_accounted_for() -> None:
    assert unaccounted(LOG, ROWS, SUMS) == []


def test_an_answer_that_was_stopped_before_its_first_word_has_a_row_without_its_name() -> None:
    stopped = row(None, outcome="cancelled", output=None)
    assert unaccounted(LOG[1:2], [stopped], TurnSums(1, None, None, "h1")) == []


def test_a_turn_that_was_stopped_after_its_server_was_killed_may_leave_a_row_unfinished() -> None:
    turn = SUMS._replace(attempts=1, stopped_after_kill=True)
    rows = [ROWS[0], ROWS[1], ROWS[2]._replace(attempt=1)]
    assert unaccounted(LOG, rows, turn) == []
    assert unaccounted(LOG, rows, turn._replace(stopped_after_kill=False)) == ["1 unfinished rows in 1 attempts"]


@pytest.mark.parametrize(
    ("log", "rows", "turn", "problem"),
    [
        (LOG, ROWS[:2], SUMS, "answers without a row"),
        (LOG, [*ROWS, row("c3", attempt=2, call=2)], SUMS, "c3 has 2 rows"),
        (LOG, [*ROWS, row("c9", attempt=2, call=3)], SUMS, "never answered c9"),
        (LOG, [ROWS[0], ROWS[1], row("c3", output=11, attempt=2, call=2)], SUMS, "what was not sent"),
        (LOG, ROWS, SUMS._replace(attempts=1), "unfinished rows in 1 attempts"),
        (LOG, ROWS, SUMS._replace(output_tokens=21), "the turn says"),
        (LOG, ROWS, SUMS._replace(prompt_hash="h3"), "hash of its first call"),
        (LOG, [ROWS[0]._replace(request_id=None), *ROWS[1:]], SUMS, "without ids"),
        (LOG[:1], ROWS[:1], TurnSums(1, 100, 9, "h1"), "its calls"),
        ([*LOG, SentReply("c4", "busy", (100, 10))], ROWS[:1] + ROWS[2:], SUMS, "4 requests, 2 rows"),
    ],
)
def test_what_is_wrong_is_seen(log: list[SentReply], rows: list[CallRow], turn: TurnSums, problem: str) -> None:
    assert any(problem in one for one in unaccounted(log, rows, turn)), unaccounted(log, rows, turn)
