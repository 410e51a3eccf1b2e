"""The project's own tests in `supabase/tests`, against the embedded PostgreSQL. pgTAP is plain SQL, so it is loaded
without being installed there: from PGTAP_SQL, or where Debian's postgresql-15-pgtap puts it.
"""

import os
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from tests.plugins.postgres import FreshDatabase

TESTS = Path(__file__).parents[2] / "supabase" / "tests"
USUAL = Path("/usr/share/postgresql")


def pgtap() -> Path:
    """pgTAP's functions as one file; the test is skipped, saying so, where there is none."""
    named = os.environ.get("PGTAP_SQL")
    found = [Path(named)] if named else sorted(USUAL.glob("*/extension/pgtap.sql"))
    if not found or not found[-1].is_file():
        pytest.skip("no pgTAP: install postgresql-15-pgtap, or name its pgtap.sql in PGTAP_SQL")
    return found[-1]


def outcome(database: FreshDatabase, test: Path) -> list[str]:
    """The lines of TAP that a test file says."""
    with psycopg.connect(database.owner, autocommit=True) as owner:
        owner.execute("create schema tap")
        owner.execute("grant usage on schema tap to public")
        owner.execute("set search_path = tap, public, extensions")
        owner.execute(sql.SQL(pgtap().read_text(encoding="utf-8")))
        cursor = owner.execute(sql.SQL(test.read_text(encoding="utf-8")))
        lines: list[str] = []
        while True:
            if cursor.description is not None:
                lines += [str(row[0]) for row in cursor.fetchall()]
            if not cursor.nextset():
                return lines


@pytest.mark.parametrize("test", sorted(TESTS.glob("*.sql")), ids=lambda path: path.stem)
def test_the_projects_own_test_passes(database: FreshDatabase, test: Path) -> None:
    lines = outcome(database, test)
    planned = next(int(line.removeprefix("1..")) for line in lines if line.startswith("1.."))
    assert [line for line in lines if line.startswith(("not ok", "#"))] == []
    assert len([line for line in lines if line.startswith("ok ")]) == planned
