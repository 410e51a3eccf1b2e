"""Questions over many recordings: the tool plans and checks them, what it found is the answer."""

from dataclasses import replace

from server.agent.questions.spoken_paths import is_path
from server.agent.questions.spoken_questions import is_over_runs, may_compare_labels
from server.analyst.evidence import Evidence

ASK = "ask_traces"
_NOT_KNOWN = "I do not know this"
_AS_JSON = " As JSON: "
_ERROR = "validation error: "


def asks_over_recordings(prompt: str) -> bool:
    """Whether a prompt may be about many recordings."""
    return is_over_runs(prompt) or may_compare_labels(prompt) or is_path(prompt)


def over_recordings(evidence: Evidence) -> str | None:
    """The answer; what stood in its way, where that is something named that is not there; None where this is another
    kind of question."""
    found = next(result for result in evidence.results if result.tool == ASK)
    if not found.failed:
        return "\n\n".join(filter(None, (found.data["detail"], " ".join(found.data.get("notes", [])))))
    why = found.text.partition(_AS_JSON)[0].rpartition(_ERROR)[2].strip()
    if _NOT_KNOWN in why or not (is_over_runs(evidence.prompt) or is_path(evidence.prompt)):
        return None
    return f"**I cannot answer that over your recordings.** {why}"


def without_them(evidence: Evidence) -> Evidence:
    """As if they had not been asked."""
    return replace(evidence, results=tuple(one for one in evidence.results if one.tool != ASK))
