"""Which remembered facts stand behind an answer."""

import pytest

from server.agent.graph.recollection.used_facts import used_facts

FACTS = ("requests must stay under 300 ms", "we only care about code under src/indexer", "we ship on Fridays")


@pytest.mark.parametrize(
    ("answer", "used"),
    [
        ('**Over the limit.** Remembered: "requests must stay under 300 ms".', [0]),
        ("Requests stay under your 300 ms limit: the longest takes 120 ms.", [0]),
        ("Requests stay under 500 ms.", []),
        ("The 300 ms are spent in `parse`.", []),
        (
            "As you only care about code under src/indexer: `tokenize` is the first.\n\nOf requests nothing is known.",
            [1],
        ),
        ("`tokenize` (src/indexer/words.py) takes 40 %.", []),
        ("We will see on Fridays.\n\nShip it.", []),
        ("You ship on Fridays.", [2]),
        ("", []),
    ],
)
def test_a_fact_is_used_where_its_names_figures_and_words_stand_together(answer: str, used: list[int]) -> None:
    assert used_facts(answer, FACTS) == [FACTS[at] for at in used]


def test_without_facts_none_is_used() -> None:
    assert used_facts("requests must stay under 300 ms", ()) == []
