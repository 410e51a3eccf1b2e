from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class SystemPrompt:
    """`template` has `{{name}}` places (core_memory, trace_summary, findings, plan_name, local_time, viewing, tools);
    `version` names this text, age included when stale."""

    template: str
    version: str


class Prompts(Protocol):
    async def system_prompt(self, *, short: bool = False, label: str | None = None) -> SystemPrompt:
        """The text the agent begins with, `short` for a model with a small context where there are two; `label` names
        another version of it. Raises PromptUnavailable."""
        ...
