"""The ways to say a relation: what is not compiled because a word lacks could not have matched."""

import re

from hypothesis import given
from hypothesis import strategies as st

from server.agent.verification.statements.relation_words import (
    Wording,
    in_small_letters,
    relation_words,
)
from traces.lazy_regex import lazy_regex
from traces.needed_text import needed

WORDINGS = relation_words().wordings


@given(st.data(), st.sampled_from(WORDINGS))
def test_a_text_that_a_way_matches_is_never_passed_over(data: st.DataObject, wording: Wording) -> None:
    text = data.draw(st.from_regex(wording.pattern.pattern))
    assert list(lazy_regex(wording.pattern.pattern).finditer(text))


def test_all_ways_need_something_and_are_written_in_small_letters() -> None:
    for one in WORDINGS:
        assert needed(one.pattern.pattern), one
        letters = re.sub(r"\\.|\(\?P<\w+>", "", one.pattern.pattern)
        assert letters == letters.lower(), one


def test_capitals_are_matched_too() -> None:
    assert any(list(one.matches("\ue000 is never called".lower())) for one in WORDINGS)


def test_small_letters_keep_their_places() -> None:
    assert in_small_letters("İS \ue000 NEVER") == "is \ue000 never"
