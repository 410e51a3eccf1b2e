"""What the colours of a chart mean."""

from collections.abc import Sequence

import numpy as np

from rendering.chart import Chart, Paint
from rendering.palette import Palette, PaletteName, package_of
from rendering.sheet import Swatch
from traces.model import Trace

ENTRIES = 12
"""Groups listed at most; the line holds fewer."""


def colour_legend(trace: Trace, palette: PaletteName, chart: Chart, look: Paint) -> Sequence[Swatch]:
    """The heaviest groups of the chart with their colours, or one swatch saying that the colours have no meaning."""
    weight = np.zeros(len(look.colours))
    for row in chart.rows:
        np.add.at(weight, row.cells.kind, row.cells.weight)
    heaviest = np.argsort(-weight, kind="stable")[: 40 * ENTRIES]
    swatches: dict[str, Swatch] = {}
    for frame in heaviest[weight[heaviest] > 0].tolist():
        group = _group(trace, palette, frame)
        if group not in swatches and len(swatches) < ENTRIES:
            red, green, blue = look.colours[frame].tolist()
            swatches[group] = Swatch((red, green, blue), group)
    return list(swatches.values())


def _group(trace: Trace, palette: PaletteName, frame: int) -> str:
    if palette == "file":
        return trace.frame_file(frame) or "no file"
    if palette == "package":
        return package_of(trace, frame)
    if palette == "category":
        category = int(trace.frames.category[frame])
        return trace.strings[category] if category >= 0 else "no category"
    return "colours only tell neighbours apart"


def change_legend(palette: Palette, *, as_shares: bool) -> Sequence[Swatch]:
    """From all gone to new."""
    steps = (-1.0, -0.5, 0.0, 0.5, 1.0)
    what = "share of the profile" if as_shares else "weight"
    texts = ("gone", f"half the {what}", "no change", f"twice the {what}", "new, or grown from almost nothing")
    colours = palette.change_colours(np.array(steps)).tolist()
    return [Swatch((r, g, b), text) for (r, g, b), text in zip(colours, texts, strict=True)]
