"""Links of figures in an answer: found, and taken out for those who read plain text."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.agent.verification.references.addresses import Malformed
from server.agent.verification.references.figure_links import AddressFilter, figure_links, shown_text, without_addresses

ANSWER = (
    "**[39 %](#f12.self/p0)** ([379 ms](#f12.self)) of [`parse`](#f12), [17](q2.r3.calls) times; see [notes](notes.md)."
)


def test_figures_differ_from_citations_and_files() -> None:
    assert [link.label for link in figure_links(ANSWER)] == ["39 %", "379 ms", "17"]
    assert [ANSWER[link.start : link.end] for link in figure_links(ANSWER)] == ["39 %", "379 ms", "17"]
    assert without_addresses(ANSWER) == "**39 %** (379 ms) of [`parse`](#f12), 17 times; see [notes](notes.md)."


def test_with_a_hash_a_malformed_address_is_one_too() -> None:
    (link,) = figure_links("it takes [3 ms](#f12.speed)")
    assert link.address == Malformed("measure")


@pytest.mark.parametrize("link", ["[3](#x)", "[3 ms](#f12)", "[41 %](x9)", "[1,200](#)", "[3×](notes.md)", "[3]()"])
def test_a_bare_figure_that_leads_to_no_address_is_one_too(link: str) -> None:
    (found,) = figure_links(f"it takes {link} of it")
    assert isinstance(found.address, Malformed)


@pytest.mark.parametrize("link", ["[3](https://x.example/)", "[`3`](#f12)", "[3 of them all](#x)", "[notes](notes.md)"])
def test_what_is_no_bare_figure_or_leads_to_a_page_is_none(link: str) -> None:
    assert list(figure_links(f"see {link}")) == []


def test_places_lead_back_to_the_answer() -> None:
    shown = shown_text(ANSWER)
    for label in ("39 %", "379 ms", "17", "notes", "times", "`parse`"):
        at = shown.text.index(label)
        start, end = shown.place(at), shown.place(at + len(label), is_end=True)
        assert ANSWER[start:end] == label


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_a_stream_shows_what_the_text_does(size: int) -> None:
    stream = AddressFilter()
    pieces = [stream.feed(ANSWER[at : at + size]) for at in range(0, len(ANSWER), size)]
    assert "".join(pieces) + stream.close() == without_addresses(ANSWER)
    assert all("](#f12." not in piece for piece in pieces)


@pytest.mark.parametrize(
    "half", ["it takes [379", "it takes [379 ms](", "it takes [379 ms](#f12.se", "a\\", "[a\\", "["]
)
def test_half_a_link_at_the_end_is_shown(half: str) -> None:
    stream = AddressFilter()
    assert stream.feed(half) + stream.close() == half


def test_what_cannot_become_a_link_is_not_kept_back() -> None:
    assert AddressFilter().feed("a [link to come\nor") == "a [link to come\nor"
    assert AddressFilter().feed("x [" + "a" * 400) != ""


@given(st.lists(st.text(alphabet="[]()#f1.self\\ `\n", max_size=12), max_size=12))
def test_any_stream_shows_what_its_text_does(pieces: list[str]) -> None:
    stream = AddressFilter()
    assert "".join(map(stream.feed, pieces)) + stream.close() == without_addresses("".join(pieces))


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, "[a" * 50_000, "[1](#f1.self" * 10_000, "[1](" * 25_000, "\\" * 100_000, "[" + "\\[" * 50_000],
)
def test_time_is_linear(text: str) -> None:
    began = time.process_time()
    assert without_addresses(text) == text
    stream = AddressFilter()
    assert len(stream.feed(text) + stream.close()) == len(text)
    assert time.process_time() - began < 1.5
