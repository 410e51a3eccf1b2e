"""Who is signed in to which server from a terminal of this machine."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from server.errors import ConfigError, NotFound

Proof = Literal["code", "password"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalSession:
    """A person's session with the project of a server; `expires_at` is in seconds since 1970. `server` is its address
    as `server_address` has it."""

    server: str
    email: str
    project_url: str
    publishable_key: str
    access_token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    expires_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """Whose session begins, with which project, and how the person proves it: by a code of a mail or a password."""

    server: str
    project_url: str
    publishable_key: str
    email: str
    proof: Proof


@dataclass(frozen=True, slots=True)
class KeptSession:
    """One of this machine, without its tokens; `place` is a keyring's name or a file's."""

    server: str
    email: str
    place: str


class TerminalSessions(Protocol):
    """The sessions of this machine's user. Tokens are kept where only they can read them."""

    def begin(self, asked: SignIn, proof: Callable[[], str]) -> KeptSession:
        """Sign in, and keep the session in place of an earlier one. `proof` is asked for once it is needed: a code
        after its mail was sent. Raises NotAuthenticated, ServiceUnavailable, ConfigError."""
        ...

    def token(self, server: str) -> str | None:
        """An access token for that server, renewed where the kept one is about to end; None where nobody is signed in.
        Raises NotAuthenticated where the session is over, ServiceUnavailable, ConfigError."""
        ...

    def end(self, server: str) -> str | None:
        """Forget the session, and end it at its project. Returns None, or why the project could not be reached. Raises
        NotFound where there is none, ConfigError."""
        ...

    def kept(self) -> Sequence[KeptSession]:
        """All of this machine, by server. Raises ConfigError."""
        ...


class NoTerminalSessions:
    """Where nobody signs in."""

    def begin(self, asked: SignIn, proof: Callable[[], str]) -> KeptSession:
        """Raises ConfigError."""
        raise ConfigError("Nobody signs in from here: no sessions are kept.")

    def token(self, _: str) -> str | None:
        """None."""
        return None

    def end(self, server: str) -> str | None:
        """Raises NotFound."""
        raise NotFound(f"nobody is signed in to {server}.")

    def kept(self) -> Sequence[KeptSession]:
        """Nothing."""
        return ()
