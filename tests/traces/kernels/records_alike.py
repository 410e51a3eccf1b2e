"""Whether two ways of reading records read the same."""

from typing import Any

import numpy as np

from traces.kernels.library import NotReadable
from traces.kernels.record_columns import Table


def outcome(scan: Any, *arguments: Any, **options: Any) -> Any:
    """What a call returns, or the refusal that it raises."""
    try:
        return scan(*arguments, **options)
    except NotReadable as error:
        return error


def assert_same(mine: Table, reference: Table) -> None:
    assert (mine.count, mine.skipped, mine.found, mine.unterminated) == (
        reference.count,
        reference.skipped,
        reference.found,
        reference.unterminated,
    )
    assert mine.members == reference.members
    for name, column in mine.columns.items():
        other = reference.columns[name]
        assert column.texts == other.texts, name
        for part in ("values", "ids", "items"):
            np.testing.assert_array_equal(getattr(column, part), getattr(other, part), err_msg=f"{name}.{part}")


def assert_alike(mine: Any, reference: Any) -> None:
    """The same columns, or the same refusal of the same byte."""
    if isinstance(mine, NotReadable) or isinstance(reference, NotReadable):
        assert str(mine) == str(reference)
    else:
        assert_same(mine, reference)
