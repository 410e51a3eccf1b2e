"""The built-in analyst on what a page waits for: requests are named, verified, and never linked."""

import pytest

from evals.case import CASES
from tests.server.analyst.test_analyst_chat_everywhere import asked
from traces.model import Trace
from traces.reader import read_trace

THEME = "`https://themes.example.net/slow-theme.css`"


@pytest.fixture(scope="module")
def blog() -> Trace:
    file = CASES / "blog-styles" / "trace.chrome.json.gz"
    return read_trace(file.read_bytes(), name="blog.json.gz")


@pytest.mark.parametrize(
    "prompt", ["Why does the first paint take so long?", "What is the LCP?", "Is anything render-blocking?"]
)
async def test_a_question_about_a_paint_is_answered_with_what_it_waited_for(blog: Trace, prompt: str) -> None:
    answer = await asked(prompt, blog)
    assert (
        f"waits 950 ms (87.8% of the time from the navigation on) for 3 requests, the longest (941 ms) {THEME}"
        in answer.text
    )
    assert "heaviest function" not in answer.text
    assert not [check.claim for check in answer.checks if check.status in ("contradicted", "not_found")]


async def test_a_page_that_waits_names_the_request_without_a_link(blog: Trace) -> None:
    answer = await asked("Why is this slow?", blog)
    assert f"The longest, {THEME}, took 941 ms" in answer.text
    assert f"[{THEME}]" not in answer.text
    assert not [check.claim for check in answer.checks if check.status in ("contradicted", "not_found")]


async def test_a_paint_that_waited_for_nothing_is_described_as_before() -> None:
    file = CASES / "inbox-wait" / "trace.chrome.json.gz"
    answer = await asked("What is the LCP?", read_trace(file.read_bytes(), name="inbox"))
    assert "blocked" not in answer.text
    assert "heaviest function" in answer.text
