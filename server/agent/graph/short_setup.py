"""What a model with a small context knows before it begins: as much of summary, findings and history as its first
request has room for.
"""

from collections.abc import Sequence

from server.agent.bounds import CHARACTERS_PER_TOKEN
from server.agent.graph.first_look import FirstLook
from server.agent.model_call.message_history import Past, conversation
from server.agent.model_call.token_counts import characters_in
from server.ports.conversations import MessageRow, Sender

OF_HISTORY = 0.35
"""Share of the room that earlier turns get where there are any."""

OF_SUMMARY = 0.6
OF_FINDINGS = 0.75
"""Shares of the rest; the windows have what is left."""

TOP_FUNCTIONS = 3

LEFT_OUT = "can answer: "
"""How lines of the summary begin that a model can do without: its tools say the same."""


def short_past(rows: Sequence[MessageRow], characters: int) -> Past:
    """The newest turns without their tool results, and a line on each of those before, in a share of so many
    characters."""
    room = int(max(characters, 0) * OF_HISTORY)
    spoken = [row for row in rows if row.sender in (Sender.USER, Sender.MODEL)]
    past = conversation(spoken, int(room / CHARACTERS_PER_TOKEN))
    newest_first = past.summary.split("\n")[::-1] if past.summary else []
    summary = first_lines(newest_first, room - characters_in(past.messages), least=0)
    return Past(past.messages, past.left_out, "\n".join(summary.split("\n")[::-1]))


def short_places(look: FirstLook, characters: int) -> dict[str, str]:
    """Summary, findings and windows in about so many characters: complete lines, the first ones first."""
    head, *rest = look.summary.split("\n")
    top = look.top.split("\n")[: 1 + TOP_FUNCTIONS]
    lines = [head, *top, *(line for line in rest if not line.startswith(LEFT_OUT))]
    summary = first_lines(lines, int(characters * OF_SUMMARY), least=1)
    findings = [f"- {finding}" for finding in look.findings]
    found = first_lines(findings, int((characters - len(summary)) * OF_FINDINGS), least=0)
    windows = [f"- {window.line()}" for window in look.stable_windows]
    when = first_lines(windows, characters - len(summary) - len(found), least=0)
    return {"trace_summary": summary, "findings": found or "- none", "windows": when or "- none"}


def first_lines(lines: Sequence[str], characters: int, *, least: int) -> str:
    """The first lines that fit, at least so many: a line is never cut, for it may quote a name of the trace."""
    kept: list[str] = []
    for line in lines:
        characters -= len(line) + 1
        if characters < 0 and len(kept) >= least:
            break
        kept.append(line)
    return "\n".join(kept)
