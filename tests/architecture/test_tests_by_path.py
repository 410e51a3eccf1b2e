"""Every module's tests are found: by its path, or by what they import."""

from pathlib import Path

from tests.mutation.selection import Selection

ROOT = Path(__file__).parents[2]
FEW_LINES = 60
"""A shorter module is tested through those that use it."""


def test_every_module_has_tests_that_its_path_or_an_import_leads_to() -> None:
    selection = Selection(ROOT)
    long = [path for path in selection.modules.values() if (ROOT / path).read_bytes().count(b"\n") > FEW_LINES]
    assert len(long) > 100
    assert [str(path) for path in long if not selection.own(path) + selection.importing(path)] == []
