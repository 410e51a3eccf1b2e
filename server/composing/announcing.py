"""What a server says when it can be used."""

import threading
import webbrowser
from collections.abc import Callable

import structlog

from server.composing.model_notices import model_notices
from server.settings import Settings
from traces.missing_kernels import missing_kernels

log = structlog.get_logger(__name__)


def log_missing_kernels() -> None:
    """One line in the log where the compiled kernels are not in use."""
    if missing := missing_kernels():
        log.warning("kernels_missing", consequence=missing)


def announce_address(settings: Settings, port: int, announce: Callable[[str], None]) -> None:
    """The address first, then who is let in and who answers; the browser opens where the settings say so."""
    host = "127.0.0.1" if settings.host in {"0.0.0.0", "::"} else settings.host  # noqa: S104 - compared, not bound
    address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    announce(f"Flamechat is at {address}")
    if not settings.takes_requests:
        announce("It runs turns, and answers /health, /ready and /metrics alone.")
        return
    if not settings.runs_turns:
        announce("It runs no turn: that is for flamechat serve --role worker, over the same database and files.")
    if settings.access_token is not None:
        announce(f"To let a browser in, open {address}/?access_token=<FLAMECHAT_ACCESS_TOKEN>")
    if settings.supabase_url is not None:
        announce(f"People sign in at {settings.supabase_url}")
    announce(f"Answers come from {'a language model' if settings.uses_language_model else 'the built-in analyst'}.")
    for notice in model_notices(settings):
        announce(notice)
    if settings.open:
        # A browser of the terminal would not return: never wait for it.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
