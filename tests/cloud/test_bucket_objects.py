"""Files in a bucket: in parts, below a prefix, and every way in which a provider refuses or is away.

The bucket is a stand-in. A real one, named by FLAMECHAT_TEST_S3_URL, runs through the contract of object stores.
"""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from obstore.exceptions import GenericError
from structlog.testing import capture_logs

from server.adapters.bucket.bucket_objects import AWAY, REFUSED, BucketObjects, _unavailable
from server.composing.checking import checked
from server.composing.object_store import object_store
from server.errors import ConfigError, NotFound, ServiceUnavailable
from server.ports.objects import TRACES_BUCKET
from server.settings import load_settings
from tests.cloud.s3_server import KEY_ID, S3Server, s3_server

LARGE_BYTES = 12_000_000


@pytest.fixture
async def s3(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[S3Server]:
    async with s3_server() as server:
        for name, value in server.settings().items():
            monkeypatch.setenv(name, value)
        yield server


def bucket(s3: S3Server, *, max_bytes: int = 1 << 30, retried_for_s: float = 0.5) -> BucketObjects:
    return BucketObjects(s3.settings()["FLAMECHAT_OBJECTS"], max_bytes=max_bytes, retried_for_s=retried_for_s)


async def storage_line() -> tuple[str, str]:
    found = {one.name: (one.sign, one.said) async for one in checked(load_settings())}
    return found["storage"]


async def test_a_large_file_goes_up_in_parts_below_the_prefix_and_comes_down_in_pieces(
    s3: S3Server, tmp_path: Path
) -> None:
    upload = tmp_path / "upload"
    upload.write_bytes(os.urandom(LARGE_BYTES))
    await bucket(s3).put(TRACES_BUCKET, "a/t", upload)
    assert {key: len(content) for key, content in s3.objects.items()} == {"team/traces/a/t": LARGE_BYTES}
    assert [method for method, _ in s3.requests] == ["POST", *["PUT"] * 3, "POST"]
    pieces = [piece async for piece in bucket(s3).stream(TRACES_BUCKET, "a/t")]
    assert len(pieces) > 5
    assert b"".join(pieces) == upload.read_bytes()


async def test_a_file_of_which_a_part_is_refused_is_not_there(s3: S3Server, tmp_path: Path) -> None:
    upload = tmp_path / "upload"
    upload.write_bytes(bytes(LARGE_BYTES))
    objects = bucket(s3)
    await objects.put(TRACES_BUCKET, "a/t", b"before")
    s3.is_read_only = True
    with pytest.raises(ServiceUnavailable):
        await objects.put(TRACES_BUCKET, "a/t", upload)
    assert s3.objects == {"team/traces/a/t": b"before"}


async def test_a_slow_down_is_waited_out_and_a_download_that_breaks_off_goes_on(s3: S3Server) -> None:
    objects, content = bucket(s3), os.urandom(3_000_000)
    s3.refuse("SlowDown", times=2)
    await objects.put(TRACES_BUCKET, "a/t", content)
    s3.refuse("InternalError")
    s3.cuts = 1
    assert await objects.get(TRACES_BUCKET, "a/t") == content


async def test_what_is_larger_than_any_upload_is_not_read(s3: S3Server) -> None:
    await bucket(s3).put(TRACES_BUCKET, "a/t", bytes(3_000_000))
    with pytest.raises(ServiceUnavailable, match="2,000,000"):
        await bucket(s3, max_bytes=2_000_000).get(TRACES_BUCKET, "a/t")


@pytest.mark.parametrize(
    ("code", "text", "said"),
    [
        ("SlowDown", AWAY, "SlowDown"),
        ("InternalError", AWAY, "InternalError"),
        ("AccessDenied", REFUSED, "AccessDenied"),
        ("SignatureDoesNotMatch", REFUSED, "SignatureDoesNotMatch"),
        ("NoSuchBucket", REFUSED, "NoSuchBucket"),
        ("QuotaExceeded", REFUSED, "QuotaExceeded"),
        ("PermanentRedirect", REFUSED, "another region"),
    ],
)
async def test_a_refusal_has_its_code_for_whoever_runs_the_server_and_no_key(
    s3: S3Server, code: str, text: str, said: str
) -> None:
    objects = bucket(s3, retried_for_s=0.05)
    s3.always = code
    for attempt in (
        lambda: objects.put(TRACES_BUCKET, "a/t", b"x"),
        lambda: objects.get(TRACES_BUCKET, "a/t"),
        lambda: objects.delete(TRACES_BUCKET, "a/t"),
        lambda: anext(objects.paths(TRACES_BUCKET)),
    ):
        with capture_logs() as logs, pytest.raises(ServiceUnavailable) as refused:
            await attempt()
        assert str(refused.value) == text
        assert said in (refused.value.said or "")
        assert logs[-1]["code"] == said
        assert KEY_ID not in f"{logs} {refused.value.said}"


async def test_a_bucket_that_nobody_serves_is_away(monkeypatch: pytest.MonkeyPatch, s3: S3Server) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(ServiceUnavailable, match="does not answer"):
        await bucket(s3).get(TRACES_BUCKET, "a/t")


def test_a_machine_without_keys_and_without_a_role_is_refused_and_not_asked_to_wait() -> None:
    tried = GenericError("Error performing PUT http://169.254.169.254/latest/api/token in 6s - HTTP error")
    with capture_logs() as logs:
        assert str(_unavailable(tried, "put")) == REFUSED
    assert logs[0]["code"] == "no keys"


async def test_an_absent_object_is_no_absent_bucket(s3: S3Server) -> None:
    with pytest.raises(NotFound):
        await bucket(s3).get(TRACES_BUCKET, "a/t")
    gone = BucketObjects("s3://another/team", retried_for_s=0.5)
    with pytest.raises(ServiceUnavailable):
        await gone.get(TRACES_BUCKET, "a/t")


async def test_the_settings_choose_the_bucket_and_check_config_tries_it(
    s3: S3Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FLAMECHAT_DATA", str(tmp_path / "data"))
    async with object_store(load_settings()) as store:
        assert isinstance(store, BucketObjects)
    assert await storage_line() == ("ok", "s3://flamechat-test/team takes, gives and removes objects")
    assert s3.objects == {}
    s3.is_read_only = True
    assert await storage_line() == (
        "FAILED",
        "s3://flamechat-test/team refuses: put, AccessDenied, PermissionDeniedError",
    )
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    assert (await storage_line())[1] == "s3://flamechat-test/team refuses: put, another region, GenericError"
    s3.always = "SlowDown"
    monkeypatch.setattr("server.adapters.bucket.bucket_objects.RETRIES", 0)
    assert (await storage_line())[1] == "s3://flamechat-test/team does not answer: put, SlowDown, GenericError"


@pytest.mark.parametrize(
    "url",
    ["bucket", "s3:///prefix", "ftp://bucket", "file:///tmp", "s3://me:secret@bucket", "s3://b?x=1", "https://b/p"],
)
def test_an_address_that_is_none_ends_the_start(url: str) -> None:
    with pytest.raises(ConfigError, match="FLAMECHAT_OBJECTS must be") as refused:
        BucketObjects(url)
    with pytest.raises(ConfigError, match="FLAMECHAT_OBJECTS must be"):
        load_settings(objects=url).check_objects()
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("url", ["gs://bucket/prefix", "az://container/prefix"])
def test_the_other_providers_are_known_by_their_addresses(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "account")
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", "c2VjcmV0")
    assert BucketObjects(url)._store.prefix == "prefix"


def test_an_azure_without_an_account_ends_the_start_in_one_line() -> None:
    with pytest.raises(ConfigError, match=r"Account must be specified$"):
        BucketObjects("az://container")
