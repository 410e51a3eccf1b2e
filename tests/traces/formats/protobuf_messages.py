"""Protobuf's wire format, written by hand: https://protobuf.dev/programming-guides/encoding."""


def varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; a negative number as its 64 bits."""
    out = bytearray()
    value &= (1 << 64) - 1
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def message(*fields: tuple[int, int | bytes | str]) -> bytes:
    """Numbered fields: numbers as varints, texts and inner messages with their length."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            data = value.encode() if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(data)) + data
    return out
