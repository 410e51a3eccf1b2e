"""`flamechat render` with its options. None is not given: the picture's own default counts, and an option that the kind
of picture does not have is refused by name."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.shared_options import TraceOrStdin

BeforeOption = Annotated[
    Path | None,
    typer.Option(
        "--diff",
        metavar="BEFORE",
        exists=True,
        dir_okay=False,
        readable=True,
        help="Draw what changed since this trace.",
    ),
]


def add_commands(app: typer.Typer, _: CliEntryPoints) -> None:
    """Add the command to the application."""

    @app.command()
    def render(
        trace: TraceOrStdin,
        *,
        output: Annotated[
            Path | None, typer.Option("--output", "-o", help="The .png, .svg or .webp to write; - is stdout.")
        ] = None,
        open_: Annotated[bool, typer.Option("--open", help="Show the picture when it is written.")] = False,
        format_: Annotated[
            Literal["png", "svg", "webp"] | None,
            typer.Option("--format", help="Default: by the name's ending, or png."),
        ] = None,
        mode: Annotated[
            Literal["time-order", "left-heavy"] | None, typer.Option(help="As it happened, or merged, heaviest first.")
        ] = None,
        frame: Annotated[
            str | None, typer.Option(help="Draw the sandwich of this function (handle or name) instead.")
        ] = None,
        before: BeforeOption = None,
        compare: Annotated[Literal["values", "shares"] | None, typer.Option(help="What a diff compares.")] = None,
        profile: Annotated[str | None, typer.Option(help="Handle (p0) or name; default: the main one.")] = None,
        before_profile: Annotated[str | None, typer.Option(help="The profile of the trace before.")] = None,
        width: Annotated[int | None, typer.Option(help="Pixels (1200).")] = None,
        height: Annotated[int | None, typer.Option(help="Pixels, at most (800).")] = None,
        dpr: Annotated[int | None, typer.Option(help="Device pixels for each of them, 1 to 3.")] = None,
        theme: Annotated[Literal["light", "dark"] | None, typer.Option(help="Default: light.")] = None,
        palette: Annotated[
            Literal["file", "package", "category", "warm", "ice", "safe"] | None,
            typer.Option(help="What gives a box its hue; safe is for every kind of colour vision."),
        ] = None,
        start_ms: Annotated[float | None, typer.Option(help="Window start, from the profile's start.")] = None,
        end_ms: Annotated[float | None, typer.Option(help="Window end.")] = None,
        start_depth: Annotated[int | None, typer.Option(help="First stack depth drawn.")] = None,
        depth: Annotated[int | None, typer.Option(help="How many depths.")] = None,
        focus: Annotated[
            str | None, typer.Option(help="Only this call (n345), or all calls of a function (f12).")
        ] = None,
        highlight: Annotated[
            str | None, typer.Option(help="Let functions whose name or file contains this stand out.")
        ] = None,
        flatten_recursion: Annotated[
            bool | None, typer.Option("--flatten-recursion", help="Draw a function once in a stack.")
        ] = None,
        min_width: Annotated[float | None, typer.Option(help="Leave narrower boxes out (pixels).")] = None,
        minimap: Annotated[bool | None, typer.Option("--minimap", help="Show the whole profile above.")] = None,
        legend: Annotated[bool | None, typer.Option("--legend", help="Explain the colours.")] = None,
        value_axis: Annotated[bool | None, typer.Option("--value-axis/--no-value-axis", help="Time or weight.")] = None,
        depth_axis: Annotated[bool | None, typer.Option("--depth-axis/--no-depth-axis", help="Row numbers.")] = None,
        title: Annotated[str | None, typer.Option(help="A title over the picture.")] = None,
        handles: Annotated[bool | None, typer.Option("--handles", help="Print handles in the boxes.")] = None,
    ) -> None:
        """Draw a trace: a flamegraph, the sandwich of a function, or what changed between two traces."""
        from server.edges.cli.render import render as run

        run(
            trace,
            output,
            before=before,
            show=open_,
            asked={
                "format": format_,
                "mode": None if mode is None else mode.replace("-", "_"),
                "frame": frame,
                "compare": compare,
                "profile": profile,
                "before_profile": before_profile,
                "width": width,
                "height": height,
                "dpr": dpr,
                "theme": theme,
                "palette": palette,
                "start_ms": start_ms,
                "end_ms": end_ms,
                "start_depth": start_depth,
                "depth": depth,
                "focus": focus,
                "highlight": highlight,
                "flatten_recursion": flatten_recursion,
                "min_width": min_width,
                "minimap": minimap,
                "legend": legend,
                "value_axis": value_axis,
                "depth_axis": depth_axis,
                "title": title,
                "handles": handles,
            },
        )
