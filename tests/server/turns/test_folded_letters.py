"""What is written with letters that only look like others is read as what it looks like."""

import pytest

from server.turns.folded_letters import folded


@pytest.mark.parametrize(
    "text",
    [
        "r\u0435m\u0435mber",
        "r\u03b5m\u03b5mb\u03b5r",
        "re\u200bmem\u00adber",
        "\uff52\uff45\uff4d\uff45\uff4d\uff42\uff45\uff52",
        "r e m e m b e r",
        "r.e.m.e.m.b.e.r",
        "r3m3mb3r",
        "rem-\nember",
        "r\U0001d41eme\U0001d426ber",
    ],
)
def test_an_order_in_other_letters_is_one(text: str) -> None:
    assert folded(text) == "remember"


@pytest.mark.parametrize(
    "text",
    ["300 ms", "x86_64", "нас интересует", "αβγ", "8-core", "-O2", "parse2Json at p99", "Größe", "3 s - 5 s", "a b"],
)
def test_ordinary_texts_stay(text: str) -> None:
    assert folded(text) == text
