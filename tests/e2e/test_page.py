"""The page in a real browser, before a real server with the built-in analyst."""

import base64
import gzip
import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import FilePayload, Page, expect

from tests.e2e.bad_files import BAD_FILES, bad_file
from tests.e2e.pages import QUESTION, ROOM, SOME, ask, expect_status, open_room, picture_width
from tests.e2e.running_server import RunningServer, running_server

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]


def drop(page: Page, name: str, content: bytes) -> None:
    """Drop a file on the page, as the browser does it: enter, over, drop, with the same data."""
    data = page.evaluate_handle(
        """([name, text]) => {
            const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
            const data = new DataTransfer();
            data.items.add(new File([bytes], name));
            return data;
        }""",
        [name, base64.b64encode(content).decode()],
    )
    for event in ("dragenter", "dragover", "drop"):
        page.dispatch_event("body", event, {"dataTransfer": data})


def violations(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {[node['html'][:200] for node in one['nodes']]}" for one in found]


def test_a_new_installation_lists_its_sample_and_opens_it(page: Page, analyst_server: RunningServer) -> None:
    page.goto(analyst_server.address)
    expect(page.locator(".record-hint")).to_contain_text("flamechat record -- python app.py")
    page.get_by_role("link", name="order-service").click()
    page.wait_for_url(ROOM)
    expect(page.locator(".chart")).to_have_attribute("data-boxes", SOME)
    expect(page.locator(".opening")).to_contain_text("find_discount")


def test_a_dropped_trace_opens_its_room(page: Page, analyst_server: RunningServer, fixtures: Path) -> None:
    name = "error-groups.pyspy.collapsed.txt"
    page.goto(analyst_server.address)
    expect(page.get_by_role("heading", name="Where does the time go?")).to_be_visible()
    drop(page, name, (fixtures / name).read_bytes())
    page.wait_for_url(ROOM)
    expect(page.get_by_text(name).first).to_be_visible()
    expect(page.locator(".opening")).to_contain_text("edit_distance")


def test_an_answer_names_the_cause_and_shows_a_picture(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    open_room(page, analyst_server.address, board_trace)
    ask(page)
    expect_status(page, "completed")
    turn = page.locator(".turn").last
    expect(turn.locator(".prose").last).to_contain_text("subsequenceScore")
    steps = turn.locator("details.steps")
    expect(steps.locator("> summary")).to_have_text(re.compile(r"^\d+ steps, \d+\.\d s$"))
    expect(steps.locator(".tool").first).to_be_hidden()
    steps.locator("> summary").click()
    expect(steps.locator('.tool[data-status="success"]').first).to_be_visible()
    expect(turn.locator(".checks")).to_contain_text(re.compile("figures?( and .*)? holds?"))
    assert picture_width(page) > 0


@pytest.mark.long
def test_a_large_chrome_trace_is_answered_with_a_picture(page: Page, shared: Path, tmp_path: Path) -> None:
    large = tmp_path / "chrome-20mb.json"
    large.write_bytes(gzip.decompress((shared / "traces" / "chrome-20mb.json.gz").read_bytes()))
    assert large.stat().st_size > 30_000_000
    with running_server(tmp_path / "data", {}) as server:
        open_room(page, server.address, large)
        ask(page)
        expect_status(page, "completed")
        expect(page.locator(".turn .prose a.citation").first).to_be_visible()
        assert picture_width(page) > 0
        page.context.close()


def test_a_citation_moves_the_chart_each_time_it_is_clicked(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    open_room(page, analyst_server.address, board_trace)
    ask(page)
    expect_status(page, "completed")
    citation = page.locator(".turn .prose a.citation", has_text="subsequenceScore").first
    handle = (citation.get_attribute("href") or "").removeprefix("#")
    chart = page.locator(".chart")
    citation.click()
    expect(chart).to_have_attribute("data-selected-name", "subsequenceScore")
    expect(chart).to_have_attribute("data-selected", handle)
    chart.press("ArrowUp")
    expect(chart).not_to_have_attribute("data-selected", handle)
    citation.click()
    expect(chart).to_have_attribute("data-selected", handle)
    expect(page).to_have_url(re.compile(r"at=[0-9.]+#n[0-9]+$"))


@pytest.mark.long
def test_a_reload_restores_the_conversation(page: Page, analyst_server: RunningServer, board_trace: Path) -> None:
    open_room(page, analyst_server.address, board_trace)
    ask(page)
    expect_status(page, "completed")
    texts = page.locator(".turn .prose").all_inner_texts()
    page.locator(".steps > summary").click()
    cards = page.locator(".turn .tool")
    expect(cards.first).to_be_visible()  # they are drawn after the click, all at once
    tools = cards.count()
    page.reload()
    expect(page.locator(".turn")).to_have_count(1)
    expect(page.locator(".turn .prompt")).to_contain_text(QUESTION)
    expect(page.locator(".turn .prose")).to_have_text(texts, use_inner_text=True)
    page.locator(".steps > summary").click()
    expect(cards).to_have_count(tools)
    assert picture_width(page) > 0


@pytest.mark.long
def test_views_and_search_are_reached_by_keyboard(page: Page, analyst_server: RunningServer, board_trace: Path) -> None:
    open_room(page, analyst_server.address, board_trace)
    chart = page.locator(".chart")
    page.locator("#tab-time_order").press("ArrowRight")
    expect(chart).to_have_attribute("data-mode", "left_heavy")
    search = page.get_by_label("Search functions and files")
    search.fill("subsequence")
    search.press("Enter")
    expect(chart).to_have_attribute("data-selected-name", "subsequenceScore")
    page.get_by_role("button", name="Callers and callees").press("Enter")
    expect(chart).to_have_attribute("data-mode", "sandwich")


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_an_accessibility_violation(
    page: Page, analyst_server: RunningServer, board_trace: Path, scheme: str
) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
    page.goto(analyst_server.address)
    expect(page.locator(".trace").first).to_be_visible()
    expect(page.locator("html")).to_have_attribute("data-theme", scheme)
    assert violations(page) == []
    open_room(page, analyst_server.address, board_trace)
    ask(page)
    expect_status(page, "completed")
    page.locator(".steps > summary").first.click()
    page.locator(".tool summary").first.click()
    page.locator(".turn .prose a.citation").first.click()
    assert violations(page) == []
    page.get_by_role("button", name="Callers and callees").click()
    expect(page.locator(".chart")).to_have_attribute("data-mode", "sandwich")
    page.get_by_role("button", name="Enlarge the picture").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert violations(page) == []


@pytest.mark.parametrize(
    "name", [name if name == "notes.txt" else pytest.param(name, marks=pytest.mark.long) for name in BAD_FILES]
)
def test_a_bad_file_is_refused_by_name_and_nothing_is_kept(
    page: Page, analyst_server: RunningServer, name: str
) -> None:
    page.goto(analyst_server.address)
    expect(page.locator(".trace").first).to_be_visible()
    before = page.locator(".trace").all_inner_texts()
    file = FilePayload(name=name, mimeType="application/octet-stream", buffer=bad_file(name))
    page.set_input_files("input[type=file]", file)
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text(name)
    assert len(alert.inner_text()) > len(name) + 20, "a reason stands beside the name"
    page.reload()
    expect(page.locator(".trace")).to_have_text(before, use_inner_text=True)
