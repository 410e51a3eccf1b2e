"""At the end of a run: how many broken files were read."""

from _pytest.terminal import TerminalReporter


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Say the counts that tests recorded as the property `mutations`."""
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if name == "mutations":
                terminalreporter.write_line(f"{report.nodeid.rsplit('::', 1)[-1]}: {value}")
