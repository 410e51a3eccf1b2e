"""Turns that wait for the page: it moves the chart and says what it shows, and asks the person, in whichever tab."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page, WebSocketRoute, expect

from server.adapters.postgres.embedded import EmbeddedPostgres
from tests.e2e.conftest import Scripted
from tests.e2e.pages import ask, expect_status, open_room
from tests.e2e.running_server import RunningServer, running_server
from tests.e2e.tcp_proxy import TcpProxy
from tests.foreign_servers import allow_all, client_of, tracker_server, written_file
from tests.openai_endpoint import Endpoint, Reply
from tests.plugins.laid_databases import lay_database
from tests.server.test_serve import serving

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

SCORE = "subsequenceScore"
QUESTION = "Which part do you mean?"
ASKING = Reply(calls=(("ask_person", json.dumps({"question": QUESTION, "choices": ["Start", "Typing"]})),))


def read_by_tools(endpoint: Endpoint) -> list[str]:
    return [str(one["content"]) for one in endpoint.requests[-1]["messages"] if one["role"] == "tool"]


def move(**arguments: Any) -> Reply:
    return Reply(calls=(("navigate", json.dumps({"action": "zoom", **arguments})),))


def test_an_answer_of_two_views_says_the_windows_that_the_page_sent_back(
    page: Page, model_server: RunningServer, scripted: Scripted, board_trace: Path
) -> None:
    """The page's second answer is changed on the way: that is what the model reads, and what is verified."""
    sent: list[dict[str, Any]] = []

    def between(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def from_page(text: str | bytes) -> None:
            message = json.loads(text)
            if message["type"] == "resume":
                sent.append(message)
                if len(sent) == 2:
                    start = sent[0]["result"]["view"]["window"]["start"] - 100e6
                    message["result"]["view"]["window"] = {"start": start + 321e6, "end": start + 654e6}
                    text = json.dumps(message)
            server.send(text)

        socket.on_message(from_page)

    page.route_web_socket("**/api/v1/chat", between)
    open_room(page, model_server.address, board_trace)
    answer = "I looked at 100 ms to 200 ms and then at 321 ms to 654 ms."
    first, second = move(start_time_ms=100, end_time_ms=200), move(start_time_ms=300, end_time_ms=500)
    with scripted(first, second, Reply(text=answer)) as endpoint:
        ask(page)
        expect_status(page, "completed")
        one, other = read_by_tools(endpoint)
    assert "start_time_ms=100 end_time_ms=200" in one
    assert "start_time_ms=321 end_time_ms=654" in other
    assert "widest boxes there:" in one
    shown = sent[1]["context"]["mountedTools"]
    context = next(tool["context"] for tool in shown if isinstance(tool, dict) and tool["name"] == "read_view")
    assert context["window"]["end"] - context["window"]["start"] == pytest.approx(200e6)
    start, end = (float(page.locator(".chart").get_attribute(f"data-view-{name}") or 0) for name in ("start", "end"))
    assert end - start == pytest.approx(200e6)
    expect(page.locator(".turn .prose")).to_contain_text("321 ms to 654 ms")


def test_what_is_on_screen_is_read_with_the_question(
    page: Page, model_server: RunningServer, scripted: Scripted, board_trace: Path
) -> None:
    open_room(page, model_server.address, board_trace)
    page.get_by_label("Search functions and files").fill(SCORE)
    expect(page.locator(".search-count")).to_have_text(re.compile("[1-9]"))
    with scripted(Reply(calls=(("read_view", "{}"),)), Reply(text="That is what you see.")) as endpoint:
        ask(page)
        expect_status(page, "completed")
        (read,) = read_by_tools(endpoint)
    assert f'searched for "{SCORE}"' in read
    assert "widest boxes there:" in read


def test_the_analyst_says_what_is_on_screen(page: Page, analyst_server: RunningServer, board_trace: Path) -> None:
    open_room(page, analyst_server.address, board_trace)
    page.get_by_role("button", name="Zoom in").click()
    ask(page, "What am I looking at?")
    expect_status(page, "completed")
    expect(page.locator(".turn .prose").first).to_contain_text("Your chart shows time order of p0")
    expect(page.locator(".turn .prose").first).to_contain_text("The widest boxes there")


def test_a_question_is_answered_in_another_tab_after_the_first_was_closed(
    page: Page, model_server: RunningServer, scripted: Scripted, board_trace: Path
) -> None:
    open_room(page, model_server.address, board_trace)
    with scripted(ASKING, Reply(text="You mean typing.")) as endpoint:
        ask(page)
        card = page.get_by_role("group", name="A question to you")
        expect(card).to_contain_text(QUESTION)
        assert [one["id"] for one in Axe().run(page).response["violations"]] == []
        address, context = page.url, page.context
        second, third = context.new_page(), context.new_page()
        page.close()
        for tab in (second, third):
            tab.goto(address)
            expect(tab.get_by_role("group", name="A question to you")).to_contain_text(QUESTION)
        second.get_by_role("button", name="Typing").click()
        for tab in (second, third):
            expect(tab.get_by_role("group", name="A question to you")).to_have_count(0)
            expect(tab.locator(".turn")).to_have_attribute("data-status", "completed")
        assert 'the person answers: "Typing"' in read_by_tools(endpoint)[0]
        expect(third.locator(".banner")).to_have_count(0)


def test_a_question_of_a_server_that_is_killed_is_answered_at_another(
    context: BrowserContext,
    portal: BlockingPortal,
    model_proxy: TcpProxy,
    scripted: Scripted,
    board_trace: Path,
    tmp_path: Path,
) -> None:
    """kill -9 while the turn waits: the tab of another process has the card, and the turn goes on there."""
    lay_database(tmp_path / "postgres")
    with portal.wrap_async_context_manager(EmbeddedPostgres(tmp_path / "postgres")) as postgres:
        settings = {
            "FLAMECHAT_MODEL_BASE_URL": f"{model_proxy.address}/v1",
            "FLAMECHAT_MODEL": "fake",
            "FLAMECHAT_DATABASE_URL": postgres.owner_dsn,
            "FLAMECHAT_DATABASE_SESSION_URL": postgres.owner_dsn,
        }
        data = tmp_path / "data"
        with (
            serving(data, **settings) as (first, address),
            serving(data, **settings) as (_, other),
            scripted(ASKING, Reply(text="You mean typing.")) as endpoint,
        ):
            page = context.new_page()
            open_room(page, address, board_trace)
            ask(page)
            expect(page.get_by_role("group", name="A question to you")).to_contain_text(QUESTION)
            room = page.url.removeprefix(address)
            first.kill()
            page.close()
            tab = context.new_page()
            tab.goto(other + room)
            card = tab.get_by_role("group", name="A question to you")
            expect(card).to_contain_text(QUESTION)
            card.get_by_role("button", name="Typing").click()
            expect(tab.locator(".turn")).to_have_attribute("data-status", "completed")
            expect(tab.locator(".turn .prose").last).to_contain_text("You mean typing.")
            assert read_by_tools(endpoint) == ['q1: the person answers: "Typing"']
            assert len(endpoint.requests) == 2


TRACKER = """
[servers.tracker]
url = "{url}"
[servers.tracker.tools]
close_issue = "ask"
"""
CLOSING = Reply(calls=(("tracker_close_issue", json.dumps({"issue": "PERF-7"})),))


async def allowed_in(path: Path) -> None:
    await allow_all(*client_of(path))


def test_a_call_that_a_person_has_to_allow_shows_all_that_would_leave(
    page: Page, portal: BlockingPortal, model_proxy: TcpProxy, scripted: Scripted, board_trace: Path, tmp_path: Path
) -> None:
    with portal.wrap_async_context_manager(tracker_server()) as tracker:
        path = written_file(tmp_path, TRACKER.format(url=tracker.url))
        portal.call(allowed_in, path)
        model = {"FLAMECHAT_MODEL_BASE_URL": f"{model_proxy.address}/v1", "FLAMECHAT_MODEL": "fake"}
        with (
            running_server(tmp_path / "data", model | {"FLAMECHAT_MCP_SERVERS": str(path)}) as server,
            scripted(CLOSING, Reply(text="It is closed.")) as endpoint,
        ):
            open_room(page, server.address, board_trace)
            ask(page)
            card = page.get_by_role("group", name="A question to you")
            expect(card).to_contain_text("May close_issue of tracker be called, outside?")
            expect(card.get_by_role("region", name="What would be sent")).to_contain_text('"issue": "PERF-7"')
            assert [one["id"] for one in Axe().run(page).response["violations"]] == []
            assert tracker.calls == []
            card.get_by_role("button", name="Allow this call").click()
            expect_status(page, "completed")
            assert tracker.calls == [("close_issue", {"issue": "PERF-7"})]
            assert read_by_tools(endpoint)[0].startswith("q1: from outside, by tracker: data of an unknown hand")
            page.locator(".steps > summary").first.click()
            tool = page.locator(".tool").first
            expect(tool.locator(".tool-name")).to_have_text("Tracker close issue")
            expect(tool.locator(".tool-state")).to_have_text("done")
            expect(page.locator(".outside-sources")).to_have_text("Asked outside: tracker")
