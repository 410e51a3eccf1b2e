"""Rows on an axis to strips and labels: the part of a scene that all charts are made of."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rendering.bounds import EDGE_MIN_WIDTH, ROW_HEIGHT
from rendering.kernels.cells import FIXED_BITS, ONE, Cells, Rgb8, Scale
from rendering.labels import row_labels
from rendering.level_of_detail import label_runs
from rendering.palette import Palette, PaletteName, Rgb
from rendering.rows import Rows
from rendering.scene import Label, Strip
from traces.model import Int64, Trace
from traces.values import Role

BoxTitle = Callable[[int, float, int], str]
"""From a cell's kind, its weight on the axis and its count of boxes to its title."""


@dataclass(frozen=True, slots=True)
class Area:
    """Where a chart lies in the picture, and the part of the axis it shows: `start` at its left side, `end` at its
    right. `min_width` is in logical pixels."""

    left: int
    width: int
    start: float
    end: float
    dpr: int = 1
    min_width: float = 0.0

    @property
    def scale(self) -> Scale:
        return Scale(self.start, self.end, self.width * self.dpr, int(self.min_width * self.dpr * ONE))

    @property
    def per_pixel(self) -> float:
        """What a device pixel is worth on the axis."""
        return (self.end - self.start) / (self.width * self.dpr)


@dataclass(frozen=True, slots=True)
class Paint:
    """How kinds look: a colour a kind; `bright` marks those that are not dimmed. `name` is a kind's label, `remark`
    what stands behind it."""

    colours: Rgb8
    bright: npt.NDArray[np.bool_] | None
    label: Rgb
    dim_label: Rgb
    name: Callable[[int], str]
    remark: Callable[[int], str]

    def ink(self, kind: int) -> Rgb:
        """The colour of a kind's label."""
        return self.label if self.bright is None or self.bright[kind] else self.dim_label


@dataclass(frozen=True, slots=True)
class Row:
    """One row, not yet placed: labels' baselines count from its top."""

    cells: Cells
    edges: Int64
    labels: tuple[Label, ...]

    @property
    def merged(self) -> int:
        """Boxes that are too narrow to be seen on their own."""
        return int(self.cells.count[self.cells.count > 1].sum())


@dataclass(frozen=True, slots=True)
class Chart:
    """Rows from the outermost on. `hidden` counts the boxes that `min_width` leaves out."""

    area: Area
    rows: tuple[Row, ...]
    hidden: int

    def merged(self, count: int) -> int:
        return sum(row.merged for row in self.rows[:count])

    @property
    def texts(self) -> list[str]:
        """Of all labels."""
        return [label.text for row in self.rows for label in row.labels]

    def part(self, first: int, last: int) -> "Chart":
        """Some of the rows, as a chart of their own."""
        return Chart(self.area, self.rows[first:last], 0)

    def placed(
        self, top: int, count: int, *, upwards: bool = False, title_of: BoxTitle | None = None
    ) -> tuple[list[Strip], list[Label]]:
        """The first `count` rows, downwards from `top`, or `upwards` with the last of them at the top. `title_of` gives
        the title of each cell."""
        strips, labels, area = [], [], self.area
        for index, row in enumerate(self.rows[:count]):
            y = top + (count - 1 - index if upwards else index) * ROW_HEIGHT
            if len(row.cells):
                titles = () if title_of is None else self._titles(row.cells, title_of)
                strips.append(Strip(area.left, y, area.width, ROW_HEIGHT - 1, row.cells, row.edges, titles))
            labels += [
                Label(label.x, y + label.baseline, label.text, label.style, label.colour) for label in row.labels
            ]
        return strips, labels

    def _titles(self, cells: Cells, title_of: BoxTitle) -> tuple[str, ...]:
        values = (cells.weight * (self.area.per_pixel / ONE)).tolist()
        columns = (cells.kind.tolist(), values, cells.count.tolist())
        return tuple(title_of(kind, value, count) for kind, value, count in zip(*columns, strict=True))


def draw_rows(rows: Rows, depths: range, area: Area, look: Paint) -> Chart:
    """The rows at `depths` as they are drawn, the first outermost."""
    drawn = []
    cells_of_rows, hidden = rows.cells(depths, area.scale, look.colours) if len(depths) else ([], 0)
    for cells in cells_of_rows:
        runs = label_runs(cells, EDGE_MIN_WIDTH, area.dpr)
        edges = np.minimum((runs.left + ONE // 2) >> FIXED_BITS, area.width * area.dpr - 1)
        labels = row_labels(runs, left=area.left, dpr=area.dpr, name=look.name, remark=look.remark, ink=look.ink)
        drawn.append(Row(cells, edges[edges > 0], tuple(labels)))
    return Chart(area, tuple(drawn), hidden)


def matching_frames(trace: Trace, pattern: str, used: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Frames among `used` whose name or file contains `pattern`, in any case, or whose handle it is."""
    matching = np.zeros(len(used), bool)
    if re.fullmatch(r"f\d{1,9}", pattern) and int(pattern[1:]) < len(used):
        matching[int(pattern[1:])] = used[int(pattern[1:])]
        return matching
    folded = pattern.casefold()
    for frame in np.flatnonzero(used).tolist():
        text = f"{trace.frame_name(frame)}\n{trace.frame_file(frame) or ''}"
        matching[frame] = folded in text.casefold()
    return matching


def paint_frames(
    trace: Trace,
    palette: Palette,
    name: PaletteName,
    used: npt.NDArray[np.bool_],
    bright: npt.NDArray[np.bool_] | None,
    *,
    handles: bool,
    role: Role = Role.UNKNOWN,
) -> Paint:
    """How frames look where the kinds are frames; with `bright`, those stand out and all others are dimmed."""
    colours = palette.frame_colours(trace, used, name, role)
    if bright is not None:
        colours = palette.dimmed(colours)
        colours[bright] = palette.highlight
    remark = (lambda frame: f"[f{frame}]") if handles else (lambda frame: "")
    return Paint(colours, bright, palette.label, palette.dim_label, trace.frame_name, remark)
