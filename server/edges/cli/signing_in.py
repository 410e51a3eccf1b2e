"""Signing in to a server from a terminal, and out again."""

import json
from collections.abc import Sequence

import click

from server.edges.cli.reading import FAILED, MISUSED, fail, remark
from server.edges.cli.server_requests import answered, asked, server_address
from server.edges.cli.signed_in import terminal_sessions
from server.errors import ConfigError, NotAuthenticated, NotFound, ServerError, ServiceUnavailable
from server.ports.terminal_sessions import KeptSession, SignIn
from server.quoting import plain

SHOWN_CHARACTERS = 200


def sign_in(server: str, email: str | None, *, by_password: bool) -> None:
    """Begin a session with the project that the server names, and print as whom."""
    address = server_address(server)
    config = asked(address, None, "GET", "/config", signs_in=False)
    project, key = config.get("supabaseUrl"), config.get("supabasePublishableKey")
    if config.get("identity") != "supabase" or not isinstance(project, str) or not isinstance(key, str):
        fail(
            f"{plain(address, SHOWN_CHARACTERS)} has no people who sign in: name its access token with --token, if it "
            "asks for one.",
            MISUSED,
        )
    who = (email or click.prompt("Email", err=True)).strip()
    asking = SignIn(
        server=address,
        project_url=project,
        publishable_key=key,
        email=who,
        proof="password" if by_password else "code",
    )

    def proof() -> str:
        if by_password:
            return str(click.prompt("Password", hide_input=True, err=True))
        return str(click.prompt(f"The code that was mailed to {plain(who, SHOWN_CHARACTERS)}", err=True))

    try:
        kept = terminal_sessions().begin(asking, proof)
    except NotAuthenticated as error:
        fail(f"not signed in: {plain(str(error), SHOWN_CHARACTERS)}", FAILED)
    except ServiceUnavailable as error:
        fail(plain(str(error), SHOWN_CHARACTERS), FAILED)
    except ConfigError as error:
        fail(plain(str(error), SHOWN_CHARACTERS), MISUSED)
    click.echo(f"Signed in as {_shown(kept.email)}, kept in {_shown(kept.place)}.")


def sign_out(server: str | None) -> None:
    """End one session."""
    try:
        address = _one_of(terminal_sessions().kept(), server)
        problem = terminal_sessions().end(address)
    except (NotFound, ConfigError) as error:
        fail(plain(str(error), SHOWN_CHARACTERS), MISUSED)
    if problem is not None:
        remark(f"its project was not told, so that the session ends there by itself: {_shown(problem)}")
    click.echo(f"Signed out of {_shown(address)}.")


def show(server: str | None, *, as_json: bool) -> None:
    """A line a session, and what its server says of it."""
    try:
        kept = terminal_sessions().kept()
        chosen = kept if server is None else [one for one in kept if one.server == server_address(server)]
    except ConfigError as error:
        fail(plain(str(error), SHOWN_CHARACTERS), MISUSED)
    if not chosen:
        fail("You are not signed in" + ("." if server is None else f" to {_shown(server)}."), FAILED)
    found = [(one, _problem(one)) for one in chosen]
    if as_json:
        said = [
            {"server": one.server, "email": one.email, "place": one.place, "problem": problem} for one, problem in found
        ]
        click.echo(json.dumps({"sessions": said}))
    for one, problem in () if as_json else found:
        state = "" if problem is None else f": {_shown(problem)}"
        click.echo(f"{_shown(one.email)} at {_shown(one.server)}, kept in {_shown(one.place)}{state}")
    if any(problem is not None for _, problem in found):
        raise click.exceptions.Exit(FAILED)


def _one_of(kept: Sequence[KeptSession], server: str | None) -> str:
    """The session that is meant. Raises NotFound."""
    if server is not None:
        return server_address(server)
    if len(kept) == 1:
        return kept[0].server
    if not kept:
        raise NotFound("you are signed in nowhere.")
    raise NotFound(f"you are signed in to {', '.join(one.server for one in kept)}: name one.")


def _problem(session: KeptSession) -> str | None:
    """Why a session is of no use, None where its server knows it."""
    try:
        token = terminal_sessions().token(session.server)
    except ServerError as error:
        return str(error)
    return answered(session.server, token, "GET", "/me/usage")


def _shown(text: str) -> str:
    return plain(text, SHOWN_CHARACTERS)
