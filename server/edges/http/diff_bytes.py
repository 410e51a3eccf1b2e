"""The diff of two traces as bytes for a browser: left heavy by the open one, with what each path weighed before.

The format is that of view_bytes, with a further column `before` and what vanished in the header. Runs inside
a worker.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rendering.diff import Comparison, compare, vanished
from rendering.options import DiffOptions
from server.edges.http.view_bytes import MAX_BOXES, Encoding, Part, assemble, compress, frames_header
from server.ports.traces import OpenTrace
from traces.model import NONE, Int64, Profile, Trace

MOST_VANISHED = 50
"""Vanished paths listed by name; the rest is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffViewQuery:
    """`profile` is of the open trace, `before_profile` of the other one: by default the one of the same name and unit,
    or the other trace's own default. With `shares`, what was is scaled so that both profiles weigh the same."""

    profile: int | None = None
    before_profile: int | None = None
    compare: Literal["values", "shares"] = "values"
    max_boxes: int = MAX_BOXES


def diff_bytes(after: Trace, before: Trace | OpenTrace, query: DiffViewQuery, encoding: Encoding) -> bytes:
    """The diff, encoded and compressed; the other trace arrives opened. Raises InvalidOption for profiles that are not
    there or of different units."""
    assert isinstance(before, Trace)
    profile = after.default_profile if query.profile is None else query.profile
    before_profile = query.before_profile
    if before_profile is None and profile < len(after.profiles):
        before_profile = alike(before, after.profiles[profile])
    comparison = compare(before, after, DiffOptions(profile=profile, before_profile=before_profile))
    tree = comparison.tree
    total_before = float(tree.before[tree.parent < 0].sum())
    scale = comparison.extent / total_before if query.compare == "shares" and total_before else 1.0
    rows, kept = _bounded(comparison, query.max_boxes)
    node = comparison.places.node[kept]
    frame = tree.after_frame[tree.function[node]]
    base = tree.after_profile.node_base
    gone = vanished(tree)
    header: dict[str, Any] = {
        "mode": "diff",
        "profile": tree.after_profile.handle,
        "frame": None,
        "unit": tree.after_profile.unit.value,
        "axisStart": 0.0,
        "axisEnd": comparison.extent,
        "refKind": "node",
        "total": len(comparison.rows.start),
        "merged": len(comparison.rows.start) - len(node),
        **frames_header(after, frame, np.zeros(len(frame))),
        "diff": {
            "name": before.name,
            "profile": tree.before_profile.handle,
            "profileName": tree.before_profile.name,
            "whole": total_before,
            "scale": scale,
            "vanished": [
                {"name": comparison.name(one), "value": float(tree.before[one]) * scale}
                for one in gone[:MOST_VANISHED].tolist()
            ],
            "vanishedCount": len(gone),
        },
    }
    ref = tree.ref[node]
    part = Part(
        rows,
        [
            ("start", comparison.rows.start[kept].astype("<f8")),
            ("end", comparison.rows.end[kept].astype("<f8")),
            ("frame", frame.astype("<i4")),
            ("ref", np.where(ref == NONE, NONE, ref + base).astype("<i4")),
            ("before", (tree.before[node] * scale).astype("<f8")),
        ],
    )
    return compress(assemble(header, part, None), encoding)


def alike(other: Trace, profile: Profile) -> int | None:
    """The profile of another trace that has this one's name and unit, None when none or several have."""
    found = [one.index for one in other.profiles if (one.name, one.unit) == (profile.name, profile.unit)]
    return found[0] if len(found) == 1 else None


def _bounded(comparison: Comparison, most: int) -> tuple[Int64, Int64]:
    """Row offsets and places of the widest boxes: what a box calls is no wider, so that none loses its caller."""
    start, offsets = comparison.rows.start, comparison.rows.row_offsets
    if len(start) <= most:
        return offsets, np.arange(len(start))
    width = comparison.rows.end - start
    # a stable order by width keeps callers, which come first, before what they call
    kept = np.sort(np.argsort(-width, kind="stable")[:most])
    return np.searchsorted(kept, offsets), kept
