"""Whose marks are a page's: Chrome writes navigations, paints and shifts of each frame under the same names.

A page's own figures are those of its outermost main frame (web.dev/articles/vitals; Lighthouse, lib/tracehouse). Which
that is say `TracingStartedInBrowser` (frames without a parent), else navigations that are flagged as the main frame's.
The flag alone is not enough: Chrome sets it for the empty document of each new frame too, whose address is empty.
"""

from collections.abc import Iterable

import msgspec
import numpy as np

from traces.formats.trace_event.event_list import Events
from traces.kernels.scaled import MISSING
from traces.model import Int32, Int64

STARTED = "TracingStartedInBrowser"
NAVIGATION = "navigationStart"
OF_A_FRAME = (
    NAVIGATION,
    "firstPaint",
    "firstContentfulPaint",
    "firstMeaningfulPaint",
    "largestContentfulPaint::Candidate",
    "LayoutShift",
)
OF_CHILD, OF_UNKNOWN = " (child frame)", " (unknown frame)"
"""Behind the name of a mark that is not the main frame's, and of one whose frame is not in the file."""


class _Frame(msgspec.Struct):
    frame: str = ""
    parent: str | None = None


class _Data(msgspec.Struct):
    frames: list[_Frame] = []
    address: str = msgspec.field(name="documentLoaderURL", default="")
    is_loading_main: bool | None = msgspec.field(name="isLoadingMainFrame", default=None)
    is_outermost: bool | None = msgspec.field(name="isOutermostMainFrame", default=None)
    navigation: str = msgspec.field(name="navigationId", default="")


class _Said(msgspec.Struct):
    frame: str = ""
    data: _Data = msgspec.field(default_factory=_Data)


def by_frame(events: Events, rows: Int64, name: Int32, names: tuple[str, ...]) -> tuple[Int32, tuple[str, ...]]:
    """The names of instants, where those that are no mark of the main frame say so."""
    ids = [at for at, text in enumerate(names[:-1]) if text in OF_A_FRAME]
    marks = np.flatnonzero(np.isin(name, ids)) if ids else np.zeros(0, np.int64)
    if not len(marks):
        return name, names
    said = [_said(events, row) for row in rows[marks].tolist()]
    navigations = [one for one, at in zip(said, name[marks].tolist(), strict=True) if names[at] == NAVIGATION]
    main = _main_frames(events, navigations)
    own = {one.data.navigation for one in navigations if one.frame in main and one.data.address}
    # A single navigation without a frame is the page's: nothing in the file speaks of another.
    several = len({one.frame for one in said}) > 1 or len(navigations) > 1 or any(one.frame for one in navigations)
    name, texts = name.copy(), list(names)
    places: dict[str, int] = {}
    for mark, one in zip(marks.tolist(), said, strict=True):
        if main and one.frame:
            of_main = one.data.navigation in own if own and names[name[mark]] == NAVIGATION else one.frame in main
            suffix = "" if of_main else OF_CHILD
        else:
            suffix = OF_UNKNOWN if main or several else ""
        if suffix:
            text = names[name[mark]] + suffix
            if text not in places:
                places[text] = len(texts)
                texts.append(text)
            name[mark] = places[text]
    return name, tuple(texts)


def _main_frames(events: Events, navigations: Iterable[_Said]) -> frozenset[str]:
    known: set[str] = set()
    for row in np.flatnonzero(events.rows("name", STARTED) & (events.time != MISSING)).tolist():
        known.update(one.frame for one in _said(events, row).data.frames if one.frame and not one.parent)
    if not known:
        known.update(one.frame for one in navigations if one.frame and one.data.address and _is_main(one.data))
    return frozenset(known)


def _is_main(data: _Data) -> bool:
    return data.is_outermost if data.is_outermost is not None else data.is_loading_main is True


def _said(events: Events, row: int) -> _Said:
    args = events.args(row)
    try:
        return msgspec.json.decode(args, type=_Said) if args else _Said()
    except msgspec.DecodeError:
        return _Said()
