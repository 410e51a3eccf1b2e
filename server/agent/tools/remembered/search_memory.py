"""search_memory: what the person's account remembers, by meaning and by words."""

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import Field

from server.agent.tools.contract.tool import Outcome, Tool, ToolArguments
from server.agent.tools.contract.tool_context import Asking
from server.agent.tools.contract.tool_errors import ToolFailed, ToolRetry
from server.ports.memories import MemoryKind
from server.quoting import quoted

MOST_CHARACTERS = 700

Kind = Literal["fact", "finding", "answer", "turn", "preference"]


class SearchMemory(ToolArguments):
    query: Annotated[str, Field(max_length=2_000, description="empty: the newest")] = ""
    kinds: Annotated[tuple[Kind, ...], Field(max_length=5, description="empty: all")] = ()
    since: Annotated[str, Field(pattern=r"^(\d{4}-\d\d-\d\d)?$", description="a date")] = ""
    limit: Annotated[int, Field(ge=1, le=20)] = 8


async def ask_memory(asking: Asking, arguments: SearchMemory) -> Outcome:
    recall = asking.tool_context.recall if asking.tool_context is not None else None
    if recall is None:
        raise ToolFailed("nothing is remembered here", "unavailable")
    try:
        since = datetime.strptime(arguments.since, "%Y-%m-%d").replace(tzinfo=UTC) if arguments.since else None
    except ValueError:
        raise ToolRetry(f"since: {quoted(arguments.since)} is no date; write it as 2026-01-31") from None
    found = await recall.search(
        arguments.query,
        kinds=frozenset(MemoryKind(kind) for kind in arguments.kinds),
        since=since,
        limit=arguments.limit,
    )
    rows = [
        {
            "kind": one.memory.kind.value,
            "text": one.memory.text,
            "created": f"{one.memory.created_at:%Y-%m-%d}",
            "trace": one.memory.trace,
            "trace_id": one.memory.trace_id,
            "near": round(one.near, 2),
        }
        for one in found
    ]
    head = f"{len(rows)} memories" + (f" for {quoted(arguments.query)}, nearest first:" if arguments.query else ":")
    lines = [
        f"{row['kind']}, {row['created']}"
        + (f", {quoted(str(row['trace']), 60)}" if row["trace"] else "")
        + f", near {row['near']}: {quoted(str(row['text']), MOST_CHARACTERS)}"
        for row in rows
    ]
    return Outcome(
        text="\n".join([head, *lines]) if rows else "nothing that is remembered is near to that",
        data={"matches": len(rows), "rows": rows},
        warning=not rows,
    )


SEARCH_MEMORY = Tool(
    name="search_memory",
    description="For what was found, said or asked before, in any recording: rows with their dates.",
    arguments=SearchMemory,
    ask=ask_memory,
    doing=lambda a: f"Searching what is remembered for {a.query[:60]}" if a.query else "Looking at what is remembered",
    fields=frozenset({"matches", "rows", "kind", "text", "created", "trace", "trace_id", "near"}),
    narrow="use a smaller limit",
    needs=frozenset({"recall"}),
    guidance="its figures are of other recordings: say where each comes from, and that this trace does not verify it.",
)
