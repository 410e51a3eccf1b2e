"""The longest task of the main thread and that of all threads: an answer says which of the two it is."""

import re

from server.analyst.evidence import Evidence
from server.analyst.kinds import moments_and_calls as times
from server.analyst.kinds.kind import Call
from server.analyst.question import Question
from server.analyst.sentence_forms import asks_for_any
from server.analyst.wording import amount, cited, cited_profile

LONGEST = "get_longest_calls"
OF_ALL_THREADS: Call = (LONGEST, {"outermost": True, "limit": 1, "profile": "all"})
_ANYWHERE = re.compile(
    r"\b(?:anywhere|overall|(?:of|in|on|across|over) (?:all|any|every) (?:the )?(?:threads?|process(?:es)?)|"
    r"any thread|all threads)\b",
    re.IGNORECASE,
)


def then_long(question: Question, evidence: Evidence) -> list[Call]:
    """What is asked of the main thread, and the longest task of all."""
    calls = times.then_long(question, evidence)
    if question.profile:
        there = {"profile": question.profile}
        return [(tool, arguments | there) if tool == LONGEST else (tool, arguments) for tool, arguments in calls]
    return [*calls, OF_ALL_THREADS] if evidence.runs_in_several else calls


LONG_MS = 50.0
"""From which a task is long (W3C Long Tasks)."""
_MS = re.compile(r"(\d+(?:\.\d+)?) ?(ms|s)\b", re.IGNORECASE)


def _whether_any(question: Question, evidence: Evidence) -> str:
    """Yes or no where it is asked whether there are long tasks, longer than it says or than 50 ms."""
    is_anywhere = _ANYWHERE.search(question.text) is not None
    asked = [one for one in evidence.all(LONGEST) if is_anywhere or one.arguments.get("profile") != "all"]
    of_main = [one.data for one in asked if one.data["rows"] and one.data["exact"]]
    if not (asks_for_any(question.text) and of_main) or of_main[0]["unit"] != "nanoseconds":
        return ""
    found = _MS.search(question.text)
    limit = (float(found[1]) * (1_000 if found[2].casefold() == "s" else 1) if found else LONG_MS) * times.NS_PER_MS
    longest = max(row["duration"] for data in of_main for row in data["rows"])
    than = f"than {found[0]}" if found else "than 50 ms"
    return f"**{'Yes' if longest > limit else 'No'}: {'some are' if longest > limit else 'none is'} longer {than}.** "


def long_tasks(question: Question, evidence: Evidence) -> list[str]:
    """The answer about the main thread; first what is longer elsewhere, where it is asked for anywhere."""
    first, *others = _long_tasks(question, evidence)
    return [f"{_whether_any(question, evidence)}{first}", *others]


def _long_tasks(question: Question, evidence: Evidence) -> list[str]:
    first, *others = times.long_tasks(question, evidence)
    if question.profile and (one := evidence.profile(question.profile)):
        return [f"{first} That is in {cited_profile(one)}.", *others]
    of_all = evidence.first("get_longest_calls", profile="all")
    of_main = next(
        (one.data for one in evidence.all("get_longest_calls") if one.arguments.get("profile") != "all"), None
    )
    rows = of_all["rows"] if of_all else []
    mine = of_main["rows"] if of_main else []
    if not of_all or not rows or not mine or rows[0]["duration"] <= mine[0]["duration"]:
        return [first, *others]
    where, here = evidence.profile(rows[0]["profile"]), evidence.profile(mine[0]["profile"])
    if where is None or here is None:
        return [first, *others]
    longest = f"{cited(rows[0] | {'frame_handle': None})} with {amount(rows[0]['duration'], of_all['unit'])}"
    if _ANYWHERE.search(question.text):
        return [f"**The longest of all threads is {longest}**, in {cited_profile(where)}.", first, *others]
    elsewhere = f"That is in {cited_profile(here)}; of all threads the longest is {longest}, in {cited_profile(where)}."
    return [f"{first} {elsewhere}", *others]
