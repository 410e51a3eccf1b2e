"""The ways to say a relation: what is not tried because a word lacks could not have matched."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.agent.verification.statements.relation_words import (
    Wording,
    in_small_letters,
    needed_word,
    relation_words,
)

WORDINGS = relation_words().wordings


@pytest.mark.parametrize(
    ("way", "word"),
    [
        ("{A} ruft sich(?: selbst)? auf", "ruft"),
        ("{A} recurses?", "recurse"),
        ("(?:waits|sleeps) {IS} on", "on"),
        (r"\bnever{0,3} called", "called"),
        ("[nothing] {A}", ""),
        ("first|second", ""),
        (r"(?:a \((?:b|c)\)|d) Told", "told"),
    ],
)
def test_the_needed_word_is_one_that_no_match_lacks(way: str, word: str) -> None:
    assert needed_word(way) == word


@given(st.data(), st.sampled_from(WORDINGS))
def test_a_text_that_a_way_matches_is_never_passed_over(data: st.DataObject, wording: Wording) -> None:
    text = data.draw(st.from_regex(wording.expression))
    assert list(wording.matches(text))


def test_most_ways_have_a_needed_word_and_all_are_written_in_small_letters() -> None:
    assert sum(bool(one.needed) for one in WORDINGS) > len(WORDINGS) / 2
    for one in WORDINGS:
        letters = re.sub(r"\\.|\(\?P<\w+>", "", one.expression)
        assert letters == letters.lower(), one.expression


def test_capitals_are_matched_too() -> None:
    assert any(list(one.matches("\ue000 is never called".lower())) for one in WORDINGS)


def test_small_letters_keep_their_places() -> None:
    assert in_small_letters("İS \ue000 NEVER") == "is \ue000 never"
