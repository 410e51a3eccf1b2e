"""`flamechat render TRACE -o out.png`: a picture without a model."""

import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from server.edges.cli.reading import MISUSED, fail, named, progress, read_or_fail

if TYPE_CHECKING:
    from rendering.picture import Picture
    from traces.model import Trace

DEFAULT_FORMAT = "png"


def render(
    source: Path,
    output: Path | None,
    *,
    before: Path | None,
    show: bool,
    asked: Mapping[str, str | int | float | bool | None],
) -> None:
    """Draw and write the picture; what it leaves out is said on stderr. `asked` are the options by name, None where not
    given; with `frame` it is a sandwich, with `before` a diff. Without `output` it goes to a temporary file, to be
    shown."""
    from rendering.errors import RenderingError

    if output is None and not show:
        fail("say where the picture goes (-o out.png, -o - for stdout) or that it is to be shown (--open)", MISUSED)
    given = {name: value for name, value in asked.items() if value is not None}
    if "format" not in given:
        given["format"] = _format_of(output)
    trace = read_or_fail(source)
    first = None if before is None else read_or_fail(before)
    try:
        with progress(f"Drawing {trace.name}"):
            picture = _drawn(trace, first, given)
    except RenderingError as error:
        text = str(error)
        field, colon, rest = text.partition(": ")
        known = colon and " " not in field
        fail(f"--{_kebab(field)}: {rest}" if known else named(trace.name, text), MISUSED if known else 1)
    _write(picture, output, show=show)


def _format_of(output: Path | None) -> str:
    """By the name's ending; PNG on stdout. Ends the command for an unknown ending."""
    from rendering.options import Format

    if output is None or str(output) == "-":
        return DEFAULT_FORMAT
    ending = output.suffix.removeprefix(".").lower()
    if ending not in get_args(Format):
        fail(f"{output}: the name must end in .{', .'.join(get_args(Format))}, or say --format", MISUSED)
    return ending


def _drawn(trace: "Trace", before: "Trace | None", given: Mapping[str, object]) -> "Picture":
    from server.edges.picture_query import (
        DiffQuery,
        FlamegraphQuery,
        SandwichQuery,
        draw_diff,
        draw_flamegraph,
        draw_sandwich,
        parsed,
    )

    parameters = [(_camel(name), str(value)) for name, value in given.items()]
    if before is not None:
        return draw_diff(trace, before, parsed(DiffQuery, parameters))
    if "frame" in given:
        return draw_sandwich(trace, parsed(SandwichQuery, parameters))
    return draw_flamegraph(trace, parsed(FlamegraphQuery, parameters))


def _write(picture: "Picture", output: Path | None, *, show: bool) -> None:
    if output is None:
        with tempfile.NamedTemporaryFile(prefix="flamechat-", suffix=f".{picture.format}", delete=False) as file:
            output = Path(file.name)
    if str(output) == "-":
        sys.stdout.buffer.write(picture.data)
    else:
        try:
            output.write_bytes(picture.data)
        except OSError as error:
            fail(f"{output}: {error.strerror or error}")
        click.echo(f"{output}: {picture.width}×{picture.height}", err=True)
        if show:
            click.launch(str(output))
    for note in picture.notes:
        click.echo(f"note: {note}", err=True)


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z])([A-Z])", r"-\1", name).replace("_", "-").lower()
