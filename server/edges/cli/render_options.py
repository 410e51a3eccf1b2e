"""`flamechat render` with its options. None is not given: the picture's own default counts, and an option that the kind
of picture does not have is refused by name."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.shared_options import ANY_PATH, EXISTING_FILE, trace_or_stdin
from server.edges.cli.transform_options import transforming

FORMATS = click.Choice(("png", "svg", "webp"))
MODES = click.Choice(("time-order", "left-heavy"))
PALETTES = click.Choice(("file", "package", "category", "owner", "role", "warm", "ice", "safe"))
Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def flag_option(name: str, text: str) -> Callable[[Decorated], Decorated]:
    """A flag that is None where it is not given."""
    return click.option(name, is_flag=True, default=None, help=text)


def add_commands(app: click.Group, _: CliEntryPoints) -> None:
    """Add the command to the application."""

    @app.command()
    @trace_or_stdin
    @click.option("--output", "-o", type=ANY_PATH, help="The .png, .svg or .webp to write; - is stdout.")
    @click.option("--open", "show", is_flag=True, help="Show the picture when it is written.")
    @click.option("--format", type=FORMATS, help="Default: by the name's ending, or png.")
    @click.option("--mode", type=MODES, help="As it happened, or merged, heaviest first.")
    @click.option("--frame", help="Draw the sandwich of this function (handle or name) instead.")
    @click.option("--diff", "before", metavar="BEFORE", type=EXISTING_FILE, help="Draw what changed since this trace.")
    @click.option("--compare", type=click.Choice(("values", "shares")), help="What a diff compares.")
    @click.option("--profile", help="Handle (p0) or name; default: the main one.")
    @click.option("--before-profile", help="The profile of the trace before.")
    @click.option("--width", type=int, help="Pixels (1200).")
    @click.option("--height", type=int, help="Pixels, at most (800).")
    @click.option("--dpr", type=int, help="Device pixels for each of them, 1 to 3.")
    @click.option("--theme", type=click.Choice(("light", "dark")), help="Default: light.")
    @click.option("--palette", type=PALETTES, help="What gives a box its hue; safe is for every kind of colour vision.")
    @click.option("--start-ms", type=float, help="Window start, from the profile's start.")
    @click.option("--end-ms", type=float, help="Window end.")
    @click.option("--start-depth", type=int, help="First stack depth drawn.")
    @click.option("--depth", type=int, help="How many depths.")
    @click.option("--highlight", help="Let functions whose name or file contains this stand out.")
    @flag_option("--flatten-recursion", "Draw a function once in a stack.")
    @click.option("--min-width", type=float, help="Leave narrower boxes out (pixels).")
    @flag_option("--minimap", "Show the whole profile above.")
    @flag_option("--legend", "Explain the colours.")
    @click.option("--value-axis/--no-value-axis", default=None, help="Time or weight.")
    @click.option("--depth-axis/--no-depth-axis", default=None, help="Row numbers.")
    @click.option("--title", help="A title over the picture.")
    @flag_option("--handles", "Print handles in the boxes.")
    @transforming(inverts=True)
    def render(trace: Path, *, output: Path | None, before: Path | None, show: bool, **asked: Any) -> None:
        """Draw a trace: a flamegraph, the sandwich of a function, or what changed between two traces."""
        from server.edges.cli.render import render as run

        if asked["mode"] is not None:
            asked["mode"] = asked["mode"].replace("-", "_")
        run(trace, output, before=before, show=show, asked=asked)
