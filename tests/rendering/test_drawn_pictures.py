"""Small pictures to the letter: places, colours, texts, notes and descriptions."""

import pytest

from tests.rendering.drawn import GOLDEN, PICTURES, assert_drawn


@pytest.mark.parametrize("name", PICTURES)
def test_a_small_picture_is_as_it_was_drawn(name: str) -> None:
    assert_drawn(name)


def test_every_picture_that_was_drawn_is_compared() -> None:
    assert {path.stem for path in GOLDEN.glob("*.svg")} == set(PICTURES)
