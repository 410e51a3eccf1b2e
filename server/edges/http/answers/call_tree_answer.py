"""Levels of a call tree, as JSON values."""

from typing import Any

from server.agent.tools.contract.transforming import changed_by
from server.quoting import clamp
from traces.analysis.tree_children import TreeLevel, tree_children
from traces.analysis.window import Window
from traces.handles import ALL, ProfileChoice
from traces.model import Trace
from traces.transforms.vocabulary import parsed_transforms

LONGEST_NAME = 2_000
"""Of a row; a longer name is sent without its middle."""


def levels_json(
    trace: Trace,
    profile: ProfileChoice,
    node: str | None,
    path: tuple[int, ...],
    window: Window | None,
    transforms: str | None,
    *,
    inverted: bool,
    limit: int,
    offset: int,
) -> dict[str, Any]:
    """`{levels, unit, scopeTotal, counted}`. Raises UnknownHandle, InvalidQuestion, NoTimes."""
    of = profile if profile is None or profile == ALL else f"p{profile}"
    trace = changed_by(trace, parsed_transforms(transforms).upright, of).trace
    found = tree_children(
        trace,
        profile=profile,
        below=node,
        callers_of=path,
        inverted=inverted,
        window=window,
        limit=limit,
        offset=offset,
    )
    return {
        "levels": [_level(trace, level) for level in found.levels],
        "unit": found.unit,
        "scopeTotal": found.scope_total,
        "counted": found.counted,
    }


def _level(trace: Trace, level: TreeLevel) -> dict[str, Any]:
    rows = [
        {
            "node": row.node,
            "frame": f"f{row.frame}",
            "name": clamp(trace.frame_name(row.frame), LONGEST_NAME),
            "file": clamp(trace.frame_file(row.frame) or "", LONGEST_NAME) or None,
            "line": trace.frame_line(row.frame),
            "self": row.self_value,
            "total": row.total_value,
            "count": row.count,
            "hasChildren": row.has_children,
        }
        for row in level.rows
    ]
    return {"rows": rows, "moreRows": level.more_rows, "moreValue": level.more_value}
