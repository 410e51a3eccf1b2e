"""Bytes of a text that are not UTF-8: of another encoding, or broken on their way."""

from traces.lazy_regex import lazy_regex

HIGH = lazy_regex(
    rb"(?:[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})+|([\x80-\xff])"
)
"""Characters beyond ASCII, as RFC 3629 writes them (section 4), or a byte that begins none."""


def invalid_bytes(content: bytes | memoryview) -> int:
    """How many bytes belong to no character."""
    return sum(found[1] is not None for found in HIGH.finditer(content))


def with_question_marks(content: bytes | memoryview) -> tuple[bytes, int]:
    """The content with a question mark for each byte that belongs to no character, everything at its place; and how
    many there were; where there is none, nothing and 0."""
    count = invalid_bytes(content)
    if not count:
        return b"", 0
    return HIGH.sub(lambda found: b"?" if found[1] is not None else found[0], content), count
