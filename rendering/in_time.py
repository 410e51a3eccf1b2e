"""The rows of a profile in time order."""

from rendering.focus import Part
from rendering.rows import Rows, moved_boxes, rows_of_spans
from traces.analysis.view_layout import time_order
from traces.analysis.window import Window
from traces.mapped_profile import nodes_of_refs
from traces.model import Trace

_ALL = 1 << 62
"""No box is merged by the layout: level of detail is exact and costs less."""


def rows_in_time(trace: Trace, part: Part, window: Window | None) -> Rows:
    """Calls as they happened, those of the part alone; spans are drawn from where they lie."""
    profile = part.profile
    if profile.spans is not None:
        return rows_of_spans(profile.spans, part.node_row, profile.tree.frame, profile.tree.total_values[0], window)
    boxes = time_order(trace, profile=profile.index, window=window, max_boxes=_ALL).boxes
    return moved_boxes(boxes, part.node_row[nodes_of_refs(profile, boxes.ref)])
