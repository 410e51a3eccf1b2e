"""The files of `deploy/` fit the program and each other. That they run is tried with Docker, which tests do without."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from server.settings import PREFIX, Settings
from tests.e2e.running_server import running_server

DEPLOY = Path(__file__).parents[2] / "deploy"
EXAMPLE = (DEPLOY / ".env.example").read_text(encoding="utf-8")
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]
SETTINGS = {PREFIX + name.upper() for name in Settings.model_fields}


def test_the_example_holds_every_setting_once_commented_out_and_no_other() -> None:
    listed = re.findall(rf"^#({PREFIX}\w+)=", EXAMPLE, flags=re.MULTILINE)
    assert sorted(listed) == sorted(SETTINGS), "each setting has a line in deploy/.env.example, as in docs/settings.md"
    assert not re.findall(rf"^{PREFIX}", EXAMPLE, flags=re.MULTILINE)


def test_its_values_are_the_defaults() -> None:
    values = dict(re.findall(rf"^#{PREFIX}(\w+)=(.*)$", EXAMPLE, flags=re.MULTILINE))
    defaults = {
        name.upper(): str(field.default).lower() if isinstance(field.default, bool) else str(field.default)
        for name, field in Settings.model_fields.items()
        if isinstance(field.default, str | int | float | bool)
    }
    assert {name: values[name] for name in defaults} == defaults
    assert not any(values[name] for name in values.keys() - defaults.keys())


def test_what_compose_asks_for_is_what_the_example_offers() -> None:
    asked = set(re.findall(r"\$\{(\w+)\}", (DEPLOY / "compose.yaml").read_text(encoding="utf-8")))
    offered = set(re.findall(r"^([A-Z_]+)=", EXAMPLE, flags=re.MULTILINE))
    assert asked == offered


def test_the_example_holds_no_secret() -> None:
    filled = dict(re.findall(r"^([A-Z_]+)=(.+)$", EXAMPLE, flags=re.MULTILINE))
    assert set(filled) == {"SUPABASE_PUBLIC_URL", "SITE_URL", "DISABLE_SIGNUP"}


def test_flamechat_is_given_settings_that_it_has_and_that_fit_together() -> None:
    given = SERVICES["flamechat"]["environment"]
    assert set(given) <= SETTINGS
    values = {name.removeprefix(PREFIX).lower(): value for name, value in given.items()}
    Settings(host="0.0.0.0", **values).check_supabase()


def test_images_are_named_with_a_version_and_nothing_but_loopback_is_published() -> None:
    images = [service["image"] for name, service in SERVICES.items() if name != "flamechat"]
    assert all(re.fullmatch(r"[a-z]+(/[a-z-]+)?:v?[\d.]+(-[a-z]+)?", image) for image in images), images
    published = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert published
    assert all(port.startswith("127.0.0.1:") for port in published)


def test_every_file_that_is_mounted_is_there() -> None:
    mounted = [one.split(":")[0] for service in SERVICES.values() for one in service.get("volumes", [])]
    assert [one for one in mounted if one.startswith("./") and not (DEPLOY / one).is_file()] == []


def test_the_gateway_knows_the_services_by_their_names_and_ports() -> None:
    text = (DEPLOY / "supabase" / "gateway.conf").read_text(encoding="utf-8")
    targets = set(re.findall(r"proxy_pass http://(\w+):(\d+)/", text))
    assert targets == {("auth", "9999"), ("storage", "5000"), ("realtime", "4000")}
    assert set(re.findall(r"proxy_set_header Host (\S+);", text)) == {SERVICES["realtime"]["container_name"]}


def filled_in(name: str, **variables: str) -> str:
    """What a map of the gateway makes of its source, as nginx does: exact values, then patterns in their order."""
    given = dict.fromkeys(SERVICES["gateway"]["environment"], "") | KEYS
    text = (DEPLOY / "supabase" / "gateway.conf").read_text(encoding="utf-8")
    for variable, value in given.items():
        text = text.replace(f"${{{variable}}}", value)
    found = re.search(rf"^map \$(\w+) \${name} \{{(.*?)^\}}", text, flags=re.MULTILINE | re.DOTALL)
    assert found is not None
    lines = re.findall(r'^\s+(?:"([^"]*)"|(default))\s+"?([^";]*)"?;$', found[2], flags=re.MULTILINE)
    source = variables[found[1]]
    exact = [value for key, _, value in lines if key == source and not key.startswith("~")]
    patterns = [
        value
        for key, _, value in lines
        if key.startswith("~") and re.search(key.lstrip("~*"), source, re.IGNORECASE if key.startswith("~*") else 0)
    ]
    (default,) = (value for _, is_default, value in lines if is_default)
    chosen = [*exact, *patterns, default][0]
    return variables[chosen[1:]] if chosen[1:] in variables else chosen.replace("$http_apikey", source)


KEYS = {
    "ANON_KEY": "eyJ.anon.x",
    "SERVICE_ROLE_KEY": "eyJ.service.x",
    "SUPABASE_PUBLISHABLE_KEY": "sb_publishable_1",
    "SUPABASE_SECRET_KEY": "sb_secret_2",
    "SUPABASE_FORMER_SECRET_KEY": "sb_secret_1",
}


@pytest.mark.parametrize(
    ("key", "bearer", "passed_on"),
    [
        ("sb_publishable_1", "", "Bearer eyJ.anon.x"),
        ("sb_secret_2", "", "Bearer eyJ.service.x"),
        ("sb_secret_1", "", "Bearer eyJ.service.x"),
        ("sb_secret_2", "Bearer sb_secret_2", "Bearer eyJ.service.x"),
        ("sb_publishable_1", "Bearer eyJ.a.person", "Bearer eyJ.a.person"),
        ("eyJ.anon.x", "", "Bearer eyJ.anon.x"),
        ("", "Bearer eyJ.a.person", "Bearer eyJ.a.person"),
        ("", "", ""),
        ("sb_secret_22", "", "unknown"),
        ("xsb_secret_2", "", "unknown"),
    ],
)
def test_the_gateway_makes_a_token_of_a_key_and_leaves_a_persons_alone(key: str, bearer: str, passed_on: str) -> None:
    known = filled_in("key_token", http_apikey=key)
    own = filled_in("own_token", http_authorization=bearer)
    assert filled_in("authorization", own_token=own, key_token=known) == passed_on


def test_without_a_former_key_nobody_becomes_anything_by_sending_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SUPABASE_PUBLISHABLE_KEY", "SUPABASE_SECRET_KEY", "SUPABASE_FORMER_SECRET_KEY"):
        monkeypatch.setitem(KEYS, name, "")
    assert filled_in("key_token", http_apikey="") == ""
    assert filled_in("socket_key", arg_apikey="") == ""


def test_a_sockets_key_becomes_a_token_too() -> None:
    keys = {"sb_publishable_1": "eyJ.anon.x", "sb_secret_1": "eyJ.service.x", "eyJ.own.x": "eyJ.own.x", "": ""}
    assert {key: filled_in("socket_key", arg_apikey=key) for key in keys} == keys


def test_the_image_runs_as_nobody_in_particular_and_holds_no_compiler() -> None:
    build, final = re.split(r"^FROM ", DOCKERFILE, flags=re.MULTILINE)[1:]
    assert "gcc" in build
    assert "gcc" not in final
    assert re.search(r"^USER 10001:10001$", final, flags=re.MULTILINE)
    assert final.index("USER 10001") < final.index("ENTRYPOINT")


@pytest.mark.parametrize("name", ["Dockerfile", "compose.yaml", ".env.example"])
def test_no_package_index_is_named(name: str) -> None:
    assert not re.search(r"pypi|pythonhosted|npmjs|index-url|registry\.", (DEPLOY / name).read_text(encoding="utf-8"))


@pytest.mark.long
def test_the_health_check_distinguishes_a_server_that_runs_from_one_that_does_not(tmp_path: Path) -> None:
    said = re.search(r"HEALTHCHECK[^\[]*(\[.*\])$", DOCKERFILE, flags=re.MULTILINE)
    assert said is not None
    _, *arguments = json.loads(said[1])

    def health(port: str) -> int:
        command = [sys.executable, *arguments]
        return subprocess.run(command, env={"FLAMECHAT_PORT": port}, capture_output=True, timeout=60).returncode

    with running_server(tmp_path, {}) as server:
        port = server.address.rpartition(":")[2]
        assert health(port) == 0
    assert health(port) != 0
