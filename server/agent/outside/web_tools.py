"""search_web and read_page: offered where an administrator has set a search service."""

from collections.abc import Collection
from typing import Annotated, Any

from pydantic import Field

from server.agent.outside.outside_text import outside_text
from server.agent.tools.contract.tool import Outcome, Tool, ToolArguments
from server.agent.tools.contract.tool_context import Asking
from server.agent.tools.contract.tool_errors import ToolErrorCode, ToolFailed, ToolRetry
from server.ports.web import MAX_QUERY, WebFailed
from server.quoting import plain

MOST_CHARACTERS = 3_600
"""Of a page that go on, about 1,500 tokens."""

_ENDINGS: dict[str, ToolErrorCode] = {"unavailable": "unavailable", "timeout": "timeout", "refused": "execution"}


class SearchWeb(ToolArguments):
    query: Annotated[str, Field(min_length=2, max_length=MAX_QUERY, description="words, with a library's version")]


class ReadPage(ToolArguments):
    url: Annotated[str, Field(min_length=8, max_length=500, description="letter for letter from search_web")]


async def ask_search(asking: Asking, arguments: SearchWeb) -> Outcome:
    if asking.reach.web is None:
        raise ToolFailed("the web is not asked here", "unavailable")
    if leaks := asking.reach.leaks_in(arguments.query):
        raise ToolRetry(f"the query holds {leaks}: ask in general words, nothing of that leaves", "would_leak")
    try:
        found = await asking.reach.web.search(arguments.query)
    except WebFailed as error:
        raise ToolFailed(error.text, _ENDINGS[error.code]) from None
    text = "\n".join(line for one in found for line in (one.url, f"{one.title}: {one.excerpt}")) or "no results"
    return Outcome(text=outside_text("the web", text), data={"urls": [one.url for one in found]}, warning=not found)


async def ask_page(asking: Asking, arguments: ReadPage) -> Outcome:
    if asking.reach.web is None:
        raise ToolFailed("the web is not asked here", "unavailable")
    if arguments.url not in asking.reach.found_urls:
        raise ToolRetry(
            "only pages that search_web has found in this turn are read, by their address letter for letter"
        )
    try:
        text = await asking.reach.web.read(arguments.url)
    except WebFailed as error:
        raise ToolFailed(error.text, _ENDINGS[error.code]) from None
    host = plain(arguments.url.split("/")[2], 60)
    return Outcome(text=outside_text(host, text[:MOST_CHARACTERS]), data={"url": arguments.url})


SEARCH_WEB = Tool(
    name="search_web",
    description="For what no trace can say: known issues of a library at a version, what an error means.",
    arguments=SearchWeb,
    ask=ask_search,
    doing=lambda a: f"Searching the web: {plain(a.query)}",
    fields=frozenset({"urls"}),
    narrow="ask for less",
    needs=frozenset({"web"}),
    is_outside=True,
)
READ_PAGE = Tool(
    name="read_page",
    description="For a page that search_web has found: its text.",
    arguments=ReadPage,
    ask=ask_page,
    doing=lambda a: f"Reading {plain(a.url)}",
    fields=frozenset({"url"}),
    narrow="read another page",
    needs=frozenset({"web"}),
    is_outside=True,
)
WEB_TOOLS: tuple[Tool[Any], ...] = (SEARCH_WEB, READ_PAGE)


def web_tools(*, is_there: bool, hidden: Collection[str]) -> tuple[Tool[Any], ...]:
    """Those of a turn: none where no search is set, and none that the plan hides."""
    return tuple(tool for tool in WEB_TOOLS if is_there and tool.name not in hidden)
