"""Which of several texts is about what another one asks for."""

from server.agent.memory.nearness import nearest_texts, stems

SAID = [
    "Why is this slow?",
    "What about parse_json?",
    "Our checkout must answer within 250 ms.",
    "who calls draw?",
    "The indexer belongs to team Blue",
]


def nearest(query: str) -> str | None:
    found = nearest_texts(query, SAID, least=0.12)
    return SAID[found[0].index] if found else None


def test_what_is_asked_for_is_found_though_it_was_put_in_other_words() -> None:
    assert nearest("What limit did I name for the checkout?") == SAID[2]
    assert nearest("what is our latency budget") == SAID[2]
    assert nearest("who maintains the indexer?") == SAID[4]
    assert nearest("and parseJson again") == SAID[1]


def test_small_words_alone_make_nothing_near() -> None:
    assert nearest("what did we say about that one?") is None
    assert nearest("") is None
    assert stems("what is it that we are") == frozenset()


def test_of_two_as_near_the_newest_comes_first() -> None:
    found = nearest_texts("which limit?", ["the limit is 300 ms", "the limit is 500 ms"])
    assert [one.index for one in found] == [1, 0]
    assert 0 < found[0].score <= 1
