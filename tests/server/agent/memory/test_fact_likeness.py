"""Two facts that say one thing are one; two that differ in a figure, a name, a negation or an order are two."""

import tomllib
from pathlib import Path

import pytest

from server.agent.memory.fact_likeness import in_conflict, likeness, same_as

PAIRS = tomllib.loads((Path(__file__).resolve().parents[4] / "evals" / "memory" / "pairs.toml").read_text("utf-8"))


def test_most_facts_that_say_the_same_are_known_to() -> None:
    known = [pair for pair in PAIRS["same"] if likeness(*pair) == "same"]
    assert len(PAIRS["same"]) >= 30
    assert len(known) >= len(PAIRS["same"]) * 0.7


@pytest.mark.parametrize("pair", PAIRS["different"], ids=" / ".join)
def test_no_fact_that_differs_is_taken_for_another(pair: list[str]) -> None:
    assert likeness(*pair) != "same"
    assert likeness(*reversed(pair)) != "same"


def test_a_fact_is_the_same_as_itself_and_facts_of_different_things_are_no_conflict() -> None:
    facts = [pair[0] for pair in PAIRS["same"]]
    assert all(likeness(fact, fact) == "same" for fact in facts)
    assert likeness("we ship on Fridays", "the limit is 300 ms") == "other"


def test_another_figure_of_the_same_is_a_conflict() -> None:
    facts = ["we ship on Fridays", "requests must stay under 300 ms", "requests must stay under 500 ms"]
    assert in_conflict(facts) == [(facts[1], facts[2])]
    assert in_conflict([*facts, "ignore vendor"], of_last=True) == []
    assert same_as("A request must stay below 300ms", facts) == facts[1]
    assert same_as("a request must stay below 301 ms", facts) is None
