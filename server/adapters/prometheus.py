"""The numbers of one process in Prometheus' text format. Several processes are added up by whoever scrapes them."""

import asyncio
from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

from server.adapters.workers.worker_pool import ProcessWorkers

TURN_SECONDS = (0.1, 0.3, 1, 3, 10, 30, 60, 120, 300, 600)
WAIT_SECONDS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 120, 600)
LAG_SECONDS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3)
LOOK_EVERY_S = 0.5
"""How often the event loop is looked at: two wake-ups a second cost nothing that could be seen."""


class PrometheusMeasures:
    """Measures in a registry of its own, with the process's memory, processor time and files (on Linux), and with how
    its worker processes are used, if it has any."""

    def __init__(self, workers: ProcessWorkers | None = None) -> None:
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self._ends = Counter("flamechat_turns_ended", "Turns that ended, by how.", ["end"], registry=registry)
        self._failures = Counter(
            "flamechat_turn_failures", "Turns that ended as failed, by code.", ["code"], registry=registry
        )
        self._resumed = Counter(
            "flamechat_turns_resumed", "Starts of turns that another process had begun.", registry=registry
        )
        self._handed_over = Counter(
            "flamechat_turns_handed_over", "Turns that a stopping process left to another.", registry=registry
        )
        self._waits = Histogram(
            "flamechat_turn_wait_seconds",
            "From accepting a prompt to its first start.",
            buckets=WAIT_SECONDS,
            registry=registry,
        )
        self._durations = Histogram(
            "flamechat_turn_seconds",
            "From the start of a turn's last attempt to its end.",
            buckets=TURN_SECONDS,
            registry=registry,
        )
        self._tokens = Counter(
            "flamechat_tokens", "Tokens of turns that were answered, by direction.", ["direction"], registry=registry
        )
        self._refusals = Counter("flamechat_refused", "What met a limit, by limit.", ["limit"], registry=registry)
        self._lag = Histogram(
            "flamechat_event_loop_lag_seconds",
            "How much later than asked the event loop woke up.",
            buckets=LAG_SECONDS,
            registry=registry,
        )
        self._loop_restarts = Counter(
            "flamechat_background_restarts",
            "Background loops that fell and started again.",
            ["loop"],
            registry=registry,
        )
        self._passed_over = Counter(
            "flamechat_passed_over",
            "What another version or program wrote that this process does not understand.",
            ["what"],
            registry=registry,
        )
        if workers is not None:
            self.watch("imports_running", "Traces that are being read.", lambda: workers.imports_running)
            self.watch("imports_waiting", "Traces that wait to be read.", lambda: workers.imports_waiting)
            self.watch("questions_waiting", "Questions about traces that wait.", lambda: workers.questions_waiting)
        for end in ("completed", "cancelled", "failed"):
            self._ends.labels(end)
        for direction in ("in", "out"):
            self._tokens.labels(direction)

    def turn_started(self, *, attempt: int, waited_s: float) -> None:
        if attempt == 1:
            self._waits.observe(max(waited_s, 0.0))
        else:
            self._resumed.inc()

    def turn_ended(
        self, end: str, *, seconds: float, code: str | None, input_tokens: int | None, output_tokens: int | None
    ) -> None:
        self._ends.labels(end).inc()
        self._durations.observe(max(seconds, 0.0))
        self._tokens.labels("in").inc(input_tokens or 0)
        self._tokens.labels("out").inc(output_tokens or 0)
        if code is not None:
            self._failures.labels(code).inc()

    def turn_handed_over(self) -> None:
        self._handed_over.inc()

    def refused(self, limit: str) -> None:
        self._refusals.labels(limit).inc()

    def loop_restarted(self, loop: str) -> None:
        """A background loop fell."""
        self._loop_restarts.labels(loop).inc()

    def passed_over(self, what: str) -> None:
        """A `field` or an `event` of a turn, or an `announcement`, was not understood."""
        self._passed_over.labels(what).inc()

    def watch(self, name: str, meaning: str, read: Callable[[], float]) -> None:
        """Show a number that something else keeps, as it is when it is asked for."""
        Gauge(f"flamechat_{name}", meaning, registry=self._registry).set_function(read)

    async def watch_loop(self) -> None:
        """Look again and again at how late the event loop is. Ends only by being cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + LOOK_EVERY_S
            await asyncio.sleep(LOOK_EVERY_S)
            self._lag.observe(max(loop.time() - due, 0.0))

    def exposition(self) -> str:
        """Everything, in the text format 0.0.4."""
        return generate_latest(self._registry).decode()
