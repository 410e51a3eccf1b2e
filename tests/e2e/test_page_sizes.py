"""The room at small windows: chart and conversation take turns, the question box stays; and without a network."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import FilePayload, Page, ViewportSize, WebSocketRoute, expect

from tests.e2e.pages import SOME, ask, expect_status, open_room
from tests.e2e.running_server import RunningServer

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(400)]

PHONE: ViewportSize = {"width": 390, "height": 844}
TABLET: ViewportSize = {"width": 768, "height": 1024}
LAPTOP_AT_200_PERCENT: ViewportSize = {"width": 640, "height": 360}


TOUCHING = """selector => {
  const boxes = [...document.querySelectorAll(selector)]
    .map((one) => [one.className || one.tagName, one.getBoundingClientRect(), one])
    .filter(([, box]) => box.width > 0);
  const found = boxes.filter(([, box]) => box.left < 0 || box.right > innerWidth + 0.5).map(([name]) => name);
  boxes.forEach(([name, box, one], at) => boxes.slice(at + 1).forEach(([other, next, two]) => {
    if (one.contains(two) || two.contains(one)) return;
    if (box.right > next.left + 0.5 && next.right > box.left + 0.5) found.push(`${name} and ${other}`);
  }));
  return found;
}"""
"""Elements of a line that lie over each other or leave the window."""


ROWS = """bar => new Set([...bar.children].map((one) => one.getBoundingClientRect())
  .map((box) => Math.round((box.top + box.bottom) / 4))).size"""
"""How many rows the parts of a bar stand in."""


def violations(page: Page) -> list[str]:
    return [one["id"] for one in Axe().run(page).response["violations"]]


def test_on_small_windows_chart_and_conversation_take_turns_and_the_question_box_stays(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    open_room(page, analyst_server.address, board_trace)
    box, chart, log = page.get_by_label("Ask about this trace"), page.locator(".chart"), page.locator(".log")
    to_chart, to_chat = (page.get_by_role("button", name=name, exact=True) for name in ("Chart", "Conversation"))
    expect(to_chart).to_be_hidden()
    for size, toolbar_rows in ((PHONE, 2), (TABLET, 1), (LAPTOP_AT_200_PERCENT, 1)):
        page.set_viewport_size(size)
        to_chart.click()
        assert page.locator(".toolbar").evaluate(ROWS) == toolbar_rows
        assert page.evaluate(TOUCHING, ".top > *:not(.visually-hidden)") == []
        expect(box).to_be_in_viewport(ratio=1)
        expect(chart).to_be_in_viewport(ratio=0.9)
        assert (chart.bounding_box() or {"height": 0})["height"] >= 130
        expect(log).to_be_hidden()
        to_chat.click()
        expect(box).to_be_in_viewport(ratio=1)
        expect(log).to_be_visible()
        expect(chart).to_be_hidden()
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        assert violations(page) == []
    page.set_viewport_size(PHONE)
    pages = page.get_by_role("navigation", name="Pages")
    expect(pages).to_be_hidden()
    page.get_by_role("button", name="Pages").click()
    expect(pages.get_by_role("link", name="Memory")).to_be_in_viewport(ratio=1)
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(pages).to_be_hidden()
    to_chart.click()
    ask(page)
    expect(log).to_be_visible()
    expect_status(page, "completed")
    page.locator("a.citation:visible").first.click()
    expect(chart).to_be_in_viewport(ratio=0.9)
    expect(chart).to_have_attribute("data-selected", SOME)
    page.get_by_role("button", name="Why is this slow?").first.click()
    expect(page.locator(".turn .answer").first).to_be_in_viewport()
    expect(chart).to_be_hidden()
    assert violations(page) == []


def test_without_a_network_the_chart_stays_and_a_question_waits_and_says_so(
    page: Page, analyst_server: RunningServer, board_trace: Path
) -> None:
    sockets: list[WebSocketRoute] = []
    is_away = False

    def connect(socket: WebSocketRoute) -> None:
        if is_away:
            return socket.close(code=1013)
        socket.connect_to_server()
        return sockets.append(socket)

    page.route_web_socket("**/api/v1/chat", connect)
    open_room(page, analyst_server.address, board_trace)
    is_away = True
    page.context.set_offline(True)
    sockets[-1].close(code=1013)
    expect(page.get_by_text("The chart stays usable")).to_be_visible()
    chart = page.locator(".chart")
    start = chart.get_attribute("data-view-start")
    chart.focus()
    chart.press("+")
    expect(chart).not_to_have_attribute("data-view-start", start or "")
    ask(page)
    expect(page.get_by_text("Your question waits here and is sent when the server can be reached")).to_be_visible()
    expect_status(page, "sending")
    is_away = False
    page.context.set_offline(False)
    expect_status(page, "completed")
    expect(page.locator(".turn")).to_have_count(1)


GIVE = """([kind, x, name, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name));
    const made = kind === "paste"
        ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
        : new DragEvent(kind, { dataTransfer: data, clientX: x, bubbles: true, cancelable: true });
    document.body.dispatchEvent(made);
}"""


def test_a_file_is_pasted_several_at_once_and_a_second_one_is_dropped_to_compare(
    page: Page, analyst_server: RunningServer
) -> None:
    page.goto(analyst_server.address)
    expect(page.get_by_role("button", name="Choose").or_(page.locator(".drop-zone")).first).to_be_visible()
    texts = {"one at once.txt": b"main;read 3", "two at once.txt": b"main;draw 4"}
    files = [FilePayload(name=name, mimeType="text/plain", buffer=text) for name, text in texts.items()]
    page.set_input_files("input[type=file]", files)
    for name in texts:
        expect(page.locator(".trace", has_text=name)).to_be_visible()
    page.evaluate(GIVE, ["paste", 0, "after.txt", "main;read 30\nmain;draw 10\n"])
    chart = page.locator(".chart")
    expect(chart).to_have_attribute("data-boxes", SOME)
    room = page.url.split("?")[0]
    page.evaluate(GIVE, ["dragenter", 1_300, "before.txt", ""])
    expect(page.get_by_text("Drop it here to compare")).to_be_visible()
    page.evaluate(GIVE, ["drop", 1_300, "before.txt", "main;read 10\nmain;draw 10\n"])
    expect(chart).to_have_attribute("data-mode", "diff")
    expect(chart).to_have_attribute("data-boxes", SOME)
    assert page.url.startswith(room)
    expect(page.get_by_text("Drop it here to compare")).to_have_count(0)
    page.go_back()
    expect(chart).not_to_have_attribute("data-mode", "diff")
    ask(page, "What changed since before.txt?")
    expect_status(page, "completed")
    for loads in ("as it is written", "as it was stored"):
        page.locator(".picture").get_by_role("button", name="Show in chart").click()
        expect(chart).to_have_attribute("data-mode", "diff")
        expect(chart, loads).to_have_attribute("data-boxes", SOME)
        expect(page.get_by_label("As shares")).not_to_be_checked()  # the answer compares values
        page.goto(room)
    expect(chart).not_to_have_attribute("data-mode", "diff")
    page.evaluate(GIVE, ["drop", 100, "third.txt", "main;read 20\nmain;draw 5\n"])
    expect(page.get_by_role("heading", name="third.txt")).to_be_attached()
    assert not page.url.startswith(room)
