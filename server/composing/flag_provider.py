"""The flags of the settings: a file's, or those of a provider that another package brings."""

from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING

from server.agent.tools.all_tools import TOOLS
from server.errors import ConfigError
from server.settings import PREFIX, Settings

if TYPE_CHECKING:
    from server.ports.flags import Flags

GROUP = "flamechat.flags"
"""Entry points: functions without arguments that return a provider of OpenFeature."""


def flags_of_settings(settings: Settings) -> "Flags | None":
    """None where nothing is tried. Raises ConfigError."""
    given = settings.flags
    if given is None:
        return None
    from server.adapters.flags.flag_file import file_provider, read_rules
    from server.adapters.flags.openfeature_flags import OpenFeatureFlags

    names = tuple(tool.name for tool in TOOLS)
    if is_file(given):
        rules = read_rules(Path(given), names)
        if (rule := rules.get("executor")) is not None and rule.value == "langgraph" and settings.langgraph_url is None:
            raise ConfigError(f"FLAMECHAT_FLAGS: {given}, executor: there is no server in {PREFIX}LANGGRAPH_URL")
        return OpenFeatureFlags(file_provider(rules), names)
    found = entry_points(group=GROUP, name=given)
    if not found:
        raise ConfigError(f"FLAMECHAT_FLAGS: {given} is neither a .toml file nor an entry point of {GROUP}")
    return OpenFeatureFlags(next(iter(found)).load()(), names)


def is_file(given: str) -> bool:
    """Whether the setting names a file and no provider."""
    return given.endswith(".toml")


def described_flags(given: str | None) -> list[tuple[str, str]]:
    """The flags of a file by name, and what each gives to whom; none without a file. Raises ConfigError."""
    if given is None or not is_file(given):
        return []
    from server.adapters.flags.flag_file import read_rules

    rules = read_rules(Path(given), tuple(tool.name for tool in TOOLS))
    return [(name, rule.described()) for name, rule in rules.items()]
