"""Places of a list by their words."""

import pytest

from server.analyst.ordinals import LAST, NEXT, bare_place, place_of, place_within, ranked_in, what_else, with_ordinals
from tests.server.analyst.written_questions import assert_read, prompts_of

WORDS = {
    0: "first 1st erste erster erstes premier première primero primera primeira prima первый 第一 第一个",
    1: "second 2nd other zweite zweiter deuxième segundo segunda seconda tweede второй 第二 第二个",
    2: "third 3rd dritte troisième tercero terceira terzo derde третий 第三 第三个",
    3: "fourth 4th vierte quatrième cuarta quarto vierde четвёртый четвертый 第四 第四个",
    LAST: "last fastest schnellste letzte dernière última ultima snelste laatste 最快的",
    NEXT: "next nächste suivante siguiente próxima prossima volgende следующий 下一个",
}
PLACES = [(word, place) for place, words in WORDS.items() for word in words.split()]


@pytest.mark.parametrize(("word", "place"), PLACES)
def test_a_place_has_words_in_each_language_however_they_are_written(word: str, place: int) -> None:
    assert place_of(word) == place_of(word.upper()) == place
    assert bare_place(word) == bare_place(f"and {word}?") == place


@pytest.mark.parametrize(("word", "place"), [one for one in PLACES if one[1] >= 0 and one[0].isascii()])
def test_a_place_within_a_question_is_the_function_that_stands_there(word: str, place: int) -> None:
    prompt = f"who calls the {word} one?"
    found = place_within(prompt)
    assert found is not None
    assert (found[0], prompt[found[1] : found[2]]) == (place, f"the {word} one")
    assert with_ordinals(prompt, ["f7", "f1", "f4", "f2"]) == f"who calls {['f7', 'f1', 'f4', 'f2'][place]}?"


def test_a_place_that_the_list_has_not_is_left_as_it_is_written() -> None:
    assert with_ordinals("who calls the third one?", ["f7", "f1"]) == "who calls the third one?"
    assert with_ordinals("the fourth?", ["f7", "f1"]) == "the fourth?"


@pytest.mark.parametrize(
    "prompt",
    [
        "what should I go after next then",
        "und danach, was bleibt übrig?",
        "that is the price service, nothing i can do. what else",
    ],
)
def test_what_to_do_next_asks_for_what_follows(prompt: str) -> None:
    assert bare_place(prompt) == NEXT


def test_one_more_that_would_help_is_no_place_of_a_list() -> None:
    assert place_within("so would a 4th thread help?") is None
    assert place_within("how long does the 4th thread take?") is not None


@pytest.mark.parametrize(
    "prompt", ["what else", "ok that I cannot change, what else", "the rest?", "beyond those", "还有什么", "ほかには？"]
)
def test_what_else_is_the_next_of_a_list_that_holds_what_was_spoken_of(prompt: str) -> None:
    assert what_else(prompt)
    assert with_ordinals(prompt, ("f1", "f2", "f3"), (), "f2") == "f3"
    assert with_ordinals(prompt, ("f1", "f2"), (), "f9") == "next"


def test_who_is_called_is_a_list_without_the_caller() -> None:
    assert bare_place("¿y el segundo?") == 1
    calls = "**[`a`](#f1) calls [`b`](#f2) (5 ms) and [`c`](#f3) (4 ms)**. It keeps nothing."
    assert ranked_in(calls) == ("f2", "f3")
    called = "**[`a`](#f1) is called from [`b`](#f2) (5 ms)**, further up from [`c`](#f3) and [`d`](#f4)."
    assert ranked_in(called) == ()


@pytest.mark.parametrize(("module", "context", "prompt"), prompts_of("ordinals"))
def test_a_prompt_is_read_as_it_is_written(module: str, context: str, prompt: str) -> None:
    assert_read(module, context, prompt)
