"""What an account remembers, asked of a running server: as `memory_commands` does on the data folder."""

import json
from typing import Any

from server.edges.cli.memory_commands import facts_without, lines_of
from server.edges.cli.reading import FAILED, fail
from server.edges.cli.server_requests import asked, query_of
from server.errors import ServerError

CORE = "/memory/core"


class ServerMemory:
    """The memory of whom the server takes the caller for. Every method ends the command with the server's reason when
    it refuses."""

    def __init__(self, server: str, token: str | None) -> None:
        self._server = server
        self._token = token

    def read(self) -> dict[str, Any]:
        """`text` has the facts, one a line; `version` is theirs."""
        return asked(self._server, self._token, "GET", CORE)

    def add(self, fact: str) -> dict[str, Any]:
        """What is remembered then."""
        before = self.read()
        return self._write([*lines_of(before), fact], before["version"])

    def forget(self, fact: str) -> dict[str, Any]:
        """Without the fact, which is the line or a part of it that no other has."""
        before = self.read()
        try:
            kept = facts_without(lines_of(before), fact)
        except ServerError as error:
            fail(str(error), FAILED)
        return self._write(kept, before["version"])

    def search(self, query: str, limit: int) -> list[dict[str, Any]]:
        """The nearest, as the command prints them."""
        named = query_of([("query", query), ("limit", str(limit))])
        found = asked(self._server, self._token, "GET", f"/memory?{named}")["memories"]
        return [
            {
                "memory_id": one["memoryId"],
                "kind": one["kind"],
                "text": one["text"],
                "created": str(one["createdAt"])[:10],
                "trace": one["trace"],
                "near": one["near"],
            }
            for one in found
        ]

    def export(self) -> dict[str, Any]:
        """All of it, as the server has it."""
        return asked(self._server, self._token, "GET", "/memory/export")

    def _write(self, facts: list[str], version: int) -> dict[str, Any]:
        body = json.dumps({"text": "\n".join(facts)}).encode()
        return asked(self._server, self._token, "PUT", CORE, body=body, headers={"If-Match": f'"v{version}"'})
