"""Records a page of a case with Chromium's tracing over the DevTools protocol (needs playwright and a Chromium):
`python record_page.py CASE OUT.json [CLICKED [QUERY]]`. Every host answers from the case's folder;
`/api/mails` answers after 1.2 s, files whose names begin with `slow-` after 0.9 s.
"""

import json
import mimetypes
import shutil
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Route, sync_playwright

CATEGORIES = ("devtools.timeline", "loading", "v8.execute", "blink.user_timing", "disabled-by-default-v8.cpu_profiler")


def record(case: Path, click: str | None, query: str | None = None) -> dict[str, Any]:
    events: list[dict[str, Any]] = []
    finished: list[object] = []
    with sync_playwright() as player:
        browser = player.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-quic"]
        )
        page = browser.new_page()

        def answer(route: Route) -> None:
            name = route.request.url.partition("?")[0].rsplit("/", 1)[1] or "index.html"
            if name == "mails":
                page.wait_for_timeout(1200)
                route.fulfill(json=[{"subject": f"Mail {n}"} for n in range(40)])
            elif (case / name).is_file():
                if name.startswith("slow-"):
                    page.wait_for_timeout(900)
                route.fulfill(body=(case / name).read_bytes(), content_type=mimetypes.guess_type(name)[0])
            else:
                route.fulfill(status=404)

        page.route("**/*", answer)
        session = page.context.new_cdp_session(page)
        session.on("Tracing.dataCollected", lambda part: events.extend(part["value"]))
        session.on("Tracing.tracingComplete", lambda done: finished.append(done))  # noqa: PLW0108 - playwright marks the handler
        session.send(
            "Tracing.start",
            {"transferMode": "ReportEvents", "traceConfig": {"includedCategories": ["-*", *CATEGORIES]}},
        )
        page.goto(f"https://{case.name.replace('_', '-')}.example/{f'?{query}' if query else ''}")
        if click:
            page.click(click)
        page.wait_for_function("document.title === 'done'")
        session.send("Tracing.end")
        while not finished:
            page.wait_for_timeout(50)
        browser.close()
    return {"traceEvents": events, "metadata": {"source": "record_page.py"}}


def main() -> None:
    case, out, *more = sys.argv[1:]
    Path(out).write_text(json.dumps(record(Path(case), *more)), encoding="utf-8")


main()
