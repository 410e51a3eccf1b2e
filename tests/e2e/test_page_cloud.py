"""The page of a team's server: tokens, the socket in one tab and Realtime alone in another, a limit and the way on."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from anyio.from_thread import BlockingPortal
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.cloud.cloud import Cloud, a_cloud
from tests.cloud.people import person_id
from tests.e2e.pages import ROOM, ask, expect_status, open_room
from tests.e2e.running_server import RunningServer, running_server

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(300)]

INPUT = "Ask about this trace"
SMALL = {"name": "small", "displayName": "Small", "chatMessagesPerSession": 4}


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
            method, f"{self.server.address}/api/v1/admin/{path}", json=body, headers=headers
        ).raise_for_status()


@pytest.fixture(scope="module")
def team(portal: BlockingPortal, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    folder = tmp_path_factory.mktemp("team")
    with portal.wrap_async_context_manager(a_cloud(folder / "database")) as cloud:
        cloud.supabase.auth.administrators.add("ada")
        with running_server(folder / "server", cloud.settings()) as server:
            yield Team(server, cloud, portal)


def signed_in(page: Page, team: Team, name: str, path: str = "/") -> None:
    page.goto(f"{team.server.address}{path}#access_token={team.token(name)}&token_type=bearer")
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


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
    form.get_by_label("Access token").fill("not.a.token")
    form.get_by_role("button", name="Sign in").click()
    again = page.get_by_role("dialog", name="Sign in")
    expect(again.get_by_role("alert")).to_be_visible()
    again.get_by_label("Access token").fill(team.token("ben"))
    again.get_by_role("button", name="Sign in").click()
    expect(again).to_have_count(0)
    expect(page.get_by_role("heading", name="Where does the time go?")).to_be_visible()
    page.context.close()


def test_a_second_tab_hears_a_turn_on_realtime_alone(
    page: Page, team: Team, browser: Browser, board_trace: Path
) -> None:
    signed_in(page, team, "anna")
    open_room(page, team.server.address, board_trace)
    ask(page)
    expect_status(page, "completed")
    expect(page.locator(".tool img").first).to_be_visible()

    second = browser.new_context(reduced_motion="reduce").new_page()
    sockets: list[str] = []
    second.on("websocket", lambda socket: sockets.append(socket.url))
    room = ROOM.search(page.url)
    assert room
    signed_in(second, team, "anna", f"{room[0]}?stream=realtime")
    expect(second.locator(".turn")).to_have_count(1)
    ask(page, "Which functions are slowest?")
    expect(second.locator(".turn")).to_have_count(2)
    expect_status(second, "completed")
    expect_status(page, "completed")
    assert second.locator(".turn .prose").all_inner_texts() == page.locator(".turn .prose").all_inner_texts()

    ask(second, "What can this trace answer?")
    expect(second.locator(".turn")).to_have_count(3)
    expect_status(second, "completed")
    expect(page.locator(".turn")).to_have_count(3)
    expect_status(page, "completed")
    assert sockets
    assert all("/realtime/v1/websocket" in url for url in sockets)
    second.context.close()


def test_a_new_conversation_begins_on_realtime_alone(page: Page, team: Team, board_trace: Path) -> None:
    sockets: list[str] = []
    page.on("websocket", lambda socket: sockets.append(socket.url))
    signed_in(page, team, "anna", "/?stream=realtime")
    page.set_input_files("input[type=file]", board_trace)
    page.wait_for_url(ROOM)
    expect(page.locator(".opening")).to_be_visible()
    ask(page)
    expect_status(page, "completed")
    expect(page.locator(".turn .checks")).to_contain_text("checked against the trace")
    page.get_by_role("button", name="Answer again").click()
    expect(page.get_by_role("alert")).to_contain_text("needs a connection to the server itself")
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
    again.get_by_label("Access token").fill(team.token("anna"))
    again.get_by_role("button", name="Sign in").click()
    expect(again).to_have_count(0)
    ask(page)
    expect_status(page, "completed")


def test_a_limit_shows_the_way_on_and_an_administrator_lifts_it(page: Page, team: Team, board_trace: Path) -> None:
    signed_in(page, team, "ben")
    team.admin("POST", "plans", SMALL)
    team.admin("PUT", f"users/{person_id('ben')}/plan", {"plan": "small"})
    open_room(page, team.server.address, board_trace)
    for question in ("Why is this slow?", "And then?"):
        ask(page, question)
        expect_status(page, "completed")
    ask(page, "And now?")
    banner = page.locator(".banner.limit")
    expect(banner).to_contain_text("4 of 4 used on the small plan")
    expect(banner).to_contain_text("Whoever runs this server can change your plan")
    expect(page.get_by_label(INPUT)).to_be_disabled()
    team.admin("PATCH", "plans/small", {"chatMessagesPerSession": 100})
    expect(page.get_by_label(INPUT)).to_be_enabled(timeout=30_000)
    ask(page, "And now?")
    expect_status(page, "completed")
