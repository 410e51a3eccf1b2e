"""Answers from outside that are used again: for so many seconds, and so many of them."""

from server.adapters.kept_answers import KeptAnswers
from server.testing.manual_clock import ManualClock


def test_an_answer_is_kept_for_its_seconds_and_not_longer() -> None:
    clock = ManualClock()
    kept = KeptAnswers[str](10, clock.monotonic)
    kept.keep("a", "first")
    clock.advance(9.5)
    assert kept.get("a") == "first"
    clock.advance(0.5)
    assert kept.get("a") is None


def test_what_was_never_kept_is_not_there_and_what_is_kept_again_is_new() -> None:
    clock = ManualClock()
    kept = KeptAnswers[str](10, clock.monotonic)
    assert kept.get("a") is None
    kept.keep("a", "first")
    clock.advance(6)
    kept.keep("a", "second")
    clock.advance(6)
    assert kept.get("a") == "second"


def test_the_oldest_goes_when_there_are_too_many() -> None:
    kept = KeptAnswers[int](10, ManualClock().monotonic, most=2)
    for number, key in enumerate(("a", "b", "a", "c")):
        kept.keep(key, number)
    assert [kept.get(key) for key in ("a", "b", "c")] == [2, None, 3]


def test_an_answer_of_none_at_all_seconds_is_never_used_again() -> None:
    kept = KeptAnswers[str](0, ManualClock().monotonic)
    kept.keep("a", "first")
    assert kept.get("a") is None
