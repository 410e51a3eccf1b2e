"""`python -m bench page`: what the page and the server need in a browser, in processor time, with speedscope's page on
the same files of the same run.

Chromium is the system's, or FLAMECHAT_CHROMIUM. The files are made here, in speedscope's own format:
timelines of 200,000 and of a million calls, and one of 52 threads; then a million calls on eight threads, as trace
events, 50,000 functions, and a conversation of 200 turns. A page's time is that of the process that runs and draws it,
from its start: Chromium draws pages of its own besides, such as the list under its address bar, and begins them anew
for each context.
"""

import functools
import http.server
import json
import os
import shutil
import tempfile
import threading
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from playwright.sync_api import Browser, Page, sync_playwright

from bench.function_rows import print_function_rows, write_functions
from bench.long_conversation import print_long_conversation
from bench.own_process import ROOT, met
from bench.page_process import LOOKED_EVERY_MS, page_s, server_s, settled_s
from bench.rendering import synthetic
from bench.speedscope_release import release_folder
from hatch_build import page_is_current
from tests.e2e.running_server import RunningServer, running_server
from traces.model import Trace

RECORDING = ROOT / "fixtures" / "board.chrome-object.json.gz"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
FRAMES = 60
ROUNDS = 5
"""Of so many frames, of which the least counts: script is measured in processor time of its thread, to which whatever
else runs on the machine still adds.
"""
WAIT_MS = 120_000
PEER_WAIT_MS = 40_000
USABLE_S = {"200 k": 1.0, "1 M": 1.8, "52 threads": 1.5}
FRAME_MS, TRANSFORM_MS = 4.0, 150.0
FILES = {"200 k": [200_000], "1 M": [1_000_000], "52 threads": [4_000] * 52}


@dataclass(frozen=True, slots=True)
class Opened:
    """Processor seconds from the address to a chart that answers."""

    page: float
    server: float


def write_calls(target: Path, sizes: list[int]) -> None:
    """Trace events, a thread of so many calls each."""
    with target.open("w", encoding="utf-8") as out:
        out.write("[")
        for tid, size in enumerate(sizes, 1):
            out.write("," * (tid > 1) + json.dumps(_thread_name(tid)))
            for event in _events(synthetic(size), tid):
                out.write("," + event)
        out.write("]")


def write_profiles(target: Path, sizes: list[int]) -> None:
    """The same calls in speedscope's own format, which it reads fastest: a profile of so many each."""
    traces = [synthetic(size) for size in sizes]
    names = [traces[0].frame_name(index) for index in range(len(traces[0].frames))]
    head = {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": [{"name": name} for name in names]},
    }
    with target.open("w", encoding="utf-8") as out:
        out.write(json.dumps(head)[:-1] + ',"profiles":[')
        for number, trace in enumerate(traces):
            profile = trace.profiles[0]
            about: dict[str, object] = {"type": "evented", "name": f"thread {number}", "unit": "nanoseconds"}
            about |= {"startValue": int(profile.axis_start), "endValue": int(profile.axis_end)}
            out.write("," * (number > 0) + json.dumps(about)[:-1] + ',"events":[')
            out.write(",".join(_opened_and_closed(trace)) + "]}")
        out.write("]}")


def _opened_and_closed(trace: Trace) -> Iterator[str]:
    profile = trace.profiles[0]
    spans = profile.spans
    assert spans is not None
    stack: list[tuple[int, int]] = []
    frame = profile.tree.frame[spans.node].tolist()
    for start, end, index in zip(spans.start.tolist(), spans.end.tolist(), frame, strict=True):
        while stack and stack[-1][0] <= start:
            yield _closed(*stack.pop())
        yield f'{{"type":"O","at":{start},"frame":{index}}}'
        stack.append((end, index))
    while stack:
        yield _closed(*stack.pop())


def _closed(at: int, frame: int) -> str:
    return f'{{"type":"C","at":{at},"frame":{frame}}}'


def _thread_name(tid: int) -> dict[str, object]:
    name = "main" if tid == 1 else f"PoolWorker {tid}"
    return {"ph": "M", "name": "thread_name", "pid": 7, "tid": tid, "args": {"name": name}}


def _events(trace: Trace, tid: int) -> Iterator[str]:
    profile = trace.profiles[0]
    spans = profile.spans
    assert spans is not None
    frame = profile.tree.frame[spans.node].tolist()
    for start, end, index in zip(spans.start.tolist(), spans.end.tolist(), frame, strict=True):
        name = trace.frame_name(index)
        yield f'{{"ph":"X","name":"{name}","ts":{start},"dur":{end - start},"pid":7,"tid":{tid}}}'


def print_page() -> None:
    """The tables; says why where there is no browser, or another page than that of these sources."""
    chromium = os.environ.get("FLAMECHAT_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM)), None)
    if chromium is None:
        print("page: no chromium on PATH: install one, or name it in FLAMECHAT_CHROMIUM")
        return
    if not page_is_current():
        print("page: the built page is not of these sources; first run: python hatch_build.py page")
        return
    with tempfile.TemporaryDirectory() as made, sync_playwright() as player:
        folder = Path(made)
        for name, sizes in FILES.items():
            write_profiles(folder / f"{name}.json", sizes)
        write_calls(folder / "eight.json", [125_000] * 8)
        write_functions(folder / "functions.txt")
        browser = player.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        with running_server(folder / "server", {}) as server:
            _warm(browser, server, folder)
            _print_opening(browser, server, folder)
            _print_frames(browser, server, folder / "eight.json")
            _print_transform(server, folder / "1 M.json")
            print_function_rows(browser, server, _uploaded(server, folder / "functions.txt"))
            trace = _uploaded(server, RECORDING)
            print_long_conversation(browser, server, trace)
        browser.close()


def _warm(browser: Browser, server: RunningServer, folder: Path) -> None:
    """Open a small trace: the first of a server waits for its workers, and its embedder reads 2 s of weights."""
    small = folder / "small.json"
    write_calls(small, [100, 100])
    _opened(browser, server, f"{server.address}/t/{_uploaded(server, small)}")


def _print_opening(browser: Browser, server: RunningServer, folder: Path) -> None:
    print("\npage: processor seconds from a room's address to its chart, once the server has the trace\n")
    print(f"{'trace':12} {'page':>7} {'server':>7} {'sum':>7} {'target':>7} {'met':>4} {'speedscope':>11}")
    with _speedscope_site(folder) as site:
        for name, target in USABLE_S.items():
            trace = _uploaded(server, folder / f"{name}.json")
            ours = _opened(browser, server, f"{server.address}/t/{trace}")
            both = ours.page + ours.server
            judged = ours.page if name == "52 threads" else both
            theirs = _speedscope(browser, site, f"{name}.json") if site else "no release"
            figures = f"{ours.page:7.2f} {ours.server:7.2f} {both:7.2f} {target:7.1f} {met(judged, target):>4}"
            print(f"{name:12} {figures} {theirs:>11}", flush=True)


def _print_frames(browser: Browser, server: RunningServer, file: Path) -> None:
    trace = _uploaded(server, file)
    threads = ",".join(f"p{at}" for at in range(8))
    page = _new_page(browser)
    page.goto(f"{server.address}/t/{trace}?threads={threads}")
    page.wait_for_function(_ALL_DRAWN, arg=7, timeout=WAIT_MS)
    page.evaluate(_PANS, 5)
    metrics = page.context.new_cdp_session(page)
    metrics.send("Performance.enable", {"timeDomain": "threadTicks"})
    rounds = []
    for _ in range(ROUNDS):
        before = _script_s(metrics.send("Performance.getMetrics"))
        page.evaluate(_PANS, FRAMES)
        rounds.append(_script_s(metrics.send("Performance.getMetrics")) - before)
    took = min(rounds) * 1e3 / FRAMES
    print(f"\na frame of a million calls in 8 open threads, script: {took:.2f} ms of {FRAME_MS} {met(took, FRAME_MS)}")
    page.context.close()


def _print_transform(server: RunningServer, file: Path) -> None:
    trace = _uploaded(server, file)
    address = f"{server.address}/api/v1/traces/{trace}/view?mode=left_heavy"
    httpx.get(address, timeout=120).raise_for_status()
    before = settled_s(server)
    httpx.get(f"{address}&transforms=merge-function:f7", timeout=120).raise_for_status()
    took = (server_s(server) - before) * 1e3
    print(f"a transform of a million calls, server: {took:.0f} ms of {TRANSFORM_MS:.0f} {met(took, TRANSFORM_MS)}")


_ALL_DRAWN = """count => {
  const panes = [...document.querySelectorAll('.chart-panes > .pane')];
  return panes.length === count && panes.every((one) => Number(one.dataset.boxes) > 0);
}"""
_PANS = """async (count) => {
  const canvas = document.querySelector('.chart > canvas');
  const next = () => new Promise((done) => requestAnimationFrame(done));
  for (let at = 0; at < count; at++) {
    const by = { deltaY: at % 2 ? 120 : -120, clientX: 400 + at, clientY: 400, bubbles: true, cancelable: true };
    canvas.dispatchEvent(new WheelEvent('wheel', by));
    await next();
  }
  await next();
}"""


def _script_s(metrics: dict[str, list[dict[str, float | str]]]) -> float:
    return next(float(one["value"]) for one in metrics["metrics"] if one["name"] == "ScriptDuration")


def _new_page(browser: Browser) -> Page:
    return browser.new_context(viewport={"width": 1400, "height": 900}, reduced_motion="reduce").new_page()


def _uploaded(server: RunningServer, file: Path) -> str:
    """Put a file there; the server has it from then on."""
    with file.open("rb") as content:
        query = urllib.parse.urlencode({"name": file.name})
        answer = httpx.post(f"{server.address}/api/v1/traces?{query}", content=content, timeout=300)
    answer.raise_for_status()
    trace: str = answer.json()["trace"]["traceId"]
    return trace


def _opened(browser: Browser, server: RunningServer, address: str) -> Opened:
    page = _new_page(browser)
    serving = settled_s(server)
    page.goto(address)
    page.wait_for_function(
        "() => Number(document.querySelector('.chart')?.dataset.boxes) > 0"
        " && document.querySelector('.chart').getAttribute('aria-busy') === 'false'",
        timeout=WAIT_MS,
        polling=LOOKED_EVERY_MS,
    )
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    opened = Opened(page_s(page), server_s(server) - serving)
    page.context.close()
    return opened


def _speedscope(browser: Browser, site: str, name: str) -> str:
    """Processor seconds from its page's address to a chart, the reading of the file among them: it has no server."""
    page = _new_page(browser)
    page.goto(f"{site}/index.html#profileURL={site}/{urllib.parse.quote(name)}")
    try:
        page.wait_for_function(
            "() => document.title.endsWith(' - speedscope')",
            timeout=PEER_WAIT_MS,
            polling=LOOKED_EVERY_MS,
        )
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return f"{page_s(page):.2f}"
    except Exception as error:  # noqa: BLE001 - a peer that fails has no figure, ours stand
        return type(error).__name__
    finally:
        page.context.close()


@contextmanager
def _speedscope_site(folder: Path) -> Iterator[str | None]:
    """speedscope's release over HTTP, the files next to it; None where it cannot be had."""
    release = release_folder()
    if release is None:
        yield None
        return
    site = folder / "site"
    shutil.copytree(release, site)
    for file in folder.glob("*.json"):
        (site / file.name).symlink_to(file)
    quiet = functools.partial(_Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), quiet) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{serving.server_address[1]}"
        serving.shutdown()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        """Nothing is printed between rows."""
