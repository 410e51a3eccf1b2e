"""What Supabase Auth keeps of sessions, and the rules by which it renews and ends them (internal/tokens/service.go of
its source): a refresh token is good once, the newest but one still gives the newest, an older one ends its session.
"""

import re
import secrets
import time
import uuid
from dataclasses import dataclass, field

REUSE_S = 10.0
"""How long a token that was used already gives another: two tabs renew at the same time."""

MAIL_EVERY_S = 60.0
LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
TOKEN = re.compile("[a-z0-9]{12}")


class Refused(Exception):
    """As Auth answers it."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


@dataclass(slots=True)
class Session:
    name: str
    session_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    tokens: list[str] = field(default_factory=list)
    used_at: dict[str, float] = field(default_factory=dict)

    def grow(self) -> str:
        self.tokens.append("".join(secrets.choice(LETTERS) for _ in range(12)))
        return self.tokens[-1]


@dataclass(slots=True)
class Sessions:
    """By their ids; `removed` are people who are no more, `blocked` those who may not come in."""

    open: dict[str, Session] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    blocked: set[str] = field(default_factory=set)

    def begin(self, name: str) -> tuple[Session, str]:
        session = Session(name)
        self.open[session.session_id] = session
        return session, session.grow()

    def renew(self, refresh_token: str) -> tuple[Session, str]:
        """The session with its newest token. Raises Refused."""
        if not TOKEN.fullmatch(refresh_token):
            raise Refused(400, "validation_failed", "Refresh token is not valid")
        session = next((one for one in self.open.values() if refresh_token in one.tokens), None)
        if session is None or session.name in self.removed:
            raise Refused(400, "refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found")
        if session.name in self.blocked:
            raise Refused(400, "user_banned", "Invalid Refresh Token: User Banned")
        used_at = session.used_at.get(refresh_token)
        if used_at is None:
            session.used_at[refresh_token] = time.monotonic()
            return session, session.grow()
        if session.tokens[-2:-1] == [refresh_token]:  # its answer may have been lost
            return session, session.tokens[-1]
        if time.monotonic() - used_at > REUSE_S:
            session.used_at = dict.fromkeys(session.tokens, 0.0)
            del session.tokens[:-1]
            raise Refused(400, "refresh_token_already_used", "Invalid Refresh Token: Already Used")
        return session, session.grow()

    def check(self, session_id: str, name: str) -> None:
        """Raises Refused for one that is over."""
        if name in self.removed:
            raise Refused(403, "user_not_found", "User from sub claim in JWT does not exist")
        if session_id not in self.open:
            raise Refused(403, "session_not_found", "Session from session_id claim in JWT does not exist")

    def end(self, session_id: str, scope: str) -> None:
        name = self.open[session_id].name
        mine = {one.session_id for one in self.open.values() if one.name == name}
        for ended in {"local": {session_id}, "others": mine - {session_id}}.get(scope, mine):
            del self.open[ended]


@dataclass(frozen=True, slots=True)
class Mail:
    """What a mail of Auth's lets its reader do: once, by link or by code."""

    to: str
    link: str
    code: str


@dataclass(slots=True)
class Links:
    """Those that were mailed and not yet used: hash and code of the newest mail to each address."""

    sent_at: dict[str, float] = field(default_factory=dict)
    open: dict[str, tuple[str, str]] = field(default_factory=dict)
    confirmed: set[str] = field(default_factory=set)

    def kind_for(self, to: str) -> str:
        """The first link to an address confirms it."""
        return "magiclink" if to in self.confirmed else "signup"

    def send(self, to: str) -> tuple[str, str]:
        """Raises Refused where the address had a mail a moment ago."""
        now = time.monotonic()
        if now - self.sent_at.get(to, -MAIL_EVERY_S) < MAIL_EVERY_S:
            text = f"For security purposes, you can only request this after {int(MAIL_EVERY_S)} seconds."
            raise Refused(429, "over_email_send_rate_limit", text)
        self.sent_at[to] = now
        self.open[to] = secrets.token_hex(28), f"{secrets.randbelow(10**6):06}"
        return self.open[to]

    def by_hash(self, token: str) -> str:
        to = next((to for to, (mailed, _) in self.open.items() if mailed == token), None)
        if to is None:
            raise Refused(403, "otp_expired", "Email link is invalid or has expired")
        return self._used(to)

    def by_code(self, to: str, code: str) -> str:
        if self.open.get(to, ("", ""))[1] != code or not code:
            raise Refused(403, "otp_expired", "Token has expired or is invalid")
        return self._used(to)

    def _used(self, to: str) -> str:
        """Another mail may be asked for at once."""
        del self.open[to], self.sent_at[to]
        self.confirmed.add(to)
        return to
