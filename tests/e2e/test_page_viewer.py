"""The chart and the conversation move each other: what the agent does to the viewer, and asking about what is seen."""

import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Scripted
from tests.e2e.pages import ask, expect_status, open_room, open_thread
from tests.e2e.running_server import RunningServer
from tests.e2e.scripted_turns import ScriptedTurns, viewer_action
from tests.openai_endpoint import Reply

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

SCORE = "subsequenceScore"
INPUT = "Ask about this trace"


def trace_id_of(page: Page) -> str:
    found = re.search(r"/t/([^/]+)/", page.url)
    assert found
    return found[1]


def handle_of(page: Page, server: RunningServer, name: str) -> str:
    table = httpx.get(
        f"{server.address}/api/v1/traces/{trace_id_of(page)}/functions", params={"limit": 500}, timeout=60
    ).json()
    return str(next(row["handle"] for row in table["rows"] if row["name"] == name))


def drawn(chart: Locator, name: str) -> str:
    """What the chart says of itself under this name once all that it was given is drawn, which is done with a frame."""
    script = "(chart, name) => new Promise((done) => requestAnimationFrame(() => done(chart.dataset[name] ?? '')))"
    return str(chart.evaluate(script, name))


def window_of(chart: Locator) -> tuple[float, float]:
    return float(drawn(chart, "viewStart") or 0), float(drawn(chart, "viewEnd") or 0)


def performed(page: Page, server: RunningServer, trace: Path, *actions: dict[str, Any]) -> Locator:
    """Open a trace's room and have a turn do these things; the chart. `{SCORE}` stands for its handle."""
    scripted = ScriptedTurns(page, actions)
    open_room(page, server.address, trace)
    handle = handle_of(page, server, SCORE)
    for action in actions:
        if action["handle"] == "{SCORE}":
            action["handle"] = handle
    ask(page)
    expect_status(page, "completed")
    mounted = scripted.sent_of("start_analysis")[0]["mountedTools"]
    assert {"show_in_viewer", "navigate"} <= {one if isinstance(one, str) else one["name"] for one in mounted}
    return page.locator(".chart")


def test_show_brings_a_function_into_sight(page: Page, analyst_server: RunningServer, board_trace: Path) -> None:
    chart = performed(page, analyst_server, board_trace, viewer_action("show", handle="{SCORE}"))
    expect(chart).to_have_attribute("data-selected-name", SCORE)
    start, end = window_of(chart)
    assert end - start < 1e9


def test_show_brings_a_window_into_sight(page: Page, analyst_server: RunningServer, board_trace: Path) -> None:
    page.goto(analyst_server.address)
    open_room(page, analyst_server.address, board_trace)
    start, end = window_of(page.locator(".chart"))
    window = {"start": start + (end - start) / 4, "end": start + (end - start) / 2}
    chart = performed(page, analyst_server, board_trace, viewer_action("show", window=window))
    expect(chart).to_have_attribute("data-view-start", str(window["start"]).removesuffix(".0"))
    assert window_of(chart) == pytest.approx((window["start"], window["end"]))


def test_select_does_not_move_the_chart(page: Page, analyst_server: RunningServer, board_trace: Path) -> None:
    chart = performed(page, analyst_server, board_trace, viewer_action("select", handle="{SCORE}"))
    expect(chart).to_have_attribute("data-selected-name", SCORE)
    start, end = window_of(chart)
    assert end - start > 3e9


def test_zoom_goes_to_a_window_of_another_profile(page: Page, analyst_server: RunningServer, board_trace: Path) -> None:
    page.goto(analyst_server.address)
    open_room(page, analyst_server.address, board_trace)
    shown = page.locator(".chart").get_attribute("data-profile")
    other = next(f"p{number}" for number in range(5) if f"p{number}" != shown)
    open_thread(page, other)
    expect(page.locator(".chart")).to_have_attribute("data-profile", other)
    expect(page.locator(".chart")).to_have_attribute("aria-busy", "false")
    start, end = window_of(page.locator(".chart"))
    window = {"start": start + (end - start) / 4, "end": start + (end - start) / 2}
    chart = performed(page, analyst_server, board_trace, viewer_action("zoom", window=window, profile=other))
    expect(chart).to_have_attribute("data-profile", other)
    expect(chart).to_have_attribute("data-view-start", str(window["start"]).removesuffix(".0"))


def test_set_view_changes_the_view(page: Page, analyst_server: RunningServer, board_trace: Path) -> None:
    chart = performed(page, analyst_server, board_trace, viewer_action("set_view", view="left_heavy"))
    expect(chart).to_have_attribute("data-mode", "left_heavy")


def test_set_view_makes_a_sandwich_of_a_function(page: Page, analyst_server: RunningServer, board_trace: Path) -> None:
    action = viewer_action("set_view", view="sandwich", handle="{SCORE}")
    chart = performed(page, analyst_server, board_trace, action)
    expect(chart).to_have_attribute("data-mode", "sandwich")
    expect(chart).to_have_attribute("data-selected-name", SCORE)


def test_highlight_marks_functions_by_name_where_the_person_can_end_it(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    performed(page, analyst_server, board_trace, viewer_action("highlight", pattern="subsequence"))
    search = page.get_by_label("Search functions and files")
    expect(search).to_have_value("subsequence")
    expect(page.locator(".search-count")).to_have_text(re.compile("[1-9]"))
    search.fill("")
    expect(page.locator(".search-count")).to_have_text("")


def test_a_filter_is_set_and_ended(page: Page, analyst_server: RunningServer, board_trace: Path) -> None:
    action = viewer_action("set_filter", filter="filter-samples:subsequence")
    chart = performed(page, analyst_server, board_trace, action, viewer_action("select", handle="{SCORE}"))
    expect(chart).to_have_attribute("data-selected-name", SCORE)
    expect(page.locator(".transform-bar")).to_contain_text("subsequence")


def test_several_actions_at_once_are_performed_in_order(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    actions = (
        viewer_action("set_view", view="left_heavy"),
        viewer_action("select", handle="{SCORE}"),
        viewer_action("highlight", pattern="filter"),
    )
    chart = performed(page, analyst_server, board_trace, *actions)
    expect(page.get_by_label("Search functions and files")).to_have_value("filter")
    expect(chart).to_have_attribute("data-mode", "left_heavy")
    expect(chart).to_have_attribute("data-selected-name", SCORE)


def test_compare_shows_what_changed_from_another_trace(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    open_room(page, analyst_server.address, board_trace)
    before = trace_id_of(page)
    chart = performed(page, analyst_server, board_trace, viewer_action("compare", traceId=before))
    expect(chart).to_have_attribute("data-mode", "diff")
    expect(chart).to_have_attribute("data-boxes", re.compile("[1-9]"))
    expect(page.get_by_role("combobox", name="Before")).to_have_value(before)
    chart.focus()
    chart.press("ArrowDown")
    expect(page.locator(".details")).to_contain_text("no change")
    assert [one["id"] for one in Axe().run(page).response["violations"]] == []


def test_any_box_is_asked_about_by_its_menu(page: Page, analyst_server: RunningServer, board_trace: Path) -> None:
    scripted = ScriptedTurns(page, [])
    open_room(page, analyst_server.address, board_trace)
    page.locator(".chart canvas").click(position={"x": 130, "y": 30}, button="right")
    menu = page.get_by_role("menu")
    expect(menu.get_by_role("menuitem").first).to_be_focused()
    assert [one["id"] for one in Axe().run(page).response["violations"]] == []
    menu.get_by_role("menuitem", name="Ask about this path").click()
    expect(menu).to_have_count(0)
    expect(page.get_by_label(INPUT)).to_have_value(re.compile(r"^Why does the path to `.+` \(n\d+\) take .+\?$"))
    page.get_by_role("button", name="Send").click()
    expect_status(page, "completed")
    prompt = scripted.sent_of("user_prompt")[0]
    assert prompt["context"]["selection"] in prompt["prompt"]


def test_a_box_is_asked_about_without_a_mouse(page: Page, analyst_server: RunningServer, board_trace: Path) -> None:
    open_room(page, analyst_server.address, board_trace)
    chart = page.locator(".chart")
    chart.focus()
    chart.press("ArrowDown")
    chart.press("m")
    expect(page.get_by_role("menu")).to_be_visible()
    page.keyboard.press("Escape")
    expect(chart).to_be_focused()
    chart.press("q")
    expect(page.get_by_label(INPUT)).to_be_focused()
    expect(page.get_by_label(INPUT)).to_have_value(re.compile("^Why does"))


def test_a_marked_time_range_is_asked_about_and_reaches_the_model(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    scripted = ScriptedTurns(page, [])
    open_room(page, analyst_server.address, board_trace)
    chart = page.locator(".chart")
    box = chart.bounding_box()
    assert box
    page.mouse.move(box["x"] + 200, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 400, box["y"] + 60, steps=4)
    page.mouse.up()
    marked = page.get_by_role("group", name="Marked range of time")
    expect(marked).to_contain_text(" to ")
    marked.get_by_role("button", name="Ask about this").click()
    expect(page.get_by_label(INPUT)).to_have_value(re.compile("^What happens from .+ to .+"))
    start, end = map(float, drawn(chart, "range").split())
    page.get_by_role("button", name="Send").click()
    expect_status(page, "completed")
    assert scripted.sent_of("user_prompt")[0]["context"]["window"] == {"start": start, "end": end}
    marked.get_by_role("button", name="Zoom").click()
    expect(marked).to_have_count(0)
    assert window_of(chart) == pytest.approx((start, end))


def test_what_is_seen_of_the_axis_is_asked_about(page: Page, analyst_server: RunningServer, board_trace: Path) -> None:
    scripted = ScriptedTurns(page, [])
    open_room(page, analyst_server.address, board_trace)
    page.get_by_role("button", name="Zoom in").click()
    page.get_by_role("button", name="Ask about what is seen").click()
    page.get_by_role("button", name="Send").click()
    expect_status(page, "completed")
    window = scripted.sent_of("user_prompt")[0]["context"]["window"]
    assert (window["start"], window["end"]) == pytest.approx(window_of(page.locator(".chart")))


def test_a_function_in_the_chart_leads_to_the_answers_that_cite_it(
    page: Page, model_server: RunningServer, scripted: Scripted, board_trace: Path
) -> None:
    open_room(page, model_server.address, board_trace)
    handle = handle_of(page, model_server, SCORE)
    answer = f"It is [{SCORE}]({handle})."
    with scripted(Reply(text=answer), Reply(text=answer)):
        ask(page)
        expect_status(page, "completed")
    citation = page.locator(".turn .prose a.citation").first
    citation.click()
    expect(page.locator(".chart")).to_have_attribute("data-selected-name", SCORE)
    page.locator(".mentions").get_by_role("button", name="Why is this slow?").click()
    expect(citation).to_be_focused()


def test_a_citation_of_another_version_is_found_by_name_and_never_shown_wrong(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    citation = {"handle": "f1", "label": SCORE, "name": SCORE, "file": None, "line": 19, "engineVersion": "0"}
    lost = {**citation, "handle": "f2", "label": "gone", "name": "gone"}
    answer = {"type": "answer", "text": f"It is [{SCORE}](f1), not [gone](f2).", "citations": [citation, lost]}
    ScriptedTurns(page, [answer])
    open_room(page, analyst_server.address, board_trace)
    table = httpx.get(f"{analyst_server.address}/api/v1/traces/{trace_id_of(page)}/functions", timeout=60).json()
    citation["file"] = next(row["file"] for row in table["rows"] if row["name"] == SCORE)
    ask(page)
    expect_status(page, "completed")
    page.get_by_role("link", name=SCORE).click()
    chart = page.locator(".chart")
    expect(chart).to_have_attribute("data-selected-name", SCORE)
    page.get_by_role("link", name="gone").click()
    expect(chart.get_by_role("alert")).to_contain_text("gone, which this answer cites, is not found")
    expect(chart).to_have_attribute("data-selected", "")


def test_a_model_drives_the_viewer_with_the_tools_of_this_page(
    page: Page, model_server: RunningServer, scripted: Scripted, board_trace: Path
) -> None:
    moves = (
        ("navigate", '{"action": "set_view", "view": "left_heavy"}'),
        ("navigate", f'{{"action": "highlight", "pattern": "{SCORE}"}}'),
    )
    open_room(page, model_server.address, board_trace)
    with scripted(Reply(text="I show it.", calls=moves), Reply(text="There it is."), Reply(text="There.")):
        ask(page)
        expect_status(page, "completed")
    expect(page.locator(".chart")).to_have_attribute("data-mode", "left_heavy")
    expect(page.get_by_label("Search functions and files")).to_have_value(SCORE)
