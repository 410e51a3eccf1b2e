"""The table of 50,000 functions, sorted and filtered in the page. Part of `python -m bench page`."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, expect

from bench.own_process import met
from tests.e2e.running_server import RunningServer

FUNCTIONS = 50_000
STEP_MS = 50.0
ROUNDS = 3
"""Each opens the table anew, as orders and texts are kept. Of a step the least counts: to a task's time whatever else
runs on the machine adds.
"""
WAIT_MS = 120_000
COLUMNS = ("Self", "Total", "Function")
WORDS = ("4", "42", "42_7")


def write_functions(target: Path) -> None:
    """Collapsed stacks: as many functions, of other weights, below one."""
    weights = (1 + place * 7_919 % FUNCTIONS for place in range(FUNCTIONS - 1))
    lines = (f"main;work_{place % 97}_{place:05} {weight}\n" for place, weight in enumerate(weights))
    target.write_text("".join(lines), encoding="utf-8")


def print_function_rows(browser: Browser, server: RunningServer, trace: str) -> None:
    """Click through columns, then type a filter: milliseconds of the page's main thread, the rows on it included."""
    page = browser.new_context(viewport={"width": 1400, "height": 900}, reduced_motion="reduce").new_page()
    metrics = page.context.new_cdp_session(page)
    metrics.send("Performance.enable", {"timeDomain": "threadTicks"})

    def took(work: str, given: str) -> float:
        before = _tasks_s(metrics.send("Performance.getMetrics"))
        page.evaluate(work, given)
        return (_tasks_s(metrics.send("Performance.getMetrics")) - before) * 1e3

    sorts, filters = [], []
    for _ in range(ROUNDS):
        page.goto(f"{server.address}/t/{trace}?view=left_heavy&table=functions")
        grid = page.get_by_role("grid", name="Functions")
        expect(grid).to_have_attribute("aria-rowcount", str(FUNCTIONS + 1), timeout=WAIT_MS)
        page.wait_for_load_state("networkidle")
        sorts.append([took(_CLICKS, column) for column in COLUMNS])
        filters.append([took(_FILLS, words) for words in WORDS])
    by_sort, by_filter = (max(map(min, zip(*steps, strict=True))) for steps in (sorts, filters))
    print(f"\na table of {FUNCTIONS:,} functions, page: put in another order in {by_sort:.1f} ms", end="")
    print(f", filtered in {by_filter:.1f} ms, of {STEP_MS:.0f} {met(max(by_sort, by_filter), STEP_MS)}")
    page.context.close()


_SHOWN = "await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));"
_CLICKS = f"""async (column) => {{
  const heads = [...document.querySelectorAll('[role=columnheader] button')];
  heads.find((head) => head.textContent.startsWith(column)).click();
  {_SHOWN}
}}"""
_FILLS = f"""async (words) => {{
  const field = document.querySelector('[aria-label="Filter functions"]');
  field.value = words;
  field.dispatchEvent(new InputEvent('input', {{ bubbles: true }}));
  {_SHOWN}
}}"""


def _tasks_s(answer: dict[str, Any]) -> float:
    return next(float(one["value"]) for one in answer["metrics"] if one["name"] == "TaskDuration")
