"""Regular expressions that are compiled when a text comes that they may match."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.lazy_regex import ASKED_BEFORE, found_in, lazy_regex


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The patterns that are compiled from now on."""
    found: list[str] = []
    real = re.compile

    def counting(pattern: str, flags: int = 0) -> re.Pattern[str]:
        found.append(pattern)
        return real(pattern, flags)

    monkeypatch.setattr(re, "compile", counting)
    return found


def test_nothing_is_compiled_before_the_first_use(compiled: list[str]) -> None:
    word = lazy_regex(r"(?P<word>\w+)", re.IGNORECASE)
    assert word.pattern == r"(?P<word>\w+)"
    assert not compiled
    for _ in range(3):
        assert word.search("  Ab ")
    assert compiled == [r"(?P<word>\w+)"]


ASKED = (
    lambda p, text: [match.span() for match in p.finditer(text)],
    lambda p, text: p.findall(text),
    lambda p, text: p.sub("-", text),
    lambda p, text: p.subn("-", text, 1),
    lambda p, text: p.split(text),
    lambda p, text: [p.match(text), p.fullmatch(text), p.search(text)],
)


def test_a_text_without_what_it_needs_has_the_pattern_s_answers_and_compiles_nothing(compiled: list[str]) -> None:
    real = re.compile("stets|always")
    compiled.clear()
    for ask in ASKED:
        lazy = lazy_regex("stets|always")
        assert ask(lazy, "never") == ask(real, "never")
    assert not compiled


def test_whoever_asks_often_has_the_pattern_itself(compiled: list[str]) -> None:
    word = lazy_regex("stets|always")
    for _ in range(ASKED_BEFORE):
        assert word.search("never") is None
    assert not compiled
    assert word.search("never") is None
    assert word.search("always")
    assert compiled == ["stets|always"]


def test_an_expression_of_bytes_is_compiled_at_once(compiled: list[bytes]) -> None:
    assert lazy_regex(b"always").search(b"never") is None
    assert compiled == [b"always"]


def test_it_answers_as_the_pattern_does() -> None:
    text, made = "One two\nthree", (re.compile, lazy_regex)
    for ask in (
        lambda p: [match.span() for match in p.finditer(text)],
        lambda p: p.findall(text),
        lambda p: p.sub("-", text),
        lambda p: p.subn("-", text, 1),
        lambda p: p.split(text),
        lambda p: [bool(p.match(text)), bool(p.fullmatch(text)), bool(p.search(text))],
        lambda p: (p.pattern, p.flags, p.groups, dict(p.groupindex)),
    ):
        real, lazy = (ask(make(r"(?P<o>o)|^t", re.IGNORECASE | re.MULTILINE)) for make in made)
        assert real == lazy


def test_a_mistake_is_raised_at_the_first_use() -> None:
    broken = lazy_regex("(")
    with pytest.raises(re.error):
        broken.search("")


@given(st.lists(st.sampled_from(["json_loads", "Sort", "sort", "gc_collect", "a\nsort", "", "İsort"]), max_size=6))
def test_texts_looked_at_together_are_found_as_each_alone(texts: list[str]) -> None:
    for expression, flags in ((r"\bs[o0]rt\b", 0), (r"(?:json|gc)_\w+", 0), (r"^$", 0), (r"isort", re.IGNORECASE)):
        plain = re.compile(expression, flags)
        expected = [plain.search(text) is not None for text in texts]
        assert found_in(lazy_regex(expression, flags), texts) == expected == found_in(plain, texts)


def test_texts_without_what_an_expression_needs_do_not_compile_it(compiled: list[str]) -> None:
    word = lazy_regex(r"needed\b")
    assert found_in(word, ["one", "two"]) == [False, False]
    assert not compiled
    assert found_in(word, ["one", "is needed"]) == [False, True]
    assert compiled == [r"needed\b"]
