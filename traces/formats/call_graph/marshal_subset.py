"""The part of Python's marshal format that a saved profile uses, read without trusting it.

`marshal.loads` may crash on hostile bytes; this raises instead. Format: Python/marshal.c of CPython, versions 2 to 5.
"""

import struct

Value = None | bool | int | float | str | tuple["Value", ...] | dict["Value", "Value"]
MAX_DEPTH = 8
REFERENCED = 0x80
INT, FLOAT = struct.Struct("<i"), struct.Struct("<d")
SHORT_STRINGS, LONG_STRINGS = b"zZ", b"aAut"


class BrokenMarshal(Exception):
    """The text says what is wrong."""


class BreaksOff(BrokenMarshal):
    pass


def read_marshal(data: bytes) -> tuple[Value, int]:
    """The one value that `data` holds, and how many bytes of it: of a dictionary that breaks off, the pairs that are
    complete. Raises BrokenMarshal."""
    reader = _Reader(data)
    try:
        return reader.value(0), reader.kept
    except (struct.error, IndexError) as error:
        raise BreaksOff("it breaks off") from error
    except TypeError as error:
        raise BrokenMarshal("a key is a dictionary") from error


class _Null:
    """Ends a dictionary."""


NULL = _Null()


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._known: list[Value] = []
        self.kept = len(data)

    def value(self, depth: int) -> Value:
        value = self._next(depth)
        if isinstance(value, _Null):
            raise BrokenMarshal("a dictionary ends where none began")
        return value

    def _next(self, depth: int) -> Value | _Null:
        code = self._data[self._at]
        self._at += 1
        kind = code & ~REFERENCED
        if kind == ord("r"):
            number = self._int()
            if not 0 <= number < len(self._known):
                raise BrokenMarshal("it refers to a value that it does not hold")
            return self._known[number]
        slot = -1
        if code & REFERENCED and kind in b"(){":
            slot = len(self._known)
            self._known.append(None)  # a container is numbered before what it holds
        if kind == ord("0"):
            return NULL
        value = self._container(kind, depth) if kind in b"(){" else self._scalar(kind)
        if slot >= 0:
            self._known[slot] = value
        elif code & REFERENCED:
            self._known.append(value)
        return value

    def _container(self, kind: int, depth: int) -> Value:
        if depth >= MAX_DEPTH:
            raise BrokenMarshal("it is nested too deeply")
        if kind == ord("{"):
            return self._dictionary(depth)
        size = self._data[self._at] if kind == ord(")") else INT.unpack_from(self._data, self._at)[0]
        self._at += 1 if kind == ord(")") else 4
        if not 0 <= size <= len(self._data) - self._at:
            raise BreaksOff("it breaks off")
        return tuple([self.value(depth + 1) for _ in range(size)])

    def _dictionary(self, depth: int) -> Value:
        pairs: dict[Value, Value] = {}
        start = self._at
        try:
            while not isinstance(key := self._next(depth + 1), _Null):
                pairs[key] = self.value(depth + 1)
                start = self._at
        except (struct.error, IndexError, BreaksOff):
            if depth or not pairs:
                raise
            self.kept = start
        return pairs

    def _scalar(self, kind: int) -> Value:
        if kind in SHORT_STRINGS:
            size = self._data[self._at]
            self._at += 1
            return self._text(size)
        if kind in LONG_STRINGS:
            return self._text(self._int())
        if kind == ord("i"):
            return self._int()
        if kind == ord("g"):
            number: float = FLOAT.unpack_from(self._data, self._at)[0]
            self._at += 8
            return number
        if kind == ord("l"):
            return self._long()
        if kind in b"NTF":
            return {ord("N"): None, ord("T"): True, ord("F"): False}[kind]
        raise BrokenMarshal("it holds a kind of value that no profile has")

    def _int(self) -> int:
        number: int = INT.unpack_from(self._data, self._at)[0]
        self._at += 4
        return number

    def _long(self) -> int:
        size = self._int()  # digits of 15 bits, negative for a negative number
        if abs(size) > 8:
            raise BrokenMarshal("a number is out of range")
        number = 0
        for place in range(abs(size)):
            number |= struct.unpack_from("<H", self._data, self._at)[0] << 15 * place
            self._at += 2
        return number if size >= 0 else -number

    def _text(self, size: int) -> str:
        end = self._at + size
        if size < 0 or end > len(self._data):
            raise BreaksOff("it breaks off")
        text = self._data[self._at : end].decode("utf-8", "replace")
        self._at = end
        return text
