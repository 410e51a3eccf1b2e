"""All tools, and which of them a turn may use."""

from collections.abc import Sequence
from typing import Any

from server.agent.tools.calltree import GET_CALL_TREE
from server.agent.tools.frames import FIND_FRAMES
from server.agent.tools.functions import GET_CALLERS_CALLEES, GET_TOP_FUNCTIONS
from server.agent.tools.insights import GET_INSIGHTS
from server.agent.tools.pictures import GENERATE_FLAMEGRAPH, GENERATE_SANDWICH
from server.agent.tools.summary import GET_TRACE_SUMMARY, LIST_PROFILES
from server.agent.tools.times import GET_HOTTEST_WINDOWS, GET_LONGEST_CALLS
from server.agent.tools.tool import Tool
from server.agent.tools.viewer import SHOW_IN_VIEWER

TOOLS: tuple[Tool[Any], ...] = (
    GET_TRACE_SUMMARY,
    GET_INSIGHTS,
    LIST_PROFILES,
    GET_TOP_FUNCTIONS,
    GET_CALL_TREE,
    GET_CALLERS_CALLEES,
    FIND_FRAMES,
    GET_HOTTEST_WINDOWS,
    GET_LONGEST_CALLS,
    GENERATE_FLAMEGRAPH,
    GENERATE_SANDWICH,
    SHOW_IN_VIEWER,
)


def offered_tools(mounted: Sequence[str]) -> tuple[Tool[Any], ...]:
    """The tools of a turn: those that move the viewer only while the page says they are mounted."""
    return tuple(tool for tool in TOOLS if not tool.needs_viewer or tool.name in mounted)
