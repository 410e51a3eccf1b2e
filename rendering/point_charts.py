"""Charts of named values: a line over runs, steps that fewer reach, a grid of what is there, bars."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rendering.chart_figure import drawn_figure, hex_of, new_figure, short_title, style
from rendering.errors import InvalidOption
from rendering.options import SheetOptions
from rendering.palette import PALETTES, Palette
from rendering.picture import Picture
from traces.analysis.units import format_share, format_value
from traces.values import Unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Kind = Literal["line", "steps", "grid", "bars"]
MOST_BARS = 25
MOST_TICKS = 12
GRID_COLUMNS = 40
_LABEL_CHARACTERS = 24


@dataclass(frozen=True, slots=True)
class Point:
    """`value` of a grid is 1 for what is there, else 0."""

    label: str
    value: float


@dataclass(frozen=True, slots=True)
class PointChart:
    """`unit` is one of traces.values.Unit, `share` (0 to 1), or any other word for plain numbers."""

    kind: Kind
    unit: str
    points: tuple[Point, ...]

    def text(self, value: float) -> str:
        """A value as people read it."""
        if self.unit == "share":
            return format_share(value)
        return format_value(value, Unit(self.unit)) if self.unit in list(Unit) else f"{value:,.6g}"


def render_points(chart: PointChart, title: str, options: SheetOptions) -> Picture:
    """The chart as PNG. Raises InvalidOption where there is nothing to draw."""
    if not chart.points:
        raise InvalidOption("points", "there is nothing to draw: the answer has no points")
    figure, palette = new_figure(options), PALETTES[options.theme]
    axes: Axes = figure.subplots()
    notes: tuple[str, ...] = ()
    match chart.kind:
        case "line":
            _line(axes, chart, palette)
        case "grid":
            _grid(axes, chart, palette)
        case _:
            shown = chart.points[:MOST_BARS]
            _bars(axes, chart, shown, palette)
            if len(shown) < len(chart.points):
                notes = (f"showing {len(shown)} of {len(chart.points):,}",)
    style(axes, palette)
    return drawn_figure(figure, options, title, notes, _described(chart))


def _line(axes: "Axes", chart: PointChart, palette: Palette) -> None:
    places = range(len(chart.points))
    values = [point.value for point in chart.points]
    axes.plot(places, values, color=hex_of(palette.highlight), marker="o", markersize=4, linewidth=1.5)
    axes.set_ylim(bottom=min(0.0, *values), top=max(*values, 0.0) * 1.08 or 1.0)
    axes.yaxis.set_major_formatter(lambda value, _: chart.text(value))
    step = max(1, -(-len(chart.points) // MOST_TICKS))
    axes.set_xticks(list(places)[::step], [_short(one.label) for one in chart.points[::step]], parse_math=False)
    axes.tick_params(axis="x", rotation=30 if len(chart.points) > 4 else 0)


def _bars(axes: "Axes", chart: PointChart, shown: tuple[Point, ...], palette: Palette) -> None:
    values = [point.value for point in shown]
    axes.barh(range(len(shown)), values, color=hex_of(palette.highlight))
    axes.set_yticks(range(len(shown)), [short_title(point.label) for point in shown], parse_math=False)
    axes.invert_yaxis()
    first = shown[0].value
    for place, point in enumerate(shown):
        of_first = f"  {format_share(point.value / first)}" if chart.kind == "steps" and first else ""
        text = f" {chart.text(point.value)}{of_first}"
        axes.text(max(point.value, 0), place, text, va="center", fontsize=8, color=hex_of(palette.ink))
    axes.set_xlim(min(0.0, *values), max(*values, 0.0) * 1.25 or 1.0)
    axes.xaxis.set_major_formatter(lambda value, _: chart.text(value))


def _grid(axes: "Axes", chart: PointChart, palette: Palette) -> None:
    columns = min(GRID_COLUMNS, len(chart.points))
    for place, point in enumerate(chart.points):
        row, column = divmod(place, columns)
        colour = palette.highlight if point.value else palette.grid
        axes.barh(-row, 0.9, left=column, height=0.8, color=hex_of(colour))
    first, last = chart.points[0].label, chart.points[-1].label
    axes.set_xlim(0, columns)
    axes.set_yticks([])
    axes.set_xticks([])
    axes.set_xlabel(
        f"from {_short(first)} to {_short(last)}; filled: it is there",
        color=hex_of(palette.muted),
        fontsize=8,
        parse_math=False,
    )


def _short(label: str) -> str:
    return label if len(label) <= _LABEL_CHARACTERS else label[: _LABEL_CHARACTERS - 1] + "…"


def _described(chart: PointChart) -> str:
    first, last = chart.points[0], chart.points[-1]
    if chart.kind == "grid":
        there = sum(point.value > 0 for point in chart.points)
        return f"In {there} of {len(chart.points)} recordings, from {_short(first.label)} to {_short(last.label)}."
    values = [point.value for point in chart.points]
    ends = f"from {chart.text(min(values))} to {chart.text(max(values))}"
    begin, end = (f"{_short(point.label)} {chart.text(point.value)}" for point in (first, last))
    return f"{len(values)} values {ends}; {begin}, {end}."
