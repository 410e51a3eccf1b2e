"""One place cleans what models, tools and files write, however it is cut into chunks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.cleaning import HALF_CHARACTER, ChunkCleaner, clean, clean_json, half_escape

ANY = st.text(st.characters() | st.sampled_from("\ud83d\ude00\x00\u202e\u2066a"))
"""With lone surrogates, which are characters to Python."""


def in_chunks(chunks: list[str]) -> str:
    cleaner = ChunkCleaner()
    return "".join([*(cleaner.feed(chunk) for chunk in chunks), cleaner.flush()])


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("\ud83d\ude00", "😀"),
        ("a\ud83d", "a\N{REPLACEMENT CHARACTER}"),
        ("\ude00\ud83d", "\N{REPLACEMENT CHARACTER}" * 2),
        ("a\x00b", "a\N{REPLACEMENT CHARACTER}b"),
        ("pay\u202egnp.exe", "pay\\u202egnp.exe"),
        ("\u2067abc\u2069", "\\u2067abc\\u2069"),
        ("שלום \u200f עולם", "שלום \u200f עולם"),
        ("", ""),
    ],
)
def test_what_cannot_be_stored_or_misleads_is_replaced(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


@given(st.lists(ANY))
def test_the_borders_of_chunks_change_nothing(chunks: list[str]) -> None:
    assert in_chunks(chunks) == clean("".join(chunks))


@given(ANY)
def test_a_clean_text_can_be_stored_and_sent_and_stays_as_it_is(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode()
    assert "\x00" not in cleaned
    assert clean(cleaned) == cleaned


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"])))
def test_other_text_is_left_alone(text: str) -> None:
    assert clean(text) == text


def test_json_is_cleaned_through_and_through() -> None:
    assert clean_json({"\ud83d": ["a\x00", {"b": "\ud83d\ude00"}, 1, None, True]}) == {
        "\N{REPLACEMENT CHARACTER}": ["a\N{REPLACEMENT CHARACTER}", {"b": "😀"}, 1, None, True]
    }


@pytest.mark.parametrize(
    ("text", "is_half"),
    [
        (r'"\ud83d"', True),
        (r'"\udc00"', True),
        (r'"\ud83d\u0041"', True),
        (r'"\ude00\ud83d"', True),
        (r'"\\\ud83d"', True),
        (r'"\ud83d\ude00"', False),
        (r'"\\ud83d"', False),
        (r'"\u00e9"', False),
        ("{", False),
    ],
)
def test_half_a_character_in_json_is_no_other_mistake(text: str, is_half: bool) -> None:
    assert half_escape(text) == (HALF_CHARACTER if is_half else None)
