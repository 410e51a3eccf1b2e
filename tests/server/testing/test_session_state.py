"""The in-memory session of tests: which of its turns count."""

from datetime import UTC, datetime

import pytest

from server.ports.conversations import SessionRow, TurnKind, TurnRow, TurnStatus
from server.testing.session_state import MemorySession

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def turn(ident: str, status: TurnStatus, *, kind: TurnKind = TurnKind.PROMPT, supersedes: str | None = None) -> TurnRow:
    return TurnRow(
        turn_id=ident, session_id="s", trace_id="t", account_id="a", user_id="u", kind=kind, status=status, prompt="?",
        model=None, context={}, attempt=0, handed_over=0, cancel_requested=False, plan_name="free", messages_used=0,
        messages_limit=None, created_at=NOW, supersedes=supersedes,
    )  # fmt: skip


def session(*turns: TurnRow) -> MemorySession:
    row = SessionRow(
        session_id="s", account_id="a", user_id="u", trace_id="t", title=None, created_at=NOW, updated_at=NOW
    )
    return MemorySession(row, {turn.turn_id: turn for turn in turns})


@pytest.mark.parametrize("status", TurnStatus)
def test_a_session_is_busy_until_its_turns_have_ended(status: TurnStatus) -> None:
    ended = turn("1", TurnStatus.COMPLETED)
    assert session(ended, turn("2", status)).has_unended_turn == (not status.has_ended)
    assert not session().has_unended_turn


def test_a_prompt_counts_and_its_answer_unless_it_failed() -> None:
    turns = [turn("1", TurnStatus.COMPLETED), turn("2", TurnStatus.FAILED), turn("3", TurnStatus.CANCELLED)]
    assert session(*turns).messages_counted == 4
    assert session(turn("4", TurnStatus.RUNNING, kind=TurnKind.REGENERATE)).messages_counted == 1


def test_what_is_superseded_is_gone_with_what_followed_it_unless_that_failed() -> None:
    first, second = turn("1", TurnStatus.COMPLETED), turn("2", TurnStatus.COMPLETED)
    third = turn("3", TurnStatus.COMPLETED, supersedes="1")
    assert session(first, second, third).superseded == {"1", "2"}
    failed = turn("3", TurnStatus.FAILED, supersedes="1")
    assert session(first, second, failed).superseded == set()
