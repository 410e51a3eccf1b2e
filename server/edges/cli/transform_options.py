"""The transforms of call trees as options of commands, in the order in which they are given."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

KEPT_UNDER = "flamechat.transforms"
FUNCTION = "FUNCTION"


def _kept(word: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    """A callback that notes a transform: click calls it for one option after the other, as they are given."""

    def note(context: click.Context, _: click.Parameter, given: Any) -> None:
        parts: list[str] = context.meta.setdefault(KEPT_UNDER, [])
        if given is True:
            parts.append(word)
        for argument in given if isinstance(given, tuple) else ():
            quoted = argument.replace("%", "%25").replace(",", "%2C")
            parts.append(f"{word}:{quoted}" if word else argument)

    return note


def _of_function(name: str, word: str, text: str) -> Callable[[Any], Any]:
    return click.option(name, metavar=FUNCTION, multiple=True, expose_value=False, callback=_kept(word), help=text)


def _flag(name: str, word: str, text: str) -> Callable[[Any], Any]:
    return click.option(name, is_flag=True, expose_value=False, callback=_kept(word), help=text)


OPTIONS = (
    _of_function("--focus", "focus", "Only samples with it, from its outermost call on; or a node with what it calls."),
    _of_function("--hide", "drop-function", "Leave the samples with it out (Firefox: drop function)."),
    _of_function("--merge", "merge-function", "Take it out of stacks; what it spent is its caller's."),
    _of_function("--collapse", "collapse-function-subtree", "What it calls becomes its own."),
    _flag("--collapse-recursion", "collapse-recursion", "Merge recursive calls into the outermost."),
    _flag("--drop-library", "drop-library", "Merge libraries' functions into their callers."),
    click.option(
        "--filter-samples",
        metavar="TEXT",
        multiple=True,
        expose_value=False,
        callback=_kept("filter-samples"),
        help="Only samples with a function whose name or file has this.",
    ),
    click.option(
        "--transforms",
        metavar="LIST",
        multiple=True,
        expose_value=False,
        callback=_kept(""),
        help="The same as one list, as addresses have it: drop-function:f3,collapse-recursion.",
    ),
)
"""In the order of help. FUNCTION is a handle, an exact name, or a part of it between stars."""
invert_option = _flag("--invert", "invert", "Bottom up: functions first, below them their callers.")


def transforming(*, inverts: bool = False) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator: the command with the options, given to it as the text `transforms`, None where there are none."""

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**given: Any) -> None:
            parts: list[str] = click.get_current_context().meta.get(KEPT_UNDER, [])
            upright = [part for part in parts if part != "invert"]
            command(**given, transforms=",".join([*upright, *["invert"][: len(parts) - len(upright)]]) or None)

        for option in reversed((*OPTIONS, *((invert_option,) if inverts else ()))):
            option(run)
        return run

    return decorated
