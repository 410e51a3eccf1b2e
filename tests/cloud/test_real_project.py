"""What only a real project of Supabase can show: that its database, its keys and its people are as ours are made up.

Its objects, broadcasts and rows run through the suites of all adapters; docs/supabase.md says which.
"""

import httpx
import psycopg
import pytest

from server.adapters.supabase.identity import SupabaseIdentity
from server.adapters.supabase.keys import PublishedKeys
from server.adapters.supabase.project import SupabaseProject
from server.errors import NotAuthenticated
from tests.cloud.real_project import real_person, real_project
from tests.plugins.postgres import FreshDatabase


@pytest.fixture
def project() -> SupabaseProject:
    found = real_project()
    if found is None:
        pytest.skip("no real project is named: FLAMECHAT_TEST_SUPABASE_URL, ..._PUBLISHABLE_KEY and ..._SECRET_KEY do")
    return found


@pytest.fixture
def person() -> tuple[str, str]:
    found = real_person()
    if found is None:
        pytest.skip("no person of the project is named: FLAMECHAT_TEST_SUPABASE_EMAIL and ..._PASSWORD do")
    return found


async def account_of(user_id: str) -> str:
    return f"account of {user_id}"


def identity_of(project: SupabaseProject, client: httpx.AsyncClient) -> SupabaseIdentity:
    keys = PublishedKeys(client, f"{project.issuer}/.well-known/jwks.json")
    return SupabaseIdentity(issuer=project.issuer, keys=keys, secret=None, account_of=account_of)


async def test_a_token_of_the_project_names_its_user_and_one_that_was_changed_is_refused(
    project: SupabaseProject, person: tuple[str, str]
) -> None:
    async with project.client() as client:
        answer = await client.post(
            "/auth/v1/token",
            params={"grant_type": "password"},
            json={"email": person[0], "password": person[1]},
            headers={"apikey": project.publishable_key},
        )
        assert answer.status_code == 200, answer.text
        token, user = answer.json()["access_token"], answer.json()["user"]
        identity = identity_of(project, client)
        assert (await identity.identify(token)).user_id == user["id"]
        head, claims, signature = token.split(".")
        changed = ("B" if signature[0] == "A" else "A") + signature[1:]
        with pytest.raises(NotAuthenticated) as refused:
            await identity.identify(f"{head}.{claims}.{changed}")
        assert refused.value.code == "bad_signature"


async def test_a_key_of_the_project_is_no_user(project: SupabaseProject) -> None:
    async with project.client() as client:
        for key in (project.publishable_key, *project.secret_keys):
            with pytest.raises(NotAuthenticated):
                await identity_of(project, client).identify(key)


def test_every_table_of_the_projects_database_has_row_level_security(project_database: FreshDatabase) -> None:
    with psycopg.connect(project_database.owner, autocommit=True) as owner:
        tables = owner.execute(
            "select relname, relrowsecurity from pg_class where relnamespace = 'public'::regnamespace "
            "and relkind in ('r', 'p')"
        ).fetchall()
    assert len(tables) > 5
    assert [name for name, is_secured in tables if not is_secured] == []
