"""speedscope's own JSON."""

from traces.formats.format import Format
from traces.formats.head import Head


def looks_like_speedscope(head: Head) -> bool:
    """An object that names the schema, or has its two parts."""
    if head.json is None or head.json.root != "object":
        return False
    if "$schema" in head.json.keys and b"speedscope.app/file-format-schema" in head.data:
        return True
    return "profiles" in head.json.keys and ("shared" in head.json.keys or b'"evented"' in head.data)


SPEEDSCOPE = Format("speedscope", "speedscope JSON", looks_like_speedscope, __name__)
