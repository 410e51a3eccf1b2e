"""A session's title and up to three next questions, by rule: from the prompt, and from what the tools found but the
answer did not pursue.
"""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AnyMessage, ToolMessage

from server.agent.first_question import first_question
from server.quoting import plain
from traces.values import Unit

TITLE_CHARACTERS = 60
SUGGESTIONS = 3
GENERIC_WORDS = "why is this it so slow the trace profile analyze analyse what where a an please summary summarize"
"""Words that say nothing about which trace a question is about."""


def title_of(prompt: str, trace_name: str) -> str:
    """At most 60 characters: the prompt's first line, cut at a word; a prompt that fits any trace gets the trace's
    name.
    """
    line = plain(" ".join(prompt.split()), 4 * TITLE_CHARACTERS)
    words = [word.strip("?.!,").casefold() for word in line.split()]
    if all(word in GENERIC_WORDS.split() for word in words):
        line = f"{plain(trace_name, 40)}: {line}"
    if len(line) <= TITLE_CHARACTERS:
        return line
    cut = line[: TITLE_CHARACTERS - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut[20:] else cut).rstrip(" ,.:;") + "…"


def suggestions(messages: Sequence[AnyMessage], answer: str, *, unit: str, asked: Sequence[str]) -> list[str]:
    """Up to three questions about this trace that this conversation's tools have not answered yet. `unit` is of the
    trace's values; `asked` are the person's prompts, none of which is offered again.
    """
    calls = [
        message.artifact
        for message in messages
        if isinstance(message, ToolMessage) and isinstance(message.artifact, dict)
    ]
    used = {call["tool"] for call in calls}
    looked_at = {
        plain(row["name"], 60).replace("`", "'") for call in calls if isinstance(row := call["data"].get("frame"), dict)
    }
    hot = [name for name in _hottest(calls) if not _is_pseudo(name)]
    questions = [f"Who calls `{name}`?" for name in hot if name not in looked_at][:1] + _of_findings(calls, unit)[:1]
    if hot and "generate_sandwich_flamegraph_screenshot" not in used:
        questions.append(f"Show me `{hot[0]}` in the flame chart")
    if "get_top_functions" not in used:
        questions.append("What are the top 10 functions?")
    if "get_call_tree" not in used:
        questions.append(first_question(unit))
    if "list_profiles" not in used and _profile_count(calls) != 1:
        questions.append("Which threads are busy?" if unit == Unit.NANOSECONDS else "Which profiles are there?")
    if "garbage" not in answer.casefold() and unit == Unit.NANOSECONDS:
        questions.append("How much time goes to garbage collection?")
    questions.append("What can this trace not answer?")
    before = {_letters(prompt) for prompt in asked}
    return [one for one in dict.fromkeys(questions) if _letters(one) not in before][:SUGGESTIONS]


def _letters(prompt: str) -> str:
    return "".join(letter for letter in prompt.casefold() if letter.isalnum())


def _of_findings(calls: Sequence[dict[str, Any]], unit: str) -> list[str]:
    """What findings that were listed and not looked into suggest to ask; nothing about time where none is."""
    listed = [call for call in calls if call["tool"] == "get_insights" and "name" not in call["arguments"]]
    rows = [row for call in listed for row in call["data"]["insights"] if row["severity"] in ("high", "medium")]
    of_time = first_question(Unit.NANOSECONDS)
    return [first_question(unit) if one == of_time else one for row in rows for one in row["questions"]]


def _hottest(calls: Sequence[dict[str, Any]]) -> list[str]:
    """Names of the heaviest functions that any ranking or search of this turn returned."""
    rankings = [call for call in calls if call["tool"] in ("get_top_functions", "find_frames")]
    ranked = [call["data"]["rows"] for call in rankings if "value" not in call["arguments"]]
    rows = [row for several in ranked for row in several]
    heaviest = sorted(rows, key=lambda row: -row["self_value"])[:6]
    return list(dict.fromkeys(plain(row["name"], 60).replace("`", "'") for row in heaviest))


def _is_pseudo(name: str) -> bool:
    return name.startswith(("(", "[", "<"))


def _profile_count(calls: Sequence[dict[str, Any]]) -> int | None:
    return next((len(call["data"]["profiles"]) for call in calls if "profiles" in call["data"]), None)
