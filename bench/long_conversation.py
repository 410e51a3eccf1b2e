"""What a long conversation asks of the page: to be opened, and to be written in. Part of `python -m bench page`."""

import statistics
import time
import uuid
from typing import Any

import httpx
from playwright.sync_api import Browser, Page

from bench.own_process import met
from bench.page_process import LOOKED_EVERY_MS, page_s, settled_s
from tests.e2e.running_server import RunningServer

TURNS = 200
OPEN_S, KEY_MS = 0.8, 8.0
WAIT_MS = 120_000
OPENINGS = 5
QUESTIONS = ("Why is this slow?", "Which calls took longest?", "Who calls f7?", "What does f3 spend?")
TYPED = "what takes so long in there? " * 4


def print_long_conversation(browser: Browser, server: RunningServer, trace: str) -> None:
    """Ask so many questions of a trace, open what became of them, and type below it."""
    session = _asked(server, trace)
    settled_s(server)  # what it remembers of the last answers takes the processors that the page is measured on
    empty = statistics.median(_opened(browser, f"{server.address}/t/{trace}", ".opening") for _ in range(OPENINGS))
    address = f"{server.address}/t/{trace}/{session}"
    times = sorted(_opened(browser, address, ".turn .answer") for _ in range(OPENINGS))
    took = statistics.median(times)
    print(f"\na room without questions opens, page: {empty:.2f} s, the median of {OPENINGS}")
    print(f"with a conversation of {TURNS} turns, page: {took:.2f} s of {OPEN_S} {met(took, OPEN_S)}", end="")
    print(f", the median of {OPENINGS} from {times[0]:.2f} to {times[-1]:.2f}")
    page = _shown(browser, address, ".turn .answer")
    took = _key_ms(page)
    print(f"a key typed below it: {took:.1f} ms of the page's main thread, of {KEY_MS} {met(took, KEY_MS)}")
    page.context.close()


def _asked(server: RunningServer, trace: str) -> str:
    session = str(uuid.uuid4())
    with httpx.Client(base_url=f"{server.address}/api/v1", timeout=120) as client:
        for number in range(TURNS):
            body = {"prompt": QUESTIONS[number % len(QUESTIONS)], "traceId": trace}
            client.post(f"/sessions/{session}/prompts", json=body).raise_for_status()
            _wait_for_answer(client, session)
    return session


def _wait_for_answer(client: httpx.Client, session: str) -> None:
    """Until the last question has an answer."""
    for _ in range(3_000):
        found = client.get(f"/sessions/{session}/messages", params={"limit": 30}).json()["messages"]
        asked = [one["turnId"] for one in found if one["sender"] == "user"]
        if asked and any(
            one["turnId"] == asked[-1] and one["sender"] == "model" and one["contentText"] for one in found
        ):
            return
        time.sleep(0.02)
    raise SystemExit("page: a question was not answered")


def _opened(browser: Browser, address: str, shown: str) -> float:
    page = _shown(browser, address, shown)
    took = page_s(page)
    page.context.close()
    return took


def _shown(browser: Browser, address: str, shown: str) -> Page:
    page = browser.new_context(viewport={"width": 1400, "height": 900}, reduced_motion="reduce").new_page()
    page.goto(address)
    there = f"() => document.querySelector('{shown}') !== null"
    page.wait_for_function(there, timeout=WAIT_MS, polling=LOOKED_EVERY_MS)
    page.wait_for_load_state("networkidle")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return page


def _key_ms(page: Page) -> float:
    """What a key costs, with the frame that shows it: tasks of the main thread over all keys."""
    page.get_by_label("Ask about this trace").focus()
    metrics = page.context.new_cdp_session(page)
    metrics.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.keyboard.type(TYPED)
    before = _tasks_s(metrics.send("Performance.getMetrics"))
    page.keyboard.type(TYPED)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return (_tasks_s(metrics.send("Performance.getMetrics")) - before) * 1e3 / len(TYPED)


def _tasks_s(answer: dict[str, Any]) -> float:
    return next(float(one["value"]) for one in answer["metrics"] if one["name"] == "TaskDuration")
