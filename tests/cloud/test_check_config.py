"""`flamechat config` and `flamechat check-config`: what is set, from where, and what answers; never a secret."""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner
from pydantic import SecretStr

from server.adapters.postgres.embedded import EmbeddedPostgres
from server.app import main
from server.composing.checking import checked
from server.composing.checking_keys import keys_outcome
from server.composing.shown_settings import HIDDEN, shown_settings
from server.edges.cli.config import Checked
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.main import build_cli
from server.settings import Settings, load_settings
from tests.cloud.faults import Fault
from tests.cloud.langfuse_server import LangfuseServer, langfuse_server
from tests.cloud.langfuse_turns import PROMPT
from tests.cloud.people import PUBLISHABLE_KEY
from tests.cloud.supabase_server import SupabaseServer, supabase_server
from tests.openai_endpoint import Reply, openai_endpoint
from traces.missing_kernels import missing_kernels

SECRET = "a-very-secret-value"
SECRETS = [name for name, field in Settings.model_fields.items() if SecretStr.__name__ in str(field.annotation)]


@pytest.fixture(autouse=True)
def nothing_inherited(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FLAMECHAT_DATA", str(tmp_path / "data"))


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(build_cli(_commands()), list(arguments))
    return done.exit_code, done.output


def _commands() -> CliEntryPoints:
    async def checks(data: Path | None) -> AsyncIterator[Checked]:
        async for one in checked(load_settings(data=data)):
            yield one

    return CliEntryPoints(
        serve=lambda _: 0,
        analysis=lambda *_: pytest.fail("not asked"),
        show_config=shown_settings,
        check_config=checks,
        missing_kernels=missing_kernels,
    )


@pytest.mark.parametrize("command", ["config", "check-config"])
def test_the_data_folder_of_the_command_line_counts(tmp_path: Path, command: str) -> None:
    other = tmp_path / "another folder"
    other.mkdir()
    _, said = run(command, "--data", str(other))
    assert str(other) in said
    assert str(tmp_path / "data") not in said
    if command == "config":
        assert f"{other}  (from --data)" in said


def test_every_setting_is_shown_with_where_it_comes_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("FLAMECHAT_PORT", "8123")
    monkeypatch.setenv("FLAMECHAT_MODELS_ALLOWED", "a,b")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://me:hidden@127.0.0.1:9/v1")
    code, said = run("config", "--json")
    shown = {one["name"]: (one["value"], one["source"]) for one in json.loads(said)}
    assert code == 0
    assert list(shown) == [f"FLAMECHAT_{name.upper()}" for name in Settings.model_fields]
    assert shown["FLAMECHAT_OPENAI_API_KEY"] == (HIDDEN, "OPENAI_API_KEY")
    assert shown["FLAMECHAT_PORT"] == ("8123", "FLAMECHAT_PORT")
    assert shown["FLAMECHAT_MODELS_ALLOWED"] == ("a, b", "FLAMECHAT_MODELS_ALLOWED")
    assert shown["FLAMECHAT_MODEL_BASE_URL"] == ("http://***@127.0.0.1:9/v1", "OPENAI_BASE_URL")
    assert shown["FLAMECHAT_HOST"] == ("127.0.0.1", "default")
    assert shown["FLAMECHAT_OPEN"] == ("false", "default")
    assert shown["FLAMECHAT_SUPABASE_URL"] == ("(not set)", "default")


@pytest.mark.parametrize("switch", ["on", "off"])
def test_missing_kernels_have_a_line_and_are_no_setting(monkeypatch: pytest.MonkeyPatch, switch: str) -> None:
    monkeypatch.setenv("FLAMECHAT_KERNELS", switch)
    code, said = run("config")
    assert code == 0
    line = "! The compiled kernels are not in use: FLAMECHAT_KERNELS=off. Traces are read by the plain Python reference"
    assert (line in said) == (missing_kernels() is not None)
    assert missing_kernels() is not None or switch == "on"
    assert len(json.loads(run("config", "--json")[1])) == len(Settings.model_fields)


def test_only_what_is_set_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGFUSE_PRIVATE_KEY", SECRET)
    code, said = run("config", "--changed")
    assert code == 0
    assert "* FLAMECHAT_LANGFUSE_SECRET_KEY  (set, not shown)  (from LANGFUSE_PRIVATE_KEY)" in said
    assert "FLAMECHAT_DATA" in said
    assert "FLAMECHAT_PORT" not in said


@pytest.mark.parametrize("name", SECRETS)
def test_no_secret_is_shown(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"FLAMECHAT_{name.upper()}", SECRET)
    code, said = run("config")
    assert code == 0
    assert HIDDEN in said
    assert SECRET not in said


def test_a_setting_that_cannot_be_ends_both_commands_with_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAMECHAT_PORT", "eight")
    for command in ("config", "check-config"):
        code, _ = run(command)
        assert code == 2


def test_the_program_has_both_commands(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["flamechat", "config", "--changed"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert "FLAMECHAT_DATA" in capsys.readouterr().out


async def lines() -> dict[str, tuple[str, str]]:
    return {one.name: (one.sign, one.said) async for one in checked(load_settings())}


async def test_one_machine_needs_nothing_and_says_what_it_uses(tmp_path: Path) -> None:
    found = await lines()
    assert "FAILED" not in {sign for sign, _ in found.values()}
    assert found["data folder"][1].startswith(f"{tmp_path / 'data'} will be made")
    assert found["model"] == ("off", "Built-in analyst (rules, not a language model) answers")
    assert found["realtime"][0] == found["langfuse"][0] == "off"
    assert not (tmp_path / "data").exists(), "a check changes nothing"


@dataclass(frozen=True, slots=True)
class Cloud:
    project: SupabaseServer
    langfuse: LangfuseServer


@pytest.fixture
async def cloud(
    postgres: EmbeddedPostgres, migrated_template: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Cloud]:
    """Settings that name a service for everything, each of them a test server."""
    async with AsyncExitStack() as stack:
        project = await stack.enter_async_context(supabase_server())
        langfuse = await stack.enter_async_context(langfuse_server(prompt=PROMPT))
        endpoint = await stack.enter_async_context(openai_endpoint(Reply(text="ok")))
        given = project.settings() | langfuse.settings()
        given |= {"OPENAI_BASE_URL": endpoint.base_url, "FLAMECHAT_DATABASE_URL": postgres.owner_dsn}
        for name, value in given.items():
            monkeypatch.setenv(name, value)
        yield Cloud(project, langfuse)


@pytest.mark.long
async def test_every_service_of_the_cloud_is_tried(cloud: Cloud) -> None:
    found = await lines()
    encoder = found.pop("embedder")  # whether one is here, and how quick, is the machine's
    assert encoder[0] in {"ok", "slow", "off"}, encoder
    assert {name: sign for name, (sign, _) in found.items() if sign != "ok"} == {}
    assert found["database"][1].startswith("PostgreSQL 1")
    assert found["notifications"][1] == "a NOTIFY arrives"
    assert found["storage"][1] == "private buckets traces and ai-snapshots"
    assert found["keys"] == ("ok", "publishable and secret")
    assert found["identity"][1].startswith("2 signing keys at")
    assert found["langfuse"][1].endswith("; analysis-system-prompt@v3")
    assert found["model"][1] == "gpt-5 answers; when it is down: Built-in analyst (rules, not a language model)"


@pytest.mark.parametrize("fault", ["500", "cut", "wrong"])
@pytest.mark.long
async def test_each_service_fails_for_itself_and_no_line_holds_a_secret(cloud: Cloud, fault: Fault) -> None:
    for service in ("storage", "realtime", "auth"):
        cloud.project.faults.always(service, fault)
    cloud.langfuse.faults.always("prompts", fault)
    found = await lines()
    failed = {name for name, (sign, _) in found.items() if sign == "FAILED"}
    assert failed == {"storage", "keys", "identity", "realtime", "langfuse"}
    texts = " ".join(said for _, said in found.values())
    keys = (*cloud.project.project.secret_keys, cloud.langfuse.secret_key)
    assert [key for key in keys if key in texts] == []


async def test_a_missing_database_is_reported_without_its_password(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLAMECHAT_DATABASE_URL", f"postgresql://someone:{SECRET}@127.0.0.1:9/x")
    found = await lines()
    assert found["database"][0] == found["notifications"][0] == "FAILED"
    assert "127.0.0.1" in found["database"][1]
    assert SECRET not in str(found)


async def keys_line(monkeypatch: pytest.MonkeyPatch, given: dict[str, str]) -> tuple[str, str]:
    for kind in ("PUBLISHABLE_KEY", "SECRET_KEY", "ANON_KEY", "SERVICE_ROLE_KEY"):
        monkeypatch.delenv(f"SUPABASE_{kind}", raising=False)
    monkeypatch.setenv("FLAMECHAT_DATABASE_URL", "postgresql://nobody@127.0.0.1:9/x")
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    return await keys_outcome(load_settings())


async def test_the_kind_of_the_keys_is_said_and_when_the_legacy_ones_end(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await keys_outcome(load_settings()) == ("off", "no Supabase project")
    async with supabase_server() as project:
        assert await keys_line(monkeypatch, project.settings()) == ("ok", "publishable and secret")
        sign, said = await keys_line(monkeypatch, project.legacy_settings())
        assert (sign, said.startswith("anon and service_role; Supabase ends the legacy keys")) == ("slow", True)
        assert "2026" in said
        mixed = project.legacy_settings() | {"SUPABASE_SECRET_KEY": project.keys.api_key("service_role")}
        sign, said = await keys_line(monkeypatch, mixed)
        assert said.startswith("anon and secret; FLAMECHAT_SUPABASE_SERVICE_ROLE_KEY is set too and not used; Supabase")


async def test_each_key_is_tried_by_itself_and_a_revoked_one_named_by_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with supabase_server() as project:
        first, second = project.keys.secret_keys
        given = project.settings() | {"SUPABASE_SECRET_KEY": f"{first},{second}"}
        assert await keys_line(monkeypatch, given) == ("ok", "publishable and secret (2 of them, for rotation)")
        project.keys.revoked.add(first)
        sign, said = await keys_line(monkeypatch, given)
        assert (sign, said.endswith("secret key 1 of 2 is refused: remove it")) == ("slow", True)
        project.keys.revoked.add(second)
        sign, said = await keys_line(monkeypatch, given)
        assert (sign, said) == ("FAILED", "no secret key is taken: revoked, or of another project")
        project.keys.revoked.add(PUBLISHABLE_KEY)
        sign, said = await keys_line(monkeypatch, given)
        assert (sign, said) == ("FAILED", "the publishable key is refused: revoked, or of another project")
        assert not [key for key in (first, second, PUBLISHABLE_KEY) if key in said]


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")


@pytest.mark.usefixtures("nobody")
def test_one_failure_is_exit_code_1() -> None:
    code, said = run("check-config")
    assert code == 1
    assert "FAILED  model           Cannot reach the model endpoint http://127.0.0.1:9/v1." in said
    assert "ok      settings        no contradictions" in said
