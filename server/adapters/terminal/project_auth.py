"""A project's Auth, asked by its own Python client."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

import httpx
from supabase_auth import SyncGoTrueClient
from supabase_auth.errors import AuthApiError, AuthError, AuthRetryableError, AuthUnknownError
from supabase_auth.types import AuthResponse

from server.errors import NotAuthenticated, ServiceUnavailable
from server.ports.terminal_sessions import SignIn, TerminalSession

TIMEOUT_S = 60.0
SERVICE = "Supabase Auth"
TOO_MANY = 429
SERVER_FAULT = 500


class ProjectAuth:
    """Of one project, until it is closed. Its errors are said in the project's own words, which hold no secret."""

    def __init__(self, project_url: str, publishable_key: str) -> None:
        # Tokens and passwords follow no redirect to somebody else.
        self._http = httpx.Client(timeout=TIMEOUT_S, follow_redirects=False)
        self._auth = SyncGoTrueClient(
            url=f"{project_url.rstrip('/')}/auth/v1",
            headers={"apikey": publishable_key},
            http_client=self._http,
            auto_refresh_token=False,
            persist_session=False,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def send_code(self, email: str) -> None:
        """Have a one-time code mailed to a person who is known. Raises NotAuthenticated, ServiceUnavailable."""
        with _answered():
            self._auth.sign_in_with_otp({"email": email, "options": {"should_create_user": False}})

    def by_code(self, asked: SignIn, code: str) -> TerminalSession:
        """Raises NotAuthenticated, ServiceUnavailable."""
        with _answered():
            answer = self._auth.verify_otp({"email": asked.email, "token": code.strip(), "type": "email"})
        return _session(asked, answer)

    def by_password(self, asked: SignIn, password: str) -> TerminalSession:
        """Raises NotAuthenticated, ServiceUnavailable."""
        with _answered():
            answer = self._auth.sign_in_with_password({"email": asked.email, "password": password, "options": {}})
        return _session(asked, answer)

    def renewed(self, session: TerminalSession) -> TerminalSession:
        """The session with new tokens: a refresh token is good once. Raises NotAuthenticated where it is over,
        ServiceUnavailable."""
        asked = SignIn(
            server=session.server,
            project_url=session.project_url,
            publishable_key=session.publishable_key,
            email=session.email,
            proof="code",
        )
        with _answered():
            answer = self._auth.refresh_session(session.refresh_token)
        return _session(asked, answer)

    def end(self, session: TerminalSession) -> None:
        """This session alone, not those of other machines. Raises NotAuthenticated, ServiceUnavailable."""
        with _answered():
            self._auth.admin.sign_out(session.access_token, "local")


def _session(asked: SignIn, answer: AuthResponse) -> TerminalSession:
    if answer.session is None or answer.session.expires_at is None:
        raise NotAuthenticated("the project has answered without a session: the address may have to be confirmed.")
    return TerminalSession(
        server=asked.server,
        email=(answer.user and answer.user.email) or asked.email,
        project_url=asked.project_url,
        publishable_key=asked.publishable_key,
        access_token=answer.session.access_token,
        refresh_token=answer.session.refresh_token,
        expires_at=float(answer.session.expires_at),
    )


@contextmanager
def _answered() -> Iterator[None]:
    """The client's errors as ours."""
    try:
        yield
    except AuthRetryableError as error:
        raise ServiceUnavailable(f"{SERVICE} does not answer: try again.", service=SERVICE) from error
    except AuthApiError as error:
        if error.status >= SERVER_FAULT:
            raise ServiceUnavailable(
                f"{SERVICE} has failed (status {error.status}): try again.", service=SERVICE
            ) from error
        if error.status == TOO_MANY:
            raise ServiceUnavailable(f"{SERVICE} asks to wait: {error.message}", service=SERVICE) from error
        raise NotAuthenticated(error.message or "refused", code=str(error.code or "refused")) from error
    except (AuthUnknownError, httpx.HTTPError, httpx.InvalidURL, ValueError, TypeError, LookupError) as error:
        raise ServiceUnavailable(f"{SERVICE} does not answer as such a service.", service=SERVICE) from error
    except AuthError as error:
        raise NotAuthenticated(error.message) from error
