"""`flamechat record --url http://HOST/debug/pprof/`: what a running Go program records of itself."""

import signal
import time
from collections.abc import Callable
from urllib.parse import urlsplit

from server.adapters.recording.child_process import Ended
from server.adapters.recording.go_pprof import fetch_profile, profile_address
from server.composing.recording_place import RecordingPlace
from server.edges.cli.command_values import Recorded, RecordOptions
from server.errors import CannotRecord
from server.recording.choosing import MISUSED
from server.recording.masked_command import masked_text
from server.recording.page_request import checked_url
from server.recording.recorder import Plan
from server.recording.recording_labels import labels_of

NAME = "net/http/pprof"
SECONDS = 10.0


def record_go_program(options: RecordOptions, url: str, remark: Callable[[str], None]) -> Recorded:
    """Ask the program for its profile. Raises CannotRecord, ConfigError."""
    labels_of(options.labels)
    if options.reload or options.slower_cpu or options.network:
        raise CannotRecord("--reload and --throttle-... are of pages, and this is a Go program", exit_code=MISUSED)
    seconds = options.seconds or SECONDS
    address = profile_address(checked_url(url), options.what, seconds)
    place = RecordingPlace.new(options, urlsplit(url).netloc.rpartition("@")[2])
    remark(f"recording with {NAME}: {masked_text(address)}")
    output = place.folder / "recording.pb.gz"
    began = time.monotonic()
    try:
        fetch_profile(address, output, seconds)
    except KeyboardInterrupt:
        return Recorded(exit_code=128 + signal.SIGINT, file=None, problem="interrupted: Go writes a profile at its end")
    except OSError as error:
        return Recorded(exit_code=1, file=None, problem=f"{output}: {error.strerror or error}")
    ended = Ended(exit_code=0, seconds=time.monotonic() - began, was_stopped=False)
    return place.kept(NAME, Plan(argv=(), leaves=output.name), ended, (masked_text(url),))
