"""Accepted turns as jobs on PostgreSQL, run by the workers of every server process.

procrastinate keeps the jobs: one running per session (`lock`), aborts by NOTIFY; `worker_lease` says who lives.
`chat_turns` is the truth all the same: a job only says that somebody has to look at its turn.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Self

import procrastinate
import psycopg
import structlog
from procrastinate import exceptions
from procrastinate.job_context import AbortReason, JobContext
from procrastinate.worker import Worker
from psycopg import AsyncConnection

from server.adapters.in_process.background_loops import BackgroundLoops
from server.adapters.postgres.library_tables import SCHEMA, SessionPool, TransactionPool, as_service
from server.adapters.postgres.pool import noticing_a_lost_machine
from server.adapters.postgres.statements import statement
from server.adapters.postgres.worker_lease import HEARTBEAT_S, LOCK_CLASS, WorkerLease
from server.errors import DatabaseUnavailable
from server.ports.queue import TurnJob

QUEUE = "turns"
TASK = "run_turn"
AT_ONCE = datetime(1970, 1, 1, tzinfo=UTC)
"""Due by any clock: the database's may be behind ours."""

POLL_S = 0.25
"""How long a job may wait that nobody announced: one whose session has just become free, or after a lost connection."""

ABORT_POLL_S = 1.0
DEAF_POLL_S = 0.2
"""How often jobs are polled for where no NOTIFY arrives."""

GONE_S = 4.0
"""A worker whose session in the database has ended, and that has been silent for so long, is dead: two heartbeats, so
that one which only connects anew is in time. With the sweep, its turns run elsewhere within 10 s; one that slept is
fenced off."""

STALLED_S = 6.0
"""The same where no session says so, behind a pooler of transactions: a busy worker is silent, too."""

SILENT_S = 20.0
"""One whose process is there may be busy or stopped: its turns are taken up later, and that is not a death."""

FORGOTTEN_S = 600.0
"""When procrastinate itself forgets a silent worker. Until then its job says whose it is."""

RESTART_S = 0.5
DRAIN_S = 60.0
"""More than any stop waits: the runner decides when its turns have had enough time."""

CONNECTIONS = 3
"""For the queue's and the checkpoints' statements, which are short. The sweep needs two of them at once."""

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _TakenJob:
    """A job that this process has taken. `is_given` once the runner has it."""

    job: TurnJob
    is_given: bool = False
    done: asyncio.Event = field(default_factory=asyncio.Event)


class PostgresTurnQueue:
    """A TurnQueue; `async with` it. While it is open, up to `at_once` jobs are taken and kept until they are `done`.

    `can_listen` is false behind a pooler of transactions: no connection keeps state, and everything is polled for."""

    def __init__(
        self, server_dsn: str, *, at_once: int, can_listen: bool = True, loops: BackgroundLoops | None = None
    ) -> None:
        self._loops = loops or BackgroundLoops()
        self._at_once = at_once
        self._can_listen = can_listen
        lost_machine = noticing_a_lost_machine(server_dsn)
        session: dict[str, Any] = {
            "pool_factory": SessionPool,
            "configure": as_service,
            "kwargs": lost_machine,
        }
        pooled: dict[str, Any] = {
            "pool_factory": TransactionPool,
            "kwargs": {"prepare_threshold": None, **lost_machine},
        }
        self._app = procrastinate.App(
            connector=procrastinate.PsycopgConnector(
                conninfo=server_dsn, min_size=1, max_size=CONNECTIONS, **(session if can_listen else pooled)
            )
        )
        self._app.task(name=TASK, queue=QUEUE, pass_context=True)(self._run)
        self._jobs: dict[str, _TakenJob] = {}
        self._taken: asyncio.Queue[_TakenJob] = asyncio.Queue()
        self._stops: asyncio.Queue[str] = asyncio.Queue()
        self._worker: Worker | None = None
        self._working: asyncio.Task[None] | None = None
        self._lease = WorkerLease(server_dsn, self._worker_id, with_lock=can_listen)
        self._stopped = False

    @property
    def dead_after_s(self) -> float:
        """How long a worker whose process is gone, as far as is seen here, is silent before it is taken for dead."""
        return GONE_S if self._can_listen else STALLED_S

    @property
    def pool(self) -> Any:
        """The connections, as `service_role` among the libraries' tables."""
        connector = self._app.connector
        assert isinstance(connector, procrastinate.PsycopgConnector)
        return connector.pool

    async def __aenter__(self) -> Self:
        """Raises DatabaseUnavailable."""
        with _reaching():
            await self._app.open_async()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.stop()
        for taken in list(self._jobs.values()):
            taken.done.set()
        await self._loops.stop(self._working)
        await asyncio.to_thread(self._lease.stop)
        await self._app.close_async()

    async def put(self, job: TurnJob) -> int:
        found = await self._find(job.turn_id)
        if found is None:
            with _reaching(), contextlib.suppress(exceptions.AlreadyEnqueued):
                await self._deferrer(job).defer_async(turn_id=job.turn_id, session_id=job.session_id)
            found = await self._find(job.turn_id)
        return 0 if found is None else int(found["ahead"])

    async def put_again(self, job: TurnJob) -> None:
        with _reaching(), contextlib.suppress(exceptions.AlreadyEnqueued):
            await self._deferrer(job).defer_async(turn_id=job.turn_id, session_id=job.session_id)

    async def put_within(self, connection: AsyncConnection[Any], job: TurnJob) -> int | None:
        """Make the job in the caller's transaction, unless the turn has one; returns how many of its session stand
        before it, and None for a turn that has ended."""
        await connection.execute(f"set local search_path to {SCHEMA}")
        of_turn = {"turn_id": job.turn_id}
        turn = await (await connection.execute(statement("turn_has_ended"), of_turn)).fetchone()
        if turn is not None and turn["ended"]:
            return None
        found = await (await connection.execute(statement("job_of_turn"), of_turn)).fetchone()
        if found is None:
            with _reaching():
                await self._deferrer(job, connection).defer_async(turn_id=job.turn_id, session_id=job.session_id)
            found = await (await connection.execute(statement("job_of_turn"), of_turn)).fetchone()
        return 0 if found is None else int(found["ahead"])

    async def jobs(self) -> AsyncIterator[TurnJob]:
        if self._working is None:
            self._working = self._loops.start("queue_worker", self._work)
            self._lease.start()
        while True:
            taken = await self._taken.get()
            if not taken.done.is_set():
                taken.is_given = True
                yield taken.job

    async def done(self, job: TurnJob) -> None:
        taken = self._jobs.get(job.turn_id)
        if taken is not None:
            taken.done.set()

    async def cancel(self, turn_id: str) -> bool:
        taken = self._jobs.get(turn_id)
        if taken is not None and not taken.is_given and not taken.done.is_set():
            taken.done.set()
            return True
        found = await self._find(turn_id)
        if found is None:
            return False
        manager = self._app.job_manager
        with _reaching():
            if found["status"] == "todo" and await manager.cancel_job_by_id_async(found["id"], delete_job=True):
                return True
            await manager.cancel_job_by_id_async(found["id"], abort=True)
        return False

    async def stops(self) -> AsyncIterator[str]:
        while True:
            yield await self._stops.get()

    async def stop(self) -> None:
        self._stopped = True
        for taken in self._jobs.values():
            if not taken.is_given:
                taken.done.set()
        if self._worker is not None:
            self._worker.shutdown_graceful_timeout = DRAIN_S
            self._worker.stop()  # type: ignore[no-untyped-call]

    async def retry_stalled(self, stalled_s: float, silent_s: float) -> None:
        """Let the jobs of dead workers be done again, and those of workers that live and have been silent for
        `silent_s`: their attempts are noted as overtaken. One job of a turn waits, so its next one goes."""
        found = await self._app.connector.execute_query_all_async(
            statement("stalled_jobs"),
            queue=QUEUE,
            own=self._worker_id(),
            stalled_s=stalled_s,
            silent_s=silent_s,
            **{"class": LOCK_CLASS},
        )
        for job in found:
            if job["lives"]:
                log.warning("turn_overtaken", turn_id=job["turn_id"], silent_s=silent_s)
                await self._app.connector.execute_query_async(statement("note_overtaken"), turn_id=job["turn_id"])
            if job["waiting"] is not None:
                await self._app.job_manager.cancel_job_by_id_async(job["waiting"], delete_job=True)
            await self._app.job_manager.retry_job_by_id_async(job["id"], retry_at=AT_ONCE)

    def _worker_id(self) -> int | None:
        return None if self._worker is None else self._worker.worker_id

    async def _run(self, context: JobContext, turn_id: str, session_id: str) -> None:
        """The task: offers the job to the runner and waits until it is done with it. After a lost connection the same
        turn may come again while it still runs here: it is not offered twice."""
        taken = self._jobs.get(turn_id)
        if taken is None or taken.done.is_set():
            taken = self._jobs[turn_id] = _TakenJob(TurnJob(turn_id, session_id))
            self._taken.put_nowait(taken)
        try:
            while not taken.done.is_set():
                try:
                    await taken.done.wait()
                except asyncio.CancelledError:
                    if context.abort_reason() is not AbortReason.USER_REQUEST:
                        raise
                    self._stops.put_nowait(turn_id)
        finally:
            if taken.done.is_set() and self._jobs.get(turn_id) is taken:
                del self._jobs[turn_id]

    async def _work(self) -> None:
        """Keep a worker running: procrastinate's ends when the database goes away."""
        while not self._stopped:
            self._worker = Worker(
                app=self._app,
                queues=[QUEUE],
                concurrency=self._at_once,
                listen_notify=self._can_listen,
                fetch_job_polling_interval=POLL_S if self._can_listen else DEAF_POLL_S,
                abort_job_polling_interval=ABORT_POLL_S if self._can_listen else DEAF_POLL_S,
                shutdown_graceful_timeout=0,
                delete_jobs="always",
                install_signal_handlers=False,
                update_heartbeat_interval=HEARTBEAT_S,
                stalled_worker_timeout=FORGOTTEN_S,
            )
            try:
                await self._worker.run()  # type: ignore[no-untyped-call]
            except (exceptions.ProcrastinateException, psycopg.Error) as error:
                log.warning("queue_worker_restarts", error=type(error).__name__)
                await asyncio.sleep(RESTART_S)

    async def _find(self, turn_id: str) -> dict[str, Any] | None:
        with _reaching():
            rows = await self._app.connector.execute_query_all_async(statement("job_of_turn"), turn_id=turn_id)
        return rows[0] if rows else None

    def _deferrer(self, job: TurnJob, connection: AsyncConnection[Any] | None = None) -> procrastinate.jobs.JobDeferrer:
        return self._app.configure_task(
            TASK, queue=QUEUE, lock=job.session_id, queueing_lock=job.turn_id, connection=connection
        )


@contextlib.contextmanager
def _reaching() -> Iterator[None]:
    try:
        yield
    except exceptions.ConnectorException as error:
        raise DatabaseUnavailable("The database cannot be reached.") from error
