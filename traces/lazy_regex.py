"""Regular expressions that are compiled when they are first used."""

import re
from typing import Any, AnyStr, cast


class _LazyRegex:
    """Stands for a pattern. After the first use its methods are the pattern's own: a further call costs no more."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern, self._flags)
        for method in ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def lazy_regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern as `re.compile` gives it, for modules with many: a command that answers one question uses half of
    them, and compiling all took a fifth of its time.

    What it is used by must be its methods: functions of `re` take no such stand-in. A mistake in the expression is
    raised at the first use.
    """
    return cast("re.Pattern[AnyStr]", _LazyRegex(pattern, int(flags)))
