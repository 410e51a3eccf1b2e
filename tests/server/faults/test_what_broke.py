"""docs/operations.md, "What broke, and its tests": ten findings, each with tests that are there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
FINDINGS = 10


def test_every_finding_has_tests_that_are_there() -> None:
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    table = text.partition("## What broke, and its tests")[2].partition("\n## ")[0]
    named = {
        int(row[1]): re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row[0]) for row in re.finditer(r"\| (\d+) \|.*", table)
    }
    assert list(named) == list(range(1, FINDINGS + 1))
    assert [number for number, tests in named.items() if not tests] == []
    sources = {path: (ROOT / path).read_text(encoding="utf-8") for tests in named.values() for path, _ in tests}
    gone = [name for tests in named.values() for path, name in tests if f"def {name}(" not in sources[path]]
    assert gone == []
