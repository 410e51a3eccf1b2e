"""Prompts about the conversation: a summary of it, a correction, and what is no question of a trace."""

from server.analyst.evidence import Evidence
from server.analyst.kinds.one_function import leading
from server.analyst.question import Question

KNOWN = "who calls a function, what happens in a range of time, and what to fix first"


def summary(question: Question, evidence: Evidence) -> list[str]:
    """What was answered so far, an opening each."""
    if not evidence.openings:
        return [
            "**Nothing was answered in this conversation yet.**",
            leading(evidence, "What the trace says first: the heaviest function is"),
        ]
    count = len(evidence.openings)
    listed = " ".join(f"({at}) {opening}" for at, opening in enumerate(evidence.openings, start=1))
    return [f"**{count} answer{'s' if count > 1 else ''} so far in this conversation**: {listed}"]


def correction(question: Question, evidence: Evidence) -> list[str]:
    return ["**Which one do you mean?** Name the function, the thread or the time, and I answer for that."]


def smalltalk(question: Question, evidence: Evidence) -> list[str]:
    return [
        f"**I answer questions about this trace**: {KNOWN}, among others.",
        leading(evidence, "To begin with: the heaviest function is"),
    ]
