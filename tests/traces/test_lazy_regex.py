"""Regular expressions that are compiled when they are first used."""

import re

import pytest

from traces.lazy_regex import lazy_regex


def test_nothing_is_compiled_before_the_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    real = re.compile

    def counting(pattern: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(pattern)
        return real(pattern, flags)

    monkeypatch.setattr(re, "compile", counting)
    word = lazy_regex(r"(?P<word>\w+)", re.IGNORECASE)
    assert word.pattern == r"(?P<word>\w+)"
    assert not compiled
    for _ in range(3):
        assert word.search("  Ab ")
    assert compiled == [r"(?P<word>\w+)"]


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
