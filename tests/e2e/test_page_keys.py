"""Keys for programs on the page: made by keyboard, shown once, used, revoked."""

import re

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]


def status_with(server: RunningServer, key: str, path: str) -> int:
    headers = {"Authorization": f"Bearer {key}"}
    return httpx.get(f"{server.address}/api/v1/{path}", headers=headers, trust_env=False).status_code


def test_a_key_is_made_by_keyboard_shown_once_and_revoked(page: Page, analyst_server: RunningServer) -> None:
    page.goto(f"{analyst_server.address}/account")
    making = page.get_by_role("form", name="New key")
    make = making.get_by_role("button", name="Make a key")
    expect(make).to_be_disabled()
    making.get_by_label("Name").fill("nightly <b>")
    making.get_by_label("Name").press("Tab")
    making.get_by_label("Ends").press("Tab")
    making.get_by_label("upload and label traces").press("Tab")
    making.get_by_label("read traces").press("Space")
    make.press("Enter")
    shown = page.get_by_role("textbox", name="nightly <b>: copy it now, it is never shown again")
    expect(shown).to_have_value(re.compile(r"^fc_[a-z0-9]{10}_[A-Za-z0-9_-]{43}$"))
    key = shown.input_value()
    assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    assert status_with(analyst_server, key, "traces") == 200
    assert status_with(analyst_server, key, "sessions") == 403
    page.get_by_role("button", name="I have it").click()
    expect(shown).to_have_count(0)
    page.reload()
    row = page.get_by_role("list", name="Keys").get_by_role("listitem")
    expect(row).to_contain_text("nightly <b>")
    expect(row).to_contain_text(f"fc_{key[3:13]}_…")
    expect(row).to_contain_text("used last")
    assert key[14:] not in page.content()
    row.get_by_role("button", name="Revoke nightly <b>").press("Enter")
    expect(row).to_contain_text("revoked")
    assert status_with(analyst_server, key, "traces") == 401
