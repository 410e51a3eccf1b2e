"""A conversation on the page: where its reader stands, and what leaves it."""

import json
import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, Route, expect

from tests.e2e.pages import ask, expect_status, open_room, saved_conversation
from tests.e2e.running_server import RunningServer
from tests.e2e.scripted_turns import ScriptedTurns

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]


def height_of(part: Locator) -> float:
    box = part.bounding_box()
    assert box is not None
    return box["height"]


def test_the_reader_stays_at_the_question(page: Page, analyst_server: RunningServer, board_trace: Path) -> None:
    open_room(page, analyst_server.address, board_trace)
    for prompt in ("Why is this slow?", "and who calls it?"):
        ask(page, prompt)
        expect_status(page, "completed")
        expect(page.locator(".conversation-title")).to_contain_text("Why is this slow?")
        offered = page.locator(".turn").last.locator(".suggestions button").all_inner_texts()
        assert 0 < len(offered) <= 3
        assert not [one for one in offered if one.casefold() == prompt.casefold()]
        top = page.locator(".log").bounding_box()
        question = page.locator(".turn .prompt").last.bounding_box()
        assert top
        assert question
        assert 0 <= question["y"] - top["y"] < 30
    jump = page.get_by_role("button", name="Jump to latest")
    expect(jump).to_be_hidden()
    page.locator(".log").evaluate("log => log.scrollTop = 0")
    expect(jump).to_be_visible()
    jump.click()
    expect(jump).to_be_hidden()
    expect(page.locator(".turn .prompt").last).to_be_in_viewport()


def test_a_long_conversation_opens_with_its_newest_turns_and_goes_on_as_it_is_scrolled(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    open_room(page, analyst_server.address, board_trace)
    for number in range(8):
        ask(page, f"What does f{number} spend?")
        expect_status(page, "completed")
    turns, earlier = page.locator(".turn"), page.get_by_role("button", name="Show earlier questions")
    expect(turns).to_have_count(8)
    expect(earlier).to_have_count(0)
    page.reload()
    expect(turns).to_have_count(3)
    expect(turns.last.locator(".prompt")).to_be_in_viewport()
    expect(turns.first).to_contain_text("What does f5 spend?")
    page.locator(".log").evaluate("log => log.scrollTop = 60")
    expect(turns).to_have_count(8)
    expect(turns.first).to_contain_text("What does f0 spend?")
    expect(turns.nth(5).locator(".prompt")).to_be_in_viewport()
    expect(earlier).to_have_count(0)


SIZES = ((390, 844), (768, 1024), (1440, 900), (720, 450), (3840, 2160))
"""A phone, a tablet upright, a laptop, it at 200 %, and 4k."""


def test_a_saved_conversation_is_read_without_a_network(
    page: Page, analyst_server: RunningServer, board_trace: Path, tmp_path: Path
) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_room(page, analyst_server.address, board_trace)
    ask(page)
    expect_status(page, "completed")
    text = saved_conversation(page, "Markdown", tmp_path).read_text("utf-8")
    address = page.url.split("#")[0]
    assert re.search(rf"\[`subsequenceScore`\]\({re.escape(address)}#f\d+\)", text)
    assert not re.search(r"\]\(#", text)
    assert re.search(r"\n_Against the trace: \d+ .* hold", text)
    page.get_by_role("button", name="Copy for a pull request").click()
    expect(page.get_by_title("Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("> Why is this slow?\n\n")
    assert copied.endswith(f"Trace: [{board_trace.name}]({address})")
    assert re.search(rf"\]\({re.escape(address)}#f\d+\)", copied)
    assert not re.search(r"\]\((?!http)", copied)
    stored = json.loads(saved_conversation(page, "JSON", tmp_path).read_text("utf-8"))
    assert [turn["status"] for turn in stored["turns"]] == ["completed"]
    saved = saved_conversation(page, "Page", tmp_path)
    for content in (text, copied, json.dumps(stored), saved.read_text("utf-8")):
        assert "flamechat" not in content.lower(), "nothing that leaves the page advertises"
    away = page.context.new_page()
    requests: list[str] = []
    away.on("request", lambda request: requests.append(request.url))
    away.context.set_offline(True)
    away.goto(saved.as_uri())
    expect(away.locator("section")).to_contain_text("subsequenceScore")
    widths = away.locator("img").evaluate_all(
        "all => Promise.all(all.map(image => image.decode().then(() => image.naturalWidth)))"
    )
    assert len(widths) >= 2, "the chart of the trace, and a picture of the answer"
    assert all(widths)
    away.get_by_text("Against the trace:").click()
    expect(away.get_by_text("In the trace.").first).to_be_visible()
    away.locator("details").evaluate_all("all => all.forEach((one) => (one.open = true))")
    for width, height in SIZES:
        away.set_viewport_size({"width": width, "height": height})
        for shade in ("light", "dark"):
            away.emulate_media(color_scheme=shade)
            assert [one["id"] for one in Axe().run(away).response["violations"]] == [], (width, shade)
        assert away.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), width
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []


def test_a_conversation_is_saved_while_an_answer_is_being_written(
    page: Page, analyst_server: RunningServer, board_trace: Path, tmp_path: Path
) -> None:
    step = {"type": "tool_start", "toolCallId": "a", "toolName": "get_call_tree", "args": {}, "message": "Reading"}
    ScriptedTurns(page, [{"type": "answer", "text": "The first.", "citations": []}], [step, {"type": "pause"}])
    open_room(page, analyst_server.address, board_trace)
    ask(page, "One?")
    expect_status(page, "completed")
    ask(page, "And two?")
    expect(page.locator(".waiting")).to_contain_text("Reading")
    for kind in ("Markdown", "Page"):
        text = saved_conversation(page, kind, tmp_path).read_text("utf-8")
        assert "The first." in text
        assert "And two?" in text
        assert "This answer was still being written." in text
    stored = json.loads(saved_conversation(page, "JSON", tmp_path).read_text("utf-8"))
    assert [turn["status"] for turn in stored["turns"]] == ["completed", "unfinished"]


def test_next_questions_of_a_heap_are_not_about_time(page: Page, analyst_server: RunningServer, fixtures: Path) -> None:
    open_room(page, analyst_server.address, fixtures / "settlement.go-heap.pb.gz")
    offered = page.locator(".suggestions button")
    expect(offered.first).to_be_visible()
    seen = offered.all_inner_texts()
    for question in ("What allocates the most?", "Who calls it?"):
        ask(page, question)
        expect_status(page, "completed")
        now = page.locator(".turn").last.locator(".suggestions button").all_inner_texts()
        assert 0 < len(now) <= 3
        seen += now
    of_time = re.compile(r"\b(slow\w*|fast\w*|time\w*|long\w*|when|seconds?|ms|latency|duration)\b", re.IGNORECASE)
    assert [one for one in seen if of_time.search(one)] == []


def test_a_picture_is_drawn_for_its_room_which_is_there_before_it(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    open_room(page, analyst_server.address, board_trace)
    ask(page)
    expect_status(page, "completed")
    picture = page.locator(".picture img").first
    drawn = "image => image.decode().then(() => image.naturalWidth)"
    expect(picture).to_have_attribute("src", re.compile(r"/flamegraph\.png\?.*width=\d{3}&"))
    box = picture.bounding_box()
    assert box is not None
    assert picture.evaluate(drawn) == pytest.approx(box["width"], abs=1), "names are as large as they were drawn"
    waiting: list[Route] = []

    def wait(route: Route) -> None:
        waiting.append(route)

    page.route("**/flamegraph.png?*", wait)
    page.reload()
    expect(page.locator(".turn")).to_have_count(1)
    assert height_of(picture) == pytest.approx(box["height"], abs=1)
    assert box["height"] > 100
    for route in waiting:
        route.abort()
    expect(picture).to_have_attribute("src", re.compile(r"/api/v1/pictures/"))
    assert picture.evaluate(drawn) == 1200, "the stored one, where it cannot be drawn again"


def test_sharing_is_offered_only_where_the_plan_has_it(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    with page.expect_response(lambda response: "/me/usage" in response.url):
        open_room(page, analyst_server.address, board_trace)
    expect(page.get_by_label("Ask about this trace")).to_be_visible()
    expect(page.get_by_role("button", name="Share this trace")).to_have_count(0)
