"""The page while an answer is on its way: a scripted model holds its stream until the test lets it go on."""

from pathlib import Path

import pytest
from anyio.from_thread import BlockingPortal
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Scripted
from tests.e2e.gated_answers import ANSWER, FIRST_PIECE, SENTENCE, Gate, gated_reply, reached
from tests.e2e.pages import ask, expect_status, open_room, saved_conversation
from tests.e2e.running_server import RunningServer
from tests.e2e.scripted_turns import ScriptedTurns
from tests.e2e.tcp_proxy import open_proxy
from tests.openai_endpoint import Reply

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

LOOKING = "I look at the functions that take the most time of their own."


def answer_text(page: Page) -> str:
    return " ".join(page.locator(".turn").last.locator(".prose").last.inner_text().split())


@pytest.mark.long
def test_text_is_shown_before_the_answer_is_complete(
    page: Page,
    portal: BlockingPortal,
    model_server: RunningServer,
    scripted: Scripted,
    board_trace: Path,
    tmp_path: Path,
) -> None:
    reply, gate = gated_reply()
    with scripted(reply):
        open_room(page, model_server.address, board_trace)
        ask(page)
        expect(page.locator(".turn .prose")).to_contain_text(FIRST_PIECE.split(". ", 1)[1][:30])
        expect_status(page, "running")
        assert len(answer_text(page)) <= len(FIRST_PIECE)
        saved = saved_conversation(page, "Markdown", tmp_path).read_text("utf-8")
        assert saved.endswith("_This answer was still being written._\n")
        assert SENTENCE[:30] in saved
        portal.call(gate.set)
        expect_status(page, "completed")
        expect(page.locator(".turn .prose")).to_contain_text(ANSWER.split(". ", 1)[1][-200:])


@pytest.mark.long
def test_an_answer_that_is_stopped_keeps_what_was_said(
    page: Page, portal: BlockingPortal, model_server: RunningServer, scripted: Scripted, board_trace: Path
) -> None:
    reply, gate = gated_reply()
    with scripted(reply, Reply(text="A second answer.")):
        open_room(page, model_server.address, board_trace)
        ask(page)
        expect(page.locator(".turn .prose")).to_contain_text(SENTENCE[:30])
        page.get_by_role("button", name="Stop").click()
        expect_status(page, "cancelled")
        portal.call(gate.set)
        said = answer_text(page)
        assert SENTENCE[:30] in said
        assert len(said) <= len(FIRST_PIECE)
        page.reload()
        expect_status(page, "cancelled")
        assert answer_text(page) == said
        ask(page, "And now?")
        expect_status(page, "completed")
        expect(page.locator(".turn").last).to_contain_text("A second answer.")


@pytest.mark.parametrize("ends", ["while the page is away", "after the page is back"])
@pytest.mark.long
def test_an_answer_survives_a_cut_connection_without_loss_or_repetition(
    page: Page, portal: BlockingPortal, model_server: RunningServer, scripted: Scripted, board_trace: Path, ends: str
) -> None:
    first_gate = Gate()
    first = Reply(text=LOOKING, piece=20, gate=first_gate, calls=(("get_top_functions", "{}"),))
    second, second_gate = gated_reply()
    with scripted(first, second) as endpoint, portal.wrap_async_context_manager(open_proxy(model_server.port)) as proxy:
        open_room(page, proxy.address, board_trace)
        ask(page)
        expect(page.locator(".turn .prose")).to_contain_text(LOOKING[:20].strip())
        portal.call(proxy.shut)
        expect(page.get_by_text("Connection lost. Reconnecting")).to_be_visible()
        portal.call(first_gate.set)
        portal.call(reached, second_gate)
        if ends == "while the page is away":
            portal.call(second_gate.set)
        portal.call(proxy.open)
        expect(page.get_by_text("Connection lost. Reconnecting")).to_be_hidden()
        page.locator(".steps > summary").click()
        expect(page.locator('.turn .tool[data-status="success"]')).to_have_count(1)
        expect(page.locator(".turn .prose").first).to_have_text(LOOKING)
        expect(page.locator(".turn .prose").last).to_contain_text(SENTENCE[:30])
        portal.call(second_gate.set)
        expect_status(page, "completed")
        expect(page.locator(".turn")).to_have_count(1)
        assert answer_text(page).count(SENTENCE) == ANSWER.count(SENTENCE)
        assert len(endpoint.requests) == 2
        page.context.close()


@pytest.mark.long
def test_a_model_that_still_reads_says_how_much(page: Page, analyst_server: RunningServer, board_trace: Path) -> None:
    ScriptedTurns(page, [{"type": "model_reading", "tokensRead": 1_200, "tokensInAll": 4_870}, {"type": "pause"}])
    open_room(page, analyst_server.address, board_trace)
    ask(page)
    expect(page.locator(".waiting")).to_contain_text("The model is reading: 1,200 of 4,870 tokens")
