"""Decimal numbers as JSON writes them, as multiples of a power of ten, exactly. In C: `read_scaled` of json.h."""

import re

import numpy as np

MISSING = int(np.iinfo(np.int64).min)
"""In a column of numbers: there is none."""
LARGEST = int(np.iinfo(np.int64).max)
NUMBER = re.compile(rb"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?)([0-9]+))?")


def scaled(text: bytes, scale: int) -> int:
    """A number times 10**scale, rounded half away from zero; MISSING for other text, the largest for what is larger."""
    number = NUMBER.fullmatch(text)
    if number is None:
        return MISSING
    sign, integer, part, below, exponent = number.groups(b"")
    power = int(exponent.lstrip(b"0")[:8] or b"0")  # beyond that no digit remains, or none fits
    digits = (integer + part).lstrip(b"0")
    before_point = len(digits) - len(part) + (-power if below == b"-" else power) + scale
    if not digits or before_point < 0:
        return 0
    if before_point > 19:
        value = LARGEST
    else:
        value = int(digits[:before_point].ljust(before_point, b"0") or b"0")
        value = min(LARGEST, value + (digits[before_point : before_point + 1] >= b"5"))
    return -value if sign else value
