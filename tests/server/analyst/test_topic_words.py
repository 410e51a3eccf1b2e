"""Ordinary words of a prompt find the function that is named after them."""

import pytest

from server.agent.memory.word_stem import stem
from server.analyst.subjects import NO_NAMES
from server.analyst.topic_words import best_named, pattern_of, topic_stems, words_of
from tests.server.analyst.written_answers import assert_answered
from tests.server.analyst.written_answers import prompts_of as answers_of


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("parser", "parse"),
        ("sorting", "sort"),
        ("delivery", "deliver"),
        ("processes", "process"),
        ("syscalls", "syscall"),
    ],
)
def test_a_word_and_the_part_of_a_name_have_one_stem(word: str, name: str) -> None:
    assert stem(word) == stem(name)


@pytest.mark.parametrize(
    "prompt", ["which function takes the longest time", "is the main thread blocked", "why so slow?"]
)
def test_words_of_asking_are_no_topic(prompt: str) -> None:
    assert topic_stems(prompt, NO_NAMES) == ()


def row(name: str, total: float) -> dict[str, object]:
    return {"name": name, "total_value": total}


def test_the_function_with_most_of_the_words_is_meant_then_the_heaviest() -> None:
    stems = topic_stems("is opening the shop worth it?", NO_NAMES)
    rows = [row("posix.open", 9.0), row("Shop.open_shop", 1.0), row("shop_rows", 5.0)]
    assert best_named(rows, stems) == rows[1]
    assert best_named([rows[0], rows[2]], stems) == rows[0]
    assert best_named([row("reopened", 0.0)], stems) is None
    assert words_of("is opening the shop worth it?", stems) == ("opening", "shop")
    assert pattern_of(stems) == "open|shop"


def test_a_word_may_lie_within_a_part_of_a_name() -> None:
    assert best_named([row("posix.fsync", 1.0)], ("sync",)) is not None
    assert best_named([row("retypes", 1.0)], ("typ",)) is None


@pytest.mark.parametrize(("module", "trace", "prompt"), answers_of("topic_words"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
