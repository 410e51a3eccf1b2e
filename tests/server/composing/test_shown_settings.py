"""What `flamechat config` shows: each setting's value, where it comes from, and no secret."""

from pathlib import Path
from typing import Any

import pytest

from server.composing.shown_settings import HIDDEN, NOT_SET, shown_settings
from server.settings import PREFIX, Settings


@pytest.fixture(autouse=True)
def nothing_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", *(PREFIX + name.upper() for name in Settings.model_fields)):
        monkeypatch.delenv(name, raising=False)


def shown(monkeypatch: pytest.MonkeyPatch, data: Path | None = None, **given: str) -> dict[str, tuple[str, str]]:
    """Value and source of each setting by its name."""
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    return {one.name: (one.value, one.source) for one in shown_settings(data, environment=given)}


def test_every_setting_is_shown_and_what_is_not_given_comes_from_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    found = shown(monkeypatch)
    assert list(found)[: len(Settings.model_fields)] == [PREFIX + name.upper() for name in Settings.model_fields]
    assert {source for _, source in found.values()} == {"default"}
    assert found["FLAMECHAT_TAVILY_API_KEY"] == (NOT_SET, "default")


def test_a_setting_of_the_environment_is_shown_with_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    found = shown(monkeypatch, FLAMECHAT_PORT="9999")
    assert found["FLAMECHAT_PORT"] == ("9999", "FLAMECHAT_PORT")


def test_an_option_of_the_command_line_goes_before_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = shown(monkeypatch, tmp_path, FLAMECHAT_DATA="/elsewhere")
    assert found["FLAMECHAT_DATA"] == (str(tmp_path), "--data")


@pytest.mark.parametrize("name", ["FLAMECHAT_OPENAI_API_KEY", "OPENAI_API_KEY"])
def test_a_secret_is_said_to_be_set_under_the_name_that_it_came_by(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    given: dict[str, Any] = {name: "sk-secret"}
    found = shown(monkeypatch, **given)
    assert found["FLAMECHAT_OPENAI_API_KEY"] == (HIDDEN, name)
    assert "sk-secret" not in repr(found)


def test_of_two_names_of_a_setting_the_one_that_counts_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    found = shown(monkeypatch, OPENAI_API_KEY="b", FLAMECHAT_OPENAI_API_KEY="a")
    assert found["FLAMECHAT_OPENAI_API_KEY"] == (HIDDEN, "FLAMECHAT_OPENAI_API_KEY")
