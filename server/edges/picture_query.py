"""What may be asked of a picture, over HTTP and on the command line: names in camelCase, each checked, none ignored.

The rest is checked where the trace is: here stands what is needed to say so (profiles and functions by name,
milliseconds from the profile's start).
"""

import difflib
from collections.abc import Callable, Iterable
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from rendering.diff import render_diff
from rendering.errors import InvalidOption
from rendering.flamegraph import render_flamegraph
from rendering.options import (
    DEFAULT_HEIGHT,
    DEFAULT_WIDTH,
    Compare,
    DiffOptions,
    FlamegraphOptions,
    Format,
    Mode,
    SandwichOptions,
)
from rendering.palette import PaletteName, Theme
from rendering.picture import Picture
from rendering.sandwich import render_sandwich
from server.agent.tools.contract.resolving import chosen_frame, chosen_profile, chosen_window
from server.agent.tools.contract.tool_errors import ToolRetry
from server.agent.tools.contract.transforming import Changed, changed_by
from server.ports.traces import OpenTrace
from traces.analysis.window import Window
from traces.errors import TraceError
from traces.model import Profile, Trace
from traces.transforms.transformed import profile_of_subtree
from traces.transforms.vocabulary import parsed_transforms


class SheetQuery(BaseModel):
    """What every picture takes; `profile` is a handle or a name."""

    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel)

    profile: str | None = None
    width: int = DEFAULT_WIDTH
    height: int = DEFAULT_HEIGHT
    dpr: int = 1
    format: Format = "png"
    theme: Theme = "light"
    palette: PaletteName = "file"
    title: str | None = None
    legend: bool = False
    value_axis: bool = True
    depth_axis: bool = True
    handles: bool = False
    min_width: float = 0.0

    def sheet(self) -> dict[str, Any]:
        """The options that are the picture's own, as they are."""
        return {name: getattr(self, name) for name in SheetQuery.model_fields if name != "profile"}


class TransformedQuery(SheetQuery):
    """A picture of one call tree; `transforms` is a text of traces/transforms/vocabulary.py."""

    transforms: str | None = None


class FlamegraphQuery(TransformedQuery):
    """`start_ms` and `end_ms` count from the profile's start."""

    mode: Mode = "time_order"
    start_ms: float | None = None
    end_ms: float | None = None
    start_depth: int = 0
    depth: int | None = None
    focus: str | None = None
    highlight: str | None = None
    flatten_recursion: bool = False
    minimap: bool = False


class SandwichQuery(TransformedQuery):
    """`frame` is a handle or a name."""

    frame: str


class DiffQuery(SheetQuery):
    before_profile: str | None = None
    compare: Compare = "values"
    start_depth: int = 0
    depth: int | None = None


Q = TypeVar("Q", bound=SheetQuery)


def parsed(kind: type[Q], parameters: Iterable[tuple[str, str]]) -> Q:
    """The query of these parameters. Raises InvalidOption that names the first wrong one, an unknown one with the
    nearest known."""
    values: dict[str, str] = {}
    for name, value in parameters:
        if name in values:
            raise InvalidOption(name, "is given twice")
        values[name] = value
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        if first["type"] != "extra_forbidden":
            raise InvalidOption(name, first["msg"]) from None
        known = [field.alias or plain for plain, field in kind.model_fields.items()]
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        instead = f"did you mean {near[0]}?" if near else f"options are {', '.join(known)}"
        raise InvalidOption(name, f"there is no such option; {instead}") from None


def draw_flamegraph(trace: Trace, query: FlamegraphQuery) -> Picture:
    """A question for a worker. Raises InvalidOption."""
    profile = _profile(trace, query.profile, of=query.transforms)
    if query.start_ms is not None and query.end_ms is not None and query.start_ms >= query.end_ms:
        raise InvalidOption("startMs", f"{query.start_ms:g} is not before endMs, {query.end_ms:g}")
    for name, value in (("startMs", query.start_ms), ("endMs", query.end_ms)):
        if value is not None and not 0 <= value < float("inf"):
            raise InvalidOption(name, f"{value:g} ms is not a time after the profile's start")
    try:
        window = chosen_window(profile, query.start_ms, query.end_ms)
    except (ToolRetry, TraceError) as error:
        raise InvalidOption("startMs" if query.start_ms is not None else "endMs", str(error)) from error
    changed = _changed(trace, query.transforms, profile.handle, window)
    if changed.transforms.inverts:
        window = None  # the inverted tree is that of the window
    trace = changed.trace
    return _named(
        lambda: render_flamegraph(
            trace,
            FlamegraphOptions(
                **query.sheet(),
                remarks=changed.remarks(),
                profile=profile.index,
                mode=query.mode,
                window=window,
                start_depth=query.start_depth,
                depth=query.depth,
                focus=query.focus,
                highlight=query.highlight,
                flatten_recursion=query.flatten_recursion,
                minimap=query.minimap,
            ),
        )
    )


def draw_sandwich(trace: Trace, query: SandwichQuery) -> Picture:
    """A question for a worker. Raises InvalidOption, for an unknown frame with the nearest."""
    profile = _profile(trace, query.profile, of=query.transforms)
    try:
        frame, _ = chosen_frame(trace, query.frame, profile)
    except (ToolRetry, TraceError) as error:
        raise InvalidOption("frame", str(error)) from error
    changed = _changed(trace, query.transforms, profile.handle)
    if changed.transforms.inverts:
        raise InvalidOption("transforms", "a sandwich has callers above and callees below already: leave invert out")
    options = SandwichOptions(**query.sheet(), remarks=changed.remarks(), profile=profile.index)
    return _named(lambda: render_sandwich(changed.trace, frame, options))


def draw_diff(after: Trace, before: Trace | OpenTrace, query: DiffQuery) -> Picture:
    """A question for a worker, of the second trace; the first arrives opened. Raises InvalidOption."""
    assert isinstance(before, Trace)
    first = _profile(before, query.before_profile, "beforeProfile")
    second = _profile(after, query.profile)
    return _named(
        lambda: render_diff(
            before,
            after,
            DiffOptions(
                **query.sheet(),
                profile=second.index,
                before_profile=first.index,
                compare=query.compare,
                start_depth=query.start_depth,
                depth=query.depth,
            ),
        )
    )


def _profile(
    trace: Trace, argument: str | None, field: Literal["profile", "beforeProfile"] = "profile", of: str | None = None
) -> Profile:
    """The profile that was named, else that of a subtree which the transforms `of` focus on, else the main one."""
    try:
        index = profile_of_subtree(trace, parsed_transforms(of)) if argument is None else None
        return chosen_profile(trace, argument if index is None else f"p{index}")
    except ToolRetry as error:
        raise InvalidOption(field, str(error)) from error
    except TraceError as error:
        raise InvalidOption("transforms", str(error)) from error


def _changed(trace: Trace, transforms: str | None, profile: str, window: Window | None = None) -> Changed:
    try:
        return changed_by(trace, parsed_transforms(transforms), profile, window=window)
    except (ToolRetry, TraceError) as error:
        raise InvalidOption("transforms", str(error)) from error


def _named(draw: Callable[[], Picture]) -> Picture:
    """Draw; an option is refused under the name that the request gave it."""
    try:
        return draw()
    except InvalidOption as error:
        raise InvalidOption(to_camel(error.field), error.message) from error
