"""Small parts of large samples: most mutations of a large file are of a part that is read like the rest.

What a mutation tries is how a format's parts refer to each other, which a hundredth of a file shows as well as all of
it; ten thousand readings of megabytes would show it hundreds of times more slowly. Lines, elements of JSON's longest
lists or protobuf's fields are left out, more and more finely, as long as the engine gives a trace of the same format,
kinds, values and warnings. Another binary file has no such parts, and is not cut.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from traces.errors import TraceError
from traces.reader import read_trace

SMALL_BYTES = 64 << 10
"""Samples up to this size are never cut."""
ENOUGH_BYTES = 16 << 10
"""Nothing more is left out of what is this small, and nothing that leaves less than half of it."""
FINEST = 128
"""So small a share of a list is left out at a time at last."""
MOST_LISTS = 8
Joined = Callable[[Sequence[int]], bytes]
Alike = Callable[[bytes], bool]


def excerpt(content: bytes, folder: Path) -> bytes:
    """A part of a large `content`, kept in `folder` for the next time; all of a small one."""
    if len(content) <= SMALL_BYTES or (facts := _facts(content)) is None:
        return content
    kept = folder / hashlib.sha256(content).hexdigest()
    if not kept.exists():
        folder.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(min(content, _reduced(content, lambda part: _facts(part) == facts), key=len))
    return kept.read_bytes()


def _facts(content: bytes) -> object:
    """What an excerpt must have in common with its source; None of what is no trace."""
    try:
        trace = read_trace(content, name="sample")
    except TraceError:
        return None
    kinds = {(profile.kind, tuple(value.name for value in profile.values)) for profile in trace.profiles}
    return trace.format, kinds, {warning.code for warning in trace.warnings}


def _reduced(content: bytes, is_alike: Alike) -> bytes:
    if content[:1] in (b"{", b"["):
        return _reduced_json(content, is_alike)
    pieces = _fields(content) or content.splitlines(keepends=True)
    rows = _fewest(len(pieces), lambda rows: b"".join(pieces[row] for row in rows), is_alike)
    return b"".join(pieces[row] for row in rows)


def _fewest(count: int, joined: Joined, is_alike: Alike) -> list[int]:
    """Rows that are enough, found by leaving out halves, quarters and so on, the last ones first."""
    kept = list(range(count))
    share = 2
    while share <= FINEST and len(kept) > 1 and len(joined(kept)) > ENOUGH_BYTES:
        step = max(1, count // share)
        for end in range(len(kept), 0, -step):
            fewer = kept[: max(0, end - step)] + kept[end:]
            part = joined(fewer)
            if len(part) >= ENOUGH_BYTES // 2 and is_alike(part):
                kept = fewer
        share *= 2
    return kept


def _reduced_json(content: bytes, is_alike: Alike) -> bytes:
    """JSON with less in its longest lists; lists of one length side by side are columns and lose the same rows."""
    try:
        root = [json.loads(content)]
    except ValueError:  # an array without its end is read, too
        return content
    for holder, key in _longest(root) * 2:  # what rows of another list named may be left out once those are gone
        if key not in (holder if isinstance(holder, dict) else range(len(holder))):
            continue
        size = len(holder[key])
        parallel = (
            [other for other, value in holder.items() if _is_list(value, size)] if isinstance(holder, dict) else [key]
        )
        columns = {other: holder[other] for other in parallel}

        def joined(rows: Sequence[int], holder: Any = holder, columns: dict[Any, list[Any]] = columns) -> bytes:
            for name, column in columns.items():
                holder[name] = [column[row] for row in rows]
            return json.dumps(root[0]).encode()

        joined(_fewest(size, joined, is_alike))
    return json.dumps(root[0]).encode()


def _longest(root: list[Any]) -> list[tuple[Any, Any]]:
    """Where the largest lists are that have many elements: container and key."""
    found: list[tuple[int, Any, Any]] = []
    left: list[Any] = [root]
    while left:
        holder = left.pop()
        for key, value in holder.items() if isinstance(holder, dict) else enumerate(holder):
            if isinstance(value, dict | list):
                left.append(value)
            if _is_list(value) and len(value) >= 2 * FINEST:
                found.append((len(json.dumps(value)), holder, key))
    found.sort(key=lambda place: -place[0])
    return [(holder, key) for _, holder, key in found[:MOST_LISTS]]


def _is_list(value: Any, size: int | None = None) -> bool:
    return isinstance(value, list) and size in (None, len(value))


def _fields(content: bytes) -> list[bytes]:
    """The fields of a protobuf message, each with its tag; none where it is no message."""
    pieces, at = [], 0
    while at < len(content):
        end = _number(content, at)
        wire = content[at] & 7
        if wire == 0:
            end = _number(content, end)
        elif wire in (1, 5):
            end += 8 if wire == 1 else 4
        elif wire == 2:
            first, end = end, _number(content, end)
            end += sum((byte & 127) << 7 * place for place, byte in enumerate(content[first:end]))
        else:
            return []
        pieces.append(content[at:end])
        at = end
    return pieces if at == len(content) else []


def _number(content: bytes, at: int) -> int:
    """Where the number ends that begins there."""
    while at < len(content) and content[at] > 127:
        at += 1
    return at + 1
