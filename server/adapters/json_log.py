"""What is logged: one JSON object a line on stderr, of the libraries only warnings. Never a trace's contents, a token
or a key.
"""

import logging
import sys
from typing import Any

import structlog

from server.cleaning import without_keys


def _rendered(logger: Any, method: str, event: structlog.typing.EventDict) -> str:
    """A line without keys for programs: somebody may put one into an address, and a library may log that."""
    return str(without_keys(str(structlog.processors.JSONRenderer()(logger, method, event))))


def log_as_json() -> None:
    """Set the process's logging up."""
    processors: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*processors, _rendered],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    handler = logging.StreamHandler()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processor=_rendered,
            foreign_pre_chain=[*processors, structlog.stdlib.add_logger_name],
        )
    )
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
