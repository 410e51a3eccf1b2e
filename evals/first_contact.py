"""The raw answers of a batch's first run, stored beside its questions: what an answerer that had never seen them said.

They are written once and graded again at every `make eval`, so that anybody can recompute a first-contact figure.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from evals.case import BadCase
from evals.questions import BATCHES, Conversation

FILE = "first.json"


def stored_answers(batch: str, folder: Path = BATCHES) -> dict[str, tuple[str, ...]] | None:
    """A conversation's answers in order, by its name; None for a batch that nobody has asked yet. Raises BadCase."""
    path = folder / batch / FILE
    if not path.is_file():
        return None
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        return {name: tuple(map(str, answers)) for name, answers in document["answers"].items()}
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise BadCase(f"{batch}/{FILE}: {error!r}") from error


def store(batch: str, answers: Mapping[str, Sequence[str]], *, commit: str, day: str, folder: Path = BATCHES) -> None:
    """Write the answers of a first run. Raises BadCase when the batch has been asked before."""
    path = folder / batch / FILE
    if path.exists():
        raise BadCase(f"{batch} has been asked before: {path.name} is its first contact and stays")
    document = {"commit": commit, "day": day, "answers": {name: list(said) for name, said in answers.items()}}
    path.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def answers_of(conversation: Conversation, stored: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The stored answers of a conversation. Raises BadCase when they are not one a question."""
    said = tuple(stored.get(conversation.name, ()))
    if len(said) != len(conversation.turns):
        name = f"{conversation.batch}/{conversation.name}"
        raise BadCase(f"{name}: {len(said)} stored answers for {len(conversation.turns)} questions")
    return said
