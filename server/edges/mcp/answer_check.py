"""`check_answer`: what another program's model wrote about a trace, compared with the trace and the results of its
connection as an answer of the chat is."""

from typing import Any

from mcp import types

from server.agent.tools.all_tools import TOOLS
from server.agent.tools.contract.tool_errors import ToolFailed, ToolRetry
from server.agent.verification.references.checked_answer import checked_answer
from server.agent.verification.references.kept_results import facts_of
from server.edges.mcp.numbered_results import NumberedResults
from server.ports.traces import OpenTrace, TraceWorkers
from server.protocol.checks_sentence import checks_sentence
from server.protocol.wire_values import Check
from server.quoting import quoted

LONGEST = 100_000
"""Characters of a text."""
LISTED = 40
"""Claims that the text of a result lists: those that do not hold come first."""
_STATUSES = {"contradicted": 0, "not_found": 1, "unchecked": 2}

CHECK_ANSWER = types.Tool(
    name="check_answer",
    description="Holds a text against the trace before it is shown: which figures and statements are verified, "
    "derived, contradicted (with what the trace says) or cannot be checked. A figure that is a link, "
    "[379 ms](#f12.self), is compared with exactly that: self, total, calls, mean, p50, p95, p99 or max of f12; "
    "[39 %](#f12.self/p0) is a share, [17](#q2.r3.calls) a figure of the third row of result q2, "
    "[1.2 s](#w2.f12.total) of what q2 looked at.",
    input_schema={
        "type": "object",
        "properties": {
            "trace": {"type": "string", "description": "name or id of the trace (list_traces); default: the newest"},
            "text": {"type": "string", "description": "the answer, as Markdown"},
            "question": {"type": "string", "description": "what was asked: 'it' may mean a function named there"},
        },
        "required": ["text"],
    },
    output_schema={
        "type": "object",
        "properties": {
            "trace": {"type": "string", "description": "id of the trace"},
            "data": {
                "type": "object",
                "properties": {
                    "summary": {"type": "string", "description": "one sentence"},
                    "checks": {
                        "type": "array",
                        "items": {"type": "object", "required": ["claim", "kind", "status", "start", "end"]},
                        "description": "each claim with its characters in the text",
                    },
                },
                "required": ["summary", "checks"],
            },
        },
        "required": ["trace", "data"],
    },
    annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
)


async def check_answer(
    workers: TraceWorkers, opened: OpenTrace, trace_id: str, results: NumberedResults, arguments: dict[str, Any]
) -> tuple[str, dict[str, Any]]:
    """The claims of a text in words and as data. Raises ToolProblem, and what the question raises."""
    text, question = (str(arguments.pop(name, "")) for name in ("text", "question"))
    if arguments or not text.strip():
        wrong = f"no argument {quoted(next(iter(arguments)), 40)}" if arguments else "text is missing"
        raise ToolRetry(f"check_answer: {wrong}; arguments are trace, text, question")
    if len(text) > LONGEST:
        raise ToolFailed(f"the text has {len(text):,} characters: at most {LONGEST:,} are checked", "validation")
    facts, conversation = facts_of(results.of(trace_id))
    names = [tool.name for tool in TOOLS]
    found = await workers.ask(opened, checked_answer, text, facts, question, names, conversation)
    checks = [check.model_dump(by_alias=True, exclude_none=True) for check in found.checks]
    summary = checks_sentence(found.checks) or "nothing in it is a claim about the trace"
    return _said(summary, found.checks), {"summary": summary, "checks": checks}


def _said(summary: str, checks: tuple[Check, ...]) -> str:
    """The sentence, then a claim a line, the worst first."""
    lines = [_line(check) for check in sorted(checks, key=lambda check: _STATUSES.get(check.status, len(_STATUSES)))]
    more = [f"… {len(lines) - LISTED} more"] if len(lines) > LISTED else []
    return "\n".join([summary, *lines[:LISTED], *more])


def _line(check: Check) -> str:
    says = f": the trace says {quoted(check.actual, 160)}" if check.actual else ""
    says = says or (f": {quoted(check.how, 160)}" if check.how else "")
    return f"{check.status} {quoted(check.claim, 80)}{says}"
