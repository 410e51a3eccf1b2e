"""What a prompt asks the share of, by the place of its words."""

import re

import pytest

from server.analyst.asked_things import (
    alternatives,
    asks_by_file,
    asks_if_done_again,
    named_first,
    named_like,
    plainer,
    share_asked_of,
    without_condition,
    words_of_a_page,
    worse_than_that,
    would_help,
)
from server.analyst.forms import forms
from tests.server.analyst.written_answers import assert_answered
from tests.server.analyst.written_answers import prompts_of as answers_of
from tests.server.analyst.written_questions import assert_read, prompts_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("is it parsing, binding, checking or emitting?", ("parsing", "binding", "checking", "emitting")),
        ("forward or backward?", ("forward", "backward")),
        ("which is slower: the reader or the writer?", ("reader", "writer")),
        ("is it cpu or io?", ()),
        ("is it slow or fast?", ()),
        ("is that because of the parser or something else", ()),
        ("parse and emit?", ()),
    ],
)
def test_words_of_which_one_is_asked_for(text: str, words: tuple[str, ...]) -> None:
    assert alternatives(text) == words


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("how much does the binder take", "binder"),
        ("how many instructions does the parser take?", "parser"),
        ("how much of the time goes to the scheduler", "scheduler"),
        ("how expensive is the hashing step", "hashing"),
        ("how much is gc", ""),
        ("how long does the main thread run", ""),
        ("how much time in the kernel?", ""),
        ("how much is it", ""),
    ],
)
def test_the_word_of_which_the_share_is_asked(text: str, word: str) -> None:
    assert share_asked_of(text) == word


@pytest.mark.parametrize(
    ("word", "found", "passed_over"),
    [
        ("parsing", ("parse_file", "doParse", "HTTPParser::run", "c_parser.c"), ("sparse_matrix", "compare")),
        ("emitting", ("emitList", "_emit", "EMIT_ALL"), ("remit", "transmit")),
        ("sorts", ("merge_sort", "sort.Slice"), ("resort",)),
    ],
)
def test_names_are_like_a_word_when_one_of_their_parts_begins_so(
    word: str, found: tuple[str, ...], passed_over: tuple[str, ...]
) -> None:
    like = re.compile(named_like(word), re.IGNORECASE)
    assert [name for name in (*found, *passed_over) if like.search(name)] == list(found)


@pytest.mark.parametrize("word", ["parse", "kernel", "do_parsing", "Parsing", "ring"])
def test_a_word_without_an_ending_is_looked_up_as_it_is(word: str) -> None:
    assert named_like(word) == ""


def test_a_problem_is_asked_of_what_it_is_asked_of() -> None:
    assert plainer("is file io a problem?") == "is it file io?"
    assert plainer("so is the database really the bottleneck here") == "so is it the database?"
    assert plainer("is that a problem?") == "is that a problem?"
    assert plainer("what is the problem?") == "what is the problem?"


def test_what_is_done_in_a_condition_is_no_name() -> None:
    assert "parsed" not in without_condition("how much would i save if i parsed the file only once")
    assert "render" in without_condition("what do we gain if we remove render")


def test_other_forms() -> None:
    assert would_help("would more threads help?") == "more threads"
    assert not would_help("can you help me?")
    assert asks_if_done_again("is it parsed twice then?")
    assert not asks_if_done_again("it is parsed twice")
    assert asks_by_file("which file is the worst?")
    assert not asks_by_file("which file defines parse?")
    assert forms("asked_things").it_is_asked_of.search("how often is it called per parent?")
    assert not forms("asked_things").it_is_asked_of.search("how often is parse called?")
    assert forms("asked_things").it_is_asked_of.search("could i skip it")
    assert named_first("and memequal, where does that come from") == "memequal"
    assert not named_first("so, where does that come from")
    assert worse_than_that("is malloc worse?") == "malloc"
    assert not worse_than_that("is it worse than malloc?")
    assert words_of_a_page("how much layout + style recalc on main thread") == ("layout", "style", "recalc")
    assert not words_of_a_page("is it layout thrashing?")
    assert forms("known_forms").of_own_code.search("hottest of OUR methods")
    assert not forms("known_forms").of_own_code.search("how do i run my program")


@pytest.mark.parametrize(("module", "context", "prompt"), prompts_of("asked_things"))
def test_a_prompt_is_read_as_it_is_written(module: str, context: str, prompt: str) -> None:
    assert_read(module, context, prompt)


@pytest.mark.parametrize(("module", "trace", "prompt"), answers_of("asked_things"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
