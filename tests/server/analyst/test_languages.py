"""Prompts in ten other languages are read; who asks in one reads that the answer is in English."""

import pytest

from evals.case import read_cases
from server.analyst.question import Intent
from server.analyst.understanding import understood
from tests.server.analyst.test_analyst_chat import asked


@pytest.mark.parametrize(
    ("prompt", "intent"),
    [
        ("Warum ist das so langsam?", Intent.OVERVIEW),
        ("Wer ruft luhn_sum auf?", Intent.CALLERS),
        ("Wie oft wird `luhn_sum` aufgerufen?", Intent.HOW_OFTEN),
        ("Was passiert zwischen 100 ms und 200 ms?", Intent.WINDOW),
        ("Gibt es ein Speicherleck?", Intent.MEMORY),
        ("quelles fonctions prennent le plus de temps ?", Intent.TOP),
        ("qui appelle luhn_sum ?", Intent.CALLERS),
        ("¿Por qué es tan lento?", Intent.OVERVIEW),
        ("¿qué debería arreglar primero?", Intent.FIRST_FIX),
        ("por que está tão lento?", Intent.OVERVIEW),
        ("perché è così lento?", Intent.OVERVIEW),
        ("waarom is dit zo traag?", Intent.OVERVIEW),
        ("кто вызывает luhn_sum?", Intent.CALLERS),
        ("为什么这么慢？", Intent.OVERVIEW),
        ("谁调用了 luhn_sum？", Intent.CALLERS),
        ("有内存泄漏吗？", Intent.MEMORY),
        ("luhn_sum は誰が呼んでいますか", Intent.CALLERS),
        ("왜 이렇게 느려요?", Intent.OVERVIEW),
        ("从 2 秒到 3 秒发生了什么", Intent.WINDOW),
    ],
)
def test_a_prompt_in_another_language_is_read_and_answered_with_a_note(prompt: str, intent: Intent) -> None:
    question = understood(prompt, {})
    assert question.intent is intent
    assert question.note is not None
    assert question.names == (("luhn_sum",) if "luhn_sum" in prompt else ())


@pytest.mark.parametrize(
    "prompt",
    [
        *(case.prompt for case in read_cases(None)),
        "compare en and fr",
        "what does `warum ist langsam` call?",
        "",
    ],
)
def test_an_english_prompt_gets_no_note(prompt: str) -> None:
    assert understood(prompt, {}).note is None


async def test_an_answer_says_in_the_language_of_the_prompt_that_it_is_in_english() -> None:
    answer, _ = await asked("Wer ruft parse_json auf?")
    assert answer.text.startswith("**[`parse_json`](#f2) is called from [`load`](#f1)")
    assert "Die Antwort ist auf Englisch; die Frage wurde auf Deutsch gelesen." in answer.text
