"""Which model looks for facts: the one that is named, else the cheapest of a plan whose price is known."""

from pathlib import Path

import pytest

from server.composing.memory_use_cases import noticing_model
from server.ports.executor import ModelCaller
from server.settings import Settings, load_settings

PRICES = """
[dear]
input = 10.0
output = 40.0

[cheap-to-read]
input = 0.1
output = 90.0

[cheap]
input = 0.4
output = 1.6
"""


def settings(tmp_path: Path, *, priced: bool = True, **options: object) -> Settings:
    file = tmp_path / "prices.toml"
    file.write_text(PRICES, encoding="utf-8")
    wished = {"model_base_url": "http://127.0.0.1:9/v1", "model": "dear", "models_allowed": ("unpriced", "cheap")}
    return load_settings(data=tmp_path, **wished | ({"model_prices": file} if priced else {}) | options)


@pytest.mark.parametrize(
    ("models", "name"),
    [
        (None, "cheap"),
        (("dear", "cheap-to-read", "cheap"), "cheap"),
        (("cheap-to-read", "dear"), "dear"),
        (("unpriced",), None),
    ],
)
def test_the_cheapest_of_the_plan_is_asked(tmp_path: Path, models: tuple[str, ...] | None, name: str | None) -> None:
    chosen = noticing_model(settings(tmp_path))
    assert chosen is not None
    assert chosen(ModelCaller(account_id="a", user_id="u", models=models)) == name


def test_the_one_that_is_named_comes_first_and_without_prices_rules_look(tmp_path: Path) -> None:
    named = noticing_model(settings(tmp_path, memory_model="mine"))
    assert named is not None
    assert named(ModelCaller(account_id="a", user_id="u")) == "mine"
    assert noticing_model(settings(tmp_path, priced=False)) is None
    assert noticing_model(load_settings(data=tmp_path, memory_model="mine")) is None
