"""Supabase's own Auth server as a peer of the tests, where a program of it is named.

FLAMECHAT_TEST_AUTH_SERVER is the path of a built `supabase/auth`, 2.189 or later. It runs over the database of a test,
whose `auth` schema it makes itself, before anything else is in it; its mails go to a server of the test.
"""

import asyncio
import contextlib
import html
import json
import os
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import jwt
import psycopg
from psycopg import sql
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from tests.cloud.auth_sessions import Mail
from tests.cloud.mail_server import MailServer, mail_server
from tests.cloud.passed_on import passed_on
from tests.cloud.people import KEY_ID, LIFETIME_S, ProjectKeys

NAMED = os.environ.get("FLAMECHAT_TEST_AUTH_SERVER")
ROLE, PASSWORD = "supabase_auth_admin", "of-a-test"
TRIES = 8
"""The pause between two begins with half a second and doubles: a minute in all."""

TEMPLATE = "/.well-known/mail.html"
"""Where Auth fetches the project's own mail, which has a code: its ready ones have had none since May 2026."""
MAIL = '<p><a href="{{ .ConfirmationURL }}">Sign in</a> or type the code {{ .Token }}</p>'

LINK = re.compile(r'href="([^"]+)"')
CODE = re.compile(r"\b(\d{6})\b")
KINDS_OF_MAIL = ("CONFIRMATION", "INVITE", "RECOVERY", "EMAIL_CHANGE")


def auth_program() -> Path | None:
    """None where none is named. Raises FileNotFoundError for one that is not there."""
    if NAMED is None:
        return None
    return Path(NAMED).resolve(strict=True)


@dataclass(frozen=True, slots=True)
class RealAuth:
    address: str
    mail: MailServer
    client: httpx.AsyncClient

    def routes(self) -> list[Route]:
        return [
            Route(TEMPLATE, lambda _: HTMLResponse(MAIL)),
            Route("/{path:path}", self.pass_on, methods=["GET", "POST", "PUT", "DELETE"]),
        ]

    async def pass_on(self, request: Request) -> Response:
        return await passed_on(request, self.client, self.address)

    async def mail_to(self, address: str) -> Mail:
        """The newest mail to an address. Raises TimeoutError where none comes."""
        mails = self.mail.mails
        await mails.until(lambda all_mails: any(one["to"] == address for one in all_mails))
        return _read(next(one for one in reversed(mails) if one["to"] == address))


def _read(mail: EmailMessage) -> Mail:
    body = mail.get_body(("html", "plain"))
    assert body is not None
    text = body.get_content()
    link, code = LINK.search(text), CODE.search(re.sub("<[^>]*>", " ", text))
    assert link, text
    return Mail(mail["to"], html.unescape(link[1]), code[1] if code else "")


@asynccontextmanager
async def real_auth(
    program: Path, keys: ProjectKeys, owner_dsn: str, *, lasts_s: int = LIFETIME_S
) -> AsyncIterator[RealAuth]:
    """Run it until the block ends, behind the project's address."""
    _make_place(owner_dsn)
    connecting = httpx.AsyncHTTPTransport(retries=TRIES)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    async with mail_server() as mail, httpx.AsyncClient(timeout=60, transport=connecting) as client:
        settings = _settings(keys, owner_dsn, port, mail.port, lasts_s)
        process = await asyncio.create_subprocess_exec(
            program, env=settings, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
        )
        auth = RealAuth(f"http://127.0.0.1:{port}", mail, client)
        try:
            await _answers(auth, process)
            yield auth
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            await process.wait()


def _make_place(owner_dsn: str) -> None:
    """What a project's database has for Auth before its first start."""
    with psycopg.connect(owner_dsn, autocommit=True) as owner:
        if owner.execute("select 1 from pg_roles where rolname = %s", [ROLE]).fetchone() is None:
            owner.execute(
                sql.SQL("create role {} noinherit createrole login password {}").format(
                    sql.Identifier(ROLE), sql.Literal(PASSWORD)
                )
            )
        owner.execute(sql.SQL("create schema if not exists auth authorization {}").format(sql.Identifier(ROLE)))
        owner.execute(sql.SQL("grant create on database postgres to {}").format(sql.Identifier(ROLE)))
        owner.execute(sql.SQL("alter role {} set search_path = auth").format(sql.Identifier(ROLE)))


def _settings(keys: ProjectKeys, owner_dsn: str, port: int, mail_port: int, lasts_s: int) -> dict[str, str]:
    signing = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(keys.elliptic))
    signing |= {"kid": KEY_ID, "alg": "ES256", "key_ops": ["sign", "verify"]}
    database = urlsplit(owner_dsn)
    return {
        "GOTRUE_DB_DRIVER": "postgres",
        "DB_NAMESPACE": "auth",
        "DATABASE_URL": f"postgres://{ROLE}:{PASSWORD}@{database.hostname}:{database.port}{database.path}",
        "GOTRUE_API_HOST": "127.0.0.1",
        "PORT": str(port),
        "API_EXTERNAL_URL": f"{keys.url}/auth/v1",
        "GOTRUE_JWT_SECRET": keys.secret,
        "GOTRUE_JWT_KEYS": json.dumps([signing]),
        "GOTRUE_JWT_ISSUER": f"{keys.url}/auth/v1",
        "GOTRUE_JWT_EXP": str(lasts_s),
        "GOTRUE_JWT_AUD": "authenticated",
        "GOTRUE_JWT_DEFAULT_GROUP_NAME": "authenticated",
        "GOTRUE_JWT_ADMIN_ROLES": "service_role",
        "GOTRUE_SITE_URL": "http://127.0.0.1:9/",
        "GOTRUE_URI_ALLOW_LIST": "http://127.0.0.1:*/**",
        **{f"GOTRUE_MAILER_URLPATHS_{kind}": "/auth/v1/verify" for kind in KINDS_OF_MAIL},
        **{
            f"GOTRUE_MAILER_TEMPLATES_{kind}": f"{keys.url}/auth/v1{TEMPLATE}"
            for kind in ("CONFIRMATION", "MAGIC_LINK")
        },
        "GOTRUE_EXTERNAL_EMAIL_ENABLED": "true",
        "GOTRUE_EXTERNAL_GITHUB_ENABLED": "true",
        "GOTRUE_EXTERNAL_GITHUB_CLIENT_ID": "of-a-test",
        "GOTRUE_EXTERNAL_GITHUB_SECRET": "of-a-test",
        "GOTRUE_EXTERNAL_GITHUB_REDIRECT_URI": f"{keys.url}/auth/v1/callback",
        "GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL": "10",
        "GOTRUE_RATE_LIMIT_EMAIL_SENT": "10000",
        "GOTRUE_SMTP_HOST": "127.0.0.1",
        "GOTRUE_SMTP_PORT": str(mail_port),
        "GOTRUE_SMTP_ADMIN_EMAIL": "auth@example.com",
        "GOTRUE_LOG_LEVEL": "error",
    }


async def _answers(auth: RealAuth, process: asyncio.subprocess.Process) -> None:
    """Return once it has made its tables and answers: the client tries to connect again and again. Raises
    RuntimeError where it does not."""
    try:
        (await auth.client.get(f"{auth.address}/health")).raise_for_status()
    except httpx.HTTPError as error:
        raise RuntimeError(f"Auth does not answer ({process.returncode=})") from error
