"""Processor time of the process of Chromium that runs and draws one page."""

from playwright.sync_api import Page


def page_s(page: Page) -> float:
    """Seconds since the process began, all its threads together: a context of its own has a process of its own."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    metrics = session.send("Performance.getMetrics")["metrics"]
    session.detach()
    return next(float(one["value"]) for one in metrics if one["name"] == "ProcessTime")
