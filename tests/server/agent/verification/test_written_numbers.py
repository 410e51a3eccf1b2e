"""Which digits of a text are figures."""

import pytest

from server.agent.verification.written_numbers import NUMBER


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("**N+1 queries**: 301 calls", ["301"]),
        ("grew by +12 %, then +1", ["12 %", "1"]),
        ("1,204 calls took 3.5 ms", ["1,204", "3.5 ms"]),
        ("worker-3 and f12 and v2.1", []),
    ],
)
def test_names_with_digits_are_no_figures(text: str, figures: list[str]) -> None:
    assert [found[0] for found in NUMBER.finditer(text)] == figures
