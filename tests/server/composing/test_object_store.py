"""Where files are kept, by the settings: a bucket before a project before the data folder."""

from pathlib import Path

from server.adapters.bucket.bucket_objects import BucketObjects
from server.adapters.folder.objects import FolderObjects
from server.adapters.supabase.objects import SupabaseObjects
from server.composing.object_store import object_store
from server.settings import Settings

PROJECT = {
    "supabase_url": "http://127.0.0.1:9",
    "supabase_publishable_key": "sb_publishable_a",
    "supabase_secret_key": "sb_secret_a",
}


async def kind_of(folder: Path, **given: str) -> type:
    async with object_store(Settings(data=folder, **given)) as store:  # type: ignore[arg-type]
        return type(store)


async def test_without_a_bucket_and_a_project_files_are_in_the_data_folder(tmp_path: Path) -> None:
    async with object_store(Settings(data=tmp_path)) as store:
        assert isinstance(store, FolderObjects)
        await store.put("traces", "a/b", b"c")
        assert await store.get("traces", "a/b") == b"c"
    assert [path.name for path in (tmp_path / "objects").rglob("*") if path.is_file()] == ["b"]


async def test_a_project_s_storage_goes_before_the_folder_and_a_bucket_before_it(tmp_path: Path) -> None:
    assert await kind_of(tmp_path, **PROJECT) is SupabaseObjects
    bucket = "s3://recordings/flamechat"
    assert await kind_of(tmp_path, objects=bucket) is BucketObjects
    assert await kind_of(tmp_path, objects=bucket, **PROJECT) is BucketObjects
