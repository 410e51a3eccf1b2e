"""Which tools an administrator has allowed, each as it was then: a file next to the servers' own, that can be read and
kept with it.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from server.errors import ConfigError


def fingerprint(description: str, schema: Mapping[str, Any]) -> str:
    """Of what a model would read of a tool."""
    text = json.dumps([description, schema], sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class AllowedTools:
    """The file `<name>.allowed.json`: fingerprints by server and tool."""

    def __init__(self, servers: Path) -> None:
        self.path = servers.with_name(f"{servers.stem}.allowed.json")

    def read(self) -> dict[str, dict[str, str]]:
        """By server and tool; empty where nothing was allowed yet. Raises ConfigError."""
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise ConfigError(f"{self.path} cannot be read: {error}") from None
        if not isinstance(found, dict) or not all(isinstance(tools, dict) for tools in found.values()):
            raise ConfigError(f"{self.path} has not the form that `flamechat mcp-servers allow` writes")
        return found

    def allow(self, server: str, fingerprints: Mapping[str, str]) -> None:
        """From now on, as they are. Raises ConfigError."""
        known = self.read()
        known[server] = known.get(server, {}) | dict(fingerprints)
        self._write(known)

    def forget(self, server: str, tool: str) -> None:
        """Off, until it is allowed again. Raises ConfigError."""
        known = self.read()
        if known.get(server, {}).pop(tool, None) is not None:
            self._write(known)

    def _write(self, known: Mapping[str, Any]) -> None:
        beginning = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        try:
            beginning.write_text(json.dumps(known, indent=2, sort_keys=True) + "\n", encoding="utf-8")
            beginning.replace(self.path)
        except OSError as error:
            raise ConfigError(f"{self.path} cannot be written: {error.strerror}") from None
