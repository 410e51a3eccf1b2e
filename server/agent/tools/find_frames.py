"""find_frames: from a name to handles."""

from typing import Annotated

from pydantic import Field

from server.agent.tools.contract.arguments import MyCodeArgument, ProfilesArgument, TransformsArgument, Windowed
from server.agent.tools.contract.resolving import chosen_selection, chosen_window, nearest_frames, profile_choice
from server.agent.tools.contract.tool import Outcome, Tool
from server.agent.tools.contract.transforming import TRANSFORM_FIELDS, changed_for_tool
from server.agent.tools.get_top_functions import ROW_FIELDS, amount, row_data, row_line
from server.quoting import quoted
from traces.analysis.find import find_frames
from traces.model import Trace


class FindFrames(Windowed):
    pattern: Annotated[str, Field(min_length=1, max_length=200, description="part of a function name or file path")]
    regex: bool = False
    limit: Annotated[int, Field(ge=1, le=100)] = 15
    profile: ProfilesArgument = None
    my_code: MyCodeArgument = False
    transforms: TransformsArgument = None


def answer_find_frames(trace: Trace, arguments: FindFrames) -> Outcome:
    changed = changed_for_tool(trace, arguments.transforms, arguments.profile)
    trace = changed.trace
    profile = chosen_selection(trace, changed.profile_argument, my_code=arguments.my_code)
    window = chosen_window(profile, arguments.start_time_ms, arguments.end_time_ms)
    done, of_transforms = changed.inside(window).for_tool()
    matches = find_frames(
        trace,
        arguments.pattern,
        regex=arguments.regex,
        limit=arguments.limit,
        profile=profile_choice(profile),
        window=window,
        frame_filter=profile.frame_filter,
    )
    unit, everything = profile.unit, matches.scope_total or 1.0
    together = (matches.self_value / everything, matches.total_value / everything)
    near = [] if matches.rows else nearest_frames(trace, arguments.pattern)
    lines = [
        *done,
        f"{matches.total_matches} frames match {quoted(arguments.pattern)}"
        + (
            ""
            if matches.rows or not near
            else "; nearest: " + "; ".join(f"f{i} {quoted(trace.frame_name(i), 80)}" for i in near)
        ),
        *(
            [
                (
                    f"together: self {amount(matches.self_value, together[0], unit)}, "
                    f"total {amount(matches.total_value, together[1], unit)}"
                )
            ]
            if matches.total_matches > 1
            else []
        ),
        *(row_line(row, unit, matches.counted) for row in matches.rows),
    ]
    if (left := matches.total_matches - len(matches.rows)) > 0:
        lines.append(f"… {left} more, lighter ones: use a longer pattern or a higher limit")
    return Outcome(
        text="\n".join(lines),
        data=of_transforms
        | {
            "profile": profile.handle,
            "unit": unit.value,
            "pattern": arguments.pattern,
            "total_matches": matches.total_matches,
            "counted": matches.counted,
            "self_value": float(matches.self_value),
            "self_share": float(together[0]),
            "total_value": float(matches.total_value),
            "total_share": float(together[1]),
            "rows": [row_data(row) for row in matches.rows],
            "nearest": [{"handle": f"f{i}", "name": trace.frame_name(i)} for i in near],
        },
        warning=not matches.rows,
    )


FIND_FRAMES = Tool(
    name="find_frames",
    description="For a function named in part: those whose name or file contains it, heaviest first, with handles.",
    arguments=FindFrames,
    answer=answer_find_frames,
    doing=lambda a: "Searching frames by an expression" if a.regex else f"Searching frames for {a.pattern[:60]}",
    fields=ROW_FIELDS | TRANSFORM_FIELDS | {"profile", "unit", "pattern", "total_matches", "rows", "nearest"},
    narrow="use a longer pattern or a smaller limit",
)
