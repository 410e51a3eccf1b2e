"""The first node: what the model knows before it begins."""

import re
from dataclasses import asdict
from typing import Any

from langchain_core.messages import HumanMessage, SystemMessage

from server.agent.graph.first_look import FirstLook, first_look
from server.agent.graph.state import TurnContext, TurnState
from server.agent.model_call.message_history import conversation
from server.agent.tools.all_tools import listed_tools
from server.agent.turn import TurnInput
from server.protocol.events import TurnStarted

_PLACE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


async def set_up(state: TurnState, context: TurnContext) -> dict[str, Any]:
    """System prompt, history that fits, the prompt; announces the turn. Raises PromptUnavailable, WorkerFailed."""
    turn = context.turn
    template = await context.prompts.system_prompt()
    await context.sink.emit(
        TurnStarted(attempt=turn.attempt, model=context.model.label, prompt_version=template.version)
    )
    look = await context.workers.ask(turn.opened, first_look, turn.viewer)
    places = _places(turn, look) | {"tools": listed_tools(context.tools)}
    text = filled(template.template, places)
    past = conversation(turn.history, context.bounds.context_tokens, context.bounds.trimmed_tokens)
    if past.summary:
        text += f"\n\nEarlier in this conversation (turns that are not shown any more):\n{past.summary}"
    asked = HumanMessage(
        f"{turn.prompt}\n\n({around(turn, look)})",
        additional_kwargs={
            "prompt": turn.prompt,
            "viewer": turn.viewer.model_dump(mode="json"),
            "windows": [asdict(window) for window in look.windows],
        },
    )
    messages = [SystemMessage(text), *past.messages, asked]
    return {"messages": messages, "prompt_version": template.version, "known": look.data}


def filled(template: str, places: dict[str, str]) -> str:
    """The template with each `{{name}}` replaced once; what is put in is never looked at again, an
    unknown place stays.
    """
    return _PLACE.sub(lambda match: places.get(match[1], match[0]), template)


def _places(turn: TurnInput, look: FirstLook) -> dict[str, str]:
    return {
        "trace_summary": look.summary,
        "findings": "\n".join(f"- {finding}" for finding in look.findings) or "- none",
        "plan_name": turn.plan_name,
        "local_time": f"{turn.local_time:%Y-%m-%d %H:%M %Z}".strip(),
        "viewing": look.seen,
        "windows": "\n".join(f"- {window.line()}" for window in look.windows) or "- none",
    }


def around(turn: TurnInput, look: FirstLook) -> str:
    """What belongs to this prompt alone. It stands with the prompt and not in the system prompt, so that the beginning
    of a conversation stays the same and a provider can cache it.
    """
    where = f"The person is looking at: {look.seen}."
    return f"{where} His local time: {turn.local_time:%Y-%m-%d %H:%M %Z}".strip() + f". Plan: {turn.plan_name}."
