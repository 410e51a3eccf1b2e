"""What parts of programs are called in other languages: `tri`, `Sortierung` and `排序` are `sort`."""

import tomllib
from functools import cache
from pathlib import Path

from traces.lazy_regex import lazy_regex

TABLE = Path(__file__).with_name("subject_words.toml")
_WITHOUT_SPACES = lazy_regex(r"[\u3040-\u30ff\u3400-\u9fff]")


def in_english(word: str) -> str:
    """The English word that functions are named with; the word itself where the table has it not."""
    return _table().get(word.casefold(), word)


def words_without_spaces() -> tuple[str, ...]:
    """Those of scripts that write without spaces, the longest first."""
    return tuple(sorted(filter(_WITHOUT_SPACES.search, _table()), key=len, reverse=True))


@cache
def _table() -> dict[str, str]:
    languages = tomllib.loads(TABLE.read_text(encoding="utf-8")).values()
    rows = (row.partition("=") for words in languages for row in words.split())
    return {word.casefold(): english for word, _, english in rows}
