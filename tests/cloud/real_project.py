"""A real Supabase project for the tests, if somebody names one. It must be for tests alone: its buckets are emptied.

FLAMECHAT_TEST_SUPABASE_URL, FLAMECHAT_TEST_SUPABASE_ANON_KEY and FLAMECHAT_TEST_SUPABASE_SERVICE_ROLE_KEY name it,
..._EMAIL and ..._PASSWORD one of its people; its migrations have been applied. Its database is named to
tests/plugins/postgres.py.
"""

import os

from server.adapters.supabase.objects import SupabaseObjects
from server.adapters.supabase.project import SupabaseProject
from server.ports.objects import PICTURES_BUCKET, TRACES_BUCKET

NAMES = ("URL", "ANON_KEY", "SERVICE_ROLE_KEY", "EMAIL", "PASSWORD")
_GIVEN = {name: os.environ.get(f"FLAMECHAT_TEST_SUPABASE_{name}") for name in NAMES}


def real_project() -> SupabaseProject | None:
    url, anon_key, service_role_key = (_GIVEN[name] for name in NAMES[:3])
    if url is None or anon_key is None or service_role_key is None:
        return None
    return SupabaseProject(url=url, anon_key=anon_key, service_role_key=service_role_key)


def real_person() -> tuple[str, str] | None:
    """Who may sign in there: e-mail address and password."""
    email, password = (_GIVEN[name] for name in NAMES[3:])
    return None if email is None or password is None else (email, password)


async def emptied(objects: SupabaseObjects) -> SupabaseObjects:
    """Without whatever an earlier test has left."""
    for bucket in (TRACES_BUCKET, PICTURES_BUCKET):
        for path in [path async for path in objects.paths(bucket)]:
            await objects.delete(bucket, path)
    return objects
