"""The part of a trace that a command asks about: options that commands share, given to them as one value."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Each field but `transforms` is an option of SCOPE_OPTIONS; a handle is `p0`, times are milliseconds from the
    profile's start."""

    profile: str | None = None
    value: str | None = None
    my_code: bool = False
    hide: str | None = None
    only: str | None = None
    start_ms: float | None = None
    end_ms: float | None = None
    transforms: str | None = None

    def as_options(self) -> list[str]:
        """The arguments that stand for it on a command line."""
        words: list[str] = []
        for name in SCOPE_OPTIONS:
            given = getattr(self, name)
            if given is not None and given is not False:
                words += [f"--{name.replace('_', '-')}", *([] if given is True else [str(given)])]
        return words


NOT_NEGATIVE = click.FloatRange(min=0)

SCOPE_OPTIONS = {
    "profile": click.option("--profile", help="Handle (p0), name, or all (added up); default: the main one."),
    "value": click.option("--value", help="Which of the profile's values, by name."),
    "my_code": click.option("--my-code", is_flag=True, help="Leave libraries out; their own time goes to callers."),
    "hide": click.option("--hide", help="Leave functions out whose name or file has this."),
    "only": click.option("--only", help="Leave all other functions out."),
    "start_ms": click.option("--start-ms", type=NOT_NEGATIVE, help="Window start, from the profile's start."),
    "end_ms": click.option("--end-ms", type=NOT_NEGATIVE, help="Window end."),
}
"""By the field that each fills, in the order of help."""


def scoped(*left_out: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator: the command with the options of its parameter `scope`, but for those left out."""
    shared = [name for name in SCOPE_OPTIONS if name not in left_out]

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(*, transforms: str | None = None, **given: Any) -> None:
            scope = Scope(**{name: given.pop(name) for name in shared}, transforms=transforms)
            command(**given, scope=scope)

        for name in reversed(shared):
            SCOPE_OPTIONS[name](run)
        return run

    return decorated
