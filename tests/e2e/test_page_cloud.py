"""The page of a team's server: tokens, the socket in one tab and Realtime alone in another, a limit and the way on."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from anyio.from_thread import BlockingPortal
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect

from tests.cloud.cloud import Cloud, a_cloud
from tests.cloud.people import person_id
from tests.e2e.conftest import Scripted
from tests.e2e.gated_answers import ANSWER, FIRST_PIECE, SENTENCE, gated_reply
from tests.e2e.pages import ROOM, ask, expect_status, open_room
from tests.e2e.running_server import RunningServer, running_server
from tests.e2e.tcp_proxy import TcpProxy
from tests.openai_endpoint import Reply

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(600)]

INPUT = "Ask about this trace"
SMALL = {"name": "small", "displayName": "Small", "chatMessagesPerSession": 4, "chatModels": ["fake"]}
FIRST, THIRD, FOURTH = (Reply(text=text) for text in ("The filter takes the time.", "It can wait.", "So it is."))


@dataclass(frozen=True)
class Team:
    server: RunningServer
    cloud: Cloud
    portal: BlockingPortal

    def token(self, name: str) -> str:
        token: str = self.portal.call(self.cloud.supabase.auth.sign_in, name)
        return token

    def admin(self, method: str, path: str, body: object) -> None:
        headers = {"Authorization": f"Bearer {self.token('ada')}"}
        httpx.request(
            method, f"{self.server.address}/api/v1/admin/{path}", json=body, headers=headers, timeout=60
        ).raise_for_status()


@pytest.fixture(scope="module")
def team(portal: BlockingPortal, model_proxy: TcpProxy, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    """Answered by the built-in analyst, or by the model behind the proxy where a plan says so."""
    folder = tmp_path_factory.mktemp("team")
    model = {"FLAMECHAT_MODEL_BASE_URL": f"{model_proxy.address}/v1", "OPENAI_API_KEY": "a-key"}
    with portal.wrap_async_context_manager(a_cloud(folder / "database")) as cloud:
        cloud.supabase.auth.administrators.add("ada")
        with running_server(folder / "server", cloud.settings() | model | {"FLAMECHAT_MODEL": "built-in"}) as server:
            yield Team(server, cloud, portal)


def signed_in(page: Page, team: Team, name: str, path: str = "/") -> None:
    page.goto(f"{team.server.address}{path}#access_token={team.token(name)}&token_type=bearer")
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def paste(place: Page | Locator, token: str) -> None:
    """Into the form for tokens, which is folded up."""
    place.get_by_text("Use an access token").click()
    place.get_by_label("Access token").fill(token)
    place.get_by_role("button", name="Use this token").click()


def sockets_of(page: Page) -> list[str]:
    """The paths of the sockets that the page opens from now on."""
    paths: list[str] = []
    page.on("websocket", lambda socket: paths.append(urlsplit(socket.url).path))
    return paths


def events_in(frames: list[str]) -> list[dict[str, Any]]:
    """The turns' events in frames of Realtime."""
    payloads = [payload["payload"] for *_, event, payload in map(json.loads, frames) if event == "broadcast"]
    return [event for one in payloads for event in one["events"]]


def expect_same_answers(pages: Sequence[Page], answers: int) -> None:
    for page in pages:
        expect_status(page, "completed")
        expect(page.locator(".turn .prose")).to_have_count(answers)
    said = pages[0].locator(".turn .prose").all_text_contents()
    for page in pages[1:]:
        expect(page.locator(".turn .prose")).to_have_text(said)


def test_a_team_asks_in_two_tabs_to_its_limit_and_goes_on_when_an_administrator_raises_it(
    page: Page, team: Team, browser: Browser, portal: BlockingPortal, scripted: Scripted, board_trace: Path
) -> None:
    """The main path, in order; what can go otherwise at a step has its own test."""
    team.admin("POST", "plans", SMALL)
    team.token("cleo")
    team.admin("PUT", f"users/{person_id('cleo')}/plan", {"plan": "small"})
    gated, gate = gated_reply()
    with scripted(FIRST, gated, THIRD, FOURTH) as endpoint:
        # Log in with a token, upload, ask.
        sockets = sockets_of(page)
        page.goto(team.server.address)
        paste(page, team.token("cleo"))
        expect(page.get_by_role("button", name="Sign out")).to_be_visible()
        stored = set(team.cloud.supabase.storage.objects)
        open_room(page, team.server.address, board_trace)
        [(bucket, _)] = set(team.cloud.supabase.storage.objects) - stored
        assert bucket == "traces"
        ask(page)
        expect_same_answers([page], 1)

        # A second tab, on Realtime alone, has what was said, and gets the next answer while it is written.
        second = browser.new_context(reduced_motion="reduce").new_page()
        second_sockets, frames = sockets_of(second), list[str]()
        room = ROOM.search(page.url)
        assert room
        with second.expect_websocket() as realtime:
            signed_in(second, team, "cleo", f"{room[0]}?stream=realtime")
        realtime.value.on("framereceived", lambda frame: frames.append(str(frame)))
        expect_same_answers([page, second], 1)
        ask(page, "Which functions are slowest?")
        for tab in (page, second):
            expect(tab.locator(".turn .prose").last).to_contain_text(SENTENCE[:30])
            expect_status(tab, "running")
            assert len(tab.locator(".turn .prose").last.inner_text()) < len(ANSWER) / 2
        with realtime.value.expect_event("framereceived", lambda frame: "model_response_end" in frame):
            portal.call(gate.set)
            expect_same_answers([page, second], 2)
        assert ("analysis-system-prompt", "production") in team.cloud.langfuse.asked
        assert ANSWER[len(FIRST_PIECE) :] in "".join(event.get("chunk", "") for event in events_in(frames))
        expect(second.locator(".turn .prose").last).to_contain_text(ANSWER.split(". ", 1)[1][-200:])
        # The plan's limit, in both.
        for tab in (page, second):
            expect(tab.locator(".usage summary")).to_contain_text("4 of 4 messages in this conversation")
            ask(tab, "And now?")
            expect(tab.locator(".banner.limit")).to_contain_text("4 of 4 used on the small plan")
            expect(tab.locator(".banner.limit")).to_contain_text("Whoever runs this server can change your plan")
            expect(tab.get_by_label(INPUT)).to_be_disabled()
        assert len(endpoint.requests) == 2

        # An administrator raises it on their page, and both go on.
        office = browser.new_context().new_page()
        office.goto(f"{team.server.address}/admin#access_token={team.token('ada')}&token_type=bearer")
        office.get_by_role("button", name="Change small").click()
        form = office.get_by_role("form", name="Change small")
        form.get_by_label("Messages in a conversation").fill("100")
        form.get_by_role("button", name="Save").click()
        expect(form).to_have_count(0)
        for answers, tab in enumerate((page, second), 3):
            expect(tab.get_by_label(INPUT)).to_be_enabled(timeout=90_000)
            expect(tab.locator(".banner.limit")).to_have_count(0)
            ask(tab, "And now?")
            expect_same_answers([page, second], answers)
    assert set(sockets) == {"/api/v1/chat"}
    assert set(second_sockets) == {"/realtime/v1/websocket"}
    office.context.close()
    second.context.close()


def test_a_token_in_the_address_signs_in_and_leaves_the_address_at_once(page: Page, team: Team) -> None:
    signed_in(page, team, "anna")
    assert "access_token" not in page.url
    expect(page.get_by_role("heading", name="Where does the time go?")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert page.evaluate("() => [sessionStorage.length, document.cookie]") == [0, ""]


def test_a_token_is_pasted_and_a_false_one_is_refused_with_its_reason(team: Team, browser: Browser) -> None:
    page = browser.new_context().new_page()
    page.goto(team.server.address)
    form = page.get_by_role("main", name="Sign in")
    expect(form).to_be_visible()
    assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    expect(form.get_by_label("E-mail address")).to_be_visible()
    paste(form, "not.a.token")
    again = page.get_by_role("dialog", name="Sign in")
    expect(again.get_by_role("alert")).to_be_visible()
    paste(again, team.token("ben"))
    expect(again).to_have_count(0)
    expect(page.get_by_role("heading", name="Where does the time go?")).to_be_visible()
    page.context.close()


def test_a_new_conversation_begins_on_realtime_alone(page: Page, team: Team, board_trace: Path) -> None:
    sockets: list[str] = []
    page.on("websocket", lambda socket: sockets.append(socket.url))
    signed_in(page, team, "anna", "/?stream=realtime")
    page.set_input_files("input[type=file]", board_trace)
    page.wait_for_url(ROOM)
    expect(page.locator(".opening")).to_be_visible()
    ask(page)
    expect_status(page, "completed")
    expect(page.locator(".turn .checks")).to_contain_text(re.compile("figures?( and .*)? holds?"))
    page.get_by_role("button", name="Answer again").click()
    expect(page.get_by_role("alert")).to_contain_text("needs a connection to the server itself")
    ask(page, "remember that we ship on Fridays")
    expect_status(page, "completed")
    proposed = page.get_by_role("list", name="To remember")
    proposed.get_by_role("button", name="Keep").click()
    expect(proposed).to_contain_text("Remembered: we ship on Fridays")
    assert all("/realtime/v1/websocket" in url for url in sockets)


def test_where_no_socket_opens_the_page_goes_on_by_realtime(page: Page, team: Team, board_trace: Path) -> None:
    page.route_web_socket("**/api/v1/chat", lambda socket: socket.close(code=1013))
    signed_in(page, team, "anna")
    open_room(page, team.server.address, board_trace)
    ask(page)
    expect_status(page, "completed")


def test_a_token_that_has_run_out_is_replaced_without_losing_the_room(
    page: Page, team: Team, board_trace: Path
) -> None:
    signed_in(page, team, "anna")
    open_room(page, team.server.address, board_trace)
    page.route("**/api/v1/sessions?*", lambda route: route.fulfill(status=401, body='{"detail": "It has expired."}'))
    page.get_by_title("New conversation").click()
    again = page.get_by_role("dialog", name="Sign in")
    expect(again.get_by_role("alert")).to_have_text("It has expired.")
    page.unroute("**/api/v1/sessions?*")
    paste(again, team.token("anna"))
    expect(again).to_have_count(0)
    ask(page)
    expect_status(page, "completed")
