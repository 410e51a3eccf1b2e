"""A real Supabase project for the tests, if somebody names one. It must be for tests alone: its buckets are emptied.

FLAMECHAT_TEST_SUPABASE_URL, ..._PUBLISHABLE_KEY and ..._SECRET_KEY name it (..._ANON_KEY and ..._SERVICE_ROLE_KEY with
legacy keys), ..._EMAIL and ..._PASSWORD one of its people; its migrations have been applied. Its database is named to
tests/plugins/postgres.py.
"""

import os

from server.adapters.supabase.objects import SupabaseObjects
from server.adapters.supabase.project import SupabaseProject
from server.ports.objects import PICTURES_BUCKET, TRACES_BUCKET

NAMES = ("URL", "PUBLISHABLE_KEY", "SECRET_KEY", "EMAIL", "PASSWORD", "ANON_KEY", "SERVICE_ROLE_KEY")
_GIVEN = {name: os.environ.get(f"FLAMECHAT_TEST_SUPABASE_{name}") for name in NAMES}


def real_project() -> SupabaseProject | None:
    url = _GIVEN["URL"]
    publishable = _GIVEN["PUBLISHABLE_KEY"] or _GIVEN["ANON_KEY"]
    secret = _GIVEN["SECRET_KEY"] or _GIVEN["SERVICE_ROLE_KEY"]
    if url is None or publishable is None or secret is None:
        return None
    return SupabaseProject(url=url, publishable_key=publishable, secret_keys=(secret,))


def real_person() -> tuple[str, str] | None:
    """Who may sign in there: e-mail address and password."""
    email, password = _GIVEN["EMAIL"], _GIVEN["PASSWORD"]
    return None if email is None or password is None else (email, password)


async def emptied(objects: SupabaseObjects) -> SupabaseObjects:
    """Without whatever an earlier test has left."""
    for bucket in (TRACES_BUCKET, PICTURES_BUCKET):
        for path in [path async for path in objects.paths(bucket)]:
            await objects.delete(bucket, path)
    return objects
