"""A chart of all functions is that, whatever words stand around it."""

import pytest

from server.analyst.forms import forms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Plot self time by function as a bar chart", True),
        ("bar chart of the self-time per function please", True),
        ("chart the cost of each function", True),
        ("histogram of calls of parse", False),
        ("plot how long as took", False),
    ],
)
def test_self_time_by_function_names_none(text: str, expected: bool) -> None:
    assert bool(forms("by_query").by_function.search(text)) is expected
