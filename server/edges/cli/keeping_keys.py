"""Making, listing and revoking keys for programs on a server."""

import json
import sys
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import click

from server.edges.cli.reading import MISUSED, fail
from server.edges.cli.server_requests import asked
from server.quoting import plain

NAME_CHARACTERS = 40


def create(
    name: str, scopes: Sequence[str], days: int | None, server: str, token: str | None, *, as_json: bool
) -> None:
    """Print the key on stdout, and what it is on stderr, so that a script can keep the one without the other."""
    body = json.dumps({"name": name, "scopes": list(scopes), "days": days}).encode()
    made = asked(server, token, "POST", "/keys", body=body)
    if as_json:
        click.echo(json.dumps(made))
        return
    click.echo(made["secret"])
    sys.stderr.write(f"This is the only time that {plain(str(made['key']['name']), NAME_CHARACTERS)} is shown.\n")


def list_all(server: str, token: str | None, *, as_json: bool) -> None:
    """Print a line a key."""
    found = _keys(server, token)
    if as_json:
        click.echo(json.dumps({"keys": found}))
        return
    if not found:
        click.echo("There are no keys.")
    for key in found:
        click.echo(
            f"{key['prefix']}  {plain(str(key['name']), NAME_CHARACTERS):{NAME_CHARACTERS}}  {_standing(key):16}  "
            f"{' '.join(key['scopes'])}"
        )


def revoke(named: str, server: str, token: str | None) -> None:
    """The key of that id or prefix; a key itself is not asked for, since it would stand in the list of processes."""
    matching = [key for key in _keys(server, token) if named in (key["keyId"], key["prefix"])]
    if not matching:
        fail(f"There is no key {plain(named, 40)}: flamechat keys list shows ids and prefixes.", MISUSED)
    answer = asked(server, token, "DELETE", f"/keys/{quote(str(matching[0]['keyId']), safe='')}")
    click.echo(f"{plain(str(answer['key']['name']), NAME_CHARACTERS)} is revoked.")


def _keys(server: str, token: str | None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = asked(server, token, "GET", "/keys")["keys"]
    return found


def _standing(key: dict[str, Any]) -> str:
    if key["revokedAt"]:
        return f"revoked {key['revokedAt'][:10]}"
    return f"used {key['lastUsedAt'][:10]}" if key["lastUsedAt"] else "never used"
