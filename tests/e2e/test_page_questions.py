"""Questions over many recordings, on the page: label, search, ask, open, change, save, and land in a recording."""

import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.e2e.pages import ROOM, ask, expect_status
from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

NIGHTS = 6


def nights(folder: Path, name: str = "night") -> list[Path]:
    files = []
    for number in range(NIGHTS):
        file = folder / f"{name}-{number}.txt"
        read = 300 if number < 3 else 450
        file.write_text(f"main;parse;read {read + number}\nmain;parse 200\nmain;render;paint 80\nmain 20\n")
        files.append(file)
    return files


def upload(page: Page, address: str, files: list[Path]) -> None:
    for file in files:
        page.goto(address)
        page.set_input_files("input[type=file]", file)
        page.wait_for_url(ROOM)


def label(page: Page, name: str, *labels: str) -> None:
    page.get_by_role("button", name=f"Labels of {name}").press("Enter")
    text = page.get_by_label(re.compile("^Labels, one a line"))
    expect(text).to_be_focused()
    text.fill("\n".join(labels))
    text.press("Control+Enter")
    expect(text).to_have_count(0)


def headline(question: Locator) -> Locator:
    return question.locator(".headline")


def test_a_series_is_asked_opened_changed_saved_and_leads_to_its_recording(
    page: Page, analyst_server: RunningServer, tmp_path: Path
) -> None:
    upload(page, analyst_server.address, nights(tmp_path))
    page.get_by_role("link", name="Flamechat").click()
    for number in range(NIGHTS):
        label(page, f"night-{number}.txt", f"commit:c{number}", "program:reader", f"branch:{'ab'[number % 2]}")
    traces = page.locator(".traces .trace")
    page.get_by_label("Search traces").fill("branch:a night")
    expect(traces).to_have_count(3)
    expect(traces.first).to_contain_text("branch:a")
    page.get_by_label("Search traces").fill("night-5")
    expect(traces).to_have_count(1)
    traces.get_by_role("link").click()
    page.wait_for_url(ROOM)
    ask(page, "How did read develop over my runs?")
    expect_status(page, "completed")
    answer = page.locator(".turn").last
    expect(answer).to_contain_text("From c3")
    shown = answer.locator(".open-question")
    expect(shown.locator(".answer-chart .point")).to_have_count(NIGHTS)

    shown.get_by_text("Open query").press("Enter")
    form = shown.get_by_role("form", name="The query")
    form.get_by_label("Name").fill("parse")
    form.get_by_label("Value").select_option("total")
    form.get_by_label("With labels").fill("branch:a")
    form.get_by_label("With labels").press("Enter")
    expect(headline(shown)).to_contain_text("parse")
    expect(shown.locator(".answer-chart .point")).to_have_count(3)
    shown.get_by_label("Name of the question").fill("parse of branch a")
    shown.get_by_label("Name of the question").press("Enter")
    expect(shown.locator("p[role=status]")).to_contain_text("Saved")
    assert not Axe().run(page).response["violations"]

    page.get_by_role("link", name="Questions").click()
    saved = page.get_by_role("list", name="Saved questions").get_by_role("listitem").first
    expect(saved.get_by_role("heading", name="parse of branch a")).to_be_visible()
    points = saved.locator(".answer-chart .point")
    expect(points).to_have_count(3)
    assert not Axe().run(page).response["violations"]
    points.first.focus()
    page.keyboard.press("ArrowRight")
    expect(saved.locator("output")).to_contain_text(re.compile(r"^c2: 502"))
    page.keyboard.press("End")
    expect(saved.locator("output")).to_contain_text(re.compile(r"^c4: 654"))
    page.keyboard.press("Enter")
    page.wait_for_url(ROOM)
    expect(page.locator(".trace-facts")).to_contain_text("night-4.txt")


def test_sql_is_written_in_the_room_run_again_and_says_what_is_wrong(
    context: BrowserContext, analyst_server: RunningServer, tmp_path: Path
) -> None:
    page = context.new_page()  # a browser reports a refused question in its console
    upload(page, analyst_server.address, nights(tmp_path, "dusk")[:2])
    page.goto(f"{analyst_server.address}/questions")
    text = page.get_by_label("Ask in words, or write SQL over lib.functions")
    of_two = "name = 'read' and recording like 'dusk-%'"
    text.fill(f"select recording, self_value from lib.functions where {of_two} order by 1")
    text.press("Enter")
    shown = page.locator(".open-question").first  # below it are those that were saved
    expect(shown.locator(".answer-chart .point")).to_have_count(2)
    shown.get_by_text("Open query").click()
    sql = shown.get_by_label("SQL")
    sql.fill("select nme from lib.functions")
    sql.press("Control+Enter")
    expect(shown.get_by_role("alert")).to_contain_text("lib.functions has trace")
    sql.fill(
        "select '<b>' || name as n, count(*) as runs from lib.functions "
        "where recording like 'dusk-%' group by name order by name limit 2"
    )
    sql.press("Control+Enter")
    expect(headline(shown)).to_contain_text("2 rows")
    shown.locator(".answer-rows summary").click()
    expect(shown.get_by_role("cell").first).to_contain_text("<b>main")
    text.fill("what is the weather")
    text.press("Enter")
    expect(page.locator(".banner")).to_contain_text("I do not know this as a question")
    assert not Axe().run(page).response["violations"]
