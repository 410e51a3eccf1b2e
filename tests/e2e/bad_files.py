"""Files that are no trace, and one that is too large: what people drop by mistake, and what they send on purpose."""

import gzip
from functools import cache

MAX_UPLOAD_BYTES = 2_000_000
"""What the server of these tests takes: small, so that a file over it is small too."""

_SMALL = {
    "empty.json": b"",
    "notes.txt": b"These are notes about a meeting, and no trace at all.\n" * 190,
    "truncated.json.gz": gzip.compress(b'{"traceEvents": [' + b'{"ph": "X"},' * 5000)[:60],
    "orders.json": b'{"orders": [{"id": 1}, {"id": 2}]}',
    "large.json": b'{"traceEvents": []}' + b" " * MAX_UPLOAD_BYTES,
}
BOMB = "bomb.json.gz"
BAD_FILES = (*_SMALL, BOMB)


@cache
def bad_file(name: str) -> bytes:
    """Its content: the bomb is not packed before somebody asks for it, as every process collects these names."""
    return gzip.compress(b" " * 200_000_000) if name == BOMB else _SMALL[name]
