"""Decimal numbers as JSON writes them, to whole multiples of a power of ten, exactly. In C: `read_scaled` of json.h."""

import re
from collections.abc import Callable, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

MISSING = int(np.iinfo(np.int64).min)
"""In a column of numbers: there is none."""
LARGEST = int(np.iinfo(np.int64).max)
NUMBER = re.compile(rb"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?)([0-9]+))?")


SURE = float(1 << 49)
"""Below this, a decimal read as float64 and multiplied by a power of ten is less than an eighth from the truth: reading
and multiplying each err by at most one part in 2**53."""


Tokens = Callable[[], Sequence[bytes | msgspec.Raw]]


def scaled_numbers(values: list[float] | npt.NDArray[np.float64], scale: int, tokens: Tokens) -> npt.NDArray[np.int64]:
    """`scaled_number` of many, given as float64; those near a half and large ones are read again from their tokens."""
    values = np.array(values, np.float64)
    return read_again(values, *nearest(values, scale), scale, tokens)


def nearest(values: npt.NDArray[np.float64], scale: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """`scaled_number` of many, MISSING for NaN, and which are sure: neither near a half nor large."""
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is not sure
        exact = values * 10.0**scale
        near = np.rint(exact)
        sure = (np.abs(exact) < SURE) & (np.abs(exact - near) < 0.25)
    if sure.all():
        return near.astype(np.int64), sure
    return np.where(sure, near, MISSING).astype(np.int64), sure | np.isnan(values)


def read_again(
    values: npt.NDArray[np.float64],
    numbers: npt.NDArray[np.int64],
    sure: npt.NDArray[np.bool_],
    scale: int,
    tokens: Tokens,
) -> npt.NDArray[np.int64]:
    """The numbers, with those that are not sure from the tokens of all `values` but NaN."""
    if not sure.all():
        texts = tokens()
        which = np.cumsum(~np.isnan(values)) - 1
        for place in np.flatnonzero(~sure).tolist():
            numbers[place] = scaled_number(bytes(texts[which[place]]), scale)
    return numbers


def scaled_array(array: bytes | memoryview | msgspec.Raw, scale: int) -> npt.NDArray[np.int64]:
    """`scaled_number` of each item of a JSON array. Raises DecodeError; ValidationError for items of another kind."""
    try:
        values = msgspec.json.decode(array, type=list[float])
    except msgspec.ValidationError:  # a number beyond float64, or no number
        tokens = msgspec.json.decode(array, type=list[msgspec.Raw])
        numbers = np.array([scaled_number(bytes(token), scale) for token in tokens], np.int64)
        if (numbers == MISSING).any():
            raise
        return numbers
    return scaled_numbers(values, scale, lambda: msgspec.json.decode(array, type=list[msgspec.Raw]))


def scaled_number(token: bytes, scale: int) -> int:
    """`scaled` for what is known to be a JSON value: most numbers need no closer look."""
    whole, _, part = token.partition(b".")
    if whole.isdigit() and len(part) <= scale and (not part or part.isdigit()) and len(whole) + scale <= 18:
        return int(whole + part.ljust(scale, b"0"))
    return scaled(token, scale)


def scaled(text: bytes, scale: int) -> int:
    """A number times 10**scale, rounded half away from zero; MISSING for other text, the largest for what is larger."""
    number = NUMBER.fullmatch(text)
    if number is None:
        return MISSING
    sign, whole, part, below, exponent = number.groups(b"")
    power = int(exponent.lstrip(b"0")[:8] or b"0")  # beyond that no digit remains, or none fits
    digits = (whole + part).lstrip(b"0")
    before_point = len(digits) - len(part) + (-power if below == b"-" else power) + scale
    if not digits or before_point < 0:
        return 0
    if before_point > 19:
        value = LARGEST
    else:
        value = int(digits[:before_point].ljust(before_point, b"0") or b"0")
        value = min(LARGEST, value + (digits[before_point : before_point + 1] >= b"5"))
    return -value if sign else value
