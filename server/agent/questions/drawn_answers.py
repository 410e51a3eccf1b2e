"""The chart of an answer as a picture."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rendering.picture import Picture

TITLE_CHARACTERS = 150
WIDTH, HEIGHT = 1000, 500


def drawn_answer(chart: Mapping[str, Any], headline: str) -> "Picture":
    """The chart (`kind`, `unit`, `points`) below its sentence. Raises InvalidOption where there is none."""
    from rendering.options import SheetOptions  # noqa: PLC0415 - drawing takes 0.1 s to load, and few turns draw
    from rendering.point_charts import Point, PointChart, render_points  # noqa: PLC0415 - as above

    points = tuple(Point(str(one["label"]), float(one["value"])) for one in chart.get("points", ()))
    drawn = PointChart(chart.get("kind", "bars"), chart.get("unit", "number"), points)
    text = headline.replace("**", "").replace("`", "")
    title = text if len(text) <= TITLE_CHARACTERS else text[: TITLE_CHARACTERS - 1] + "…"
    return render_points(drawn, title, SheetOptions(width=WIDTH, height=HEIGHT))
