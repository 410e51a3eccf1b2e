"""Settings are read all at once, and a wrong one is reported in one line."""

import re
from pathlib import Path

import pytest

from server.agent.bounds import AgentBounds
from server.errors import ConfigError
from server.settings import Settings, load_settings
from tests.cloud.people import ProjectKeys

KEYS = ProjectKeys("https://project.supabase.co")


def refusal(**options: object) -> str:
    with pytest.raises(ConfigError) as caught:
        load_settings(**options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_defaults_are_one_machine_without_a_key() -> None:
    settings = load_settings()
    assert (settings.host, settings.port, settings.open) == ("127.0.0.1", 8484, False)
    assert not settings.uses_language_model


def test_a_command_line_option_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAMECHAT_PORT", "8123")
    monkeypatch.setenv("FLAMECHAT_DATA", "/somewhere")
    assert load_settings().port == 8123
    settings = load_settings(port=9000, data=None, host=None, open=None)
    assert (settings.port, settings.data) == (9000, Path("/somewhere"))


@pytest.mark.parametrize(
    ("name", "value"), [("OPENAI_API_KEY", "sk-secret"), ("FLAMECHAT_MODEL_BASE_URL", "http://127.0.0.1:1/v1")]
)
def test_a_key_or_an_address_asks_for_a_language_model(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    assert load_settings().uses_language_model


def test_the_names_that_teams_already_use_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {
        "OPENAI_API_KEY": "sk-1",
        "SUPABASE_URL": "https://project.supabase.co",
        "SUPABASE_SERVICE_ROLE_KEY": "service",
        "PROCESS_AI_TURN_SECRET": "turn",
        "AI_ANALYSIS_MODEL": "gpt-x",
        "LANGFUSE_PUBLIC_KEY": "pk",
        "LANGFUSE_PRIVATE_KEY": "private",
        "LANGFUSE_HOST": "https://langfuse.example",
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    settings = load_settings()
    assert settings.model == "gpt-x"
    assert settings.langfuse_secret_key is not None
    assert settings.langfuse_secret_key.get_secret_value() == "private"
    assert settings.langfuse_host == "https://langfuse.example"


@pytest.mark.parametrize(("given", "missing"), [("PUBLIC", "SECRET"), ("SECRET", "PUBLIC")])
def test_one_langfuse_key_without_the_other_is_refused(
    monkeypatch: pytest.MonkeyPatch, given: str, missing: str
) -> None:
    monkeypatch.setenv(f"LANGFUSE_{given}_KEY", "key")
    with pytest.raises(ConfigError, match=f"FLAMECHAT_LANGFUSE_{missing}_KEY"):
        load_settings().check_langfuse()


def test_langfuse_secret_key_is_taken_by_its_other_name_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", "secret")
    settings = load_settings()
    assert settings.langfuse_secret_key is not None
    assert settings.langfuse_secret_key.get_secret_value() == "secret"


def test_an_unknown_name_is_refused_and_the_known_ones_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAMECHAT_PROT", "8123")
    text = refusal()
    assert "FLAMECHAT_PROT" in text
    assert "FLAMECHAT_PORT" in text


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FLAMECHAT_PORT", "eight"),
        ("FLAMECHAT_PORT", "70000"),
        ("FLAMECHAT_OPEN", "perhaps"),
        ("FLAMECHAT_MAX_UPLOAD_BYTES", "0"),
        ("FLAMECHAT_TURN_SECONDS", "-1"),
    ],
)
def test_a_wrong_value_is_named_with_what_it_is(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    text = refusal()
    assert name in text
    assert value in text


def test_every_wrong_setting_is_reported_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAMECHAT_PORT", "eight")
    monkeypatch.setenv("FLAMECHAT_OPEN", "perhaps")
    text = refusal()
    assert "FLAMECHAT_PORT" in text
    assert "FLAMECHAT_OPEN" in text


def test_an_empty_variable_is_an_unset_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "")
    monkeypatch.setenv("FLAMECHAT_PORT", "")
    assert load_settings().openai_api_key is None
    assert load_settings().port == 8484


def test_lists_are_separated_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAMECHAT_MODELS_ALLOWED", "gpt-a, gpt-b,")
    assert load_settings().models_allowed == ("gpt-a", "gpt-b")


def test_no_secret_is_ever_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = ["OPENAI_API_KEY", "SUPABASE_SECRET_KEY", "FLAMECHAT_ACCESS_TOKEN", "LANGFUSE_SECRET_KEY"]
    for name in [*secrets, "PROCESS_AI_TURN_SECRET"]:
        monkeypatch.setenv(name, "a-very-secret-value")
    settings = load_settings()
    assert "a-very-secret-value" not in f"{settings!r} {settings} {settings.model_dump_json()}"


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::"])
def test_a_host_that_others_reach_needs_an_access_token(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    with pytest.raises(ConfigError, match="FLAMECHAT_ACCESS_TOKEN"):
        load_settings(host=host).check_exposure()
    monkeypatch.setenv("FLAMECHAT_ACCESS_TOKEN", "token")
    load_settings(host=host).check_exposure()


SIZES = {"GiB": 1 << 30, "MiB": 1 << 20}


def test_the_documented_defaults_are_those_that_count() -> None:
    """Where the table gives a plain value; `none` is nothing, or an empty list."""
    text = (Path(__file__).parents[2] / "docs" / "settings.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `FLAMECHAT_(\w+)` \| ([^|]+) \|", text, re.MULTILINE)
    settings, checked = load_settings(), 0
    for name, written in rows:
        default = getattr(settings, name.lower())
        number, _, unit = written.strip("`").partition(" ")
        if number.isdecimal() and (not unit or unit in SIZES):
            assert default == int(number) * SIZES.get(unit, 1), name
        elif written in ("true", "false"):
            assert default is (written == "true"), name
        elif written == "none":
            assert not default, name
        else:
            continue
        checked += 1
    assert checked >= 35


def test_the_time_of_an_answer_has_one_default() -> None:
    assert load_settings().turn_seconds == AgentBounds().turn_seconds


def a_project(monkeypatch: pytest.MonkeyPatch, **keys: str) -> Settings:
    monkeypatch.setenv("SUPABASE_URL", "https://project.supabase.co")
    monkeypatch.setenv("FLAMECHAT_DATABASE_URL", "postgresql://x")
    for name, value in keys.items():
        monkeypatch.setenv(f"SUPABASE_{name.upper()}", value)
    return load_settings()


def test_the_new_keys_count_before_the_legacy_ones_and_secrets_may_be_several(monkeypatch: pytest.MonkeyPatch) -> None:
    legacy = {"anon_key": KEYS.legacy_key("anon"), "service_role_key": KEYS.legacy_key("service_role")}
    settings = a_project(monkeypatch, **legacy)
    settings.check_supabase()
    assert settings.public_supabase_key == legacy["anon_key"]
    assert settings.secret_supabase_keys == (legacy["service_role_key"],)
    settings = a_project(monkeypatch, publishable_key="sb_publishable_1", secret_key="sb_secret_2, sb_secret_1")
    settings.check_supabase()
    assert settings.public_supabase_key == "sb_publishable_1"
    assert settings.secret_supabase_keys == ("sb_secret_2", "sb_secret_1")


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"publishable_key": "sb_secret_1"}, "SUPABASE_PUBLISHABLE_KEY holds a secret key, which the page would show"),
        ({"publishable_key": KEYS.legacy_key("service_role")}, "holds a service_role key"),
        ({"secret_key": "sb_publishable_1"}, "SUPABASE_SECRET_KEY holds a public key (publishable)"),
        ({"secret_key": "sb_secret_1,sb_publishable_1"}, "SUPABASE_SECRET_KEY holds a public key (publishable)"),
        ({"secret_key": KEYS.legacy_key("anon")}, "SUPABASE_SECRET_KEY holds a public key (anon)"),
        ({"secret_key": "sb_secret_1 sb_secret_2"}, "SUPABASE_SECRET_KEY holds a space"),
        ({"secret_key": "“sb_secret_1”"}, "SUPABASE_SECRET_KEY holds a space"),
        ({"secret_key": " , "}, "not FLAMECHAT_SUPABASE_SECRET_KEY"),
        (
            {"publishable_key": "", "secret_key": ""},
            "FLAMECHAT_SUPABASE_PUBLISHABLE_KEY, FLAMECHAT_SUPABASE_SECRET_KEY",
        ),
    ],
)
def test_a_key_in_the_place_of_another_is_refused_without_being_shown(
    monkeypatch: pytest.MonkeyPatch, keys: dict[str, str], said: str
) -> None:
    given = {"publishable_key": "sb_publishable_1", "secret_key": "sb_secret_1"} | keys
    with pytest.raises(ConfigError) as refused:
        a_project(monkeypatch, **given).check_supabase()
    assert said in str(refused.value)
    assert not [value for value in keys.values() if len(value) > 4 and value in str(refused.value)]


def test_a_server_for_graphs_needs_its_address_and_ours() -> None:
    load_settings().check_executor()
    with pytest.raises(ConfigError, match="FLAMECHAT_LANGGRAPH_URL"):
        load_settings(executor="langgraph").check_executor()
    there = {"executor": "langgraph", "langgraph_url": "http://127.0.0.1:2024"}
    for hidden in ({"port": 0}, {"host": "0.0.0.0"}):
        with pytest.raises(ConfigError, match="FLAMECHAT_LANGGRAPH_CALLBACK_URL"):
            load_settings(**there, **hidden).check_executor()
        load_settings(**there, **hidden, langgraph_callback_url="https://here.example/").check_executor()
    assert load_settings(**there).callback_url == "http://127.0.0.1:8484"
    assert load_settings(**there, host="::1").callback_url == "http://[::1]:8484"
    assert load_settings(**there, langgraph_callback_url="https://here.example/").callback_url == "https://here.example"
