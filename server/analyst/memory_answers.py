"""What the built-in analyst does about memory: it proposes what it is ordered to, and says what is remembered."""

from collections.abc import Sequence
from typing import Any

from server.analyst.evidence import Result
from server.analyst.forms import forms
from server.analyst.memory_orders import MemoryOrder
from server.quoting import plain

_MEMORY_ORDERS = forms("memory_orders")

APPEND, REPLACE = "core_memory_append", "core_memory_replace"
LINE = 500

OFF = "**Nothing is remembered here**: this server, or this way of asking, keeps no memory."


def memory_calls(order: MemoryOrder, facts: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    """The proposals that an order asks for."""
    if order.kind == "remember" and order.text:
        return [(APPEND, {"fact": order.text})]
    if order.kind == "forget":
        return [(REPLACE, {"old": fact, "new": ""}) for fact in meant(order.text, facts)]
    return []


def meant(text: str, facts: Sequence[str]) -> list[str]:
    """The facts that words name: all for `everything`, the one that has them all, else the one that shares most."""
    if _MEMORY_ORDERS.all.match(text):
        return list(facts)
    words = {word.strip(".,:;!?\"'`").casefold() for word in text.split() if len(word) > 2} - {"the", "that", "about"}
    shared = [(len(words & {part.strip(".,:;!?\"'`") for part in fact.casefold().split()}), fact) for fact in facts]
    most = max((count for count, _ in shared), default=0)
    found = [fact for count, fact in shared if count == most and count >= max(1, (len(words) + 1) // 2)]
    return found if len(found) == 1 else []


def memory_report(order: MemoryOrder, facts: Sequence[str], results: Sequence[Result], *, is_on: bool) -> str:
    """The answer to an order or a question of memory."""
    if order.kind == "ask":
        return _listed(facts) if is_on or facts else OFF
    if not is_on:
        return OFF
    done = [result for result in results if result.tool in (APPEND, REPLACE)]
    if order.kind == "forget" and not done:
        return f"**No fact is meant that I can tell apart.** {_listed(facts)}"
    if not done:
        return "**What shall be remembered?** Write it after the word: `/remember requests stay under 300 ms`."
    return "\n\n".join(_outcome(result, order) for result in done)


def _outcome(result: Result, order: MemoryOrder) -> str:
    fact = plain(str(result.data.get("text") or result.data.get("old") or order.text), LINE)
    if result.failed:
        return f"**That is not remembered**: {plain(result.text.removeprefix('Error: '), 600)}"
    if order.kind == "forget":
        kept = {"kept": f"**Forgotten**: {fact}. You can undo it below."}
        return kept.get(str(result.data["status"]), f"**Forget this?** {fact}. You decide below.")
    return {
        "proposed": f"**Remember this?** {fact}. You decide below; from then on it stands in every conversation.",
        "kept": f"**Remembered**: {fact}. You can undo it below.",
        "known": f"**That is remembered already**: {fact}.",
        "declined": f"**You have declined this lately**: {fact}. You can add it yourself, under your name.",
    }[str(result.data["status"])]


def _listed(facts: Sequence[str]) -> str:
    if not facts:
        return "**Nothing is remembered yet.** Say `remember ...`, and decide on what I propose."
    count = f"{len(facts)} facts are" if len(facts) > 1 else "One fact is"
    return f"**{count} remembered**:\n\n" + "\n".join(f"- {plain(fact, LINE)}" for fact in facts)
