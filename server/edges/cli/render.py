"""`flamechat render TRACE -o out.png`: a picture without a model."""

import sys
from dataclasses import dataclass
from pathlib import Path

import typer

from rendering.picture import Picture
from server.edges.cli.reading import MISUSED, fail, progress, read_or_fail
from traces.model import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderOptions:
    """As on the command line: `profile` a handle or name, times in milliseconds from the profile's start, `frame` makes
    a sandwich.
    """

    output: Path
    mode: str
    frame: str | None
    width: int
    height: int
    theme: str
    profile: str | None
    start_ms: float | None
    end_ms: float | None
    start_depth: int
    depth: int | None
    highlight: str | None
    title: str | None
    handles: bool


def render(source: Path, options: RenderOptions) -> None:
    """Draw and write the PNG; what the picture leaves out is said on stderr."""
    from rendering.errors import InvalidOption, RenderingError
    from server.agent.tools.tool import ToolRetry

    trace = read_or_fail(source)
    try:
        with progress(f"Drawing {trace.name}"):
            picture = _drawn(trace, options)
    except (InvalidOption, ToolRetry) as error:
        fail(str(error), MISUSED)
    except RenderingError as error:
        fail(f"{trace.name}: {error}")
    if str(options.output) == "-":
        sys.stdout.buffer.write(picture.png)
    else:
        try:
            options.output.write_bytes(picture.png)
        except OSError as error:
            fail(f"{options.output}: {error.strerror or error}")
        typer.echo(f"{options.output}: {picture.width}×{picture.height}", err=True)
    for note in picture.notes:
        typer.echo(f"note: {note}", err=True)


def _drawn(trace: Trace, options: RenderOptions) -> Picture:
    from rendering.flamegraph import render_flamegraph
    from rendering.options import FlamegraphOptions, SandwichOptions
    from rendering.sandwich import render_sandwich
    from server.agent.tools.arguments import chosen_frame, chosen_profile, chosen_window

    profile = chosen_profile(trace, options.profile)
    if options.frame is not None:
        frame, _ = chosen_frame(trace, options.frame, profile)
        return render_sandwich(
            trace,
            frame,
            SandwichOptions(
                profile=profile.index,
                width=options.width,
                height=options.height,
                theme="dark" if options.theme == "dark" else "light",
                title=options.title,
                handles=options.handles,
            ),
        )
    return render_flamegraph(
        trace,
        FlamegraphOptions(
            mode="left_heavy" if options.mode == "left-heavy" else "time_order",
            profile=profile.index,
            width=options.width,
            height=options.height,
            window=chosen_window(profile, options.start_ms, options.end_ms),
            start_depth=options.start_depth,
            depth=options.depth,
            highlight=options.highlight,
            theme="dark" if options.theme == "dark" else "light",
            title=options.title,
            handles=options.handles,
        ),
    )
