"""What prompts ask of a single call, in several languages; what has a word without a place is left to others."""

import pytest

from server.analyst.asks.spoken_calls import read_call


@pytest.mark.parametrize(
    ("prompt", "slots", "place"),
    [
        ("longst of them", ("longest",), None),
        ("longest single one?", ("longest",), None),
        ("worst one + when", ("longest", "when"), None),
        ("最長は?", ("longest",), None),
        ("最长一次呢?", ("longest",), None),
        ("der langsamste aufruf davon?", ("longest",), None),
        ("qual foi o mais demorado?", ("longest",), None),
        ("und der zweitlängste", ("longest",), 1),
        ("la segunda más larga", ("longest",), 1),
        ("二番目は?", ("place",), 1),
        ("starting at?", ("when",), None),
        ("それはいつ?", ("when",), None),
        ("what ran in it", ("inside",), None),
        ("what did it spend them on", ("inside",), None),
        ("中身は何?", ("inside",), None),
        ("was lief da drin", ("inside",), None),
        ("what happened right before", ("before",), None),
        ("and after?", ("after",), None),
        ("any others?", ("others",), None),
        ("the rest?", ("others",), None),
        ("normal would be?", ("typical",), None),
        ("and the next one?", ("next",), None),
        ("which street was that", ("arguments",), None),
    ],
)
def test_each_way_of_asking_of_a_call_is_read(prompt: str, slots: tuple[str, ...], place: int | None) -> None:
    asked = read_call(prompt)
    assert asked is not None
    assert (asked.slots, asked.place) == (slots, place)


@pytest.mark.parametrize(
    "prompt",
    [
        "longest `flush`?",
        "ink in the first 25ms",
        "why is it slow",
        "what does it call",
        "avg without that one",
        "longest pause",
        "when did it end",
    ],
)
def test_what_has_another_word_is_left_to_others(prompt: str) -> None:
    assert read_call(prompt) is None


def test_a_limit_and_a_noun_are_kept() -> None:
    limit = read_call("tasks > 50ms in total?")
    assert limit is not None
    assert (limit.slots, limit.limit) == (("limit",), (50.0, "50 ms"))
    noun = read_call("worst one, which engine")
    assert noun is not None
    assert noun.noun == "engine"


@pytest.mark.parametrize(
    ("prompt", "slots", "names"),
    [
        ("which frame took longest?", ("longest",), ("frame",)),
        ("how long does the slowest image download take?", ("longest",), ("image", "download")),
        ("welcher Bericht war am langsamsten?", ("longest",), ("report",)),
        ("how long is a request normally", ("typical",), ("request",)),
        ("what happened in the slowest frame", ("inside", "longest"), ("frame",)),
        ("first round trip vs the later ones?", ("first",), ("round", "trip")),
        ("is the first one slower than the rest", ("first",), ()),
    ],
)
def test_calls_are_named_by_words_of_their_names(prompt: str, slots: tuple[str, ...], names: tuple[str, ...]) -> None:
    asked = read_call(prompt)
    assert asked is not None
    assert (asked.slots, asked.names) == (slots, names)


def test_a_call_is_named_by_the_number_that_it_was_given() -> None:
    asked = read_call("how long did order 1109 take")
    assert asked is not None
    assert (asked.names, asked.number) == (("order",), "1109")
