"""Files of a fleet read by the nodes of a Ray cluster: a task for each file, which fetches it there and has a worker
process of the node measure it, within the bounds that it would have here.

Ray runs a task again whose node is lost. What comes back is a value: a result, a refusal of this one file, or what the
run cannot go on with. No key travels: a node reads the bucket by its own environment.
"""

import asyncio
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from server.adapters.fleet.local_reading import LocalReading
from server.adapters.fleet.sources import FoundFile, source_of
from server.adapters.workers.jobs import MeasuredFile
from server.adapters.workers.worker_pool import ProcessWorkers
from server.errors import ConfigError, NotFound, ServerError, ServiceUnavailable, WorkerFailed
from traces.cache import ENGINE_VERSION
from traces.errors import TraceError

RETRIES = 5
"""Of a task whose node or process is lost."""

TRIES = 3
"""Of a file whose worker process ended, though its node did not."""

MISSING = "--engine ray needs Ray: pip install 'flamechat[ray]'."


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeTask:
    """What each task of a run is given besides its file."""

    where: str
    memory_bytes: int
    import_seconds: int
    engine: str = ENGINE_VERSION


@dataclass(frozen=True, slots=True)
class Refused:
    """The file cannot be read; `reason` is for the list of files. `may_be_node`: its worker process ended, as it does
    over a file that needs too much, and on a node that is about to be lost."""

    reason: str
    may_be_node: bool = False


@dataclass(frozen=True, slots=True)
class Ended:
    """No file can be read from this node."""

    reason: str


def read_on_node(task: NodeTask, file: FoundFile) -> MeasuredFile | Refused | Ended:
    """The function that Ray runs."""
    if task.engine != ENGINE_VERSION:
        return Ended("A node of the cluster has another version of Flamechat: install the same on all.")
    try:
        return asyncio.run_coroutine_threadsafe(_reading(task).read(file), _event_loop()).result()
    except WorkerFailed as error:
        return Refused(str(error), may_be_node=True)
    except (TraceError, NotFound, OSError) as error:
        return Refused(str(error))
    except ServerError as error:
        return Ended(str(error))


@cache
def _event_loop() -> asyncio.AbstractEventLoop:
    """That of this process, which keeps the worker process between tasks."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    return loop


@cache
def _reading(task: NodeTask) -> LocalReading:
    workers = ProcessWorkers(
        Path(tempfile.gettempdir()),
        cache_bytes=0,
        importers=1,
        askers=1,
        memory_bytes=task.memory_bytes,
        import_seconds=task.import_seconds,
        question_seconds=1,
    )
    return LocalReading(source_of(task.where), workers)


class RayReading:
    """Reads by the cluster; `at_once` is how many of its processors there are."""

    def __init__(self, task: NodeTask, submit: Callable[[NodeTask, FoundFile], Any], at_once: int) -> None:
        self._task = task
        self._submit = submit
        self.at_once = at_once

    async def read(self, file: FoundFile) -> MeasuredFile:
        """Raises WorkerFailed, ServiceUnavailable."""
        for _ in range(TRIES):
            found = await self._once(file)
            if not (isinstance(found, Refused) and found.may_be_node):
                break
        if isinstance(found, Refused):
            raise WorkerFailed(found.reason)
        if isinstance(found, Ended):
            raise ServiceUnavailable(found.reason, service="ray")
        return found

    async def _once(self, file: FoundFile) -> MeasuredFile | Refused | Ended:
        from ray.exceptions import NodeDiedError, OutOfMemoryError, RayError, WorkerCrashedError  # noqa: PLC0415 - extra

        try:
            found: MeasuredFile | Refused | Ended = await asyncio.wrap_future(self._submit(self._task, file).future())
        except (NodeDiedError, OutOfMemoryError, WorkerCrashedError):
            return Refused(f"Each of {RETRIES + 1} nodes that read it was lost.")
        except RayError as error:
            return Ended(f"The Ray cluster cannot read ({type(error).__name__}).")
        return found


@contextmanager
def ray_reading(address: str | None, task: NodeTask) -> Iterator[RayReading]:
    """A connection to the cluster at an address, until it is left. Raises ConfigError, ServiceUnavailable."""
    if address is None:
        raise ConfigError("FLAMECHAT_RAY_ADDRESS names no cluster: host:6379 of its head, from one of its machines.")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    try:
        import ray  # noqa: PLC0415 - an extra
    except ImportError:
        raise ConfigError(MISSING) from None
    with (
        Path(os.devnull).open("w") as nowhere,
        redirect_stdout(nowhere),
    ):  # a lost node's log, of which Ray prints pages
        yield from _connected(ray, address, task)


def _connected(ray: Any, address: str, task: NodeTask) -> Iterator[RayReading]:
    try:
        ray.init(address=address, log_to_driver=False, configure_logging=False)
    except (ray.exceptions.RayError, ConnectionError, RuntimeError, ValueError, OSError) as error:
        text = f"The Ray cluster at {address} cannot be reached ({type(error).__name__})."
        raise ServiceUnavailable(text, service="ray") from None
    try:
        submit = ray.remote(num_cpus=1, max_retries=RETRIES)(read_on_node).remote
        yield RayReading(task, submit, max(1, int(ray.cluster_resources().get("CPU", 1))))
    finally:
        ray.shutdown()
