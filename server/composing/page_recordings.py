"""`flamechat record --url`: a page, traced in a browser of its own."""

import time
from collections.abc import Callable

from server.adapters.recording.child_process import Ended, handling_signals
from server.adapters.recording.devtools_pipe import BrowserFailed, browser_path
from server.adapters.recording.page_trace import trace_page
from server.composing.recording_place import RecordingPlace
from server.edges.cli.command_values import ListedRecorder, Recorded, RecordOptions
from server.errors import CannotRecord
from server.recording.choosing import MISUSED
from server.recording.masked_command import masked_text
from server.recording.page_request import PageRequest, checked_url
from server.recording.recorder import Plan
from server.recording.recording_labels import labels_of

NAME = "Chrome"
INSTALLED_BY = "apt install chromium"


def listed_browser() -> ListedRecorder:
    """The browser in the list of recorders."""
    found = browser_path()
    return ListedRecorder(
        name=NAME,
        of="pages (--url)",
        records=("cpu",),
        merit="its performance trace, in a new profile without a window",
        problem=None if found else f"is not here; found after: {INSTALLED_BY}",
    )


def record_page(options: RecordOptions, url: str, remark: Callable[[str], None]) -> Recorded:
    """Trace the page. Raises CannotRecord, ConfigError."""
    labels_of(options.labels)
    page = PageRequest(
        url=checked_url(url),
        seconds=options.seconds,
        reload=options.reload,
        slower_cpu=options.slower_cpu,
        network=options.network,
    )
    path = browser_path()
    if path is None:
        raise CannotRecord(f"nothing here records a page: {NAME} is not here ({INSTALLED_BY})", exit_code=MISUSED)
    place = RecordingPlace.new(options, page.program)
    remark(f"recording with {path}")
    output = place.folder / "recording.trace.json.gz"
    stopped: list[int] = []
    began = time.monotonic()
    try:
        with handling_signals(stopped.append):
            trace_page(page, path, output, is_stopped=lambda: bool(stopped), remark=remark)
    except BrowserFailed as error:
        return Recorded(exit_code=1, file=None, problem=str(error))
    except OSError as error:
        return Recorded(exit_code=1, file=None, problem=f"{error.filename or path}: {error.strerror or error}")
    ended = Ended(exit_code=0, seconds=time.monotonic() - began, was_stopped=bool(stopped))
    return place.kept(NAME, Plan(argv=(), leaves=output.name), ended, (masked_text(url),))
