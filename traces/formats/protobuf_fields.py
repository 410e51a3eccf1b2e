"""Just enough of the protobuf wire format (https://protobuf.dev/programming-guides/encoding/)."""

from collections.abc import Iterator

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5


class BrokenMessage(ValueError):
    """Bytes that are no protobuf message."""


def fields(data: bytes, start: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Each field of a message: number, wire type, and its value (varint) or the range `first, last` of its bytes.

    Yields (number, VARINT, value, 0) or (number, wire type, first, last). Raises BrokenMessage.
    """
    at = start
    try:
        while at < end:
            tag = data[at]
            at += 1
            if tag > 127:
                tag, at = varint(data, at - 1)
            wire = tag & 7
            if wire == LENGTH:
                size = data[at]
                at += 1
                if size > 127:
                    size, at = varint(data, at - 1)
                if at + size > end:
                    raise BrokenMessage("a field is longer than its message")
                yield tag >> 3, LENGTH, at, at + size
                at += size
            elif wire == VARINT:
                value, at = varint(data, at)
                yield tag >> 3, VARINT, value, 0
            elif wire in (FIXED64, FIXED32):
                size = 8 if wire == FIXED64 else 4
                yield tag >> 3, wire, at, at + size
                at += size
            else:
                raise BrokenMessage("an unknown wire type")
    except IndexError as error:
        raise BrokenMessage("it breaks off") from error
    if at != end:
        raise BrokenMessage("it breaks off")


def opened(data: bytes, at: int) -> tuple[int, int, int, int]:
    """The field that begins at a place, like `fields`, in data that may break off behind its beginning.

    Raises BrokenMessage, IndexError.
    """
    tag, at = varint(data, at)
    wire = tag & 7
    if wire == LENGTH:
        size, at = varint(data, at)
        return tag >> 3, wire, at, at + size
    return tag >> 3, wire, at, at


def varint(data: bytes, at: int) -> tuple[int, int]:
    """An unsigned varint and the position after it. Raises BrokenMessage, IndexError at the end of data."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
        if shift > 63:
            raise BrokenMessage("a number is too long")
