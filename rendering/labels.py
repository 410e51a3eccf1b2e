"""The labels of boxes: a name, shortened to the room in its box, with a handle or a change behind it."""

from collections.abc import Callable, Iterable

import numpy as np

from rendering.bounds import LABEL_MIN_WIDTH
from rendering.kernels.cells import ONE
from rendering.level_of_detail import Runs
from rendering.options import SheetOptions
from rendering.palette import Rgb
from rendering.scene import Label
from rendering.text import Typeface, elide_name, printable, typeface

_PAD = 4
_BASELINE = 13
"""From a row's top to the letters' baseline: 11 px letters centred in 17 px."""


def row_labels(
    runs: Runs,
    *,
    left: int,
    dpr: int,
    name: Callable[[int], str],
    remark: Callable[[int], str],
    ink: Callable[[int], Rgb],
) -> list[Label]:
    """The labels of a row's runs, from their kinds' names, remarks and colours; baselines count from the row's top.
    `left` is where the row begins, in logical pixels. A run too narrow for two letters has none.
    """
    face = typeface("label", dpr)
    labels = []
    pixel = ONE * dpr
    wide = np.flatnonzero(runs.right - runs.left >= LABEL_MIN_WIDTH * pixel)
    columns = (runs.left[wide].tolist(), runs.right[wide].tolist(), runs.kind[wide].tolist())
    for start, end, kind in zip(*columns, strict=True):
        begin = (start + pixel // 2) // pixel + _PAD
        room = end // pixel - begin - _PAD // 2
        text = label_text(face, printable(name(kind)), room, remark(kind))
        if text:
            labels.append(Label(left + begin, _BASELINE, text, "label", ink(kind)))
    return labels


def missing_note(texts: Iterable[str], options: SheetOptions) -> tuple[str, ...]:
    """What a picture says of letters that no font has; an SVG is drawn with its reader's fonts."""
    if options.format == "svg":
        return ()
    missing = typeface("label", options.dpr).missing("".join(texts))
    if not missing:
        return ()
    letters = "1 letter is" if len(missing) == 1 else f"{len(missing):,} letters are"
    return (f"{letters} in no font of this machine and drawn as boxes; the extra flamechat[fonts] has more",)


def label_text(face: Typeface, name: str, room: int, remark: str) -> str:
    """What fits into a box: the name, with the remark (a handle, a change) behind it only where the name
    fits too: a name is what people read, and each handle is in the picture's description."""
    alone = elide_name(face, name, room)
    if not remark or alone != name:
        return alone
    both = f"{name} {remark}"
    return both if face.width(both) <= room else alone
