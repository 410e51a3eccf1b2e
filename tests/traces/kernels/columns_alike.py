"""Columns of a kernel and of its reference, compared."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

small = st.integers(0, 6)


def assert_same(mine: Any, reference: Any) -> None:
    assert type(mine) is type(reference)
    for name in mine.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(mine, name), getattr(reference, name), err_msg=name)


def int64(values: Any) -> Any:
    return np.array(values, np.int64)


def int32(values: Any) -> Any:
    return np.array(values, np.int32)
