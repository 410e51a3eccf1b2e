"""Regular expressions that are compiled when a text comes that they may match."""

import re
from collections.abc import Callable, Sequence
from typing import Any, AnyStr, cast

from traces.needed_text import Needs, may_match, needed

ASKED_BEFORE = 200
"""Texts without a match after which it is compiled anyway: then looking for what it needs costs more."""

_NOTHING: dict[str, Callable[[Any], Any]] = {
    "search": lambda text: None,
    "match": lambda text: None,
    "fullmatch": lambda text: None,
    "finditer": lambda text: iter(()),
    "findall": lambda text: [],
    "split": lambda text: [text],
}
"""What the methods answer of a text that has no match."""

_METHODS = (*_NOTHING, "sub", "subn")


class _LazyRegex:
    """Stands for a pattern. Once it is compiled its methods are the pattern's own: a further call costs no more."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags
        self._needs: Needs | None = None
        self._asked = 0

    def _may_match(self, text: Any) -> bool:
        if isinstance(self.pattern, bytes) or not isinstance(text, str) or self._asked == ASKED_BEFORE:
            return True
        self._asked += 1
        return self.may_match(text)

    def may_match(self, text: str) -> bool:
        """Whether a text has what the expression needs."""
        if isinstance(self.pattern, bytes):
            return True
        if self._needs is None:
            self._needs = needed(self.pattern, self._flags)
        return may_match(self._needs, text)

    def compiled(self) -> "re.Pattern[Any]":
        """The pattern itself."""
        compiled: re.Pattern[Any] = re.compile(self.pattern, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return compiled

    def sub(self, repl: Any, string: Any, count: int = 0) -> Any:
        """As the pattern's."""
        return self.compiled().sub(repl, string, count) if self._may_match(string) else string

    def subn(self, repl: Any, string: Any, count: int = 0) -> Any:
        """As the pattern's."""
        return self.compiled().subn(repl, string, count) if self._may_match(string) else (string, 0)

    def __getattr__(self, name: str) -> Any:
        if name not in _NOTHING:
            return getattr(self.compiled(), name)

        def ask(string: Any, *more: Any, **named: Any) -> Any:
            """What a loop may have taken before the pattern was compiled."""
            if name not in vars(self):
                if not self._may_match(string):
                    return _NOTHING[name](string)
                self.compiled()
            return vars(self)[name](string, *more, **named)

        return ask


def lazy_regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern as `re.compile` gives it, for modules with many: a command that answers one question uses a part of
    them, and compiling all takes a quarter of its time.

    What it is used by must be its methods: functions of `re` take no such stand-in. A mistake in the expression is
    raised at the first use that compiles it.
    """
    return cast("re.Pattern[AnyStr]", _LazyRegex(pattern, int(flags)))


def found_in(pattern: re.Pattern[str], texts: Sequence[str]) -> list[bool]:
    """Whether a pattern is found in each text. What it needs is looked for in all of them at once."""
    stand_in: object = pattern
    if isinstance(stand_in, _LazyRegex):
        if not stand_in.may_match("\n".join(texts)):
            return [False] * len(texts)
        pattern = stand_in.compiled()
    return [pattern.search(text) is not None for text in texts]
