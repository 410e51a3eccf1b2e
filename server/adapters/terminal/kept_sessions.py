"""The sessions of this machine's user: which there are in a file of theirs, the tokens in the keyring or there, too."""

import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from server.adapters.terminal.private_file import PrivateFile
from server.errors import ConfigError, NotAuthenticated, NotFound, ServiceUnavailable
from server.ports.terminal_sessions import KeptSession, SignIn, TerminalSession

if TYPE_CHECKING:  # a command that finds nobody signed in does not wait for them
    from server.adapters.terminal.project_auth import ProjectAuth
    from server.adapters.terminal.system_keyring import SystemKeyring

FILE = "sessions.json"
IN_KEYRING = "keyring"
TOKENS = ("access_token", "refresh_token")
RENEWED_BEFORE_S = 60.0
"""A command's first request may wait that long for an upload's body."""

LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")
FIELDS = {field.name for field in fields(TerminalSession)}


class KeptSessions:
    """`folder` is where a user's programs keep their settings. `auth` asks a project by its address and publishable
    key, `keyring` opens the system's: each is called when it is needed."""

    def __init__(
        self,
        folder: Path,
        auth: "Callable[[str, str], ProjectAuth]",
        keyring: "Callable[[], SystemKeyring]",
        now: Callable[[], float] = time.time,
    ) -> None:
        self._file = PrivateFile(folder / FILE)
        self._auth = auth
        self._keyring = keyring
        self._now = now

    def begin(self, asked: SignIn, proof: Callable[[], str]) -> KeptSession:
        """As the port says. A project that is reached without encryption has to be of this machine."""
        for address in (asked.server, asked.project_url):
            parts = urlsplit(address)
            if parts.scheme != "https" and parts.hostname not in LOCAL_HOSTS:
                raise ConfigError(f"{address} is not encrypted: who is on the way there would read your token.")
        with self._auth(asked.project_url, asked.publishable_key) as project:
            if asked.proof == "password":
                session = project.by_password(asked, proof())
            else:
                project.send_code(asked.email)
                session = project.by_code(asked, proof())
        with self._file.locked():
            return self._keep(session)

    def token(self, server: str) -> str | None:
        """As the port says. Nothing but the file is looked at where nobody is signed in."""
        if server not in self._file.read():
            return None
        with self._file.locked():
            session = self._session(server)
            if session is None:
                return None
            if session.expires_at - self._now() > RENEWED_BEFORE_S:
                return session.access_token
            with self._auth(session.project_url, session.publishable_key) as project:
                try:
                    renewed = project.renewed(session)
                except NotAuthenticated as error:
                    raise NotAuthenticated(
                        f"the session of {session.email} is over ({error}): sign in again with flamechat login {server}"
                    ) from error
            self._keep(renewed)
            return renewed.access_token

    def end(self, server: str) -> str | None:
        """As the port says."""
        with self._file.locked():
            kept = self._file.read()
            if server not in kept:
                raise NotFound(f"nobody is signed in to {server}.")
            session = self._session(server)
            if kept[server].get("in") == IN_KEYRING:
                self._keyring().remove(server)
            self._file.write({name: one for name, one in kept.items() if name != server})
        if session is None:
            return "its tokens were gone already"
        with self._auth(session.project_url, session.publishable_key) as project:
            try:
                if session.expires_at <= self._now():
                    session = project.renewed(session)
                project.end(session)
            except NotAuthenticated:
                return None
            except ServiceUnavailable as error:
                return str(error)
        return None

    def kept(self) -> Sequence[KeptSession]:
        """As the port says."""
        return [
            KeptSession(name, str(one.get("email")), self._place_of(one))
            for name, one in sorted(self._file.read().items())
        ]

    def _place_of(self, row: dict[str, Any]) -> str:
        return str(row.get("keyring")) if row.get("in") == IN_KEYRING else str(self._file.path)

    def _session(self, server: str) -> TerminalSession | None:
        """None where its tokens are gone: a keyring that was emptied. Raises ConfigError."""
        row = self._file.read().get(server)
        if row is None:
            return None
        given = {name: value for name, value in row.items() if name in FIELDS}
        if row.get("in") == IN_KEYRING:
            text = self._keyring().get(server)
            if text is None:
                raise ConfigError(
                    f"the keyring ({row.get('keyring')}) does not give the session of {server}: unlock it, or sign in "
                    "again."
                )
            with suppress(ValueError, TypeError):
                given |= json.loads(text)
        try:
            return TerminalSession(**given)
        except TypeError as error:
            raise ConfigError(f"{self._file.path} is damaged: remove it and sign in again.") from error

    def _keep(self, session: TerminalSession) -> KeptSession:
        """In the keyring, else in the file. Raises ConfigError."""
        row: dict[str, Any] = asdict(session)
        keyring = self._keyring()
        if keyring.is_there and keyring.put(session.server, json.dumps({name: row[name] for name in TOKENS})):
            row = {name: value for name, value in row.items() if name not in TOKENS}
            row |= {"in": IN_KEYRING, "keyring": keyring.name}
        self._file.write(self._file.read() | {session.server: row})
        return KeptSession(session.server, session.email, self._place_of(row))
