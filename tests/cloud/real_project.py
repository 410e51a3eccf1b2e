"""A real Supabase project for the tests, if somebody names one. It must be for tests alone: its buckets are emptied.

FLAMECHAT_TEST_SUPABASE_URL, FLAMECHAT_TEST_SUPABASE_ANON_KEY and FLAMECHAT_TEST_SUPABASE_SERVICE_ROLE_KEY name it; its
migrations have been applied.
"""

import os

from server.adapters.supabase.objects import SupabaseObjects
from server.adapters.supabase.project import SupabaseProject
from server.ports.objects import PICTURES_BUCKET, TRACES_BUCKET

NAMES = ("URL", "ANON_KEY", "SERVICE_ROLE_KEY")
_GIVEN = {name: os.environ.get(f"FLAMECHAT_TEST_SUPABASE_{name}") for name in NAMES}


def real_project() -> SupabaseProject | None:
    url, anon_key, service_role_key = (_GIVEN[name] for name in NAMES)
    if url is None or anon_key is None or service_role_key is None:
        return None
    return SupabaseProject(url=url, anon_key=anon_key, service_role_key=service_role_key)


async def emptied(objects: SupabaseObjects) -> SupabaseObjects:
    """Without whatever an earlier test has left."""
    for bucket in (TRACES_BUCKET, PICTURES_BUCKET):
        for path in [path async for path in objects.paths(bucket)]:
            await objects.delete(bucket, path)
    return objects
