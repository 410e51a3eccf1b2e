"""What rules make of a fact: code that counts, code that is left out, a limit of time, or nothing."""

import pytest

from server.analyst.fact_meaning import meaning_of, of_meaning


@pytest.mark.parametrize(
    ("fact", "means", "pattern"),
    [
        ("we only care about code under src/indexer", "counts", "src/indexer"),
        ("We only look at `render_page`.", "counts", "render_page"),
        ("our code lives in app/handlers/", "counts", "app/handlers"),
        ("we only care about code in render", "counts", "render"),
        ("wir wollen nur src/indexer", "counts", "src/indexer"),
        ("ignore vendor/lodash, it is not ours", "left_out", "vendor/lodash"),
        ("node_modules is not ours", "left_out", "node_modules"),
        ("leave out logging", "left_out", "logging"),
        ("we don't care about the profiler's own frames in profilerHook", "left_out", "profilerHook"),
    ],
)
def test_code_that_counts_and_code_that_does_not(fact: str, means: str, pattern: str) -> None:
    found = meaning_of(fact)
    assert found is not None
    assert (found.means, found.pattern) == (means, pattern)


@pytest.mark.parametrize(
    ("fact", "nanoseconds"),
    [
        ("requests must stay under 300 ms", 300e6),
        ("our frame budget is 16.6ms", 16.6e6),
        ("checkout must answer within 2 seconds", 2e9),
        ("a lookup may take at most 40 µs", 40e3),
        ("the nightly run should be done within 5 minutes", 300e9),
        ("Anfragen bleiben unter 300 ms", 300e6),
    ],
)
def test_a_limit_has_its_length(fact: str, nanoseconds: float) -> None:
    found = meaning_of(fact)
    assert found is not None
    assert (found.means, round(found.nanoseconds, 3)) == ("limit", nanoseconds)


@pytest.mark.parametrize(
    "fact", ["we ship on Fridays", "the indexer belongs to team Blue", "it took 300 ms yesterday", "v2.1 is live"]
)
def test_other_facts_are_only_quoted(fact: str) -> None:
    assert meaning_of(fact) is None


def test_the_newest_fact_of_a_meaning_comes_first() -> None:
    facts = ["a request must stay under 300 ms", "we ship on Fridays", "a request must stay under 500 ms"]
    assert [one.nanoseconds for one in of_meaning(facts, "limit")] == [500e6, 300e6]
