"""`docs/settings.md` names every setting, its other names, and no more."""

import re
from pathlib import Path

from pydantic import AliasChoices

from server.settings import PREFIX, Settings

PAGE = (Path(__file__).parents[2] / "docs" / "settings.md").read_text(encoding="utf-8")


def test_every_setting_is_described_and_nothing_else_is() -> None:
    described = re.findall(r"^\| `(\w+)` \|", PAGE, flags=re.MULTILINE)
    assert sorted(described) == sorted(PREFIX + name.upper() for name in Settings.model_fields)


def test_the_names_that_teams_already_use_stand_with_their_setting() -> None:
    for name, field in Settings.model_fields.items():
        aliases = field.validation_alias.choices if isinstance(field.validation_alias, AliasChoices) else []
        row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{PREFIX}{name.upper()}`"))
        assert all(f"`{alias}`" in row for alias in aliases), name
