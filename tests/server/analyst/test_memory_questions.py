"""Which prompts ask for what people said or for other recordings, and which ask about this trace alone."""

import tomllib
from pathlib import Path

import pytest

from server.analyst.earlier_traces import earlier_question
from server.analyst.memory_questions import memory_question

INTENTS = Path(__file__).resolve().parents[3] / "server" / "analyst" / "intents.toml"


@pytest.mark.parametrize(
    ("prompt", "kind"),
    [
        ("What limit did I name at the start?", "said"),
        ("remind me which version we said is live", "said"),
        ("what did we agree on for the checkout?", "said"),
        ("What is our latency budget?", "ours"),
        ("who owns the indexer?", "ours"),
        ("which machines do we run on?", "ours"),
        ("how long may a request take?", "ours"),
        ("Which Java version are we on?", "ours"),
        ("what did the team decide about vendored code?", "ours"),
        ("what does Heron mean?", "ours"),
        ("Wie hoch ist unser Limit?", "ours"),
        ("Is parse_json within our limit?", "kept"),
        ("does the start-up meet our target", "kept"),
        ("is this too slow for us?", "kept"),
    ],
)
def test_what_asks_for_peoples_words(prompt: str, kind: str) -> None:
    found = memory_question(prompt)
    assert found is not None
    assert found.kind == kind


@pytest.mark.parametrize(
    ("prompt", "kind", "words"),
    [
        ("Have I seen this problem before?", "seen", ()),
        ("did this happen in an earlier trace?", "seen", ()),
        ("is this new?", "seen", ()),
        ("Which of my traces spends the most time in JSON?", "which", ("JSON",)),
        ("which recordings have lock contention?", "have", ("lock", "contention")),
        ("Summarise all my traces", "all", ()),
        ("what do my recordings show?", "all", ()),
    ],
)
def test_what_asks_for_other_recordings(prompt: str, kind: str, words: tuple[str, ...]) -> None:
    found = earlier_question(prompt)
    assert found is not None
    assert (found.kind, found.words) == (kind, words)


def test_hardly_any_question_about_a_trace_is_taken_for_one_of_memory() -> None:
    prompts: list[str] = []
    for examples in tomllib.loads(INTENTS.read_text(encoding="utf-8")).values():
        prompts += _texts(examples)
    assert len(prompts) > 1_000
    taken = [one for one in prompts if memory_question(one) or earlier_question(one)]
    assert len(taken) <= len(prompts) / 500, taken


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in _texts(part)]
