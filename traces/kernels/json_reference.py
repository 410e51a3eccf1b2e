"""JSON read where it lies, a value at a time: what json.h does, in Python (RFC 8259)."""

import re
from collections.abc import Callable

from traces.kernels.inputs import Buffer
from traces.kernels.library import REASONS, NotReadable, Outcome

MAX_JSON_DEPTH = 960
"""As in json.h."""

SPACE = re.compile(rb"[ \t\r\n]*")
PLAIN_TEXT = re.compile(rb'[^"\\\x00-\x1f]*')
DIGITS = re.compile(rb"[0-9]*")
HEX_DIGITS = re.compile(rb"[0-9a-fA-F]{0,4}")
SIMPLE_ESCAPES = frozenset(b'"\\/bfnrt')
WORDS = {ord("t"): b"true", ord("f"): b"false", ord("n"): b"null"}
QUOTE, BACKSLASH, MINUS, ZERO, POINT = b'"\\-0.'
EXPONENT, SIGNS, NUMBER_STARTS = frozenset(b"eE"), frozenset(b"+-"), frozenset(b"-0123456789")
OPENING = {ord("{"): ord("}"), ord("["): ord("]")}
END = -1


class JsonReader:
    """Places in a document up to `end`. Methods take the place of what they read and return the one behind it.

    They raise NotReadable with the first place that is wrong: malformed, or truncated where that is the end.
    """

    def __init__(self, data: Buffer, end: int | None = None) -> None:
        self.data = memoryview(data).cast("B")
        self.end = len(self.data) if end is None else end

    def byte(self, at: int) -> int:
        """The byte at a place; END behind the last."""
        return self.data[at] if at < self.end else END

    def fault(self, at: int) -> NotReadable:
        """The error of a byte that may not be there, or is missing."""
        outcome = Outcome.TRUNCATED if at >= self.end else Outcome.MALFORMED
        return NotReadable(REASONS[outcome], min(at, self.end))

    def skip_space(self, at: int) -> int:
        return self._behind(SPACE, at)

    def skip_string(self, at: int) -> int:
        at += 1
        while True:
            at = self._behind(PLAIN_TEXT, at)
            byte = self.byte(at)
            if byte == QUOTE:
                return at + 1
            if byte != BACKSLASH:
                raise self.fault(at)
            at = self._skip_escape(at)

    def _skip_escape(self, at: int) -> int:
        """Surrogates come in pairs; a document may break off inside one, but not go on behind half of it."""
        kind = self.byte(at + 1)
        if kind in SIMPLE_ESCAPES:
            return at + 2
        if kind != ord("u"):
            raise self.fault(at + 1)
        code = self._escaped_code(at + 2, at + 2)
        if not 0xD800 <= code <= 0xDFFF:
            return at + 6
        low = at + 6
        if code >= 0xDC00:
            raise self.fault(at + 2)
        if low >= self.end or (low + 1 == self.end and self.byte(low) == BACKSLASH):
            raise self.fault(self.end)
        if (self.byte(low), self.byte(low + 1)) != (BACKSLASH, ord("u")):
            raise self.fault(at + 2)
        if not 0xDC00 <= self._escaped_code(low + 2, at + 2) <= 0xDFFF:
            raise self.fault(at + 2)
        return low + 6

    def _escaped_code(self, at: int, wrong: int) -> int:
        """Four hexadecimal digits; `wrong` is the place of the fault where they are others."""
        stop = self._behind(HEX_DIGITS, at)
        if stop < at + 4:
            raise self.fault(self.end if stop >= self.end else wrong)
        return int(bytes(self.data[at:stop]), 16)

    def skip_number(self, at: int) -> int:
        at += self.byte(at) == MINUS
        first = at
        at = self._behind_digits(at)
        if self.byte(first) == ZERO and at > first + 1:
            raise self.fault(first + 1)
        if self.byte(at) == POINT:
            at = self._behind_digits(at + 1)
        if self.byte(at) in EXPONENT:
            at += 1
            at = self._behind_digits(at + (self.byte(at) in SIGNS))
        return at

    def _behind_digits(self, at: int) -> int:
        """At least one digit stands here."""
        stop = self._behind(DIGITS, at)
        if stop == at:
            raise self.fault(at)
        return stop

    def skip_value(self, at: int) -> int:
        """Any value, with all that is inside of it."""
        open_brackets: list[int] = []
        while True:
            byte = self.byte(at)
            if byte in OPENING:
                if len(open_brackets) == MAX_JSON_DEPTH:
                    raise NotReadable(REASONS[Outcome.TOO_DEEP], at)
                open_brackets.append(byte)
                at = self.skip_space(at + 1)
                if self.byte(at) != OPENING[byte]:
                    at = self.skip_key(at)[1] if byte == ord("{") else at
                    continue
                open_brackets.pop()
                at += 1
            else:
                at = self._skip_scalar(at)
            while open_brackets:  # behind a value: close brackets, or go to the next value
                at = self.skip_space(at)
                byte = self.byte(at)
                if byte == ord(","):
                    at = self.skip_space(at + 1)
                    at = self.skip_key(at)[1] if open_brackets[-1] == ord("{") else at
                    break
                if byte != OPENING[open_brackets[-1]]:
                    raise self.fault(at)
                open_brackets.pop()
                at += 1
            else:
                return at

    def _skip_scalar(self, at: int) -> int:
        byte = self.byte(at)
        if byte == QUOTE:
            return self.skip_string(at)
        if self.is_number(at):
            return self.skip_number(at)
        if byte not in WORDS:
            raise self.fault(at)
        for letter in WORDS[byte]:
            if self.byte(at) != letter:
                raise self.fault(at)
            at += 1
        return at

    def skip_key(self, at: int) -> tuple[bytes, int]:
        """The inside of a key as it is written, and the place of its value."""
        if self.byte(at) != QUOTE:
            raise self.fault(at)
        stop = self.skip_string(at)
        colon = self.skip_space(stop)
        if self.byte(colon) != ord(":"):
            raise self.fault(colon)
        return bytes(self.data[at + 1 : stop - 1]), self.skip_space(colon + 1)

    def read_array(self, at: int, read_element: Callable[[int], int]) -> int:
        """An array; each element is read by a function of its place, which returns the one behind it."""
        at = self.skip_space(at + 1)
        if self.byte(at) == ord("]"):
            return at + 1
        while True:
            at = self.skip_space(read_element(at))
            if self.byte(at) == ord("]"):
                return at + 1
            at = self.skip_space(self.behind_comma(at))

    def behind_comma(self, at: int) -> int:
        """A comma stands here."""
        if self.byte(at) != ord(","):
            raise self.fault(at)
        return at + 1

    def is_number(self, at: int) -> bool:
        """Whether a number may begin here."""
        return self.byte(at) in NUMBER_STARTS

    def _behind(self, pattern: re.Pattern[bytes], at: int) -> int:
        found = pattern.match(self.data, at, self.end)
        return found.end() if found else at
