"""Requests of a running server, for commands that name one. The token goes to that server alone: no redirect is
followed."""

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any, TypeVar
from urllib.parse import quote, urlsplit

import click

from server.edges.cli.reading import FAILED, MISUSED, fail
from server.edges.cli.shared_options import token_option
from server.edges.cli.signed_in import terminal_sessions
from server.errors import ServerError
from server.quoting import plain

DEFAULT_SERVER = "http://127.0.0.1:8484"
TIMEOUT_S = 600
ANSWER_CHARACTERS = 600
"""Of what a server says when it refuses."""

ACCOUNT: ContextVar[str | None] = ContextVar("account", default=None)
"""Which account the command acts for."""

Command = TypeVar("Command", bound=Callable[..., Any])


def server_options(command: Command) -> Command:
    """The options of a command that asks a server."""
    server = click.option("--server", default=DEFAULT_SERVER, help="The server's address.")
    return server(token_option(account_option(command)))


def optional_server_options(command: Command) -> Command:
    """As `server_options`, of a command that works on this machine's data folder unless a server is named."""
    server = click.option("--server", help="Ask the server at this address, not this machine's data folder.")
    return server(token_option(account_option(command)))


def account_option(command: Command) -> Command:
    """The option of which account a command acts for; its function does not see it."""
    return click.option(
        "--account",
        "acting_for",
        envvar="FLAMECHAT_ACCOUNT",
        show_envvar=True,
        expose_value=False,
        callback=lambda _context, _option, value: ACCOUNT.set(value),
        help="For which of your accounts, by its id (`flamechat teams list`); without it your personal one.",
    )(command)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A token must not follow a redirect to somebody else."""

    def redirect_request(self, *_: Any) -> None:
        return None


class _Refused(Exception):
    """Why a request came to nothing, and the command's exit code."""

    def __init__(self, why: str, code: int = FAILED) -> None:
        super().__init__(why)
        self.code = code


def server_address(server: str) -> str:
    """As sessions are kept by: scheme and host in small letters, no slash at the end. Ends the command where it is
    none."""
    parts = urlsplit(server.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query or parts.fragment:
        fail(f"{plain(server, 200)} is no address of a server, such as {DEFAULT_SERVER}.", MISUSED)
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


def asked(
    server: str,
    token: str | None,
    method: str,
    path: str,
    *,
    body: bytes | IO[bytes] = b"",
    length: int | None = None,
    signs_in: bool = True,
    headers: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """What a server answers to a request of its API, as JSON; a refusal and a server that cannot be reached end the
    command with their reason. Without a token it is asked as whoever is signed in to it, unless `signs_in` is False."""
    try:
        shown = token or (_token_of(server) if signs_in else None)
        return _answer(server, shown, method, path, body=body, length=length, more=headers)
    except _Refused as refused:
        fail(str(refused), refused.code)


def answered(server: str, token: str | None, method: str, path: str) -> str | None:
    """None where the server answers as it should, else why not."""
    try:
        _answer(server, token, method, path)
    except _Refused as refused:
        return str(refused)
    return None


def _token_of(server: str) -> str | None:
    """Raises _Refused where the session that is there cannot be used."""
    try:
        return terminal_sessions().token(server_address(server))
    except ServerError as error:
        raise _Refused(plain(str(error), ANSWER_CHARACTERS)) from error


def _answer(
    server: str,
    token: str | None,
    method: str,
    path: str,
    *,
    body: bytes | IO[bytes] = b"",
    length: int | None = None,
    more: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Raises _Refused."""
    address = server_address(server)
    kind = "application/json" if isinstance(body, bytes) else "application/octet-stream"
    headers = {"Accept": "application/json", "Content-Type": kind, **(more or {})}
    if length is not None:
        headers["Content-Length"] = str(length)
    if (account := ACCOUNT.get()) is not None:
        headers["Flamechat-Account"] = account
    if token:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(  # noqa: S310 - its scheme was looked at above
        f"{address}/api/v1{path}", data=body or None, headers=headers, method=method
    )
    try:
        with urllib.request.build_opener(_NoRedirects).open(request, timeout=TIMEOUT_S) as answer:
            found: dict[str, Any] = json.loads(answer.read() or b"{}")
            return found
    except urllib.error.HTTPError as refused:
        raise _Refused(_why(refused)) from refused
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise _Refused(
            f"{plain(address, 200)} does not answer as a Flamechat server: {plain(str(error), 200)}"
        ) from error


def sent_file(server: str, token: str | None, path: str, file: Path) -> dict[str, Any]:
    """What a server answers to a file, which is read as it is sent."""
    try:
        with file.open("rb") as content:
            return asked(server, token, "POST", path, body=content, length=file.stat().st_size)
    except OSError as error:
        fail(f"{plain(str(file), 200)} cannot be read: {plain(error.strerror or '', 100)}", FAILED)


def query_of(pairs: list[tuple[str, str]]) -> str:
    """Names and values as the query of an address."""
    return "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in pairs)


def _why(refused: urllib.error.HTTPError) -> str:
    """The reason that a server gives, else its status."""
    with refused:
        try:
            said = json.loads(refused.read())
        except (OSError, ValueError):
            said = None
    detail = said.get("detail") if isinstance(said, dict) else None
    if isinstance(detail, str) and detail:
        return plain(detail, ANSWER_CHARACTERS)
    hint = (
        ": sign in with flamechat login, or name its access token with --token"
        if refused.code == http.client.UNAUTHORIZED
        else ""
    )
    return f"The server answers with status {refused.code}{hint}."
