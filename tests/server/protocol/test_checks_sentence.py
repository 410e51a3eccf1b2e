"""The sentence about an answer's claims. The page's examples are these too (web/tests/checks_sentence.test.ts)."""

import json
from pathlib import Path

import pytest

from server.protocol.checks_sentence import checks_sentence
from server.protocol.wire_values import Check

EXAMPLES = json.loads((Path(__file__).parents[3] / "web/tests/checks_sentences.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["sentence"][:40] or "none")
def test_the_sentence_counts_what_holds_and_shows_what_does_not(example: dict[str, object]) -> None:
    checks = [Check.model_validate(one | {"start": 0, "end": 1}) for one in example["checks"]]  # type: ignore[attr-defined]
    assert checks_sentence(checks) == example["sentence"]


def test_a_check_that_an_earlier_version_stored_is_still_read() -> None:
    stored = {"claim": "5 s", "kind": "number", "status": "not_found", "how": None, "toolCallId": None}
    assert Check.model_validate(stored | {"start": 0, "end": 3}).actual is None
