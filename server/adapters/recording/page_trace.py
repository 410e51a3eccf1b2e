"""A page's performance trace, as the Performance panel of Chrome's developer tools records it."""

import base64
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from server.adapters.recording.devtools_pipe import BrowserFailed, DevTools, browser
from server.recording.page_request import NETWORKS, PageRequest

CATEGORIES = (
    "devtools.timeline",
    "disabled-by-default-devtools.timeline",
    "disabled-by-default-devtools.timeline.frame",
    "disabled-by-default-devtools.timeline.stack",
    "disabled-by-default-v8.cpu_profiler",
    "disabled-by-default-lighthouse",
    "blink.console",
    "blink.user_timing",
    "latencyInfo",
    "loading",
    "v8.execute",
)
"""Those of the Performance panel; the samples of V8 among them."""

LOADED_S = 60.0
"""For a page to load; what was recorded until then is kept."""
QUIET_S = 1.0
"""After the load event, for what a page does on it."""
READ_S = 300.0
"""For the browser to hand over a long trace."""
CHUNK_BYTES = 1 << 20


def trace_page(
    request: PageRequest, path: str, output: Path, *, is_stopped: Callable[[], bool], remark: Callable[[str], None]
) -> None:
    """Open the page in a new browser and write its trace, gzipped. Raises BrowserFailed, OSError."""
    with (
        tempfile.TemporaryDirectory(prefix="browser-", dir=output.parent, ignore_cleanup_errors=True) as profile,
        browser(path, Path(profile), is_stopped) as tools,
    ):
        target = tools.command("Target.createTarget", url="about:blank")["targetId"]
        session = str(tools.command("Target.attachToTarget", targetId=target, flatten=True)["sessionId"])
        tools.command("Page.enable", session)
        _throttle(tools, session, request)
        if request.reload:
            _open(tools, session, request.url)
            tools.event("Page.loadEventFired", time.monotonic() + LOADED_S)
        config = {"includedCategories": list(CATEGORIES), "excludedCategories": ["*"]}
        tools.command(
            "Tracing.start", session, transferMode="ReturnAsStream", streamCompression="gzip", traceConfig=config
        )
        began = time.monotonic()
        if request.reload:
            tools.command("Page.reload", session)
        else:
            _open(tools, session, request.url)
        if request.seconds is None:
            if tools.event("Page.loadEventFired", began + LOADED_S) is None:
                remark(f"the page has not loaded: what was recorded in {time.monotonic() - began:.0f} s is kept")
            tools.event("", time.monotonic() + QUIET_S)
        else:
            tools.event("", began + request.seconds)
        tools.command("Tracing.end", session)
        complete = tools.event("Tracing.tracingComplete", time.monotonic() + READ_S, may_stop=False)
        if complete is None or "stream" not in complete:
            raise BrowserFailed("the browser gave no trace")
        _save(tools, session, str(complete["stream"]), output)


def _open(tools: DevTools, session: str, url: str) -> None:
    failed = tools.command("Page.navigate", session, url=url).get("errorText")
    if failed:
        raise BrowserFailed(f"the page cannot be opened: {failed}")


def _throttle(tools: DevTools, session: str, request: PageRequest) -> None:
    if request.slower_cpu is not None:
        tools.command("Emulation.setCPUThrottlingRate", session, rate=request.slower_cpu)
    if request.network is not None:
        latency_ms, down, up = NETWORKS[request.network]
        tools.command("Network.enable", session)
        tools.command(
            "Network.emulateNetworkConditions",
            session,
            offline=False,
            latency=latency_ms,
            downloadThroughput=down,
            uploadThroughput=up,
        )


def _save(tools: DevTools, session: str, stream: str, output: Path) -> None:
    with output.open("wb") as file:
        while True:
            part = tools.command("IO.read", session, handle=stream, size=CHUNK_BYTES)
            data = str(part.get("data", ""))
            file.write(base64.b64decode(data) if part.get("base64Encoded") else data.encode())
            if part.get("eof"):
                break
    tools.command("IO.close", session, handle=stream)
