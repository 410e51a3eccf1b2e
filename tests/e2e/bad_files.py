"""Files that are no trace, and one that is too large: what people drop by mistake, and what they send on purpose."""

import gzip

MAX_UPLOAD_BYTES = 2_000_000
"""What the server of these tests takes: small, so that a file over it is small too."""

BAD_FILES = {
    "empty.json": b"",
    "notes.txt": b"These are notes about a meeting, and no trace at all.\n" * 190,
    "truncated.json.gz": gzip.compress(b'{"traceEvents": [' + b'{"ph": "X"},' * 5000)[:60],
    "orders.json": b'{"orders": [{"id": 1}, {"id": 2}]}',
    "bomb.json.gz": gzip.compress(b" " * 200_000_000, compresslevel=9),
    "large.json": b'{"traceEvents": []}' + b" " * MAX_UPLOAD_BYTES,
}
