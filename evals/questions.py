"""Batches of conversations: a folder of `evals/batches` with TOML files, one a trace, and the answers of the first run.

A conversation is 1 to 6 questions about one trace, in order. What is right, partly right and wrong stands with each
question; `evals/grades.py` grades by it.
"""

import os
import tomllib
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from evals.case import ROOT, BadCase, Figure
from evals.cause_classes import CauseClass

BATCHES = Path(__file__).resolve().parent / "batches"
SHARED = Path(os.environ.get("FLAMECHAT_SHARED", ROOT.parent / "shared"))
_OF_SHARED = "shared/"
"""How a trace begins that is not in the repository but below SHARED."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Question(_Part):
    """Patterns are regular expressions, case ignored. The opening is the answer's first two sentences.

    Right: the opening claims one of `culprit` and the class `cause`, matches every one of `opening` and has `figures`;
    the answer's beginning matches `says`, and with `fix` names a change that fits `cause`; with `cannot` the opening
    says that it cannot be answered; with `direct`, of a question that asks for one thing, the opening does not begin as
    a report on all of the recording. Wrong, whatever else: the opening matches one of `wrong`, claims one of
    `false_causes`, claims another function than `culprit` or `also` where neither is named, or makes a claim
    while nothing of `about` is in it, which is the report of another question. Partly: one of `partly`, a culprit
    or the class is in the answer's beginning. `language` is the question's, as ISO 639-1 has it; `repeated`
    is how many times over the text is sent.
    """

    asked: str
    repeated: int = Field(default=1, ge=1)
    language: str = "en"
    culprit: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    cause: CauseClass | None = None
    fix: bool = False
    opening: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    partly: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    false_causes: tuple[CauseClass, ...] = ()
    about: tuple[str, ...] = ()
    cannot: bool = False
    direct: bool = False
    most_named: int = Field(default=4, ge=0)

    @property
    def prompt(self) -> str:
        """What is sent."""
        return self.asked * self.repeated

    @model_validator(mode="after")
    def _can_be_graded(self) -> Self:
        if not (self.culprit or self.cause or self.opening or self.says or self.figures or self.cannot):
            raise ValueError(f"nothing is right for {self.asked!r}")
        if self.fix and self.cause is None:
            raise ValueError(f"fix without cause: {self.asked!r}")
        return self


class Conversation(_Part):
    """`others` are traces that the person has too, uploaded before, oldest first. `sibling` says that the trace's
    program is without its fault. `program` is a folder of `evals/programs`; empty for fixtures and made traces;
    `cause` is the class of its fault."""

    name: str
    batch: str
    trace: str
    others: tuple[str, ...] = ()
    program: str = ""
    cause: CauseClass | None = None
    sibling: bool = False
    turns: tuple[Question, ...] = Field(min_length=1, max_length=6)


class _File(_Part):
    """One TOML file. `truth` says where the true answers are from."""

    trace: str
    truth: str
    program: str = ""
    cause: CauseClass | None = None
    sibling: bool = False
    others: tuple[str, ...] = ()
    conversation: tuple[tuple[Question, ...], ...]


def read_batch(folder: Path) -> tuple[Conversation, ...]:
    """A batch's conversations, by the name of their file and their order in it. Raises BadCase."""
    found = []
    for path in sorted(folder.glob("*.toml")):
        try:
            file = _File.model_validate(_with_conversations(tomllib.loads(path.read_text(encoding="utf-8"))))
        except (OSError, tomllib.TOMLDecodeError, ValidationError) as error:
            raise BadCase(f"{folder.name}/{path.name}: {error}") from error
        for number, turns in enumerate(file.conversation, 1):
            found.append(
                Conversation(
                    name=f"{path.stem}-{number}",
                    batch=folder.name,
                    trace=file.trace,
                    others=file.others,
                    program=file.program,
                    cause=file.cause,
                    sibling=file.sibling,
                    turns=turns,
                )
            )
    return tuple(found)


def read_batches(only: str | None = None) -> tuple[Conversation, ...]:
    """All conversations whose recordings are here, or those whose batch or name has `only` in it. Raises BadCase."""
    return tuple(one for one in _every(only) if all(_is_here(trace) for trace in (one.trace, *one.others)))


def left_out(only: str | None = None) -> tuple[Conversation, ...]:
    """Those of them whose recordings lie in FLAMECHAT_SHARED, where it has them not. Raises BadCase."""
    return tuple(one for one in _every(only) if not all(_is_here(trace) for trace in (one.trace, *one.others)))


def _every(only: str | None) -> list[Conversation]:
    every = [one for folder in sorted(BATCHES.iterdir()) if folder.is_dir() for one in read_batch(folder)]
    return [one for one in every if only is None or only in f"{one.batch}/{one.name}"]


def _is_here(trace: str) -> bool:
    """What the repository should have counts as here: that it lacks is an error."""
    return not trace.startswith(_OF_SHARED) or (SHARED / trace.removeprefix(_OF_SHARED)).is_file()


def file_of(trace: str) -> Path:
    """Where a conversation's trace lies. Raises BadCase."""
    path = SHARED / trace.removeprefix(_OF_SHARED) if trace.startswith(_OF_SHARED) else ROOT / trace
    if not path.is_file():
        raise BadCase(f"there is no {trace}")
    return path


def _with_conversations(document: dict[str, object]) -> dict[str, object]:
    """`[[conversation]]` tables have their questions as `turn`, which reads better in TOML than lists of lists."""
    listed = document.pop("conversation", [])
    assert isinstance(listed, list)
    return document | {"conversation": tuple(tuple(one["turn"]) for one in listed)}
