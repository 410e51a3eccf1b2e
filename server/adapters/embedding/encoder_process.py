"""An encoder in a process of its own, started when the first text comes: its weights are 100 to 300 MB, which no other
process of the server shall have. One that dies is started again for the next texts."""

import asyncio
import importlib.util
import math
import multiprocessing
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing.connection import wait

from server.errors import ServiceUnavailable
from server.ports.memories import Vector

SERVICE = "embeddings"
PATIENCE_S = 60.0
"""For one call: the first also loads the weights."""
LOWER_PRIORITY = 5
"""Added to the process's niceness: memories are found by words until their vectors are there."""

Encode = Callable[[list[str]], list[list[float]]]
Load = Callable[[], Encode]
"""Runs in the process, once: what turns texts into vectors."""

_encode: dict[str, Encode] = {}


class ProcessEmbedder:
    """An Embedder of what `load` gives; `load` and its result stay in the process."""

    def __init__(self, model: str, load: Load, *, patience_s: float = PATIENCE_S) -> None:
        self._model = model
        self._load = load
        self._patience_s = patience_s
        self._pool: ProcessPoolExecutor | None = None
        self._starting = threading.Lock()

    @property
    def model(self) -> str:
        return self._model

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        if not texts:
            return []
        try:
            sent: Future[list[list[float]]] = self._running().submit(
                partial(_encoded, self._model, self._load), list(texts)
            )
            found = await asyncio.wait_for(asyncio.wrap_future(sent), self._patience_s)
        except BrokenProcessPool:
            self._drop()
            raise ServiceUnavailable(f"The process of {self._model} has died.", service=SERVICE) from None
        except TimeoutError:
            raise ServiceUnavailable(
                f"{self._model} took longer than {self._patience_s:g} s.", service=SERVICE
            ) from None
        except (OSError, ImportError, ValueError, RuntimeError) as error:
            raise ServiceUnavailable(f"{self._model} cannot encode: {error}", service=SERVICE) from error
        return checked(self._model, found, len(texts))

    async def close(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            await asyncio.to_thread(partial(pool.shutdown, cancel_futures=True))

    def _running(self) -> ProcessPoolExecutor:
        with self._starting:
            if self._pool is None:
                self._pool = ProcessPoolExecutor(
                    max_workers=1, mp_context=multiprocessing.get_context("spawn"), initializer=_after_the_server
                )
            return self._pool

    def _drop(self) -> None:
        with self._starting:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)


def checked(model: str, vectors: Sequence[Sequence[float]], texts: int) -> list[Vector]:
    """The vectors, each of length 1. Raises ServiceUnavailable for too few, NaN, nothing, or lengths that differ."""
    if len(vectors) != texts or len({len(one) for one in vectors}) > 1:
        raise ServiceUnavailable(f"{model} gave vectors of another number or length.", service=SERVICE)
    made = []
    for one in vectors:
        norm = math.sqrt(sum(value * value for value in one))
        if not math.isfinite(norm) or norm == 0.0:
            raise ServiceUnavailable(f"{model} gave a vector that has no direction.", service=SERVICE)
        made.append(Vector(model=model, values=tuple(value / norm for value in one)))
    return made


def is_installed(package: str) -> bool:
    """Whether a package is here, without importing it."""
    return importlib.util.find_spec(package) is not None


def _after_the_server() -> None:
    """Its work comes second, and it ends with the server.

    The weights take 2 s of CPU to read, at the first upload: just then somebody opens a chart. A server that is killed
    closes nothing, and a pool's process holds both ends of its own queue: it would wait for ever.
    """
    os.nice(LOWER_PRIORITY)
    server = multiprocessing.parent_process()
    assert server is not None

    def watch() -> None:
        wait([server.sentinel])
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


def _encoded(model: str, load: Load, texts: list[str]) -> list[list[float]]:
    if model not in _encode:
        _encode[model] = load()
    return _encode[model](texts)
