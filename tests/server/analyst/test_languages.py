"""Prompts in ten other languages are read; English ones, and names, stay as they are."""

import tomllib

import pytest

from evals.case import read_cases
from server.analyst.languages import TABLE, in_english
from server.analyst.question import Topic, understood
from tests.server.analyst.test_analyst_chat import asked


@pytest.mark.parametrize(
    ("prompt", "topic"),
    [
        ("Warum ist das so langsam?", Topic.OVERVIEW),
        ("Wer ruft luhn_sum auf?", Topic.CALLERS),
        ("Wie oft wird `luhn_sum` aufgerufen?", Topic.HOW_OFTEN),
        ("Was passiert zwischen 100 ms und 200 ms?", Topic.WINDOW),
        ("Gibt es ein Speicherleck?", Topic.MEMORY),
        ("quelles fonctions prennent le plus de temps ?", Topic.TOP),
        ("qui appelle luhn_sum ?", Topic.CALLERS),
        ("¿Por qué es tan lento?", Topic.OVERVIEW),
        ("¿qué debería arreglar primero?", Topic.FIRST_FIX),
        ("por que está tão lento?", Topic.OVERVIEW),
        ("perché è così lento?", Topic.OVERVIEW),
        ("waarom is dit zo traag?", Topic.OVERVIEW),
        ("кто вызывает luhn_sum?", Topic.CALLERS),
        ("为什么这么慢？", Topic.OVERVIEW),
        ("谁调用了 luhn_sum？", Topic.CALLERS),
        ("有内存泄漏吗？", Topic.MEMORY),
        ("luhn_sum は誰が呼んでいますか", Topic.CALLERS),
        ("왜 이렇게 느려요?", Topic.OVERVIEW),
    ],
)
def test_a_prompt_in_another_language_is_read_and_said_to_be(prompt: str, topic: Topic) -> None:
    question = understood(prompt, {})
    assert question.topic is topic
    assert question.understood
    assert question.note is not None
    assert question.names == (("luhn_sum",) if "luhn_sum" in prompt else ())


@pytest.mark.parametrize(
    "prompt",
    [
        *(case.prompt for case in read_cases(None)),
        "why does memoria take so long",
        "compare en and fr",
        "is it waiting on y?",
        "what does `warum ist langsam` call?",
        "",
    ],
)
def test_an_english_prompt_stays_as_it_is(prompt: str) -> None:
    read = in_english(prompt)
    assert (read.text, read.note) == (prompt, None)


def test_every_language_has_a_note_and_phrases_in_small_letters() -> None:
    for words in tomllib.loads(TABLE.read_text(encoding="utf-8")).values():
        assert words.pop("note")
        phrases = [phrase for known in words.values() for phrase in known]
        assert phrases == [phrase.casefold() for phrase in phrases]
        assert len(set(phrases)) == len(phrases)


async def test_an_answer_says_in_the_language_of_the_prompt_that_it_is_in_english() -> None:
    answer, _ = await asked("Wer ruft parse_json auf?")
    assert answer.text.startswith("**[`parse_json`](#f2) is called from [`load`](#f1)")
    assert "Die Antwort ist auf Englisch; die Frage wurde auf Deutsch gelesen." in answer.text
