"""Which tools the analyst calls next, by topic; an empty plan means that the report can be written."""

from typing import Any, assert_never

from server.adapters.model.analyst.evidence import Evidence
from server.adapters.model.analyst.question import Question, Topic

Call = tuple[str, dict[str, Any]]

OTHER_PROFILES = 3
"""Profiles beside the main one that an overview ranks: the busiest threads of a program, without
reading all its pools.
"""

GARBAGE_PATTERN = r"\bgc\b|garbage|GC_|_gc|mark.?sweep|scaveng|gcBgMark|gc_collect|MinorGC|MajorGC"
"""How CPython, V8, Go, the JVM and Chrome name the frames of their collectors."""


def next_calls(question: Question, evidence: Evidence, offered: frozenset[str]) -> list[Call]:
    """The calls of the next round, only of tools that are offered; one round looks, a second follows
    up what was found.
    """
    if not offered:
        return []
    calls = _follow_up(question, evidence, offered) if evidence.results else _first_round(question)
    done = [(result.tool, result.arguments) for result in evidence.results]
    return [(tool, arguments) for tool, arguments in calls if tool in offered and (tool, arguments) not in done]


def _first_round(question: Question) -> list[Call]:
    by_self: Call = ("get_top_functions", {"sort_by": "self", "limit": 10})
    match question.topic:
        case Topic.OVERVIEW:
            return [("get_trace_summary", {}), by_self]
        case Topic.TOP:
            return [
                ("get_top_functions", {"sort_by": question.sort_by, "limit": question.limit}),
                ("generate_flamegraph_screenshot", {"mode": "left_heavy"}),
            ]
        case Topic.FUNCTION | Topic.SHOW if question.handle:
            return [("get_callers_callees", {"frame": question.handle})]
        case Topic.FUNCTION | Topic.SHOW if question.names:
            return [("find_frames", {"pattern": name, "limit": 5}) for name in question.names]
        case Topic.FUNCTION | Topic.SHOW:
            mode = question.view if question.view in ("time_order", "left_heavy") else "left_heavy"
            return [by_self, ("generate_flamegraph_screenshot", {"mode": mode})]
        case Topic.GARBAGE:
            return [
                ("get_trace_summary", {}),
                ("find_frames", {"pattern": GARBAGE_PATTERN, "regex": True, "limit": 10}),
                by_self,
            ]
        case Topic.PROFILES | Topic.ABILITIES:
            return [("get_trace_summary", {}), ("list_profiles", {}), by_self]
        case Topic.WINDOW:
            assert question.window is not None
            part = {"start_time_ms": question.window[0], "end_time_ms": question.window[1]}
            return [
                ("get_top_functions", {"sort_by": "self", "limit": 10} | part),
                ("generate_flamegraph_screenshot", {"mode": "time_order"} | part),
            ]
        case _:
            assert_never(question.topic)


def _follow_up(question: Question, evidence: Evidence, offered: frozenset[str]) -> list[Call]:
    if question.topic is Topic.OVERVIEW:
        return _overview(evidence)
    if question.topic is Topic.GARBAGE and evidence.matches and not evidence.called("get_callers_callees"):
        return [("get_callers_callees", {"frame": evidence.matches[0]["handle"]})]
    if question.topic not in (Topic.FUNCTION, Topic.SHOW) or evidence.called("generate_sandwich_flamegraph_screenshot"):
        return []
    if not (question.names or question.handle):
        view = question.view or "left_heavy"
        return [("show_in_viewer", {"view": view})] if question.topic is Topic.SHOW else []
    handle = _meant(question, evidence)
    if handle is None:
        return [("get_top_functions", {"sort_by": "self", "limit": 10})]
    calls: list[Call] = [
        ("get_callers_callees", {"frame": handle}),
        ("generate_sandwich_flamegraph_screenshot", {"frame": handle}),
    ]
    if question.topic is Topic.SHOW:
        calls.append(("show_in_viewer", {"handle": handle} | ({"view": question.view} if question.view else {})))
    return calls


def _overview(evidence: Evidence) -> list[Call]:
    """First the other busy profiles, if there are any; then, in the profile that leads, findings, tree, picture
    and neighbours.
    """
    summary, lead = evidence.first("get_trace_summary"), evidence.lead
    if summary is None or lead is None or evidence.called("get_call_tree"):
        return []
    others = _other_profiles(summary)
    if others and len(evidence.all("get_top_functions")) == 1:
        return [("get_top_functions", {"sort_by": "self", "limit": 5, "profile": handle}) for handle in others]
    where = {} if lead.profile == summary["default_profile"] else {"profile": lead.profile}
    return [
        ("get_insights", where),
        ("get_call_tree", {"max_nodes": 60} | where),
        ("generate_flamegraph_screenshot", {"mode": "left_heavy"} | where),
        ("get_callers_callees", {"frame": lead.row["handle"]} | where),
    ]


def _other_profiles(summary: dict[str, Any]) -> list[str]:
    """The busiest profiles of the main one's kind and unit, at least a tenth as busy as the main one."""
    main = next(row for row in summary["profiles"] if row["handle"] == summary["default_profile"])
    alike = [
        row
        for row in summary["profiles"]
        if row is not main
        and (row["kind"], row["unit"]) == (main["kind"], main["unit"])
        and row["total"] * 10 > main["total"]
    ]
    return [row["handle"] for row in sorted(alike, key=lambda row: -row["total"])[:OTHER_PROFILES]]


def _meant(question: Question, evidence: Evidence) -> str | None:
    """The frame in question: the exact name among the matches, else the heaviest match; without a name, the hottest
    function.
    """
    if question.handle:
        known = evidence.first("get_callers_callees")
        return known["frame"]["handle"] if known else None
    if not question.names:
        return evidence.lead.row["handle"] if evidence.lead else None
    exact = next((row for row in evidence.matches if row["name"].removesuffix("()") in question.names), None)
    row = exact or (evidence.matches[0] if evidence.matches else None)
    return row["handle"] if row else None
