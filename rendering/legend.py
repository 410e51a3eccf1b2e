"""What the colours of a chart mean: every hue that occurs has an entry."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rendering.palette import ARCS, HUE_STEPS, OWNER_STEPS, Hues, Palette, PaletteName, Rgb8, Seeds, package_of
from rendering.sheet import Swatch
from traces.analysis.owners import Owner
from traces.equal_rows import distinct, numbered
from traces.model import Int64, Trace
from traces.values import Role

NO_MEANING = "colours only tell neighbours apart"


@dataclass(frozen=True, slots=True)
class HueEntry:
    """A hue: `frame` is the index of a frame that has it, among those asked about; `text` names what has it most."""

    frame: int
    text: str


def hue_entries(
    trace: Trace, frames: Int64, weight: npt.NDArray[np.float64], hues: Hues, role: Role = Role.UNKNOWN
) -> list[HueEntry]:
    """An entry for each hue of these frames, the heaviest first; grey comes last. One for all where hues have no
    meaning."""
    if hues.palette in ARCS:
        return [HueEntry(int(np.argmax(weight)), NO_MEANING)]
    steps = hues.steps
    entries: list[tuple[float, HueEntry]] = []
    for step in distinct(steps).tolist():
        at = np.flatnonzero(steps == step)
        groups, inverse = numbered(hues.group[at])
        sums = np.bincount(inverse, weight[at], len(groups))
        inside = at[inverse == np.argmax(sums)]
        chosen = int(inside[np.argmax(weight[inside])])
        if step == HUE_STEPS:
            entries.append((-1.0, HueEntry(chosen, _grey(hues, role))))
            continue
        others = f" and {len(groups) - 1:,} more" if len(groups) > 1 else ""
        entries.append(
            (float(sums.sum()), HueEntry(chosen, _group(trace, hues, int(frames[chosen]), step, role) + others))
        )
    return [entry for _, entry in sorted(entries, key=lambda pair: -pair[0])]


def legend_texts(
    trace: Trace, palette: PaletteName, weight: npt.NDArray[np.float64], role: Role = Role.UNKNOWN
) -> list[str]:
    """The texts of a legend of frames that weigh something."""
    no_colours = np.zeros((len(weight), 3), np.uint8)
    return [swatch.text for swatch in colour_legend(trace, palette, weight, no_colours, role)]


def colour_legend(
    trace: Trace,
    palette: PaletteName,
    weight: npt.NDArray[np.float64],
    colours: Rgb8,
    role: Role = Role.UNKNOWN,
) -> Sequence[Swatch]:
    """The hues of frames that weigh something, with their colours, or one swatch saying that hues have no meaning."""
    frames = np.flatnonzero(weight > 0)
    if not len(frames):
        return []
    if palette in ARCS:
        red, green, blue = colours[frames[np.argmax(weight[frames])]].tolist()
        return [Swatch((red, green, blue), NO_MEANING)]
    entries = hue_entries(trace, frames, weight[frames], Seeds(trace).hues(frames, palette, role), role)
    shown = [(colours[frames[entry.frame]].tolist(), entry.text) for entry in entries]
    return [Swatch((red, green, blue), text) for (red, green, blue), text in shown]


def _grey(hues: Hues, role: Role) -> str:
    texts = {"file": "no file", "category": "no category", "owner": "runtime and system"}
    if hues.kind == "role" and role is Role.UNKNOWN:
        return "thread of no known role"
    return texts.get(hues.kind, "not the program's")


def _group(trace: Trace, hues: Hues, frame: int, step: int, role: Role) -> str:
    match hues.kind:
        case "file":
            return (trace.frame_file(frame) or "").replace("\\", "/").rpartition("/")[2] or "no file"
        case "package":
            return package_of(trace, frame)
        case "category":
            return trace.strings[int(trace.frames.category[frame])]
        case "owner":
            return "own code" if step == OWNER_STEPS[Owner.OWN] else "libraries"
        case "role":
            return f"{role.value} thread"
        case "function":
            return trace.frame_name(frame)


def change_legend(palette: Palette, *, as_shares: bool) -> Sequence[Swatch]:
    """From all gone to new."""
    steps = (-1.0, -0.5, 0.0, 0.5, 1.0)
    what = "share of the profile" if as_shares else "weight"
    texts = ("gone", f"half the {what}", "no change", f"twice the {what}", "new, or grown from almost nothing")
    colours = palette.change_colours(np.array(steps)).tolist()
    return [Swatch((r, g, b), text) for (r, g, b), text in zip(colours, texts, strict=True)]
