"""The strip alone, in words."""

import numpy as np
import pytest

from rendering.minimap import minimap_scene
from rendering.options import SheetOptions
from tests.rendering.drawn import assert_drawn
from traces.builder import TraceBuilder
from traces.nesting import nest_slices

MS = 1_000_000


def test_its_length_is_counted_from_the_profiles_start() -> None:
    builder = TraceBuilder("two", "test")
    for name, start in (("first", 0), ("late", 30)):
        times = np.array([start * MS], np.int64), np.array([40 * MS], np.int64)
        calls = nest_slices(*times, frame=np.array([builder.frame("work")], np.int32))
        builder.add_evented(name, calls, axis_start=start * MS)
    trace = builder.build(content_key="0" * 64, source_bytes=1)
    assert trace.profiles[1].axis_start == 30 * MS
    scene = minimap_scene(trace, SheetOptions(profile=1), None)
    assert scene.description == "Minimap of two, profile p1 late: 10.0 ms."


@pytest.mark.parametrize("name", ["minimap", "time_order"])
def test_its_pictures_are_as_they_were_drawn(name: str) -> None:
    assert_drawn(name)
