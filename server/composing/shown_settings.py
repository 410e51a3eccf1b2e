"""The settings in force as people read them: no secret, and where each value comes from."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import AliasChoices, SecretStr

from server.composing.flag_provider import described_flags
from server.edges.cli.config import ShownSetting
from server.settings import PREFIX, Settings, load_settings

HIDDEN = "(set, not shown)"
NOT_SET = "(not set)"
_PASSWORD = re.compile(r"(?<=://)[^/@\s]*@")


def shown_settings(data: Path | None = None, *, environment: Mapping[str, str] = os.environ) -> list[ShownSetting]:
    """Every setting in the order of docs/settings.md, `data` as the command line gave it; then the flags of a file.
    Raises ConfigError."""
    settings = load_settings(data=data)
    given = {name.upper() for name, value in environment.items() if value}
    shown = [
        ShownSetting(
            PREFIX + name.upper(),
            _shown(getattr(settings, name)),
            "--data" if name == "data" and data is not None else _source(name, given),
        )
        for name in Settings.model_fields
    ]
    return shown + [
        ShownSetting(f"flag {name}", described, f"{PREFIX}FLAGS") for name, described in described_flags(settings.flags)
    ]


def _source(name: str, given: set[str]) -> str:
    """The variable that counts: the first of a setting's names that is set."""
    alias = Settings.model_fields[name].validation_alias
    names = [str(one) for one in alias.choices] if isinstance(alias, AliasChoices) else [PREFIX + name.upper()]
    return next((one for one in names if one.upper() in given), "default")


def _shown(value: Any) -> str:
    if isinstance(value, SecretStr):
        return HIDDEN
    if value is None or value == ():
        return NOT_SET
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return str(value).lower()
    return _PASSWORD.sub("***@", str(value))
