from datetime import UTC, datetime

import pytest

from limits.refusals import Decision, LimitType, refusal_text, session_limit_reached


def refused(limit_type: LimitType, limit: int, resets_at: datetime | None = None) -> Decision:
    return Decision(
        allowed=False,
        plan_name="free",
        messages_used=limit,
        messages_limit=25,
        limit_type=limit_type,
        used=limit,
        limit=limit,
        resets_at=resets_at,
    )


def test_a_refusal_names_the_ceiling_the_plan_and_the_way_on() -> None:
    assert refusal_text(refused(LimitType.SESSION_MESSAGES, 25)) == (
        "This conversation has reached the 25 messages that the free plan allows. Start a new one or upgrade."
    )
    assert "all 5 conversations" in refusal_text(refused(LimitType.LIFETIME_ANALYSES, 5))


def test_a_monthly_refusal_says_when_it_renews() -> None:
    text = refusal_text(refused(LimitType.MONTHLY_SESSIONS, 30, datetime(2026, 12, 1, tzinfo=UTC)))
    assert text.endswith("They renew on 01 December 2026.")


def test_a_refused_upload_names_what_is_full() -> None:
    assert "all 10 uploads of this month" in refusal_text(refused(LimitType.MONTHLY_UPLOADS, 10))
    assert "1000 traces" in refusal_text(refused(LimitType.TOTAL_TRACES, 1000))


def test_an_accepted_decision_has_no_refusal() -> None:
    with pytest.raises(ValueError, match="no refusal"):
        refusal_text(Decision(allowed=True, plan_name="local", messages_used=2, messages_limit=None))


@pytest.mark.parametrize(
    ("used", "limit", "reached"), [(2, None, False), (25, 25, False), (26, 25, True), (10_000, None, False)]
)
def test_a_running_turn_stops_only_when_it_stands_over_its_ceiling(used: int, limit: int | None, reached: bool) -> None:
    assert session_limit_reached(used, limit) is reached
