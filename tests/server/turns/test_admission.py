"""A user who asks faster than anybody reads is stopped in memory, and nobody else is."""

import pytest

from server.errors import TooManyAtOnce
from server.turns import admission
from server.turns.admission import Admission


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def passed(bucket: Admission, user: str, times: int) -> int:
    """How many of so many at once are let through."""
    count = 0
    for _ in range(times):
        try:
            bucket.admit(user)
        except TooManyAtOnce:
            continue
        count += 1
    return count


def test_a_third_of_a_minutes_worth_passes_at_once_and_then_the_rate() -> None:
    clock = Clock()
    bucket = Admission(per_minute=60, what="prompts", monotonic=clock)
    assert passed(bucket, "anna", 1000) == 20
    assert passed(bucket, "ben", 1000) == 20
    clock.now = 3
    assert passed(bucket, "anna", 1000) == 3
    clock.now = 3000
    assert passed(bucket, "anna", 1000) == 20


def test_a_refusal_says_when_there_is_room_again() -> None:
    clock = Clock()
    bucket = Admission(per_minute=6, what="prompts", monotonic=clock)
    passed(bucket, "anna", 10)
    with pytest.raises(TooManyAtOnce) as refused:
        bucket.admit("anna")
    assert refused.value.retry_after_s == 10
    clock.now = refused.value.retry_after_s
    bucket.admit("anna")


def test_without_a_rate_everything_passes() -> None:
    assert passed(Admission(per_minute=None, what="prompts", monotonic=Clock()), "anna", 1000) == 1000


def test_buckets_of_many_users_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "MOST_USERS", 10)
    bucket = Admission(per_minute=60, what="prompts", monotonic=Clock())
    for number in range(100):
        bucket.admit(str(number))
    assert len(bucket._buckets) == 10
