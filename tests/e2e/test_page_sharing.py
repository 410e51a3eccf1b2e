"""A trace behind a link: made, seen by another without an account's rights, ended."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, FloatRect, Locator, Page, expect

from server.ports.identity import LOCAL_USER_ID
from tests.e2e.pages import QUESTION, SOME, ask, expect_status, open_room, saved_conversation
from tests.e2e.running_server import RunningServer, running_server
from tests.e2e.test_page_sizes import TOUCHING

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

SIZES = ((390, 844), (820, 1180), (700, 450), (3840, 2160))
"""A phone, a tablet upright, 1400 by 900 at 200 %, and 4k."""

HOSTILE = "<img src=x onerror=alert(1)> \u05d0\u202egnp"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One whose user's plan includes sharing."""
    with running_server(tmp_path_factory.mktemp("sharing"), {}) as server:
        admin = f"{server.address}/api/v1/admin"
        plan = {"name": "sharing", "displayName": "Sharing", "allowPublicSharing": True}
        httpx.post(f"{admin}/plans", json=plan, timeout=60).raise_for_status()
        httpx.put(f"{admin}/users/{LOCAL_USER_ID}/plan", json={"plan": "sharing"}, timeout=60).raise_for_status()
        yield server


def violations(page: Page) -> list[str]:
    return [one["id"] for one in Axe().run(page).response["violations"]]


def turns_of(page: Page) -> Locator:
    return page.locator(".turn")


def box_of(element: Locator) -> FloatRect:
    box = element.bounding_box()
    assert box is not None
    return box


def assert_fits(page: Page) -> None:
    """At every size and in both themes: nothing that a screen reader would stumble over, nothing out of the window."""
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        for shade in ("light", "dark"):
            page.emulate_media(color_scheme="dark" if shade == "dark" else "light", reduced_motion="reduce")
            for part in ("Chart", "Conversation"):
                switch = page.get_by_role("button", name=part, exact=True)
                if switch.count() and switch.is_visible():
                    switch.click()
                elif part == "Conversation":
                    continue
                assert violations(page) == [], (width, shade, part)
                assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), (width, part)
                assert page.evaluate(TOUCHING, ".top > *:not(.visually-hidden)") == []
                box = page.get_by_label("Ask about this trace")
                if box.count():
                    expect(box).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 1400, "height": 900})


def test_every_page_fits_every_size_in_both_themes(page: Page, server: RunningServer, board_trace: Path) -> None:
    open_room(page, server.address, board_trace)
    assert_fits(page)
    ask(page)
    expect_status(page, "completed")
    assert_fits(page)
    page.goto(f"{page.url.split('?')[0].split('#')[0]}?table=functions&view=left_heavy&transforms=invert")
    expect(page.get_by_role("grid", name="Functions").locator(".grid-row").first).to_be_visible()
    expect(turns_of(page)).to_have_count(1)
    assert_fits(page)
    for path, shown in (("", ".trace"), ("conversations", "main li"), ("account", "main h1"), ("admin", "main table")):
        page.goto(f"{server.address}/{path}")
        expect(page.locator(shown).first).to_be_visible()
        assert_fits(page)


def test_a_link_shows_the_chart_to_whoever_holds_it_until_it_is_ended(
    page: Page, browser: Browser, server: RunningServer, board_trace: Path
) -> None:
    open_room(page, server.address, board_trace)
    page.get_by_role("button", name="Share this trace").click()
    dialog = page.get_by_role("dialog", name="Share this trace")
    dialog.get_by_role("button", name="Make a link").click()
    address = dialog.get_by_label("Link").input_value()
    assert violations(page) == []

    guest = browser.new_context(reduced_motion="reduce").new_page()
    guest.goto(f"{address}#f62")
    chart = guest.locator(".chart")
    expect(chart).to_have_attribute("data-boxes", SOME)
    expect(chart).to_have_attribute("data-selected", "f62")
    expect(guest.get_by_text("shared by link")).to_be_visible()
    expect(guest.get_by_label("Ask about this trace")).to_have_count(0)
    expect(guest.get_by_role("tab", name="Compare")).to_have_count(0)
    guest.get_by_role("button", name="Callers and callees").click()
    expect(guest.get_by_role("region", name="Functions").get_by_role("row").nth(3)).to_be_visible()
    assert violations(guest) == []

    dialog.get_by_role("button", name="End the link").click()
    expect(dialog.get_by_role("status")).to_contain_text("No link leads")
    guest.reload()
    expect(guest.get_by_role("alert")).to_contain_text("This link leads nowhere")
    guest.context.close()


def test_another_link_ends_the_first(page: Page, server: RunningServer, board_trace: Path) -> None:
    open_room(page, server.address, board_trace)
    page.get_by_role("button", name="Share this trace").click()
    dialog = page.get_by_role("dialog", name="Share this trace")
    dialog.get_by_role("button", name="Make a link").click()
    first = dialog.get_by_label("Link").input_value()
    dialog.get_by_role("button", name="Make another link").click()
    expect(dialog.get_by_label("Link")).not_to_have_value(first)
    assert page.request.get(first.replace("/s/", "/api/v1/shared/")).status == 404
    second = dialog.get_by_label("Link").input_value()
    assert page.request.get(second.replace("/s/", "/api/v1/shared/")).status == 200


def test_a_shared_conversation_is_read_next_to_its_chart_and_shows_no_more(
    page: Page, browser: Browser, server: RunningServer, board_trace: Path
) -> None:
    open_room(page, server.address, board_trace)
    asked = (QUESTION, "And what is <b>draw</b>?", "/remember the <img src=x> budget is 16 ms", "And the slowest call?")
    for question in asked:
        ask(page, question)
        expect_status(page, "completed")
    session = f"{server.address}/api/v1/sessions/{page.url.split('/')[-1].split('?')[0].split('#')[0]}"
    assert page.request.patch(session, data={"title": "t" * 10_000}).status == 400
    assert page.request.patch(session, data={"title": HOSTILE}).ok
    page.reload()
    expect(turns_of(page)).to_have_count(3)
    page.locator(".conversation-title").click()
    page.get_by_role("button", name="Share this conversation").click()
    dialog = page.get_by_role("dialog", name="Share this conversation")
    assert violations(page) == []
    dialog.get_by_role("button", name="Make a link").click()
    expect(dialog.get_by_role("status")).to_contain_text("It shows 2 of 4 questions.")
    address = dialog.get_by_label("Link").input_value()

    guest = browser.new_context(reduced_motion="reduce").new_page()
    guest.goto(address)
    expect(guest.locator(".chart")).to_have_attribute("data-boxes", SOME)
    turns = guest.locator(".turn")
    expect(turns).to_have_count(2)
    expect(turns.locator(".prompt p").last).to_have_text("And what is <b>draw</b>?")
    expect(guest.get_by_role("heading", name="<img src=x onerror=alert(1)>")).to_be_visible()
    expect(guest.locator(".turn b, img[src=x]")).to_have_count(0)
    expect(guest.get_by_role("link", name="Plans and users")).to_have_count(0)
    expect(guest.get_by_text("draws on more than this trace and is not shared (2 questions)")).to_be_visible()
    picture = guest.locator(".picture img").first
    expect(picture).to_have_attribute("src", re.compile(r"/shared/[^/]+/flamegraph\.png\?.*width=\d{3}&"))
    wide = picture.evaluate("image => image.decode().then(() => image.naturalWidth)")
    assert wide == pytest.approx(box_of(picture)["width"], abs=1), "names are as large as they were drawn"
    for name in ("Ask about this trace", "Answer again", "Good answer"):
        expect(guest.get_by_label(name)).to_have_count(0)
    for words in ("16 ms", "tokens", "And the slowest call?"):
        expect(guest.get_by_text(words)).to_have_count(0)
    cited = guest.locator("a.citation:visible").first
    cited.click()
    expect(guest.locator(".chart")).to_have_attribute("data-selected", SOME)
    assert_fits(guest)

    dialog.get_by_role("button", name="End the link").click()
    expect(dialog.get_by_role("status")).to_contain_text("No link leads to this conversation")
    guest.reload()
    expect(guest.get_by_role("alert")).to_contain_text("This link leads nowhere")
    dialog.get_by_role("button", name="Make a link").click()
    expect(dialog.get_by_role("status")).to_contain_text("The link is made")
    guest.goto(dialog.get_by_label("Link").input_value())
    expect(turns).to_have_count(2)
    trace_id = page.url.split("/t/")[1].split("/")[0]
    assert page.request.delete(f"{server.address}/api/v1/traces/{trace_id}").status == 204
    guest.reload()
    expect(guest.get_by_role("alert")).to_contain_text("trace or conversation was deleted")
    guest.context.close()


def test_notes_are_written_marked_and_seen_in_other_tabs_links_files_and_shares(
    page: Page, browser: Browser, server: RunningServer, board_trace: Path, tmp_path: Path
) -> None:
    open_room(page, server.address, board_trace)
    ask(page)
    expect_status(page, "completed")
    page.goto(page.url.split("?")[0].split("#")[0] + "#f62")
    chart = page.locator(".chart")
    expect(chart).to_have_attribute("data-selected", "f62")
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator(".chart")).to_have_attribute("data-noted", "0")

    page.get_by_role("button", name="Note", exact=True).click()
    notes = page.get_by_role("list", name="Notes")
    page.get_by_label("New note").fill(HOSTILE)
    page.get_by_role("button", name="Add note").click()
    expect(notes.get_by_role("listitem")).to_have_count(1)
    expect(notes.locator(".note-text")).to_have_text("<img src=x onerror=alert(1)> \u05d0\\u202egnp")
    expect(page.locator("img[src=x]")).to_have_count(0)
    expect(chart).to_have_attribute("data-noted", "1")
    expect(other.locator(".chart")).to_have_attribute("data-noted", "1")

    ruler = chart.bounding_box()
    assert ruler is not None
    page.mouse.move(ruler["x"] + 100, ruler["y"] + 8)
    page.mouse.down()
    page.mouse.move(ruler["x"] + 300, ruler["y"] + 8, steps=4)
    page.mouse.up()
    page.get_by_label("New note").fill("Here it waits")
    page.get_by_label("New note").press("Control+Enter")
    expect(notes.get_by_role("listitem")).to_have_count(2)
    other.get_by_role("tab", name="Notes").click()
    expect(other.get_by_text("Here it waits")).to_be_visible()
    assert violations(page) == []

    saved = saved_conversation(page, "Markdown", tmp_path).read_text(encoding="utf-8")
    assert "## Notes" in saved
    place = re.search(r"\]\((\S+table=notes[^)\s]*)\): Here it waits", saved)
    assert place is not None
    other.goto(place[1])
    expect(other.get_by_text("Here it waits")).to_be_visible()
    expect(other.locator(".chart")).not_to_have_attribute("data-view-start", "0")
    assert "Here it waits" in saved_conversation(page, "Page", tmp_path).read_text(encoding="utf-8")
    page.keyboard.press("Escape")

    page.get_by_role("button", name="Share this trace").click()
    dialog = page.get_by_role("dialog", name="Share this trace")
    dialog.get_by_role("button", name="Make a link").click()
    guest = browser.new_context(reduced_motion="reduce").new_page()
    guest.goto(dialog.get_by_label("Link").input_value() + "?table=notes")
    expect(guest.get_by_text("Here it waits")).to_be_visible()
    for name in ("New note", "Edit this note", "Delete this note"):
        expect(guest.get_by_label(name)).to_have_count(0)
    guest.get_by_role("button", name="subsequenceScore").first.click()
    expect(guest.locator(".chart")).to_have_attribute("data-selected", "f62")
    assert violations(guest) == []
    guest.context.close()
    dialog.get_by_role("button", name="Close").click()

    first = notes.get_by_role("listitem").first
    first.get_by_label("Edit this note").click()
    page.get_by_label("Text of the note").fill("Known by now")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(first.locator(".note-text")).to_have_text("Known by now")
    first.get_by_label("Delete this note").click()
    first.get_by_role("button", name="Delete it").click()
    expect(notes.get_by_role("listitem")).to_have_count(1)
    expect(other.locator(".chart")).to_have_attribute("data-noted", "1")
    page.get_by_role("button", name="Note it in the chart").click()
    expect(notes.get_by_role("listitem").nth(1)).to_be_visible()
    expect(other.locator(".chart")).not_to_have_attribute("data-noted", "1")
