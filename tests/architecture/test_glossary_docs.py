"""`docs/glossary.md`: short, in order, and of words that are in use."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "glossary.md"
LINES = PAGE.read_text(encoding="utf-8").splitlines()
TERMS = re.findall(r"\*\*([^*]+)\*\*", PAGE.read_text(encoding="utf-8"))
MAX_LINES = 60
READ = {".py", ".c", ".h", ".sql", ".ts", ".tsx", ".md"}


@cache
def words() -> str:
    """Every source and page but the glossary and what tests it, in lower case."""
    rooms = ("traces", "rendering", "limits", "server", "supabase", "web/src", "docs")
    files = (file for room in rooms for file in (ROOT / room).rglob("*") if file.suffix in READ and file != PAGE)
    return "\n".join(
        file.read_text(encoding="utf-8") for file in files if "page" not in file.relative_to(ROOT).parts
    ).lower()


def test_the_glossary_is_short() -> None:
    assert len(LINES) <= MAX_LINES


def test_its_entries_are_alphabetical_and_of_one_line_each() -> None:
    entries = [line for line in LINES if line.startswith("- ")]
    first = [re.findall(r"\*\*([^*]+)\*\*", entry)[0] for entry in entries]
    assert first == sorted(first, key=str.casefold)
    assert len(set(TERMS)) == len(TERMS)
    assert all(re.fullmatch(r"- \*\*.+\*\*.*: .+\.", entry) for entry in entries)
    assert len(entries) == sum(bool(line.strip()) for line in LINES) - 2


@pytest.mark.parametrize("term", TERMS)
def test_a_term_is_in_use(term: str) -> None:
    pattern = r"[\s_-]+".join(map(re.escape, term.lower().split()))
    assert re.search(rf"(?<![a-z]){pattern}s?(?![a-z])", words())
