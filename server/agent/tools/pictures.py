"""The two screenshots: a picture for a model with eyes, its description for one without."""

from typing import Annotated, Literal

from pydantic import Field

from rendering.errors import InvalidOption
from rendering.flamegraph import render_flamegraph
from rendering.options import FlamegraphOptions, SandwichOptions
from rendering.picture import Picture
from rendering.sandwich import render_sandwich
from server.agent.quoting import plain, quoted
from server.agent.tools.arguments import (
    EndArgument,
    FrameArgument,
    ProfileArgument,
    StartArgument,
    chosen_frame,
    chosen_profile,
    chosen_window,
)
from server.agent.tools.tool import Outcome, Tool, ToolArguments, ToolRetry
from traces.model import Trace

WidthArgument = Annotated[int, Field(ge=300, le=3000)]
HeightArgument = Annotated[int, Field(ge=200, le=3000)]


class FlamegraphArguments(ToolArguments):
    mode: Annotated[
        Literal["time_order", "left_heavy"],
        Field(description="time_order: as it happened; left_heavy: merged, heaviest first"),
    ] = "left_heavy"
    width: WidthArgument = 1200
    height: HeightArgument = 800
    start_time_ms: StartArgument = None
    end_time_ms: EndArgument = None
    start_depth: Annotated[int, Field(ge=0, description="first stack depth shown")] = 0
    depth: Annotated[int | None, Field(ge=1, description="how many depths")] = None
    profile: ProfileArgument = None
    highlight: Annotated[str | None, Field(max_length=200, description="frames containing this text stand out")] = None
    theme: Literal["light", "dark"] = "light"


class SandwichArguments(ToolArguments):
    frame: FrameArgument
    profile: ProfileArgument = None
    width: WidthArgument = 1200
    height: HeightArgument = 800
    theme: Literal["light", "dark"] = "light"


def answer_flamegraph(trace: Trace, arguments: FlamegraphArguments) -> Outcome:
    profile = chosen_profile(trace, arguments.profile)
    window = chosen_window(profile, arguments.start_time_ms, arguments.end_time_ms)
    try:
        picture = render_flamegraph(
            trace,
            FlamegraphOptions(
                mode=arguments.mode,
                profile=profile.index,
                width=arguments.width,
                height=arguments.height,
                window=window,
                start_depth=arguments.start_depth,
                depth=arguments.depth,
                highlight=arguments.highlight,
                theme=arguments.theme,
                handles=True,
            ),
        )
    except InvalidOption as error:
        raise ToolRetry(str(error)) from None
    named = f"{arguments.mode.replace('_', ' ')} flamegraph of {profile.handle} {quoted(profile.name, 80)}"
    return _outcome(picture, named, {"view": arguments.mode, "profile": profile.handle})


def answer_sandwich(trace: Trace, arguments: SandwichArguments) -> Outcome:
    profile = chosen_profile(trace, arguments.profile)
    frame, remark = chosen_frame(trace, arguments.frame, profile)
    try:
        picture = render_sandwich(
            trace,
            frame,
            SandwichOptions(
                profile=profile.index,
                width=arguments.width,
                height=arguments.height,
                theme=arguments.theme,
                handles=True,
            ),
        )
    except InvalidOption as error:
        raise ToolRetry(str(error)) from None
    named = f"sandwich of f{frame} {quoted(trace.frame_name(frame), 80)} in {profile.handle}"
    return _outcome(picture, named, {"view": "sandwich", "profile": profile.handle, "handle": f"f{frame}"}, remark)


def _outcome(picture: Picture, named: str, where: dict[str, str], remark: str | None = None) -> Outcome:
    notes = [*picture.notes, *([remark] if remark else [])]
    lines = [
        f"{named}, {picture.width}×{picture.height} PNG",
        picture.description,
        *(f"note: {note}" for note in notes),
    ]
    return Outcome(
        text="\n".join(lines),
        data=where
        | {"width": picture.width, "height": picture.height, "description": picture.description, "notes": notes},
        ui=dict(where),
        picture=picture.png,
        warning=bool(remark),
    )


GENERATE_FLAMEGRAPH = Tool(
    name="generate_flamegraph_screenshot",
    description="A PNG flamegraph with handles on its boxes, for the shape of things: plateaus, repeated towers, gaps. "
    "Zoom with a window, start_depth and depth.",
    arguments=FlamegraphArguments,
    answer=answer_flamegraph,
    doing=lambda a: f"Drawing a {a.mode.replace('_', ' ')} flamegraph",
    fields=frozenset({"view", "profile", "width", "height", "description", "notes"}),
    narrow="use a window or depth",
)

GENERATE_SANDWICH = Tool(
    name="generate_sandwich_flamegraph_screenshot",
    description="A PNG of one function with all its callers above and callees below.",
    arguments=SandwichArguments,
    answer=answer_sandwich,
    doing=lambda a: f"Drawing the sandwich of {plain(a.frame, 60)}",
    fields=frozenset({"view", "profile", "handle", "width", "height", "description", "notes"}),
    narrow="name another frame",
)
