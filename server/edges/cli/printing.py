"""How the questions' commands open a trace and print an answer: a table for people, or JSON."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import Any

import click

from server.agent.tools.contract.resolving import chosen_frame, chosen_selection, chosen_window, profile_choice
from server.agent.tools.contract.tool_errors import ToolRetry
from server.agent.tools.contract.transforming import Changed, changed_by, refuse_inverting
from server.edges.cli.reading import MISUSED, fail, read_or_fail
from server.edges.cli.scope import Scope
from server.edges.former_names import with_former_names
from server.quoting import plain, visible
from traces.analysis.filters import FrameFilter
from traces.analysis.selection import Selection, select
from traces.analysis.units import format_share, format_value
from traces.analysis.window import Window
from traces.errors import TraceError
from traces.handles import ProfileChoice
from traces.model import Trace
from traces.transforms.vocabulary import parsed_transforms
from traces.values import Unit


@dataclass(frozen=True, slots=True)
class Opened:
    """A trace and the part of it that is asked about, as questions take it."""

    trace: Trace
    chosen: Selection
    profile: ProfileChoice
    value: str | None
    window: Window | None
    frame_filter: FrameFilter | None
    changed: Changed
    inverted: bool

    @property
    def question(self) -> dict[str, Any]:
        """The arguments that every question shares."""
        return {"profile": self.profile, "value": self.value}

    def frame(self, named: str) -> int:
        """A frame by handle or exact name; a remark on stderr when several share the name."""
        frame, remark = chosen_frame(self.trace, named, self.chosen)
        if remark:
            click.echo(f"note: {remark}", err=True)
        return frame

    def moment(self, at: float) -> str:
        """A position on the axis, from the profile's start."""
        return format_value(at - self.chosen.axis_start, self.chosen.axis)


def open_trace(source: Path, scope: Scope, *, inverts: bool = False) -> Opened:
    """Read the file and find what is asked about; `inverts` is whether that can be asked of an inverted tree. Ends the
    command for a bad file; raises ToolRetry, TraceError."""
    recorded = read_or_fail(source)
    transforms = parsed_transforms(scope.transforms)
    if not inverts:
        refuse_inverting(transforms)
    changed = changed_by(recorded, transforms.upright, scope.profile, value=scope.value)
    trace = changed.trace
    kept = FrameFilter(hide_libraries=scope.my_code, hide=scope.hide, only=scope.only) or None
    named = chosen_selection(trace, changed.profile_argument)
    chosen = select(trace, profile_choice(named), value=scope.value, frame_filter=kept)
    if chosen.left_out:
        click.echo(f"note: {chosen.left_out} profiles that measure something else are left out", err=True)
    window = chosen_window(chosen, scope.start_ms, scope.end_ms)
    changed = changed.inside(window, scope.value)
    return Opened(trace, chosen, profile_choice(named), scope.value, window, kept, changed, transforms.inverts)


@contextmanager
def asking() -> Iterator[None]:
    """Ends the command with exit code 2 and one line when the question makes no sense for the trace."""
    try:
        yield
    except (ToolRetry, TraceError) as error:
        fail(str(error), MISUSED)


def print_transforms(opened: Opened) -> None:
    """A line on what the transforms leave; none without them."""
    if words := opened.changed.in_words(lambda name: plain(name, 60)):
        click.echo(words)


def print_json(answer: Any, opened: Opened | None = None) -> None:
    """The answer as one JSON document: the fields of the result, in its own units, and the transforms that it is of."""
    fields = answer
    if is_dataclass(answer) and not isinstance(answer, type):
        fields = with_former_names(asdict(answer))
    if opened is not None and (transforms := opened.changed.as_json()):
        fields = fields | {"transforms": transforms}
    click.echo(visible(json.dumps(fields, indent=2, ensure_ascii=False)))


def print_table(head: str, columns: Sequence[str], rows: Sequence[Sequence[str]], more: str | None = None) -> None:
    """A line over columns; all but the last are aligned right."""
    click.echo(head)
    widths = [max(len(cell) for cell in column) for column in zip(columns, *rows, strict=True)]
    for row in [columns, *rows] if rows else []:
        cells = [cell.rjust(width) for cell, width in zip(row[:-1], widths[:-1], strict=True)]
        click.echo("  ".join([*cells, row[-1]]).rstrip())
    if more:
        click.echo(more)


def amounts(unit: Unit) -> Callable[[float, float], list[str]]:
    """Value and share as two cells."""
    return lambda value, share: [format_value(value, unit), format_share(share)]


def where(name: str, file: str | None, line: int | None) -> str:
    """A function's name and place on one line."""
    at = "" if file is None else f"  {plain(file, 60)}" + ("" if line is None else f":{line}")
    return plain(name, 80) + at
