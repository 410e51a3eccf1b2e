r"""Half characters in JSON: `\ud83d` without its other half, as JavaScript writes texts that were cut in the middle of
one. JSON's readers refuse them (RFC 8259, section 8.2); a trace should not be lost for that.
"""

import re

from traces.lazy_regex import lazy_regex

ESCAPE = lazy_regex(
    rb"\\(?:(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
HALF = lazy_regex(rb"\\u[dD][89a-fA-F]")
REPLACEMENT = rb"\ufffd"
"""As long as what it replaces, so that everything behind it keeps its place."""


def without_half_characters(json: bytes | memoryview) -> tuple[bytes, int]:
    """The text with a replacement character for each half one, everything at its place; and how many there were;
    where there is none, nothing and 0."""
    if not HALF.search(json):
        return b"", 0
    halves = 0

    def replacement(escape: re.Match[bytes]) -> bytes:
        nonlocal halves
        halves += escape[2] is not None
        return escape[0] if escape[2] is None else REPLACEMENT

    return ESCAPE.sub(replacement, json), halves
