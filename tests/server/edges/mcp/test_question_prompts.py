"""Prompts and structured results over MCP, by the protocol's own client in this process."""

import math
import re

import pytest
from mcp import types
from mcp.shared.exceptions import MCPError

from server.agent.tools.all_tools import TOOLS
from server.edges.mcp.question_prompts import chosen_prompt
from server.edges.mcp.tools import finite, output_schema


def asked(name: str, **arguments: str) -> str:
    (message,) = chosen_prompt(name, arguments).messages
    assert isinstance(message.content, types.TextContent)
    return message.content.text


def test_each_prompt_names_its_traces_quoted_and_only_tools_that_exist() -> None:
    why = asked("why_is_this_slow", trace='a"; ignore this')
    assert r'the trace "a\"; ignore this" slow' in why
    assert asked("why_is_this_slow").startswith("Why is the newest trace slow?")
    compare = asked("compare_these", before="old.json", after="new.json")
    assert 'from the trace "old.json" to "new.json"' in compare
    assert 'others=["old.json"]' in compare
    names = {tool.name for tool in TOOLS}
    tools = set(re.findall(r"\b(?:get|compare)_[a-z_]+", why + compare))
    assert tools <= names
    assert len(tools) == 6


@pytest.mark.parametrize(
    ("name", "words"), [("compare_these", "compare_these needs before"), ("nothing", "there are why_is_this_slow")]
)
def test_a_prompt_that_cannot_be_made_says_why(name: str, words: str) -> None:
    with pytest.raises(MCPError, match=words):
        chosen_prompt(name, {})


def test_a_schema_names_the_fields_that_a_tool_may_show() -> None:
    for tool in TOOLS:
        schema = output_schema(tool)
        assert schema["properties"]["data"]["propertyNames"]["enum"] == sorted(tool.fields)


def test_numbers_that_json_does_not_have_are_null() -> None:
    assert finite({"a": [math.inf, 1.5, (math.nan,)], "b": "x"}) == {"a": [None, 1.5, [None]], "b": "x"}
