"""The sign of life of a process that runs turns: given by a thread with a connection of its own.

The event loop, which does the work, may stall; the heartbeat goes on. An advisory lock of the connection says that the
process is there even while it can do nothing (stopped, swapped out): PostgreSQL lets the lock go when the process ends,
and after some 10 s without an answer where its machine has gone.
"""

import threading
import time
from collections.abc import Callable

import psycopg
import structlog

from server.adapters.postgres.library_tables import SCHEMA
from server.adapters.postgres.statements import statement
from server.errors import raised_at

LOCK_CLASS = 727_446_320
"""With a worker's number, the lock of a process that lives."""

HEARTBEAT_S = 2.0
LOOK_S = 0.1
AGAIN_S = 0.5
CONNECT_S = 5

log = structlog.get_logger(__name__)


class WorkerLease:
    """Between `start` and `stop`, the worker that `worker_id` names is alive for others to see. `with_lock` is false
    where no connection keeps state (a pooler of transactions): then the heartbeat alone says so."""

    def __init__(
        self, dsn: str, worker_id: Callable[[], int | None], *, with_lock: bool, every_s: float = HEARTBEAT_S
    ) -> None:
        self._dsn = dsn
        self._worker_id = worker_id
        self._with_lock = with_lock
        self._every_s = every_s
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Once."""
        self._thread = threading.Thread(target=self._run, name="worker-lease", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Blocks until the connection is closed, at most about CONNECT_S."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(CONNECT_S + 1)

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                with psycopg.connect(
                    self._dsn, autocommit=True, connect_timeout=CONNECT_S, prepare_threshold=None
                ) as connection:
                    self._keep(connection)
            except psycopg.Error as error:
                log.warning("queue_heartbeat_failed", error=type(error).__name__)
                self._stopped.wait(AGAIN_S)
            except Exception as error:  # noqa: BLE001 - a thread that ends would take the process for dead
                log.warning("queue_heartbeat_failed", error=type(error).__name__, where=raised_at(error))
                self._stopped.wait(AGAIN_S)

    def _keep(self, connection: psycopg.Connection[tuple[object, ...]]) -> None:
        if self._with_lock:
            connection.execute(statement("notice_lost_machine"))
        locked, due = None, 0.0
        while not self._stopped.wait(LOOK_S):
            worker = self._worker_id()
            if worker is None or (worker == locked and time.monotonic() < due):
                continue
            with connection.transaction():
                connection.execute("set local role service_role")
                connection.execute(f"set local search_path to {SCHEMA}")
                connection.execute(statement("renew_lease"), {"worker": worker})
            if self._with_lock and worker != locked:
                connection.execute(statement("unlock_leases"))
                connection.execute(statement("lock_lease"), {"class": LOCK_CLASS, "worker": worker})
            locked, due = worker, time.monotonic() + self._every_s
