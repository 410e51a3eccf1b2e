"""Words that the rules of a question over recordings took nothing from."""

import pytest

from server.agent.questions.question_schema import Comparison, Measure, Recurrence, Runs, Series
from server.agent.questions.unplaced_words import doubt, unplaced_words

OF_PRICE = Measure(kind="function", name="Shop.price", file="app.py")
SERIES = Series(form="series", measure=OF_PRICE, runs=Runs(labels={"branch": "feature-x"}, starting="release:1.1"))


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("Since when is price slow on branch feature-x?", ()),
        ("How did `Shop.price` develop since release 1.1, as a line chart please?", ()),
        ("since when is price() slower than settle", ("settle",)),
        ("since when does price take more than 300 ms", ("more than 300 ms",)),
        ("since when is price called fewer than 10 times on my laptop", ("fewer than 10 times", "laptop")),
        ("how did price develop on tuesdays, on Tuesdays", ("tuesdays", "Tuesdays")),
        ("how did price develop when the share was above 30%", ("above 30%",)),
    ],
)
def test_what_a_series_does_not_take_up_is_named(prompt: str, words: tuple[str, ...]) -> None:
    assert unplaced_words(prompt, SERIES) == words


def test_a_share_and_a_finding_are_taken_up_by_what_comes_back() -> None:
    above = Recurrence(form="recurrence", measure=OF_PRICE, above=0.3)
    assert unplaced_words("how often is price above 30% in my runs", above) == ()
    assert unplaced_words("how often is price above 300 ms in my runs", above) == ("above 300 ms",)
    pause = Recurrence(form="recurrence", measure=Measure(kind="finding", name="collection-pause"))
    assert unplaced_words("does the long GC pause come back?", pause) == ()
    assert unplaced_words("does the long GC pause come back after midnight?", pause) == ("midnight",)


def test_an_answer_in_doubt_says_what_it_answers_instead() -> None:
    two = Comparison(
        form="compare",
        measure=OF_PRICE,
        before=Runs(labels={"branch": "main"}),
        after=Runs(labels={"branch": "feature-x"}),
    )
    assert unplaced_words("feature-x against main for price", two) == ()
    words = unplaced_words("feature-x against main for price at noon by `rm`", two)
    assert doubt(words, two) == "I could not place `noon`, and answer how `Shop.price` differs between the two instead."


def test_the_end_of_a_range_is_left_over_of_a_series_and_not_of_a_comparison() -> None:
    assert unplaced_words("how did price develop between 1.3 and 1.4", SERIES) == ("between 1.3 and 1.4",)
    assert unplaced_words("how did price develop until 1.4", SERIES) == ("until 1.4",)
    groups = {"before": Runs(labels={"release": "1.1"}), "after": Runs(labels={"release": "1.4"})}
    two = Comparison(form="compare", measure=OF_PRICE, **groups)
    assert unplaced_words("what changed in price between 1.1 and 1.4", two) == ()
