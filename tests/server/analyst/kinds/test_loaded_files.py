"""How large what a page loaded is, by the sizes of its requests."""

from pathlib import Path

import pytest

from server.analyst.evidence import Evidence, Result
from server.analyst.intent import Intent
from server.analyst.kinds.loaded_files import by_size, sizes
from server.analyst.question import Question, alone
from tests.server.analyst.test_analyst_chat_everywhere import asked, read
from tests.server.analyst.written_answers import assert_answered, prompts_of


@pytest.mark.parametrize(
    ("prompt", "of"),
    [
        ("biggest js file we ship on this page", "kind = 'Script'"),
        ("what is the largest image that is loaded", "kind = 'Image'"),
        ("how many bytes did we download altogether", "WHERE true"),
        ("größte Datei, die geladen wird?", "WHERE true"),
    ],
)
def test_sizes_are_asked_of_the_requests(prompt: str, of: str) -> None:
    found = alone(prompt, {}, None)
    assert (found.intent, found.maybe, found.understood) == (Intent.REQUESTS, (), True)
    ((_, arguments),) = by_size(found)
    assert of in arguments["sql"]


@pytest.mark.parametrize("prompt", ["biggest file by lines", "how much data does it allocate", "slowest request"])
def test_other_sizes_are_not(prompt: str) -> None:
    assert not by_size(alone(prompt, {}, None))


@pytest.mark.parametrize(
    ("size", "begins"),
    [
        (4_000, "**The largest script is `app.js`: 4.00 kB**; 5.00 kB came in 2 requests"),
        (None, "**How large they are cannot be said: none of the 2 requests has a size"),
    ],
)
def test_the_largest_is_named_or_nothing_said(size: int | None, begins: str) -> None:
    question = Question(intent=Intent.REQUESTS, text="biggest script we load")
    (call,) = by_size(question)
    row = [{"column": "url", "name": "app.js"}, {"column": "size_bytes", "value": size}]
    row += [{"column": "all_bytes", "value": size and 5_000}, {"column": "requests", "value": 2}]
    evidence = Evidence(question.text, {}, (Result(call[0], call[1], {"rows": [row]}, "", failed=False),))
    assert sizes(question, evidence)[0].startswith(begins)


async def test_what_a_page_loaded_is_added_up(fixtures: Path) -> None:
    answer = await asked("how many bytes did the page download?", read(fixtures, "board.chrome-object.json.gz"))
    assert "came in" in answer.text.partition("\n")[0] or "has a size" in answer.text, answer.text


@pytest.mark.parametrize(("module", "trace", "prompt"), prompts_of("loaded_files"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
