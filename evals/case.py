"""A case is a folder with a `case.toml`: a prompt, a trace, and what the answer must and must not say."""

import tomllib
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

ROOT = Path(__file__).resolve().parent.parent
CASES = Path(__file__).resolve().parent / "cases"


class BadCase(Exception):
    """A case that cannot be asked; the text names the case and what is wrong with it."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Figure(_Part):
    """A number that must stand in one sentence or table row with `near`, within `within` of `value`, both in `unit`."""

    value: float
    unit: Literal["%", "ns", "µs", "ms", "s", "B", "kB", "MB", "GB", "count"]
    within: float = Field(ge=0)
    near: str | None = None


class Expected(_Part):
    """What graders look for. Patterns are regular expressions, case ignored.

    `cause` are spellings of the true cause: the answer's opening must call one of them the cause, before it calls
    anything else so. `causes` are spellings of several that the opening must name together. `opening` and `says` are
    patterns that the opening, or the answer, must match; `never` and `never_opening` those it must not.
    `cites` are names that a citation must resolve to. `finding` is an insight that a tool must have returned as failed.
    `calls` and `never_calls` are tools. `cites`, `finding` and `calls` count only where there are tools.
    """

    cause: tuple[str, ...] = ()
    causes: tuple[tuple[str, ...], ...] = ()
    figures: tuple[Figure, ...] = ()
    opening: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    never_opening: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    finding: str | None = None
    calls: tuple[str, ...] = ()
    never_calls: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        if not (self.cause or self.causes or self.figures or self.opening or self.says):
            raise ValueError("nothing is expected: give cause, causes, figures, opening or says")
        return self


class Recorded(_Part):
    """Where the recorded file of a case comes from; `truth` is what is planted, and what the profiler's own report
    says."""

    by: str
    command: str
    truth: str


class Case(_Part):
    """`trace` is a file in the case's folder or, from the repository's root, anywhere in it; `made` names a generator
    of `evals.made`. `unseen` cases were written after the analyst, whose authors had not seen them.
    """

    name: str
    prompt: str
    kind: Literal["planted", "known", "trap"]
    trace: str | None = None
    made: str | None = None
    unseen: bool = False
    why: str = ""
    recorded: Recorded | None = None
    expect: Expected

    @model_validator(mode="after")
    def _has_one_trace(self) -> Self:
        if (self.trace is None) == (self.made is None):
            raise ValueError("give either trace or made")
        return self

    @property
    def folder(self) -> Path:
        return CASES / self.name

    @property
    def file(self) -> Path | None:
        """The recorded file; None for a trace that is made."""
        if self.trace is None:
            return None
        in_folder = self.folder / self.trace
        return in_folder if in_folder.is_file() else ROOT / self.trace


def read_case(folder: Path) -> Case:
    """The case of a folder. Raises BadCase."""
    try:
        said = tomllib.loads((folder / "case.toml").read_text(encoding="utf-8"))
        case = Case.model_validate({"name": folder.name} | said)
    except (OSError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise BadCase(f"evals/cases/{folder.name}: {error}") from error
    if case.file is not None and not case.file.is_file():
        raise BadCase(f"evals/cases/{folder.name}: there is no {case.trace} beside it or in the repository")
    return case


def read_cases(only: str | None = None) -> tuple[Case, ...]:
    """Every case, or those whose name holds `only`, by name. Raises BadCase."""
    folders = sorted(path.parent for path in CASES.glob("*/case.toml"))
    return tuple(read_case(folder) for folder in folders if only is None or only in folder.name)
