"""The two screenshots: a picture for a model with eyes, its description for one without."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from rendering.errors import InvalidOption
from server.agent.tools.contract.arguments import FrameArgument, ProfileArgument, TransformsArgument, Windowed
from server.agent.tools.contract.resolving import chosen_frame, chosen_profile, chosen_window
from server.agent.tools.contract.tool import Outcome, Tool, ToolArguments
from server.agent.tools.contract.tool_errors import ToolRetry
from server.agent.tools.contract.transforming import TRANSFORM_FIELDS, Changed, changed_for_tool
from server.agent.tools.get_call_tree import node_line
from server.agent.tools.get_top_functions import CallersCallees, answer_callers_callees
from server.protocol.wire_values import Colours
from server.quoting import plain, quoted
from traces.analysis.calltree import call_tree
from traces.model import Profile, Trace

if TYPE_CHECKING:
    from rendering.picture import Picture

DESCRIBED_NODES = 12
"""Call-tree nodes that say in words what a picture shows; get_call_tree has more."""

WidthArgument = Annotated[int, Field(ge=300, le=3000)]
HeightArgument = Annotated[int, Field(ge=200, le=3000)]


class FlamegraphArguments(Windowed):
    mode: Annotated[
        Literal["time_order", "left_heavy"],
        Field(description="time_order: as it happened; left_heavy: merged, heaviest first"),
    ] = "left_heavy"
    width: WidthArgument = 1200
    height: HeightArgument = 800
    start_depth: Annotated[int, Field(ge=0, description="first stack depth shown")] = 0
    depth: Annotated[int | None, Field(ge=1, description="how many depths")] = None
    profile: ProfileArgument = None
    highlight: Annotated[str | None, Field(max_length=200, description="frames containing this text stand out")] = None
    theme: Literal["light", "dark"] = "light"
    transforms: TransformsArgument = None


class SandwichArguments(ToolArguments):
    frame: FrameArgument
    profile: ProfileArgument = None
    width: WidthArgument = 1200
    height: HeightArgument = 800
    theme: Literal["light", "dark"] = "light"
    transforms: TransformsArgument = None


def answer_flamegraph(trace: Trace, arguments: FlamegraphArguments, colours: Colours = "file") -> Outcome:
    from rendering.flamegraph import render_flamegraph  # noqa: PLC0415 - drawing takes 0.1 s to load, and few turns draw
    from rendering.options import FlamegraphOptions  # noqa: PLC0415 - as above

    changed, profile = _changed(trace, arguments.transforms, arguments.profile)
    trace, window = changed.trace, chosen_window(profile, arguments.start_time_ms, arguments.end_time_ms)
    done, of_transforms = changed.inside(window).for_tool()
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
                palette=colours,
                remarks=changed.remarks(),
                handles=True,
            ),
        )
    except InvalidOption as error:
        raise ToolRetry(str(error)) from None
    named = f"{arguments.mode.replace('_', ' ')} flamegraph of {profile.handle} {quoted(profile.name, 80)}"
    tree = call_tree(trace, profile=profile.index, window=window, max_nodes=DESCRIBED_NODES)
    lines = [*done, *(node_line(node, profile.unit) for node in tree.nodes)]
    where = {"view": arguments.mode, "profile": profile.handle, "palette": colours}
    return _outcome(picture, named, lines, where, of_transforms)


def answer_sandwich(trace: Trace, arguments: SandwichArguments, colours: Colours = "file") -> Outcome:
    from rendering.options import SandwichOptions  # noqa: PLC0415 - drawing takes 0.1 s to load, and few turns draw
    from rendering.sandwich import render_sandwich  # noqa: PLC0415 - as above

    changed, profile = _changed(trace, arguments.transforms, arguments.profile)
    trace = changed.trace
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
                palette=colours,
                remarks=changed.remarks(),
                handles=True,
            ),
        )
    except InvalidOption as error:
        raise ToolRetry(str(error)) from None
    done, of_transforms = changed.for_tool()
    named = f"sandwich of f{frame} {quoted(trace.frame_name(frame), 80)} in {profile.handle}"
    around = answer_callers_callees(trace, CallersCallees(frame=f"f{frame}", profile=profile.handle, limit=5))
    lines = [*done, *around.text.splitlines(), *([f"note: {remark}"] if remark else [])]
    where = {"view": "sandwich", "profile": profile.handle, "handle": f"f{frame}", "palette": colours}
    return _outcome(picture, named, lines, where, of_transforms)


def _changed(trace: Trace, transforms: str | None, profile: str | None) -> tuple[Changed, Profile]:
    """The recording that is drawn, and the profile of it. Raises ToolRetry, TraceError."""
    changed = changed_for_tool(trace, transforms, profile)
    return changed, chosen_profile(changed.trace, changed.profile_argument)


def _outcome(
    picture: "Picture", named: str, lines: list[str], where: dict[str, str], of_transforms: dict[str, Any]
) -> Outcome:
    """The picture's own description is for people (it holds names as they are); the model gets the same in quoted
    lines.
    """
    notes = [plain(note, 300) for note in picture.notes]
    head = f"{named}, {picture.width}×{picture.height} PNG; in words, widest first:"
    return Outcome(
        text="\n".join([head, *lines, *(f"note: {note}" for note in notes)]),
        data=where | of_transforms | {"width": picture.width, "height": picture.height, "notes": notes},
        ui=where | picture.shown,
        picture=picture.png,
    )


FLAMEGRAPH, SANDWICH = "generate_flamegraph_screenshot", "generate_sandwich_flamegraph_screenshot"

GENERATE_FLAMEGRAPH = Tool(
    name=FLAMEGRAPH,
    description="For shape (plateaus, repeated towers, gaps): a PNG flamegraph with handles on its boxes.",
    arguments=FlamegraphArguments,
    answer=answer_flamegraph,
    coloured=answer_flamegraph,
    doing=lambda a: f"Drawing a {a.mode.replace('_', ' ')} flamegraph",
    fields=TRANSFORM_FIELDS | {"view", "profile", "width", "height", "notes"},
    narrow="use a window or depth",
)

GENERATE_SANDWICH = Tool(
    name=SANDWICH,
    description="For one function everywhere: a PNG with all callers above and callees below.",
    arguments=SandwichArguments,
    answer=answer_sandwich,
    coloured=answer_sandwich,
    doing=lambda a: f"Drawing the sandwich of {plain(a.frame, 60)}",
    fields=TRANSFORM_FIELDS | {"view", "profile", "handle", "width", "height", "notes"},
    narrow="name another frame",
)
