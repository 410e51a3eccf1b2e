"""The strip alone, in words."""

import numpy as np

from rendering.minimap import minimap_scene
from rendering.options import SheetOptions
from traces.builder import TraceBuilder
from traces.nesting import nest_slices

MS = 1_000_000


def test_its_length_is_counted_from_the_profiles_start() -> None:
    builder = TraceBuilder("late", "test")
    columns = (np.array([at * MS], np.int64) for at in (30, 40))
    builder.add_evented("main", nest_slices(*columns, np.array([builder.frame("work")], np.int32)), axis_start=20 * MS)
    trace = builder.build(content_key="0" * 64, source_bytes=1)
    profile = trace.profiles[0]
    assert profile.axis_start > 0 or profile.axis_end == 20 * MS
    scene = minimap_scene(trace, SheetOptions(), None)
    assert scene.description == "Minimap of late, profile p0 main: 20.0 ms."
