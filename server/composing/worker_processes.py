"""The worker processes of the settings."""

from pathlib import Path

from server.adapters.workers.worker_pool import MOST_IMPORTS, ProcessWorkers
from server.settings import Settings


def build_workers(settings: Settings, cache: Path, *, most_imports: int = MOST_IMPORTS) -> ProcessWorkers:
    """Workers that keep what they have read in the folder `cache`."""
    return ProcessWorkers(
        cache,
        cache_bytes=settings.cache_bytes,
        importers=settings.importers,
        askers=settings.askers,
        memory_bytes=settings.worker_memory_bytes,
        import_seconds=settings.import_seconds,
        question_seconds=settings.question_seconds,
        most_imports=most_imports,
    )
