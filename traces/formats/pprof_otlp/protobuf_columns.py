"""Fields of many protobuf messages as columns."""

import numpy as np

from traces.kernels.library import REASONS, NotReadable, Outcome
from traces.kernels.protobuf import FIXED64, LENGTH, VARINT, Fields, scan_fields, scan_varints
from traces.model import Int64


def parts(messages: Fields, number: int) -> Int64:
    """Where the bytes of each field of a number lie: a row each, first and last."""
    rows = (messages.number == number) & (messages.wire == LENGTH)
    return np.stack((messages.first[rows], messages.last[rows]), axis=-1)


def complete_fields(data: memoryview) -> tuple[Fields, int]:
    """The fields of a message that may break off, and the size of those that are complete. Raises NotReadable."""
    try:
        return scan_fields(data, [0], [len(data)]), len(data)
    except NotReadable as error:
        if error.reason != REASONS[Outcome.TRUNCATED] or not error.position:
            raise
        return scan_fields(data, [0], [error.position]), error.position


def texts(data: memoryview, messages: Fields, number: int) -> list[str]:
    """The texts in the fields of a number."""
    return [str(data[first:last], "utf-8", "replace") for first, last in parts(messages, number).tolist()]


def messages_in(data: memoryview, outer: Fields, number: int) -> Fields:
    """The fields of each message in a field of that number. Raises NotReadable."""
    places = parts(outer, number)
    return scan_fields(data, places[:, 0], places[:, 1])


def number_of(messages: Fields, number: int) -> Int64:
    """A varint field of each message, the last if there are several, 0 if there is none."""
    found = np.zeros(len(messages.ends), np.int64)
    rows = np.flatnonzero((messages.number == number) & (messages.wire == VARINT))
    found[messages.message[rows]] = messages.first[rows]
    return found


def numbers_of(data: memoryview, messages: Fields, number: int) -> tuple[Int64, Int64]:
    """A repeated varint field of all messages as one column, and where each message's part ends in it."""
    rows = np.flatnonzero(messages.number == number)
    numbers, ends = scan_varints(data, messages, rows)
    return numbers, _ends_by_message(messages, rows, ends)


def fixed_numbers_of(data: memoryview, messages: Fields, number: int) -> tuple[Int64, Int64]:
    """The same for numbers of eight bytes. Raises NotReadable."""
    rows = np.flatnonzero(messages.number == number)
    first, sizes = messages.first[rows], messages.last[rows] - messages.first[rows]
    if not np.isin(messages.wire[rows], (LENGTH, FIXED64)).all() or (sizes % 8).any():
        raise NotReadable("a list of numbers of eight bytes has another size", int(first[0]))
    ends = np.cumsum(sizes)
    places = np.arange(sizes.sum()) + np.repeat(first - (ends - sizes), sizes)
    return np.frombuffer(data, np.uint8)[places].view("<i8"), _ends_by_message(messages, rows, ends // 8)


def _ends_by_message(messages: Fields, rows: Int64, ends: Int64) -> Int64:
    return np.concatenate(([0], ends))[np.searchsorted(rows, messages.ends)]
