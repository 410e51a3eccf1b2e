"""Workers as a server has them, with the settings that a test changes."""

from pathlib import Path
from typing import Any

from server.adapters.workers.worker_pool import MOST_IMPORTS, ProcessWorkers
from server.composing.worker_processes import build_workers
from server.settings import load_settings


def process_workers(cache: Path, *, most_imports: int = MOST_IMPORTS, **settings: Any) -> ProcessWorkers:
    """Over the folder `cache`; `settings` by their names."""
    return build_workers(load_settings(data=cache.parent, **settings), cache, most_imports=most_imports)
