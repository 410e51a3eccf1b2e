"""`/init` on the page: from an account that remembers nothing to facts that it uses, left once in the middle."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.e2e.pages import ask, expect_status, open_room
from tests.e2e.running_server import RunningServer, running_server

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

MAIN = b"main (/srv/shop/main.py:1)"
STACKS = MAIN + b";parse (/srv/shop/orders/parse.py:3) 7\n" + MAIN + b";pack (/srv/shop/orders/pack.py:9) 3\n"


@pytest.fixture
def empty_server(tmp_path: Path) -> Iterator[RunningServer]:
    """Nothing is remembered; two recordings are here."""
    with running_server(tmp_path, {}) as server:
        with httpx.Client(base_url=f"{server.address}/api/v1", trust_env=False) as client:
            for name in ("orders-1.txt", "orders-2.txt"):
                assert client.post(f"/traces?name={name}", content=STACKS).status_code == 201
        yield server


def usage(server: RunningServer) -> str:
    with httpx.Client(base_url=f"{server.address}/api/v1", trust_env=False) as client:
        return client.get("/me/usage").raise_for_status().text


def test_an_empty_account_is_asked_goes_on_after_a_reload_and_remembers(
    page: Page, empty_server: RunningServer, board_trace: Path
) -> None:
    open_room(page, empty_server.address, board_trace)
    room = page.url.split("#")[0].split("?")[0].rsplit("/", 1)[0]
    used = usage(empty_server)
    page.goto(empty_server.address)
    offer = page.get_by_role("region", name="Shall Flamechat know your program?")
    expect(offer.get_by_role("button", name="Begin")).to_be_visible()
    assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    page.goto(room)
    ask(page, "/init")
    expect(page).to_have_url(f"{empty_server.address}/account#init")
    asking = page.get_by_role("region", name="What Flamechat should know")
    own = asking.get_by_role("checkbox", name="Our own code is under")
    expect(own).to_be_checked()
    own.uncheck()
    limits = asking.get_by_role("textbox", name="What are its limits")
    with page.expect_response(lambda one: one.request.method == "PUT" and one.ok):
        limits.fill("Layouts must stay under 16 ms.")
    assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    page.goto(empty_server.address)
    offer.get_by_role("button", name="Go on").click()
    page.reload()
    expect(limits).to_have_value("Layouts must stay under 16 ms.")
    expect(own).not_to_be_checked()
    asking.get_by_role("button", name="Next").click()
    confirming = page.get_by_role("region", name="Shall this be remembered?")
    facts = confirming.get_by_role("textbox", name="Facts, one a line")
    expect(facts).to_have_value(re.compile(r"We record as [^\n]*\nLayouts must stay under 16 ms$"))
    assert "Our own code" not in facts.input_value()
    assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    facts.fill("Layouts must stay under 16 ms\nWe ship on Fridays")
    confirming.get_by_role("button", name="Remember this").click()
    kept = page.get_by_role("list", name="Facts").get_by_role("listitem")
    expect(kept).to_have_count(2)
    expect(confirming).to_have_count(0)
    page.reload()
    expect(kept).to_have_count(2)
    expect(page.locator(".onboarding")).to_have_count(0)
    assert usage(empty_server) == used
    page.goto(empty_server.address)
    expect(page.get_by_role("list").filter(has_text="orders-1.txt")).to_be_visible()
    expect(offer).to_have_count(0)
    page.goto(room)
    ask(page, "What is our limit for layouts?")
    expect_status(page, "completed")
    expect(page.locator(".turn").last).to_contain_text("Layouts must stay under 16 ms")
    assert usage(empty_server) != used

    page.get_by_role("link", name="Memory").click()
    page.get_by_label("Documents to add").set_input_files(
        {"name": "runbook.md", "mimeType": "text/markdown", "buffer": b"# Queue\n\nDrain it first."}
    )
    documents = page.get_by_role("list", name="Documents").get_by_role("listitem")
    expect(documents).to_have_count(1)
    expect(documents).to_contain_text("runbook.md")
    assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    documents.get_by_role("button", name="Remove runbook.md").click()
    expect(documents).to_have_count(0)
