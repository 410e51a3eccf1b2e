"""manage_memories proposes what its action says, and nothing else."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from server.agent.tools.contract.tool_context import Proposed
from server.agent.tools.contract.tool_errors import ToolRetry
from server.agent.tools.remembered.core_memory_tools import ManageMemories, ask_manage


@dataclass
class Asked:
    """Stands for what a tool is asked with; keeps what was proposed."""

    proposed: list[tuple[str | None, str | None]] = field(default_factory=list)

    @property
    def tool_context(self) -> "Asked":
        return self

    @property
    def memory(self) -> "Asked":
        return self

    async def propose(self, *, old: str | None = None, text: str | None = None) -> Proposed:
        self.proposed.append((old, text))
        return Proposed(status="proposed", text=text, old=old)


@pytest.mark.parametrize(
    ("arguments", "proposed"),
    [
        ({"action": "remember", "fact": "we ship on Fridays"}, (None, "we ship on Fridays")),
        ({"action": "remember", "fact": "a", "old": "b"}, (None, "a")),
        ({"action": "correct", "old": "b", "fact": " a "}, ("b", "a")),
        ({"action": "forget", "old": "b", "fact": "a"}, ("b", None)),
    ],
)
async def test_each_action_is_one_proposal(arguments: dict[str, Any], proposed: tuple[str | None, str | None]) -> None:
    asking = Asked()
    outcome = await ask_manage(asking, ManageMemories.model_validate_json(json.dumps(arguments)))  # type: ignore[arg-type]
    assert asking.proposed == [proposed]
    assert "not written yet" in outcome.text


@pytest.mark.parametrize(
    "arguments",
    [
        {"action": "remember"},
        {"action": "correct", "fact": "a"},
        {"action": "correct", "old": "a"},
        {"action": "forget"},
    ],
)
async def test_what_is_missing_is_named(arguments: dict[str, Any]) -> None:
    asking = Asked()
    with pytest.raises(ToolRetry, match=f"{arguments['action']} needs"):
        await ask_manage(asking, ManageMemories.model_validate_json(json.dumps(arguments)))  # type: ignore[arg-type]
    assert asking.proposed == []
