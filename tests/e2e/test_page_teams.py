"""Accounts of several people on the page: made, shared by a link, joined, switched to; and what stays private."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from anyio.from_thread import BlockingPortal
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.server.running_server import STACKS, RunningServer, running_server

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]


@pytest.fixture
def team_server(portal: BlockingPortal, tmp_path: Path) -> Iterator[RunningServer]:
    with portal.wrap_async_context_manager(running_server(tmp_path)) as server:
        yield server


def violations(page: Page) -> list[str]:
    return [one["id"] for one in Axe().run(page).response["violations"]]


def asked_by_anna(server: RunningServer, account: str) -> str:
    """The id of a conversation of Anna's about a trace of the account."""
    headers = {"Authorization": "Bearer anna", "Flamechat-Account": account}
    with httpx.Client(base_url=f"{server.address}/api/v1", headers=headers, trust_env=False) as anna:
        trace = anna.post("/traces?name=ours.txt", content=STACKS).json()["trace"]["traceId"]
        session = "9a0b2d4c-1111-4222-8333-444455556666"
        asked = anna.post(f"/sessions/{session}/prompts", json={"traceId": trace, "prompt": "Only mine?"})
        assert asked.status_code == 202, asked.text
    return session


def test_an_account_is_made_shared_and_joined_and_a_conversation_stays_private(
    page: Page, context: BrowserContext, browser: Browser, team_server: RunningServer
) -> None:
    page.goto(f"{team_server.address}/account#access_token=anna")
    expect(page.get_by_role("combobox", name="Account")).to_have_count(0)
    making = page.get_by_role("form", name="New account")
    making.get_by_label("Name of a new account").fill("Parsers")
    making.get_by_role("button", name="Make an account").click()
    expect(page.get_by_role("heading", name="Members of Parsers")).to_be_visible()
    switch = page.get_by_role("combobox", name="Account", exact=True)
    expect(switch.locator("option:checked")).to_have_text("Parsers")
    inviting = page.get_by_role("form", name="Invite")
    inviting.get_by_label("E-mail address").fill("ben@example.com")
    inviting.get_by_role("button", name="Invite").click()
    link = page.get_by_label("Give them this link").input_value()
    expect(page.get_by_role("list", name="Members")).to_contain_text("ben@example.com")
    assert violations(page) == []
    account = switch.input_value()
    asked_by_anna(team_server, account)

    other = browser.new_context(viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
    try:
        bens = other.new_page()
        bens.goto(f"{team_server.address}/#access_token=ben")
        expect(bens.get_by_text("ours.txt")).to_have_count(0)
        bens.goto(link)
        bens.get_by_role("button", name="Join").click()
        expect(bens.get_by_role("heading", name="Members of Parsers")).to_be_visible()
        expect(bens.get_by_role("list", name="Members").get_by_role("listitem")).to_have_count(2)
        expect(bens.get_by_role("form", name="Invite")).to_have_count(0)
        assert violations(bens) == []
        page.get_by_label("One more").fill("we ship on Fridays")
        page.get_by_role("button", name="Remember", exact=True).click()
        expect(page.get_by_role("list", name="Facts")).to_contain_text(", you")
        bens.reload()
        expect(bens.get_by_role("list", name="Facts")).to_contain_text(", anna")
        bens.get_by_role("button", name="Strike: we ship on Fridays").click()
        expect(bens.get_by_role("alert")).to_contain_text("Only who said that")
        bens.goto(f"{team_server.address}/")
        expect(bens.get_by_text("ours.txt")).to_be_visible()
        bens.goto(f"{team_server.address}/conversations")
        expect(bens.get_by_text("Slow read")).to_have_count(0)

        page.goto(f"{team_server.address}/conversations")
        expect(page.get_by_text("Slow read")).to_be_visible()
        page.get_by_role("link", name="Slow read").click()
        page.locator(".conversation-title").click()
        page.get_by_role("button", name="Show Slow read to the account").click()
        expect(page.get_by_role("button", name="Show Slow read to you alone")).to_be_visible()
        bens.reload()
        expect(bens.get_by_text("Slow read")).to_be_visible()

        bens.get_by_role("combobox", name="Account", exact=True).select_option(label="Personal")
        expect(bens.get_by_text("ours.txt")).to_have_count(0)
    finally:
        other.close()


def test_an_owner_renames_an_account_says_who_decides_and_removes_it(page: Page, team_server: RunningServer) -> None:
    page.goto(f"{team_server.address}/account#access_token=anna")
    making = page.get_by_role("form", name="New account")
    making.get_by_label("Name of a new account").fill("Parsers")
    making.get_by_role("button", name="Make an account").click()
    ours = page.get_by_role("form", name="This account")
    ours.get_by_label("Name of this account").fill("Readers")
    ours.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("heading", name="Members of Readers")).to_be_visible()
    deciders = page.get_by_role("combobox", name="Who decides what is remembered")
    with page.expect_response(lambda one: one.request.method == "PATCH" and one.ok):
        deciders.select_option("owners")
    page.reload()
    expect(deciders).to_have_value("owners")
    assert violations(page) == []
    account = page.get_by_role("combobox", name="Account", exact=True).input_value()
    asked_by_anna(team_server, account)
    page.get_by_role("button", name="Remove this account").click()
    asking = page.get_by_role("group", name="Remove this account?")
    asking.get_by_role("button", name="Yes, remove it").click()
    expect(asking).to_contain_text("It holds recordings")
    asking.get_by_role("button", name="Yes, remove it with its recordings").click()
    expect(page.get_by_role("heading", name="Accounts of several people")).to_be_visible()
    expect(page.get_by_role("combobox", name="Account", exact=True)).to_have_count(0)
