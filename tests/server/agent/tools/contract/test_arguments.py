"""What a model writes to a tool is checked at once, and each wrong field is named."""

from typing import Any

import pytest

from server.agent.tools.all_tools import TOOLS
from server.agent.tools.contract.arguments import validated
from server.agent.tools.contract.tool import Tool
from server.agent.tools.contract.tool_errors import ToolRetry

BY_NAME: dict[str, Tool[Any]] = {tool.name: tool for tool in TOOLS}
TOP = BY_NAME["get_top_functions"]


def refusal(tool: Tool[Any], arguments: dict[str, Any]) -> str:
    with pytest.raises(ToolRetry) as refused:
        validated(tool, arguments)
    return str(refused.value)


def test_arguments_become_the_tool_s_type() -> None:
    checked = validated(TOP, {"limit": 3, "start_time_ms": 0})
    assert isinstance(checked, TOP.arguments)
    assert checked.model_dump(exclude_unset=True) == {"limit": 3, "start_time_ms": 0.0}


def test_a_field_of_a_wrong_type_is_named_with_its_reason() -> None:
    assert refusal(TOP, {"limit": "many"}).startswith("get_top_functions: limit: Input should be a valid integer")


def test_every_wrong_field_is_named_up_to_five() -> None:
    both = refusal(TOP, {"limit": "many", "start_time_ms": -1})
    assert "; limit: " in both
    assert "start_time_ms: Input should be greater than or equal to 0" in both
    assert refusal(TOP, {f"x{number}": 1 for number in range(9)}).count("no argument") == 5


def test_an_unknown_argument_is_answered_with_the_nearest_known_one() -> None:
    assert refusal(TOP, {"limits": 3}) == 'get_top_functions: no argument "limits": did you mean limit?'
    far = refusal(TOP, {"zzzz": 3})
    assert far.startswith('get_top_functions: no argument "zzzz": arguments are ')
    assert "limit" in far


def test_a_tool_without_arguments_says_so() -> None:
    bare = next(tool for tool in TOOLS if not tool.arguments.model_fields)
    assert refusal(bare, {"zzzz": 1}).endswith("arguments are none")
    assert validated(bare, {}) is not None


def test_what_a_model_writes_for_a_name_is_quoted_and_cut() -> None:
    said = refusal(TOP, {"x\n" + "y" * 99: 1})
    assert "\n" not in said
    assert "y" * 50 not in said
