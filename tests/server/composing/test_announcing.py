"""What a server says of itself when it can be used."""

import threading

import pytest

from server.composing.announcing import announce_address
from server.settings import load_settings


class Started:
    """In place of a thread: what would run in it."""

    jobs: list[tuple[object, ...]]

    def __init__(self, *, target: object, args: tuple[object, ...], daemon: bool) -> None:
        assert daemon, "a browser never keeps the server alive"
        self._job = target, *args

    def start(self) -> None:
        self.jobs.append(self._job)


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    Started.jobs = []
    monkeypatch.setattr(threading, "Thread", Started)
    monkeypatch.setattr("webbrowser.open", "open a browser")
    return Started.jobs


@pytest.mark.parametrize("opens", [True, False])
def test_the_browser_opens_where_the_settings_say_so(jobs: list[tuple[object, ...]], *, opens: bool) -> None:
    lines: list[str] = []
    announce_address(load_settings(open=opens), 8484, lines.append)
    assert lines == ["Flamechat is at http://127.0.0.1:8484", "Answers come from the built-in analyst."]
    assert jobs == ([("open a browser", "http://127.0.0.1:8484")] if opens else [])


@pytest.mark.usefixtures("jobs")
@pytest.mark.parametrize(
    ("host", "address"),
    [("0.0.0.0", "127.0.0.1:7"), ("::", "127.0.0.1:7"), ("::1", "[::1]:7"), ("10.0.0.1", "10.0.0.1:7")],
)
def test_the_address_can_be_opened(host: str, address: str) -> None:
    lines: list[str] = []
    settings = load_settings(host=host, access_token="a-long-secret-of-a-team", model_base_url="http://127.0.0.1:1/v1")
    announce_address(settings, 7, lines.append)
    assert lines == [
        f"Flamechat is at http://{address}",
        f"To let a browser in, open http://{address}/?access_token=<FLAMECHAT_ACCESS_TOKEN>",
        "Answers come from a language model.",
    ]
