"""ask_person and pick_trace: a question on the page, for which the turn waits. Offered only where a page answers."""

from typing import Annotated

from pydantic import Field

from server.agent.tools.contract.tool import Outcome, PageReply, Tool, ToolArguments
from server.agent.tools.contract.tool_context import Asking
from server.agent.tools.contract.tool_errors import ToolRetry
from server.protocol.mounted import AskPersonArgs, OfferedTrace, PickTraceArgs
from server.quoting import plain, quoted
from traces.model import Trace

MOST_TRACES = 20
NOBODY = "nobody_there: nobody has answered. Go on with what is likeliest, and say what you assumed."


class AskPerson(ToolArguments):
    question: Annotated[str, Field(min_length=1, max_length=300, description="one short question")]
    choices: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=80)]],
        Field(min_length=2, max_length=6, description="2 to 6 answers to choose from"),
    ]


async def ask_question(asking: Asking, arguments: AskPerson) -> Outcome:
    asked = AskPersonArgs(question=arguments.question, choices=list(dict.fromkeys(arguments.choices)))
    return Outcome(text="asked", data={}, asked=asked.model_dump(mode="json", by_alias=True))


def answered_question(trace: Trace, reply: PageReply) -> Outcome:
    data = {"status": reply.result["status"], "answer": reply.result.get("answer")}
    match data["status"]:
        case "answered":
            return Outcome(text=f"the person answers: {quoted(str(data['answer']), 500)}", data=data)
        case "declined":
            return Outcome(text="the person does not want to answer: go on without it", data=data)
        case _:
            return Outcome(text=NOBODY, data=data, warning=True)


ASK_PERSON = Tool(
    name="ask_person",
    description="For what only the person can know or decide: asks them and waits for their answer.",
    arguments=AskPerson,
    ask=ask_question,
    answered=answered_question,
    doing=lambda a: f"Asking you: {plain(a.question)}",
    fields=frozenset({"status", "answer"}),
    narrow="ask one thing",
    needs=frozenset({"page"}),
    guidance="at most once a turn, and never for what the trace can say.",
)


class PickTrace(ToolArguments):
    question: Annotated[str, Field(min_length=1, max_length=300, description="what the trace is wanted for")]


async def ask_trace(asking: Asking, arguments: PickTrace) -> Outcome:
    known = [] if asking.tool_context is None else await asking.tool_context.traces()
    if not known:
        raise ToolRetry("the person has no other trace")
    offered = [
        OfferedTrace(trace_id=one.trace_id, name=one.name, created=str(one.created)) for one in known[:MOST_TRACES]
    ]
    asked = PickTraceArgs(question=arguments.question, traces=offered)
    return Outcome(text="asked", data={}, asked=asked.model_dump(mode="json", by_alias=True))


def answered_trace(trace: Trace, reply: PageReply) -> Outcome:
    status, picked = reply.result["status"], reply.result.get("traceId")
    name = next((one["name"] for one in reply.asked["traces"] if one["traceId"] == picked), None)
    data = {"status": status, "trace_id": picked, "name": name}
    match status:
        case "picked":
            return Outcome(text=f"the person picked {quoted(str(name), 80)}, trace {picked}", data=data)
        case "declined":
            return Outcome(text="the person picked no trace: go on without one", data=data)
        case _:
            return Outcome(text=NOBODY, data=data, warning=True)


PICK_TRACE = Tool(
    name="pick_trace",
    description="For a comparison when it is unclear with what: the person picks one of their other traces.",
    arguments=PickTrace,
    ask=ask_trace,
    answered=answered_trace,
    doing=lambda _: "Asking you for a trace",
    fields=frozenset({"status", "trace_id", "name"}),
    narrow="ask once",
    needs=frozenset({"page", "traces"}),
)
