"""Processor time of the process of Chromium that runs and draws one page, and of the server behind it."""

import time

import psutil
from playwright.sync_api import Page

from tests.e2e.running_server import RunningServer

LOOKED_EVERY_MS = 100
"""Between looks at a page that opens. Playwright looks at each frame otherwise, for which the page draws one: the
longer a busy machine takes, the more."""
SETTLING_S, IDLE_S = 60.0, 0.02
"""A server that uses less than IDLE_S in half a second has nothing left to do of what was before."""


def page_s(page: Page) -> float:
    """Seconds since the process began, all its threads together: a context of its own has a process of its own."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    metrics = session.send("Performance.getMetrics")["metrics"]
    session.detach()
    return next(float(one["value"]) for one in metrics if one["name"] == "ProcessTime")


def settled_s(server: RunningServer) -> float:
    """What the server has used, once it is idle: after its start, and after an upload, it reads an encoder and takes
    findings into the memory."""
    used = server_s(server)
    for _ in range(int(SETTLING_S * 2)):
        time.sleep(0.5)
        before, used = used, server_s(server)
        if used - before < IDLE_S:
            break
    return used


def server_s(server: RunningServer) -> float:
    """What the server and its workers have used, its database apart."""
    root = psutil.Process(server.process)
    total = 0.0
    for process in [root, *root.children(recursive=True)]:
        if process.name() != "postgres":
            times = process.cpu_times()
            total += times.user + times.system
    return total
