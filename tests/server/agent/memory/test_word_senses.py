"""What people name in many ways is met in the words of each, and what they do not name is not."""

import tomllib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.agent.memory.memory_texts import SENTENCES, fact_memory, finding_memories
from server.agent.memory.word_senses import (
    FINDINGS,
    MOST_CHARACTERS,
    SENSES,
    asked_marks,
    findings_named,
    marked_senses,
    sense_marks,
    senses,
)
from traces.insights.registry import DETECTORS


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ("Who looks after invoices?", "le service de facturation appartient à l'équipe Mistral", "responsible"),
        ("how much RAM may it use", "内存不能超过一个GB", "working-memory"),
        ("which hosts are there", "мы используем восемь машин", "hardware"),
        ("is the log-in slow", "das Passwort-Hashing darf langsam sein", "signing-in"),
    ],
)
def test_two_texts_share_a_sense_without_a_word(one: str, other: str, shared: str) -> None:
    assert shared in senses(one) & senses(other)


def test_a_beginning_is_one_of_a_word_and_a_phrase_keeps_its_order() -> None:
    assert "responsible" not in senses("the crown is downstairs")
    assert "responsible" in senses("she is in charge")
    assert "responsible" not in senses("charge in the battery")
    assert senses("") == frozenset()
    assert senses("xyzzy plugh") == frozenset()


def test_a_question_asks_for_kinds_of_findings_in_its_own_words() -> None:
    assert {"garbage-collection", "recorded-collections"} <= findings_named("wo kostet die Speicherbereinigung Zeit?")
    assert "recursion" in findings_named("which function calls itself")
    assert "serialisation" in findings_named("is it the JSON?")
    assert "garbage-collection" not in findings_named("which function calls itself")


def test_each_kind_of_finding_has_a_sentence_of_its_own() -> None:
    sentences = tomllib.loads(SENTENCES.read_text(encoding="utf-8"))
    assert set(sentences) == {one.id for one in DETECTORS}
    assert len(set(sentences.values())) == len(sentences)
    made = list(finding_memories("t", "app", [{"id": "uneven-calls", "detail": 'Calls of "f" (f1) differ.'}]))
    assert made[0].meaning.endswith(sentences["uneven-calls"])


def test_a_finding_is_found_by_the_page_that_another_one_names() -> None:
    page = {"id": "frame-jank", "detail": 'Frames were late while "Renderer Voice Memos (pid 4)" (p14) ran.'}
    task = {"id": "long-tasks", "detail": '5 tasks last longer than 50 ms, the longest "toplevel" (s1).'}
    _, of_task = finding_memories("t", "load.json", [page, task])
    assert "Voice Memos" in of_task.words
    assert "Voice" not in of_task.meaning


def test_the_lists_name_what_there_is_and_give_no_word_to_everything() -> None:
    findings = tomllib.loads(FINDINGS.read_text(encoding="utf-8"))
    assert set(findings) <= {one.id for one in DETECTORS}
    for table in (findings, tomllib.loads(SENSES.read_text(encoding="utf-8"))):
        words = Counter(word for row in table.values() for word in set(row["words"].split()))
        assert max(words.values()) <= 8, words.most_common(3)
        assert all(row["words"].split() for row in table.values())


def test_marks_stand_in_the_words_of_what_is_remembered() -> None:
    fact = fact_memory("Harbor owns the billing service")
    assert marked_senses(fact.words) == senses(fact.text) >= {"responsible", "money"}
    (finding,) = finding_memories("t", "a.json", [{"id": "locks", "detail": "30 % is taking locks"}])
    assert set(finding.words.split()) & set(asked_marks("where do threads fight for a mutex").split())
    assert marked_senses("Harbor owns the billing service") == frozenset()


@given(st.text())
def test_any_text_has_marks_that_are_read_back(text: str) -> None:
    assert marked_senses(sense_marks(text)) == senses(text)


def test_a_long_text_is_read_up_to_its_bound() -> None:
    assert "caching" not in senses("x" * MOST_CHARACTERS + " the cache")
    assert "caching" in senses("the cache " + "x" * MOST_CHARACTERS)
