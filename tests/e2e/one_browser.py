"""One Chromium for tests of pages that follow each other: to start it takes 2 s of a processor.

There is no device to draw with; GPU rasterising in software costs a quarter more than drawing by the processor.
"""

from contextlib import ExitStack

from playwright.sync_api import Browser, sync_playwright

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class OneBrowser:
    """Launched when it is first asked for, and again when it has gone."""

    def __init__(self) -> None:
        self._running = ExitStack()
        self._browser: Browser | None = None

    def launched(self, program: str) -> Browser:
        if self._browser is None or not self._browser.is_connected():
            self.close()
            player = self._running.enter_context(sync_playwright())
            self._browser = self._running.enter_context(
                player.chromium.launch(executable_path=program, args=list(FLAGS))
            )
        return self._browser

    def close(self) -> None:
        self._browser = None
        self._running.close()
