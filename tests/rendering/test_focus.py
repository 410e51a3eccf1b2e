"""What a picture may be narrowed to: a function, or one place in the call tree."""

import numpy as np
import pytest

from rendering.errors import InvalidOption
from rendering.focus import part_of
from tests.rendering.drawn import assert_drawn
from tests.traces.insights.recorded import sampled

TRACE = sampled({"main;load;parse": 2, "main;draw;parse": 3})
PROFILE = TRACE.profiles[0]


def shown(focus: str) -> list[str]:
    """The functions that have a row."""
    part = part_of(PROFILE, None, focus, flatten=False)
    rows = np.flatnonzero(part.node_row >= 0)
    return sorted(TRACE.frame_names[frame] for frame in PROFILE.tree.frame[rows].tolist())


def test_a_place_is_shown_with_what_it_calls_and_a_function_with_all_its_places() -> None:
    names = [TRACE.frame_names[frame] for frame in PROFILE.tree.frame.tolist()]
    assert shown(f"n{PROFILE.node_base + names.index('load')}") == ["load", "parse"]
    parse = TRACE.frame_names.index("parse")
    assert shown(f"f{parse}") == ["parse", "parse"]


@pytest.mark.parametrize("focus", ["p0", "n999", "nothing"])
def test_anything_else_is_refused_by_name(focus: str) -> None:
    with pytest.raises(InvalidOption):
        part_of(PROFILE, None, focus, flatten=False)


def test_its_picture_is_as_it_was_drawn() -> None:
    assert_drawn("focus")
