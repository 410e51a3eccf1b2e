"""What programs write into JSON that JSON does not have: numbers that are none, and commas behind the last element.

Python's `json` writes NaN and Infinity, and tracers that write event by event a comma behind each.
"""

import re

from traces.lazy_regex import lazy_regex

LOOSE = lazy_regex(rb"NaN|Infinity|,\s*[\]}]")
TOKEN = lazy_regex(rb'"(?:[^"\\]|\\.)*+"|,(?=\s*[\]}])|-?Infinity|NaN')


def with_nulls(document: bytes | memoryview) -> tuple[bytes | memoryview, int]:
    """The document as JSON, every byte in its place, and how much was replaced: of NaN an empty text is left, as `null`
    is longer."""
    if LOOSE.search(document) is None:
        return document, 0
    count = 0

    def replacement(token: re.Match[bytes]) -> bytes:
        nonlocal count
        text = token[0]
        if text.startswith(b'"'):
            return text
        count += 1
        return {b",": b" ", b"NaN": b'"" '}.get(text, b"null".ljust(len(text)))

    return TOKEN.sub(replacement, document), count
