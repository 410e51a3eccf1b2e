"""Where the settings keep files: in a bucket that they name, in the Storage of a project, or in the data folder."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from server.composing.supabase_project import supabase_project
from server.ports.objects import ObjectStore
from server.settings import Settings


@asynccontextmanager
async def object_store(settings: Settings) -> AsyncIterator[ObjectStore]:
    """Nothing is asked of it yet. Raises ConfigError."""
    project = supabase_project(settings)
    if settings.objects is not None:
        from server.adapters.bucket.bucket_objects import BucketObjects

        yield BucketObjects(settings.objects)
    elif project is None:
        from server.adapters.folder.objects import FolderObjects

        yield FolderObjects(settings.data / "objects")
    else:
        from server.adapters.supabase.objects import SupabaseObjects

        async with project.client() as client:
            yield SupabaseObjects(client)
