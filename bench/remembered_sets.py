"""The questions of `evals/memory/` and the memories that answer them: a first set, by which the search was made better,
and later ones, for which nothing was changed once they were measured."""

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server.agent.memory.memory_texts import fact_memory, finding_memories
from server.ports.memories import MemoryKind, NewMemory

SETS = Path(__file__).resolve().parent.parent / "evals" / "memory"


@dataclass(frozen=True, slots=True)
class Question:
    asks: str
    right: frozenset[str]
    is_english: bool


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Memories and questions about them; `right` names memories by their keys."""

    name: str
    memories: tuple[NewMemory, ...]
    questions: tuple[Question, ...]
    kind: MemoryKind


def first_sets() -> tuple[QuestionSet, QuestionSet]:
    """Findings, and facts."""
    return _findings("findings", "findings_questions.toml"), _facts("facts", "facts.toml")


def later_sets() -> tuple[QuestionSet, QuestionSet]:
    """The same findings with other questions, and other facts."""
    return _findings("findings, later", "later_questions.toml"), _facts("facts, later", "later_facts.toml")


def third_sets() -> tuple[QuestionSet, QuestionSet]:
    """As the later ones."""
    return _findings("findings, third", "third_questions.toml"), _facts("facts, third", "third_facts.toml")


def fourth_sets() -> tuple[QuestionSet, QuestionSet]:
    """As the later ones; its findings were drawn by lot."""
    return _findings("findings, fourth", "fourth_questions.toml"), _facts("facts, fourth", "fourth_facts.toml")


def fifth_sets() -> tuple[QuestionSet, QuestionSet]:
    """As the later ones; its findings were drawn by lot."""
    return _findings("findings, fifth", "fifth_questions.toml"), _facts("facts, fifth", "fifth_facts.toml")


def names_of_recordings() -> dict[str, str]:
    """By the ids that the memories of findings name."""
    return {f"r{one['recording']}": one["name"] for one in _recordings()}


def _recordings() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SETS / "findings.jsonl").read_text(encoding="utf-8").splitlines()]


def _findings(name: str, file: str) -> QuestionSet:
    """Findings are named `12.3` in the file: the third of recording 12."""
    memories: list[NewMemory] = []
    keys: dict[str, str] = {}
    for recording in _recordings():
        made = list(finding_memories(f"r{recording['recording']}", recording["name"], recording["findings"]))
        keys |= {f"{recording['recording']}.{at}": one.key for at, one in enumerate(made, 1)}
        memories += made
    questions = [
        Question(one["asks"], frozenset(keys[key] for key in one["right"]), "language" not in one)
        for one in _read(file)["question"]
    ]
    return QuestionSet(name, tuple(memories), tuple(questions), MemoryKind.FINDING)


def _facts(name: str, file: str) -> QuestionSet:
    read = _read(file)["fact"]
    memories = tuple(fact_memory(one["text"]) for one in read)
    questions = [
        Question(one["asked"], frozenset({memory.key}), "language" not in one)
        for one, memory in zip(read, memories, strict=True)
    ]
    return QuestionSet(name, memories, tuple(questions), MemoryKind.FACT)


def _read(file: str) -> dict[str, Any]:
    return tomllib.loads((SETS / file).read_text(encoding="utf-8"))
