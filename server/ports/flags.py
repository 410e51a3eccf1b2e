"""What is tried on some people and not on others: decided once for a turn, and kept with it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

FLAGS = "flags"
"""Key of a turn's context: what was decided for it, without what is as for everybody."""

EXECUTORS = ("in_process", "langgraph")
"""What the flag `executor` may give."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagSubject:
    """For whom is decided."""

    user_id: str
    account_id: str
    plan_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFlags:
    """`hidden_tools` are not offered. None leaves the server's own `model`, prompt and `executor`; `prompt_version` is
    a label of the system prompt. Without `interrupts` the turn never waits for the page; without `collectors` nobody
    looks for facts in what was typed."""

    hidden_tools: frozenset[str] = frozenset()
    model: str | None = None
    prompt_version: str | None = None
    executor: str | None = None
    interrupts: bool = True
    collectors: bool = True

    def kept(self) -> dict[str, Any]:
        """As JSON, of which a turn's context keeps what is not as for everybody."""
        found: dict[str, Any] = {
            "model": self.model,
            "promptVersion": self.prompt_version,
            "executor": self.executor,
            "interrupts": None if self.interrupts else False,
            "collectors": None if self.collectors else False,
            "hiddenTools": sorted(self.hidden_tools) or None,
        }
        return {name: value for name, value in found.items() if value is not None}

    def text(self) -> str | None:
        """The same in a line, for reports; None where all is as for everybody."""
        parts = [
            f"{name}={','.join(value) if isinstance(value, list) else value}" for name, value in self.kept().items()
        ]
        return " ".join(parts) or None


def flags_of(context: Mapping[str, Any]) -> TurnFlags:
    """What was decided for the turn of this context; what a newer version decided is passed over."""
    kept = context.get(FLAGS) or {}
    return TurnFlags(
        hidden_tools=frozenset(kept.get("hiddenTools") or ()),
        model=kept.get("model"),
        prompt_version=kept.get("promptVersion"),
        executor=kept.get("executor"),
        interrupts=kept.get("interrupts") is not False,
        collectors=kept.get("collectors") is not False,
    )


class Flags(Protocol):
    async def decided(self, subject: FlagSubject) -> TurnFlags:
        """What holds for a turn of this person. It raises nothing: what cannot be decided is as for everybody."""
        ...


class NoFlags:
    """Everything is as for everybody."""

    async def decided(self, subject: FlagSubject) -> TurnFlags:
        """The same for all."""
        return TurnFlags()
