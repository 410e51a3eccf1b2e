"""Questions for how often: of one function, or which function is called most."""

from server.analyst.evidence import Evidence
from server.analyst.kinds.one_function import around_of, calls_itself, unknown
from server.analyst.question import Question
from server.analyst.wording import CALLS, amount, cited, coded, counted, located, own, total

HOW_TO_COUNT = (
    "To count calls, record with an instrumenting profiler (cProfile, viztracer, uftrace, callgrind), which costs more "
    "than sampling."
)


def times(calls: int) -> str:
    return "once" if calls == 1 else f"{calls:,} times"


def _most_called(question: Question, evidence: Evidence) -> list[str]:
    """The functions with the most calls, where no function is named and calls were counted."""
    found = evidence.first("query_trace")
    if question.names or question.maybe or question.handle or evidence.counted != CALLS or not found:
        return []
    first_, *others = [
        f"[{coded(name['name'])}](#{frame['name']}), with {int(calls['value']):,} calls"
        for frame, name, calls in found["rows"]
    ]
    return [f"**The most calls go to {first_}.**", f"After it: {'; '.join(others)}." if others else ""]


def how_often(question: Question, evidence: Evidence) -> list[str]:
    if most := _most_called(question, evidence):
        return most
    around = around_of(question, evidence)
    if around is None:
        return unknown(question, evidence)
    row, unit, what = around["frame"], around["unit"], around["counted"]
    rankings = [result.data for result in evidence.all("get_top_functions") if "filter" in result.arguments]
    timed = [one for data in rankings for one in data["rows"] if one["handle"] == row["handle"] and "durations" in one]
    cost = f"It takes {total(row, unit)} in total and {own(row, unit)} itself."
    if timed:
        took = timed[0]["durations"]
        single = (
            f"A call took {amount(took['least'], unit)} at least, {amount(took['median'], unit)} in the middle and "
            f"{amount(took['longest'], unit)} at most."
        )
        said = f"**{cited(row)} was called {times(took['calls'])}**{located(row)}. {single} {cost}"
        return [said, calls_itself(around)]
    if what == CALLS:
        return [f"**{cited(row)} was called {times(row['count'])}**{located(row)}. {cost}", calls_itself(around)]
    unknown_ = f"**How often {cited(row)} was called cannot be said**"
    if what is None:
        return [f"{unknown_}: the recording has sums, not counts. {cost}", HOW_TO_COUNT]
    why = "samples were taken, calls were not counted" if what == "samples" else f"{what} were counted, not calls"
    return [f"{unknown_}: {why}. {counted(row, what)} ended in it. {cost}", HOW_TO_COUNT]
