"""What a text must have for an expression to match: never more than what every match has."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.needed_text import MOST_NEEDS, folded, may_match, needed


@pytest.mark.parametrize(
    ("pattern", "needs"),
    [
        ("calls itself", [{"calls itself"}]),
        ("calls?", [{"call"}]),
        ("calls*", [{"call"}]),
        ("calls+ on", [{"calls"}, {" on"}]),
        ("call{0,3}ed", [{"cal"}, {"ed"}]),
        ("call{,3}ed", [{"cal"}, {"ed"}]),
        ("call{,}ed", [{"cal"}, {"ed"}]),
        ("call{2}ed", [{"call"}, {"ed"}]),
        ("a{b}cd", [{"b}cd"}]),
        ("first|second", [{"first", "second"}]),
        ("(?:first|second) one", [{" one"}, {"first", "second"}]),
        ("(?:first|second)? one", [{" one"}]),
        ("(?:first|second){0,2} one", [{" one"}]),
        ("(?:first|second){1,2} one", [{" one"}, {"first", "second"}]),
        ("(?:first|x) one", [{" one"}]),
        ("(?:a (?:first|third)|second) one", [{" one"}, {"first", "second", "third"}]),
        ("(?P<name>first)(?P=name)", [{"first"}]),
        ("(?=first)one", [{"one"}]),
        ("(?!first)one", [{"one"}]),
        ("(?<=first)one", [{"one"}]),
        ("(?<!first)one", [{"one"}]),
        ("(first)?(?(1)second|third)one", [{"one"}]),
        ("one(?#first)", [{"one"}]),
        ("(?>first)one", [{"first"}, {"one"}]),
        ("(?i)First", [{"first"}]),
        ("(?-i:First)", [{"first"}]),
        ("(?x) first", []),
        (r"fi\.rst", [{"fi.rst"}]),
        (r"fi\brst", [{"rst"}, {"fi"}]),
        (r"fi\x41rst", [{"rst"}, {"fi"}]),
        (r"fi\u0041rst", [{"rst"}, {"fi"}]),
        (r"fi\U00000041rst", [{"rst"}, {"fi"}]),
        (r"fi\N{DIGIT ONE}rst", [{"rst"}, {"fi"}]),
        (r"(f)i\11rst", [{"rst"}]),
        ("fi[]x(]rst", [{"rst"}, {"fi"}]),
        (r"fi[^]\]x|]rst", [{"rst"}, {"fi"}]),
        ("fi.rst$", [{"rst"}, {"fi"}]),
        ("weiß?er", [{"wei"}, {"er"}]),
        ("GROẞ", [{"gross"}]),
        ("x", []),
        ("  ", []),
        ("", []),
        ("(first", []),
        ("first)", []),
        ("aa.bb.cc.dd.ee", [{"aa"}, {"bb"}, {"cc"}, {"dd"}]),
    ],
)
def test_an_expression_needs_its_own_texts(pattern: str, needs: list[set[str]]) -> None:
    assert [set(need) for need in needed(pattern)] == needs
    assert len(needs) <= MOST_NEEDS


def test_a_verbose_expression_is_not_looked_into() -> None:
    assert needed("fi  rst", re.VERBOSE) == ()


@pytest.mark.parametrize("text", ["KILL", "kill", "\u212aill", "k\u0130ll", "k\u0131ll"])
def test_letters_that_expressions_take_for_each_other_are_one(text: str) -> None:
    assert re.search("kill", text, re.IGNORECASE)
    assert may_match(needed("kill", re.IGNORECASE), text)
    assert folded(text) == "kill"


def test_one_of_each_must_be_there() -> None:
    needs = needed("(?:first|second) one")
    assert [may_match(needs, text) for text in ("second one", "a first", "one", "no")] == [True, False, False, False]
    assert may_match((), "")


LITERALS = ["ab", "Cd", "e", " ", "ß", "İ", ".", r"\.", r"\d", r"\w+", "[xy]", "[^]a]", r"\\", "^", "$", r"\b", *"{}]"]
GROUPS = ["(?:", "(", ")", ")?", "){2}", ")*", "|", "(?=", "(?!", "(?<=", "(?i:", "(?P<n>"]
PIECES = st.sampled_from([*LITERALS, *GROUPS, "?", "*", "+", "{0,2}", "{,}", "{3}"])


@given(st.data(), st.lists(PIECES, max_size=14).map("".join), st.sampled_from([0, re.IGNORECASE]))
def test_whatever_matches_has_what_is_needed(data: st.DataObject, pattern: str, flags: int) -> None:
    try:
        compiled = re.compile(pattern, flags)
        text = data.draw(st.from_regex(compiled) | st.text("abCcDdeE xyßİ.", max_size=12))
    except (re.error, FutureWarning, OverflowError):
        return
    if compiled.search(text):
        assert may_match(needed(pattern, flags), text)
