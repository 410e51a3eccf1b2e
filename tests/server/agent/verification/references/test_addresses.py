"""The grammar of addresses, by the examples that the page's parser is tested by too."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.agent.verification.references.addresses import LONGEST, Address, FigureAddress, Malformed, parse_address

EXAMPLES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("addresses.json").read_text("utf-8"))


def as_example(parsed: Address | Malformed) -> dict[str, Any]:
    if isinstance(parsed, Malformed):
        return {"error": parsed.reason}
    found: dict[str, Any] = {"figure": parts(parsed.figure)}
    return found | ({"operator": parsed.operator, "other": parts(parsed.other)} if parsed.other else {})


def parts(figure: FigureAddress) -> list[str | None]:
    return [figure.scope, figure.subject, figure.measure, figure.base]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: repr(example["text"])[:30])
def test_example(example: dict[str, Any]) -> None:
    parsed = parse_address(example["text"])
    assert {"text": example["text"]} | as_example(parsed) == example
    if isinstance(parsed, Address):
        assert parse_address(str(parsed)) == parsed


@given(st.text(alphabet="fnsptwcgiqr0123.+-/#selftotal \n٣", max_size=120))
def test_no_text_raises(text: str) -> None:
    parsed = parse_address(text)
    if isinstance(parsed, Address):
        assert parse_address(str(parsed)) == parsed


def test_a_long_text_takes_no_time() -> None:
    began = time.process_time()
    for text in ("f" * 1_000_000, "f1.self/" * 200_000, "1" * LONGEST, "f1." * 33):
        assert isinstance(parse_address(text), Malformed)
    assert time.process_time() - began < 0.5
