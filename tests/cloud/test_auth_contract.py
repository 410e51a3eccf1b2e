"""How people come in and go out: the stand-in for Supabase Auth and, where a program of it is named, the real one."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import psycopg
import pytest

from server.adapters.postgres.embedded import EmbeddedPostgres
from server.adapters.supabase.identity import SupabaseIdentity
from server.adapters.supabase.keys import PublishedKeys
from tests.cloud.auth_server import PASSWORD
from tests.cloud.auth_sessions import Mail
from tests.cloud.real_auth import auth_program
from tests.cloud.supabase_server import SupabaseServer, supabase_server

PAGE = "http://127.0.0.1:8484/t/a/b?view=diff"


@dataclass(frozen=True, slots=True)
class Project:
    supabase: SupabaseServer
    http: httpx.AsyncClient

    async def mail_to(self, address: str) -> Mail:
        source = self.supabase.real_auth or self.supabase.auth
        return await source.mail_to(address)

    async def ask(self, path: str, body: object, **query: str) -> httpx.Response:
        return await self.http.post(path, json=body, params=query)

    async def session(self, address: str) -> dict[str, Any]:
        """Of a person who followed the link of a mail."""
        asked = await self.ask("/otp", {"email": address, "create_user": True}, redirect_to=PAGE)
        assert asked.status_code == 200, asked.text
        return await self.follow((await self.mail_to(address)).link)

    async def follow(self, link: str) -> dict[str, Any]:
        """What the address to which a link leads has in its fragment."""
        answer = await self.http.get(link)
        assert answer.status_code == 303, answer.text
        to = answer.headers["location"]
        assert to.startswith(PAGE), to
        return {name: values[0] for name, values in parse_qs(urlsplit(to).fragment).items()}

    async def renewed(self, refresh_token: str) -> httpx.Response:
        return await self.ask("/token", {"refresh_token": refresh_token}, grant_type="refresh_token")

    async def user_of(self, token: str) -> httpx.Response:
        return await self.http.get("/user", headers={"Authorization": f"Bearer {token}"})

    async def sign_out(self, token: str, scope: str) -> int:
        answer = await self.http.post("/logout", params={"scope": scope}, headers={"Authorization": f"Bearer {token}"})
        return answer.status_code


def code_of(answer: httpx.Response) -> str:
    said = answer.json()
    return str(said.get("error_code") or said["code"])


def claims(token: str) -> dict[str, Any]:
    part = token.split(".")[1]
    return dict(json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))))


@pytest.fixture(params=["stand-in", "real"], scope="module")
async def project(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Project]:
    async with AsyncExitStack() as stack:
        owner_dsn, program = None, None
        if request.param == "real":
            program = auth_program()
            if program is None:
                pytest.skip("no program of Supabase Auth is named: FLAMECHAT_TEST_AUTH_SERVER does")
            folder = tmp_path_factory.mktemp("auth")
            owner_dsn = (await stack.enter_async_context(EmbeddedPostgres(folder))).owner_dsn
        supabase = await stack.enter_async_context(supabase_server(owner_dsn, auth_program=program))
        headers = {"apikey": supabase.keys.api_key("anon")}
        base = f"{supabase.url}/auth/v1"
        yield Project(
            supabase, await stack.enter_async_context(httpx.AsyncClient(base_url=base, headers=headers, timeout=60))
        )


pytestmark = [pytest.mark.timeout(300)]


async def test_a_link_signs_in_once_and_leads_back_to_the_page(project: Project) -> None:
    asked = await project.ask("/otp", {"email": "once@example.com", "create_user": True}, redirect_to=PAGE)
    assert asked.status_code == 200
    link = (await project.mail_to("once@example.com")).link
    session = await project.follow(link)
    assert set(session) >= {"access_token", "refresh_token", "expires_at", "expires_in", "token_type"}
    assert claims(session["access_token"])["email"] == "once@example.com"
    again = await project.follow(link)
    assert again["error_code"] == "otp_expired"
    assert again["error_description"] == "Email link is invalid or has expired"
    assert "access_token" not in again


async def test_a_mail_has_a_code_for_another_browser_and_it_is_good_once(project: Project) -> None:
    await project.ask("/otp", {"email": "code@example.com", "create_user": True}, redirect_to=PAGE)
    code = (await project.mail_to("code@example.com")).code
    body = {"email": "code@example.com", "token": code, "type": "email"}
    wrong = await project.ask("/verify", body | {"token": "0" * 6 if code != "0" * 6 else "1" * 6})
    assert (wrong.status_code, code_of(wrong)) == (403, "otp_expired")
    right = await project.ask("/verify", body)
    assert right.status_code == 200
    assert right.json()["user"]["email"] == "code@example.com"
    assert code_of(await project.ask("/verify", body)) == "otp_expired"


async def test_the_same_address_in_other_case_is_the_same_person(project: Project) -> None:
    first = claims((await project.session("case@example.com"))["access_token"])
    asked = await project.ask("/otp", {"email": "CASE@Example.com", "create_user": True}, redirect_to=PAGE)
    assert asked.status_code == 200
    again = claims((await project.follow((await project.mail_to("case@example.com")).link))["access_token"])
    assert (again["sub"], again["email"]) == (first["sub"], "case@example.com")


async def test_a_second_mail_at_once_is_refused(project: Project) -> None:
    body = {"email": "often@example.com", "create_user": True}
    first, second = [await project.ask("/otp", body, redirect_to=PAGE) for _ in range(2)]
    assert first.status_code == 200
    assert (second.status_code, code_of(second)) == (429, "over_email_send_rate_limit")


async def test_a_link_leads_to_no_address_that_the_project_does_not_allow(project: Project) -> None:
    body = {"email": "away@example.com", "create_user": True}
    await project.ask("/otp", body, redirect_to="https://attacker.example/")
    answer = await project.http.get((await project.mail_to("away@example.com")).link)
    assert urlsplit(answer.headers["location"]).hostname == "127.0.0.1"


async def test_a_token_of_it_is_one_that_our_server_takes(project: Project) -> None:
    token = (await project.session("taken@example.com"))["access_token"]

    async def account_of(user_id: str) -> str:
        return f"account of {user_id}"

    async with project.supabase.project.client() as client:
        issuer = project.supabase.project.issuer
        keys = PublishedKeys(client, f"{issuer}/.well-known/jwks.json")
        identity = SupabaseIdentity(issuer=issuer, keys=keys, secret=None, account_of=account_of)
        caller = await identity.identify(token)
    assert caller.user_id == claims(token)["sub"]
    assert not caller.is_administrator


async def test_a_session_is_renewed_and_two_tabs_may_do_it_at_once(project: Project) -> None:
    session = await project.session("tabs@example.com")
    one, other = await asyncio.gather(*(project.renewed(session["refresh_token"]) for _ in range(2)))
    assert (one.status_code, other.status_code) == (200, 200)
    third = await project.renewed(other.json()["refresh_token"])
    assert third.status_code == 200
    assert third.json()["user"]["email"] == "tabs@example.com"
    assert (await project.user_of(third.json()["access_token"])).status_code == 200


async def test_a_false_refresh_token_renews_nothing(project: Project) -> None:
    malformed, unknown = [await project.renewed(token) for token in ("not-a-token1", "abcdefabcdef")]
    assert (malformed.status_code, code_of(malformed)) == (400, "validation_failed")
    assert (unknown.status_code, code_of(unknown)) == (400, "refresh_token_not_found")


async def test_leaving_ends_this_session_and_leaving_everywhere_all_of_them(project: Project) -> None:
    first = await project.session("leaves@example.com")
    again = (await project.renewed(first["refresh_token"])).json()
    code = claims(first["access_token"])["session_id"]
    assert claims(again["access_token"])["session_id"] == code
    assert await project.sign_out(again["access_token"], "local") == 204
    over = await project.renewed(again["refresh_token"])
    assert (over.status_code, code_of(over)) == (400, "refresh_token_not_found")
    known = await project.user_of(again["access_token"])
    assert (known.status_code, code_of(known)) == (403, "session_not_found")


async def test_leaving_everywhere_ends_the_sessions_of_other_browsers(project: Project) -> None:
    await project.session("all@example.com")
    password = await project.ask("/token", {"email": "all@example.com", "password": "x"}, grant_type="password")
    assert (password.status_code, code_of(password)) == (400, "invalid_credentials")
    one, other = [await signed_up(project, "everywhere@example.com") for _ in range(2)]
    assert await project.sign_out(one["access_token"], "global") == 204
    assert code_of(await project.renewed(other["refresh_token"])) == "refresh_token_not_found"


async def signed_up(project: Project, address: str) -> dict[str, Any]:
    """The session of somebody with a password, who confirmed their address."""
    given = {"email": address, "password": PASSWORD}
    answer = await project.ask("/token", given, grant_type="password")
    if answer.status_code != 200:
        assert (await project.ask("/signup", given, redirect_to=PAGE)).status_code == 200
        await project.follow((await project.mail_to(address)).link)
        answer = await project.ask("/token", given, grant_type="password")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def test_an_account_with_a_password_is_made_and_its_address_confirmed(project: Project) -> None:
    session = await signed_up(project, "password@example.com")
    assert session["expires_in"] == 3600
    assert session["user"]["email"] == "password@example.com"


async def test_the_project_says_how_people_come_in(project: Project) -> None:
    said = (await project.http.get("/settings")).json()
    on = {name for name, is_on in said["external"].items() if is_on}
    assert (on, said["disable_signup"]) == ({"email", "github"}, False)
    off = await project.http.get("/authorize", params={"provider": "google", "redirect_to": PAGE})
    assert (off.status_code, code_of(off)) == (400, "validation_failed")
    there = await project.http.get("/authorize", params={"provider": "github", "redirect_to": PAGE})
    assert there.status_code in {302, 303}


async def test_a_person_who_was_removed_cannot_go_on(project: Project) -> None:
    session = await project.session("removed@example.com")
    if project.supabase.real_auth is None:
        project.supabase.auth.sessions.removed.add("removed")
    else:
        async with await psycopg.AsyncConnection.connect(str(project.supabase.auth.policies._dsn)) as owner:
            await owner.execute("delete from auth.users where email = 'removed@example.com'")
    assert code_of(await project.renewed(session["refresh_token"])) == "refresh_token_not_found"
    assert code_of(await project.user_of(session["access_token"])) in {"user_not_found", "session_not_found"}


def test_a_program_that_is_named_and_not_there_is_no_reason_to_skip(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tests.cloud.real_auth.NAMED", str(tmp_path / "auth"))
    with pytest.raises(FileNotFoundError):
        auth_program()
