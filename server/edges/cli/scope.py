"""The part of a trace that a command asks about: options that commands share, given to them as one value."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from typing import Annotated, Any

import typer


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Each field is an option; a handle is `p0`, times are milliseconds from the profile's start."""

    profile: Annotated[
        str | None, typer.Option(help="Handle (p0), name, or all (added up); default: the main one.")
    ] = None
    value: Annotated[str | None, typer.Option(help="Which of the profile's values, by name.")] = None
    my_code: Annotated[bool, typer.Option("--my-code", help="Leave libraries out; their own time goes to callers.")] = (
        False
    )
    hide: Annotated[str | None, typer.Option(help="Leave functions out whose name or file has this.")] = None
    only: Annotated[str | None, typer.Option(help="Leave all other functions out.")] = None
    start_ms: Annotated[float | None, typer.Option(min=0, help="Window start, from the profile's start.")] = None
    end_ms: Annotated[float | None, typer.Option(min=0, help="Window end.")] = None


def scoped(*left_out: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator: the command with an option for each field of its parameter `scope`, but for those left out."""
    shared = [field for name, field in signature(Scope, eval_str=True).parameters.items() if name not in left_out]

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**given: Any) -> None:
            scope = Scope(**{field.name: given.pop(field.name) for field in shared})
            command(**given, scope=scope)

        own = signature(command, eval_str=True)
        parts = [[one] if one.name != "scope" else shared for one in own.parameters.values()]
        parameters = [one for part in parts for one in part]
        run.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return decorated
