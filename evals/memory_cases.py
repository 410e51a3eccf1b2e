"""Cases of memory: what an account has is given, a question is asked, and the same without it."""

import re
import tomllib
import uuid
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from server.adapters.in_process.workers import InlineTraceWorkers
from server.agent.tools.contract.kept_with_trace import kept_findings, kept_program
from server.agent.tools.contract.tool_context import FactProposals, KnownTrace, MemoriesAsked, Need
from server.agent.turn import TurnInput
from server.errors import NotFound, NotSupported
from server.ports.traces import OpenTrace
from server.protocol.wire_values import LimitsView
from traces.model import Trace
from traces.reader import read_trace

FOLDER = Path(__file__).resolve().parent / "memory"
FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
TURNS = 60
"""Of a long conversation: the words that count are in the third."""

FILLERS = (
    "What takes the most time?",
    "Who calls it?",
    "and the heaviest path?",
    "Is it waiting?",
    "Which threads are there?",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryCase:
    """`others` are names of recordings (`again:NAME` is a second one of the same content), `facts` are remembered,
    `before` was typed in the third turn of 60."""

    name: str
    prompt: str
    trace: str
    says: tuple[str, ...]
    never: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    before: tuple[str, ...] = ()

    def failures(self, answer: str) -> list[str]:
        """What is wrong with an answer."""
        missing = [one for one in self.says if not re.search(one, answer)]
        wrong = [one for one in self.never if re.search(one, answer)]
        return [f"does not say {one}" for one in missing] + [f"says {one}" for one in wrong]

    def asked_before(self) -> tuple[str, ...]:
        """What was typed before the prompt."""
        if not self.before:
            return ()
        rest = [FILLERS[at % len(FILLERS)] for at in range(TURNS - 3)]
        return ("Hello.", FILLERS[0], *self.before, *rest)


def read_memory_cases(file: str = "cases.toml") -> tuple[MemoryCase, ...]:
    """The cases of a file of the folder."""
    read = tomllib.loads((FOLDER / file).read_text(encoding="utf-8"))
    return tuple(_case(case) for case in read["case"])


def _case(read: dict[str, Any]) -> MemoryCase:
    lists = {key: tuple(read.get(key, ())) for key in ("says", "never", "others", "facts", "before")}
    return MemoryCase(name=read["name"], prompt=read["prompt"], trace=read["trace"], **lists)


@cache
def fixture(name: str) -> Trace:
    """A recording of the repository. Raises TraceError, OSError."""
    file = FIXTURES / name.partition(":")[2] if ":" in name else FIXTURES / name
    return read_trace(file.read_bytes(), name=name.replace(":", " "))


@dataclass(frozen=True, slots=True)
class AccountTraces:
    """Implements `ToolContext`: the other recordings of an account, newest first."""

    workers: InlineTraceWorkers
    others: Sequence[Trace]

    @property
    def has(self) -> frozenset[Need]:
        return frozenset({"traces"})

    @property
    def source_folder(self) -> Path | None:
        return None

    @property
    def repository(self) -> None:
        return None

    async def labels(self) -> Mapping[str, str]:
        return {}

    @property
    def memory(self) -> FactProposals | None:
        return None

    @property
    def runs(self) -> None:
        return None

    @property
    def recall(self) -> MemoriesAsked | None:
        return None

    @property
    def documents(self) -> None:
        return None

    async def traces(self) -> Sequence[KnownTrace]:
        return [
            KnownTrace(
                trace_id=str(uuid.uuid5(uuid.NAMESPACE_URL, one.name)),
                name=one.name,
                created=f"2026-01-{28 - at:02} 09:00",
                summary={"format": one.format, "findings": kept_findings(one), "program": kept_program(one)},
            )
            for at, one in enumerate(self.others)
        ]

    async def open(self, trace_id: str) -> OpenTrace:
        for known, trace in zip(await self.traces(), self.others, strict=True):
            if known.trace_id == trace_id:
                return self.workers.hold(trace)
        raise NotFound("There is no such trace.")

    def upload(self) -> AbstractAsyncContextManager[Path]:
        raise NotFound("There is no upload.")

    async def usage(self) -> LimitsView:
        raise NotSupported("There is no account.")


def with_memory(turn: TurnInput, case: MemoryCase, workers: InlineTraceWorkers) -> TurnInput:
    """The turn of a person whose account has what the case gives."""
    context = AccountTraces(workers, [fixture(name) for name in case.others])
    return replace(
        without_memory(turn, case, workers),
        tool_context=context,
        core_memory=case.facts,
        asked_before=case.asked_before(),
    )


def without_memory(turn: TurnInput, case: MemoryCase, workers: InlineTraceWorkers) -> TurnInput:
    """The same question where nothing is known."""
    return replace(turn, prompt=case.prompt, opened=workers.hold(fixture(case.trace)), tool_context=None)
