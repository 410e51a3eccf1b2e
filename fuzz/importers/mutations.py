"""Ways to break a file: on its bytes, its lines, its numbers, and on the values of its JSON.

`mutated(content, other, seed)` gives the same bytes for the same arguments on every machine.
"""

import json
import random
import re
from collections.abc import Callable
from typing import Any

SECRET = b"hunter2-hunter2"
"""Put into files as if it were somebody's own text: no refusal may say it."""
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
DEEP = "@@deep@@"
MOST_GROWTH = 1 << 20
"""A mutation adds at most this many bytes: what is looked for is what small files can do."""
NUMBERS = (
    *(b"0", b"-1", b"-0", b"0.5", b"-0.0000001", b"1e300", b"-1e300", b"1e999", b"1e-999", b"NaN", b"-Infinity"),
    *(b"%d" % (sign * 2**bits + off) for bits in (15, 31, 32, 53, 61, 63, 64) for sign in (1, -1) for off in (-1, 0)),
    *(b"1" * 40, b"9" * 400, b"007", b"1.", b".5", b"0x10", b"1_000", "٣".encode()),
)
TOKENS = (
    *NUMBERS,
    *(b"null", b"true", b"{}", b"[]", b'""', b'"', b"\\", b"\\u0000", b"\\ud800", b"{", b"}", b"[", b"]", b",", b":"),
    *(b"\n", b"\r\n", b"\n\n", b"\t", b" ", b";", b";;", b"#", b"(", b")", b"<", b">", b"=", b"%", b"+0x", b"-"),
    *(b"\x00", b"\x00" * 64, b"\xff", b"\xff" * 9 + b"\x01", b"\xff" * 16, b"\x80" * 12, b"\x7f\xff\xff\xff"),
    *(b"\xed\xa0\x80", b"\xc3", b"\xef\xbb\xbf", b"\xff\xfe", "é".encode(), "\u2028".encode(), "\x85".encode()),
    *(b"A" * 70_000, b"[" * 5_000, b'{"a":' * 3_000, b"a;" * 3_000, SECRET, b'"' + SECRET + b'"'),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 0.5, -0.5, 1e300, -1e300, float("nan"), float("inf"), 2**31, 2**53, 2**62, 2**63),
    *(2**64, -(2**63), -(2**64), 10**400, "", "0", "12.5", "-1", "1e999", "x" * 70_000, "\ud800", "\x00", "a\nb;c"),
    *(SECRET.decode(), [], {}, [[]], [{}], [None], DEEP, [DEEP], {"a": DEEP}, [0] * 40, {SECRET.decode(): 1}),
)


def mutated(content: bytes, other: bytes, seed: str) -> bytes:
    """`content` with one to four things broken; `other` is what pieces are borrowed from."""
    rng = random.Random(seed)
    if content[:1] in (b"{", b"[") and rng.random() < 0.6:
        broken = _json(content, rng)
        if broken is not None:
            return broken
    out = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        rng.choice(WAYS)(out, other, rng)
    return bytes(out[: len(content) + MOST_GROWTH])


def _span(size: int, rng: random.Random, most: int | None = None) -> tuple[int, int]:
    """A piece of what is `size` long: mostly short."""
    start = rng.randint(0, size)
    longest = size - start if most is None else min(most, size - start)
    return start, start + min(longest, int(longest ** rng.random()))


def _flip(out: bytearray, _: bytes, rng: random.Random) -> None:
    for _turn in range(rng.choice((1, 1, 2, 8))):
        if out:
            out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)


def _set(out: bytearray, _: bytes, rng: random.Random) -> None:
    if out:
        out[rng.randrange(len(out))] = rng.choice(b'\x00\x01\x7f\x80\xff"\\{}[],: \n09-')


def _cut(out: bytearray, _: bytes, rng: random.Random) -> None:
    del out[rng.randint(0, len(out)) :]


def _behead(out: bytearray, _: bytes, rng: random.Random) -> None:
    del out[: rng.randint(0, len(out)) // 2]


def _drop(out: bytearray, _: bytes, rng: random.Random) -> None:
    start, end = _span(len(out), rng)
    del out[start:end]


def _repeat(out: bytearray, _: bytes, rng: random.Random) -> None:
    start, end = _span(len(out), rng, 4_000)
    out[start:start] = out[start:end] * rng.choice((1, 1, 2, 50))


def _move(out: bytearray, _: bytes, rng: random.Random) -> None:
    start, end = _span(len(out), rng)
    piece = out[start:end]
    at, over = _span(len(out), rng)
    out[at : over if rng.random() < 0.5 else at] = piece


def _splice(out: bytearray, other: bytes, rng: random.Random) -> None:
    start, end = _span(len(other), rng)
    at, over = _span(len(out), rng)
    out[at:over] = other[start:end]


def _insert(out: bytearray, _: bytes, rng: random.Random) -> None:
    at, over = _span(len(out), rng, 20)
    out[at : over if rng.random() < 0.5 else at] = rng.choice(TOKENS)


def _number(out: bytearray, _: bytes, rng: random.Random) -> None:
    found = NUMBER.search(out, rng.randint(0, len(out)))
    if found is not None:
        twin = NUMBER.search(out, rng.randint(0, len(out)))
        same = twin[0] if twin is not None and rng.random() < 0.3 else rng.choice(NUMBERS)
        out[found.start() : found.end()] = same


def _word(out: bytearray, _: bytes, rng: random.Random) -> None:
    """A little-endian or big-endian number of a binary file becomes a boundary."""
    width = rng.choice((1, 2, 4, 8))
    if len(out) >= width:
        at = rng.randrange(len(out) - width + 1)
        value = rng.choice((0, 1, 2 ** (8 * width) - 1, 2 ** (8 * width - 1), 2 ** (8 * width - 1) - 1, len(out)))
        out[at : at + width] = (value % 2 ** (8 * width)).to_bytes(width, rng.choice(("little", "big")))


def _lines(out: bytearray, _: bytes, rng: random.Random) -> None:
    lines = bytes(out).split(b"\n")
    at, to = rng.randrange(len(lines)), rng.randrange(len(lines))
    way = rng.randrange(4)
    if way == 0:
        lines[at], lines[to] = lines[to], lines[at]
    elif way == 1:
        lines.insert(to, lines[at])
    elif way == 2:
        del lines[at]
    else:
        words = lines[at].split(b" ")
        rng.shuffle(words)
        lines[at] = b" ".join(words)
    out[:] = b"\n".join(lines)


WAYS: tuple[Callable[[bytearray, bytes, random.Random], None], ...] = (
    *(_flip, _flip, _set, _cut, _behead, _drop, _repeat, _move, _splice, _insert, _insert, _number, _number, _word),
    _lines,
)


def _json(content: bytes, rng: random.Random) -> bytes | None:
    """The JSON of `content` with some values broken; None where it is none."""
    try:
        root = [json.loads(content)]
    except (ValueError, RecursionError):
        return None
    for _ in range(rng.choice((1, 1, 2, 3))):
        place = _place(root, rng)
        if place is not None:
            _break(*place, _place(root, rng), rng)
    try:
        text = json.dumps(root[0]) if root else ""
    except (ValueError, RecursionError):  # a value that came to hold itself
        return None
    depth = rng.choice((100, 990, 2_000, 50_000))
    deep = rng.choice(("[" * depth + "]" * depth, '{"children":[' * depth + "]}" * depth))
    return text.replace(f'"{DEEP}"', deep, 3).encode("utf-8", "surrogatepass")[: len(content) + 4 * MOST_GROWTH]


def _place(root: list[Any], rng: random.Random) -> tuple[Any, Any] | None:
    """A container and a key of it, chosen by walking down from the root."""
    holder: Any = root
    while True:
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        if not keys:
            return None
        key = rng.choice(keys)
        value = holder[key]
        if not isinstance(value, dict | list) or not value or rng.random() < 0.15:
            return holder, key
        holder = value


def _break(holder: Any, key: Any, other: tuple[Any, Any] | None, rng: random.Random) -> None:
    value = holder[key]
    way = rng.randrange(10)
    if way == 0 and isinstance(holder, dict):
        del holder[key]
    elif way == 0:
        holder.insert(key, value)
    elif way == 1 and isinstance(holder, dict):
        holder[rng.choice(("", "id", "name", "parent", "children", "ts", SECRET.decode()))] = holder.pop(key)
    elif way == 1:
        del holder[key]
    elif way == 2 and isinstance(value, list):
        rng.shuffle(value)
    elif way == 3 and isinstance(value, list):
        del value[rng.randint(0, len(value)) :]
    elif way in (2, 3, 4) and isinstance(value, int | float):
        holder[key] = rng.choice((-value, value + 1, value * 10**6, str(value), value * 2**40))
    elif way in (4, 5, 6) and other is not None:
        holder[key] = other[0][other[1]]
    else:
        holder[key] = rng.choice(VALUES)
