"""Every ObjectStore: the in-memory twin, the folder, a bucket of S3, and a Supabase project's Storage: the tests' own,
and real ones where they are named (tests/cloud/real_project.py, real_storage.py, real_bucket.py)."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from server.adapters.bucket.bucket_objects import BucketObjects
from server.adapters.folder.objects import FolderObjects
from server.adapters.supabase.objects import SupabaseObjects
from server.errors import BadRequest, NotFound
from server.ports.objects import PICTURES_BUCKET, TRACES_BUCKET, ObjectStore
from server.testing.objects import MemoryObjects
from tests.cloud.real_bucket import NAMED as NAMED_BUCKET
from tests.cloud.real_bucket import emptied_bucket
from tests.cloud.real_project import emptied, real_project
from tests.cloud.real_storage import real_storage
from tests.cloud.s3_server import s3_server
from tests.cloud.supabase_server import supabase_server

REAL = real_project()
STORAGE = real_storage()
NAMED = [
    *(["real project"] if REAL is not None else []),
    *(["real bucket"] if NAMED_BUCKET is not None else []),
    *(["real storage"] if STORAGE is not None else []),
]


@pytest.fixture(params=["memory", "folder", "s3", "supabase", *NAMED])
async def objects(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[ObjectStore]:
    if request.param == "memory":
        yield MemoryObjects()
    elif request.param == "folder":
        yield FolderObjects(tmp_path / "with space" / "objects")
    elif request.param == "s3":
        async with s3_server() as s3:
            for name, value in s3.settings().items():
                monkeypatch.setenv(name, value)
            yield BucketObjects(s3.settings()["FLAMECHAT_OBJECTS"])
    elif NAMED_BUCKET is not None and request.param == "real bucket":
        yield await emptied_bucket(BucketObjects(NAMED_BUCKET))
    elif REAL is not None and request.param == "real project":
        async with REAL.client() as client:
            yield await emptied(SupabaseObjects(client))
    elif request.param == "real storage":
        async with supabase_server(files=STORAGE) as supabase, supabase.project.client() as client:
            yield await emptied(SupabaseObjects(client))
    else:
        async with supabase_server() as supabase, supabase.project.client() as client:
            yield SupabaseObjects(client)


async def test_what_was_put_is_got_from_bytes_and_from_a_file(objects: ObjectStore, tmp_path: Path) -> None:
    upload = tmp_path / "upload"
    upload.write_bytes(b"\x00\x01" * 2_000_000)
    await objects.put(TRACES_BUCKET, "account/one", b"first")
    await objects.put(TRACES_BUCKET, "account/two", upload)
    assert await objects.get(TRACES_BUCKET, "account/one") == b"first"
    assert await objects.get(TRACES_BUCKET, "account/two") == upload.read_bytes()
    assert b"".join([piece async for piece in objects.stream(TRACES_BUCKET, "account/two")]) == upload.read_bytes()


async def test_a_put_replaces_and_buckets_are_apart(objects: ObjectStore) -> None:
    await objects.put(TRACES_BUCKET, "a/b", b"old")
    await objects.put(TRACES_BUCKET, "a/b", b"new")
    await objects.put(PICTURES_BUCKET, "a/b", b"picture")
    assert await objects.get(TRACES_BUCKET, "a/b") == b"new"
    assert await objects.get(PICTURES_BUCKET, "a/b") == b"picture"


async def test_an_absent_object_is_not_found(objects: ObjectStore) -> None:
    with pytest.raises(NotFound):
        await objects.get(TRACES_BUCKET, "a/absent")
    with pytest.raises(NotFound):
        async for _ in objects.stream(TRACES_BUCKET, "a/absent"):
            pass


async def test_deleting_twice_is_no_error(objects: ObjectStore) -> None:
    await objects.put(TRACES_BUCKET, "a/b", b"x")
    await objects.delete(TRACES_BUCKET, "a/b")
    await objects.delete(TRACES_BUCKET, "a/b")
    with pytest.raises(NotFound):
        await objects.get(TRACES_BUCKET, "a/b")


async def test_a_buckets_paths_are_all_there_and_no_others(
    objects: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.adapters.supabase.objects.LISTED_AT_ONCE", 2)
    assert [path async for path in objects.paths(PICTURES_BUCKET)] == []
    kept = {f"account/turn/{number}.png" for number in range(5)} | {"other/turn/a b.png", "flat"}
    for path in kept:
        await objects.put(PICTURES_BUCKET, path, b"x")
    await objects.put(TRACES_BUCKET, "account/trace", b"x")
    await objects.delete(PICTURES_BUCKET, "flat")
    assert sorted([path async for path in objects.paths(PICTURES_BUCKET)]) == sorted(kept - {"flat"})


async def test_an_address_leads_to_the_object_or_there_is_none(objects: ObjectStore) -> None:
    await objects.put(PICTURES_BUCKET, "a/b c.png", b"picture")
    address = await objects.address(PICTURES_BUCKET, "a/b c.png")
    if address is not None:
        async with httpx.AsyncClient(timeout=60) as anyone:
            assert (await anyone.get(address)).content == b"picture"
        with pytest.raises(NotFound):
            await objects.address(PICTURES_BUCKET, "a/absent.png")


@pytest.mark.parametrize("path", ["../x", "a/../../x", "/etc/passwd", "", "a//b", "./a", "a\\..\\b", "a/\0", "a/.."])
async def test_a_path_that_could_leave_its_bucket_is_refused(objects: ObjectStore, path: str) -> None:
    with pytest.raises(BadRequest):
        await objects.put(TRACES_BUCKET, path, b"x")
    with pytest.raises(BadRequest):
        await objects.get(TRACES_BUCKET, path)
    with pytest.raises(BadRequest):
        await objects.delete(TRACES_BUCKET, path)


async def test_a_put_that_cannot_read_its_file_stores_nothing(objects: ObjectStore, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        await objects.put(TRACES_BUCKET, "a/b", tmp_path / "absent")
    with pytest.raises(NotFound):
        await objects.get(TRACES_BUCKET, "a/b")
