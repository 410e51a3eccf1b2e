"""No key for programs in any log of any test: whatever a test has written to a stream or a logger is looked through."""

import re
from collections.abc import Generator

import pytest

KEY = re.compile(r"fc_[a-z0-9]{10}_[A-Za-z0-9_-]{16,}")
"""As `server.cleaning` knows it; written again, so that a change there does not blind this."""


def keys_in(text: str) -> list[str]:
    """Those in a text, by their beginning."""
    return sorted({found[0][:13] for found in KEY.finditer(text)})


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that leaves a key in a log fails, however it went."""
    report = yield
    shown = keys_in("".join(text for _, text in report.sections))
    if shown and report.outcome == "passed":
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid}: a key for programs stands in what was logged: {', '.join(shown)}"
    return report
