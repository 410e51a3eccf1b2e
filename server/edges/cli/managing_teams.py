"""The caller's accounts on a server: listed, made, shared and removed."""

import json
from typing import Any
from urllib.parse import quote

import click

from server.edges.cli.reading import MISUSED, fail
from server.edges.cli.server_requests import asked
from server.quoting import plain

NAME_CHARACTERS = 100


def list_accounts(server: str, token: str | None) -> None:
    """Print the caller's: id, role, name."""
    for one in asked(server, token, "GET", "/accounts")["accounts"]:
        own = "  (personal)" if one["isPersonal"] else ""
        click.echo(f"{one['accountId']}  {one['role']:6}  {plain(one['name'], NAME_CHARACTERS)}{own}")


def list_members(account: str, server: str, token: str | None) -> None:
    """Print who is in an account, and for its owners who is invited."""
    found = asked(server, token, "GET", f"{_path(account)}/members")
    for one in found["members"]:
        click.echo(f"{one['userId']}  {one['role']:6}  {plain(one['name'] or '', NAME_CHARACTERS)}".rstrip())
    for one in found["invitations"]:
        address, until = plain(one["email"], NAME_CHARACTERS), one["expiresAt"][:10]
        click.echo(f"{one['invitationId']}  {one['role']:6}  {address} (invited, until {until})")


def create(name: str, server: str, token: str | None) -> None:
    """Make an account, and print its id."""
    click.echo(_sent(server, token, "/accounts", {"name": name})["accountId"])


def invite(account: str, email: str, role: str, server: str, token: str | None) -> None:
    """Invite an address, and print the link."""
    made = _sent(server, token, f"{_path(account)}/members", {"email": email, "role": role})
    click.echo(f"{server.rstrip('/')}{made['link']}")


def remove_from(account: str, who: str, server: str, token: str | None) -> None:
    """Take a member out, or an invitation back."""
    invited = asked(server, token, "GET", f"{_path(account)}/members")["invitations"]
    kind = "invitations" if who in [one["invitationId"] for one in invited] else "members"
    asked(server, token, "DELETE", f"{_path(account)}/{kind}/{quote(who, safe='')}")


def remove(account: str, server: str, token: str | None, *, with_traces: bool) -> None:
    """Remove an account with all that is in it."""
    asked(server, token, "DELETE", _path(account) + ("?with=traces" if with_traces else ""))


def refuse_both() -> None:
    """End the command: a member has no traces to go with them."""
    fail("--with-traces is for a whole account: name no member with it.", MISUSED)


def _path(account: str) -> str:
    return f"/accounts/{quote(account, safe='')}"


def _sent(server: str, token: str | None, path: str, body: dict[str, str]) -> dict[str, Any]:
    return asked(server, token, "POST", path, body=json.dumps(body).encode())
