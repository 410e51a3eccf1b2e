"""Hatching over spans without an end: they are drawn to the end, but nobody knows how long they lasted."""

import numpy as np

from rendering.bounds import ROW_HEIGHT
from rendering.chart import Area
from rendering.focus import Part
from rendering.scene import Fill
from rendering.sheet import Sheet

MOST_HATCHES = 200
"""Boxes that are hatched, the longest: rows are some forty, and what is narrower than a stripe shows none."""


def hatched(part: Part, area: Area, depths: range, sheet: Sheet) -> list[Fill]:
    """The hatches of a chart in time order whose rows are those at `depths`."""
    spans = part.profile.spans
    if spans is None or not len(spans.unfinished):
        return []
    rows = spans.unfinished
    row = part.node_row[spans.node[rows]] - depths.start
    scale = area.width / (area.end - area.start)
    left = np.rint((spans.start[rows].clip(area.start, area.end) - area.start) * scale).astype(np.int64)
    right = np.rint((spans.end[rows].clip(area.start, area.end) - area.start) * scale).astype(np.int64)
    shown = np.flatnonzero((row >= 0) & (row < len(depths)) & (right > left))
    shown = shown[np.argsort(left[shown] - right[shown], kind="stable")][:MOST_HATCHES]
    return [
        Fill(
            area.left + int(left[at]),
            sheet.top + int(row[at]) * ROW_HEIGHT,
            int(right[at] - left[at]),
            ROW_HEIGHT - 1,
            sheet.palette.background,
            "without an end",
        )
        for at in shown.tolist()
    ]
