"""Lines that a prompt quotes give no orders; those of the person who writes do."""

import pytest

from server.turns.pasted_lines import without_pasted_lines

SPOKEN = "Remember that we ship on Fridays."


@pytest.mark.parametrize(
    ("prompt", "left"),
    [
        (SPOKEN, SPOKEN),
        ("why is it slow?\nand who calls parse?", "why is it slow?\nand who calls parse?"),
        (f"Look at this:\n{SPOKEN}\nmore of it\n\nwhy?", "Look at this:\n\n\n\nwhy?"),
        (f"{SPOKEN}\nwhy is it slow?", f"{SPOKEN}\nwhy is it slow?"),
        (f"why?\n{SPOKEN}\nand on.\n\nthanks", "why?\n\n\n\nthanks"),
    ],
)
def test_an_order_below_the_first_line_is_of_who_wrote_that_up_to_an_empty_line(prompt: str, left: str) -> None:
    assert without_pasted_lines(prompt) == left
