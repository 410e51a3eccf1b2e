"""What is said of a single call: how long it took and when, what ran in it, what came before and after it."""

import re
from dataclasses import replace
from typing import Any

from server.agent.memory.word_stem import stem
from server.analyst.asks import answering
from server.analyst.asks.ask import IT, Ask
from server.analyst.asks.ask_statements import statement, table
from server.analyst.asks.asked_turn import Step, asked_in
from server.analyst.asks.looked_up import looked_up
from server.analyst.asks.named import PROFILES, finds
from server.analyst.asks.read_asks import read
from server.analyst.asks.spoken_calls import CallAsk, Spoken, meant
from server.analyst.evidence import Evidence
from server.analyst.figures import linked
from server.analyst.kinds.kind import SUMMARY
from server.analyst.kinds.spoken_names import has_part
from server.analyst.sentence_forms import asks_whether, judges
from server.analyst.topic_words import words_in
from server.analyst.wording import amount, cited, cited_profile, coded, joined, moment, share

NS = "nanoseconds"
OFFERED = frozenset({"list_profiles", "query_trace"})
LETTERS = 5
"""Of a word by which calls are looked for."""
FUNCTIONS = 12
"""Of one name among whose calls the longest is looked for."""
SLOWER = 1.05
"""Times the others from which the first call is slower."""
OUTLIER = 3.0
LARGE = 100
SHORT = 60
"""Characters of an argument that is given unasked."""
SHOWN = 3
MOST = 2
"""Parts of a call that are named first."""
_PLACES = ("", "second ", "third ", "fourth ", "fifth ")
_OTHER = ("", " second", " third")
Row = answering.Row


def step(evidence: Evidence, offered: frozenset[str]) -> Step | None:
    """What such a prompt needs next, or its answer; None where it is left to the other kinds."""
    found = meant(evidence) if offered >= OFFERED else None
    if found is None:
        return None
    asked, call = found
    if not evidence.results:
        ask = asked_in(evidence) if asked.names else None  # it answers where nothing is called so
        return Step((*(finds(ask, evidence) if ask else ()), SUMMARY, PROFILES))
    if asked.thread:
        sql = str(table()["threads_called"].format(name=asked.thread.replace("'", "''")))
        if (threads := _rows(sql, evidence)) is None:
            return _asking(sql, evidence)
        call = replace(call, handle=_thread_called(asked.thread, threads))
    if asked.names:
        handles = _calls_named(asked, evidence)
        if handles is None or isinstance(handles, Step):
            return handles
        call = replace(call, handle=handles)
    return _of_calls(asked, call, evidence) if call.handle else None


def _of_calls(asked: CallAsk, call: Spoken, evidence: Evidence) -> Step | None:
    sql = _calls(asked, call, evidence)
    if (rows := _rows(sql, evidence)) is None:
        return _asking(sql, evidence)
    if not rows:
        return _without_calls(asked, call, evidence)
    if call.place >= len(rows):
        last = replace(call, place=len(rows) - 1)
        return Step(text=f"**There are no more than {len(rows)} of them.** {_took(rows[-1], last, evidence)}.")
    row = rows[call.place]
    if asked.has("first"):
        return Step(text=_first_against(row, call, evidence))
    if asked.number:
        return _of_a_number(asked, row, call, evidence)
    if asked.has("inside", "before", "after"):
        return _around(asked, row, call, evidence)
    sql = str(table()["arguments_of_a_call"].format(span=row["span"]))
    if not asked.has("typical", "limit", "others") and (asking := _asking(sql, evidence)):
        return asking
    given = _arguments(asked, row, _rows(sql, evidence) or [])
    return Step(text=_written(asked, row, call, rows, given, evidence))


def _first_against(row: Row, call: Spoken, evidence: Evidence) -> str:
    """The first call, and what the later ones took on average."""
    named = cited(_frame(row))
    if row["calls"] == 1:
        return f"**There is no other call of {named} than the first.** {_took(row, call, evidence)}."
    first, later = amount(row["first"], NS), amount(row["later"], NS)
    times = row["first"] / row["later"] if row["later"] else 0.0
    as_long = f", {linked(f'{float(times):,.3g}', times)} times as long" if times >= SLOWER else ""
    is_so = f"{'Yes' if times >= SLOWER else 'No'}: the" if asks_whether(evidence.prompt) else "The"
    of_all = f"the middle one of {answering.number(row['calls'])} took {amount(row['median'], NS)}"
    against = f"{is_so} first call of {named} took {first}, the later ones {later} on average{as_long}"
    return f"**{against}**; {of_all}. {_took(row, call, evidence)} (call {answering.number(row['nth'])})."


def _of_a_number(asked: CallAsk, row: Row, call: Spoken, evidence: Evidence) -> Step | None:
    """The call that was given a number; the one of that place, where none was."""
    sql = str(table()["arguments_of_a_call"].format(span=row["span"]))
    if asking := _asking(sql, evidence):
        return asking
    given = [one for one in _rows(sql, evidence) or [] if str(one["value"]) == asked.number]
    if not given and row["nth"] != int(asked.number):
        return None
    which = f"call of {_named(row)} with {coded(given[0]['key'], 40)} = {coded(asked.number)}" if given else ""
    place = f"No call was given {coded(asked.number)}; call {asked.number} of {_named(row)} in order of time"
    which = f"The {which}" if given else place
    took = f"{which} took {amount(row['took'], NS)}, from {_at(row)} on{_thread(row, evidence)}"
    sql = str(table()["inside_a_call"].format(span=row["span"], clock=_clock(evidence), first=""))
    if (rows := _rows(sql, evidence)) is None:
        return _asking(sql, evidence)
    inside = sorted((one for one in rows if one["calls"]), key=lambda one: -one["direct"])[:MOST]
    most = joined([f"{_named(one)} {amount(one['direct'], NS)}{_times(one)}" for one in inside])
    spread = f"the middle one of {answering.number(row['calls'])} took {amount(row['median'], NS)}"
    return Step(
        text=f"**{took}**; {spread}. {f'Most of it is in {most}.' if most else 'Nothing else was recorded in it.'}"
    )


def _asking(sql: str, evidence: Evidence) -> Step | None:
    """The query; None where it failed before."""
    asked = any(one.arguments.get("sql") == sql for one in evidence.results)
    return None if asked else Step((("query_trace", {"sql": sql}),))


def _rows(sql: str, evidence: Evidence) -> list[Row] | None:
    found = evidence.first("query_trace", sql=sql)
    return None if found is None else answering.rows_of(found)


def _has_own_clocks(evidence: Evidence) -> bool:
    rows = (evidence.first(*PROFILES[:1], **PROFILES[1]) or {"profiles": []})["profiles"]
    return len(rows) > 1 and any(one["clock"] == "own" for one in rows)


def _thread_called(name: str, rows: list[Row]) -> str:
    """The one profile of spans whose thread is called so; empty where none is, or several are."""
    pattern = re.compile(rf"(?<![\w/]){re.escape(name)}(?![\w/])", re.IGNORECASE)
    found = [one for one in rows if pattern.search(one["name"])] or rows
    return str(found[0]["key"]) if len(found) == 1 else ""


def _calls_named(asked: CallAsk, evidence: Evidence) -> Step | str | None:
    """The functions whose calls are named so, as a list of SQL; None where none is, or so many that it is no name."""
    roots = [stem(word)[:LETTERS] for word in asked.names]
    like = " AND ".join(f"contains(lower(name), '{root}')" for root in roots)
    sql = str(table()["calls_named"].format(like=like))
    if (rows := _rows(sql, evidence)) is None:
        return _asking(sql, evidence)
    fits = [row for row in rows if all(has_part(row, stem(word)) for word in asked.names)]
    last = asked.names[-1].removesuffix("s")
    fits = [row for row in fits if last in words_in(row["name"])] or fits
    if len(fits) > 1:
        sql = str(table()["outer_calls"].format(of=", ".join(f"'{row['key']}'" for row in fits)))
        if (outer := _rows(sql, evidence)) is None:
            return _asking(sql, evidence)
        fits = [row for row in fits if row["key"] in {one["key"] for one in outer}]
    fits = fits[:1] if asked.has("typical", "first") else fits
    name = "_".join(asked.names)
    if len(fits) == 1 and fits[0]["name"].casefold() in (name, name.replace("_", "")) and read(evidence.prompt):
        return None  # of what is called just so, others know as much
    return ", ".join(f"'{row['key']}'" for row in fits) if 0 < len(fits) <= FUNCTIONS else None


def _calls(asked: CallAsk, call: Spoken, evidence: Evidence) -> str:
    of_span = str(table()["of_a_span"].format(column="profile" if call.is_task else "frame", span=call.handle))
    of_it = of_span if call.handle.startswith("s") else call.handle if asked.names else f"'{call.handle}'"
    return str(
        table()["single_calls"].format(
            where=f"depth = 0 AND profile = {of_it}" if call.is_task else f"frame IN ({of_it})",
            first=str(table()["given"]).format(number=int(asked.number)) if asked.number else "",
            order="ASC" if call.is_shortest else "DESC",
            limit=f"{asked.limit[0] * 1e6:.0f}" if asked.limit else "0",
            clock=_clock(evidence),
        )
    )


def _clock(evidence: Evidence) -> str:
    """Where times are counted from: the beginning of the recording, or of each thread where these have own clocks."""
    return str(table()["own_clock" if _has_own_clocks(evidence) else "clock"])


def _around(asked: CallAsk, row: Row, call: Spoken, evidence: Evidence) -> Step | None:
    name = "inside_a_call" if asked.has("inside") else "before_a_call" if asked.has("before") else "after_a_call"
    noun = asked.noun.removesuffix("s").replace("'", "''")
    first = f"contains(lower(any_value(one.name)), '{noun}') DESC, " if noun else ""
    sql = str(table()[name].format(span=row["span"], clock=_clock(evidence), first=first))
    rows = _rows(sql, evidence)
    if rows is None:
        return _asking(sql, evidence)
    if asked.has("inside"):
        return Step(text=_inside(asked, row, call, rows, evidence))
    side = "before" if asked.has("before") else "after"
    took = _took(row, call, evidence)
    if not rows:
        return Step(text=f"**Nothing ran in that thread {side} it.** {took}.")
    first, *others = [f"{_named(one)} ({amount(one['took'], NS)}, from {_at(one)} on)" for one in rows[:SHOWN]]
    further = f" Further {side}: {joined(others)}." if others else ""
    return Step(text=f"**Right {side} it ran {first}**, in the same thread.{further} {took}.")


def _inside(asked: CallAsk, row: Row, call: Spoken, rows: list[Row], evidence: Evidence) -> str:
    """What one call spent its time in: what it called itself, then what leads by self time below."""
    direct = sorted((one for one in rows if one["calls"]), key=lambda one: -one["direct"])[:MOST]
    lead = max(rows, key=lambda one: one["self"], default=None)
    own = f"{share(row['self'] / row['took'])} ({amount(row['self'], NS)}) itself" if row["took"] else ""
    of_it = f"task {_named(row)}" if call.is_task else f"call of {cited(_frame(row))}"
    what = f"the {_order(call)}{of_it}"
    begins = f"{amount(row['took'], NS)}, from {_at(row)} on{_thread(row, evidence)}"
    if asked.noun:
        named = [one for one in rows if asked.noun.removesuffix("s") in one["name"].casefold()][:SHOWN]
        each_ = joined(
            [f"{_named(one)} runs{_times(one, 'every')}, {amount(one['every_took'], NS)} in all" for one in named]
        )
        none = f"nothing named like {coded(asked.noun)} runs"
        return f"**In {what} {each_ or none}** ({begins})."
    if not direct:
        return f"**Nothing else was recorded in {what}** ({begins}): all of it is {_named(row)} itself."
    each = joined([f"{_named(one)} {amount(one['direct'], NS)}{_times(one)}" for one in direct])
    first = f"**In {what} ({begins}) most is in {each}**; {own}."
    if lead and lead["key"] != direct[0]["key"] and lead["self"] > row["self"]:
        first += f"\n\nBelow it {_named(lead)} leads by self time: {amount(lead['self'], NS)}{_times(lead, 'every')}."
    return first


def _times(row: Row, which: str = "calls") -> str:
    many = answering.number(row[which])
    return f" in {many} calls" if row[which] != 1 else " in one call"


def _written(asked: CallAsk, row: Row, call: Spoken, rows: list[Row], given: str, evidence: Evidence) -> str:
    took, calls, middle = _took(row, call, evidence), answering.number(row["calls"]), amount(row["median"], NS)
    what = "task" if call.is_task else "call"
    if asked.has("limit") and asked.limit:
        many = f"{answering.number(row['over'])} of {calls} {what}s"
        return f"**{many} took longer than {asked.limit[1]}**, {amount(row['over_sum'] or 0, NS)} together. {took}."
    if asked.has("typical"):
        of_what = "" if call.is_task else f" of {cited(_frame(row))}"
        of_it = f"the middle {what}{of_what} took {middle}"
        spread = f"{amount(row['mean'], NS)} on average, {amount(row['shortest'], NS)} at the least"
        return f"**{of_it[0].upper()}{of_it[1:]}**, of {calls}; {spread}, {amount(row['longest'], NS)} at the most."
    after = [_after(one, row, evidence) for one in rows[call.place + 1 :][:SHOWN]]
    further = f" {'Next' if call.is_shortest else 'After it'}: {', '.join(after)}." if after else ""
    if asked.has("others"):
        if row["calls"] == 1:
            return f"**There is no other one.** {took}."
        rest = amount((row["sum"] - row["took"]) / (float(row["calls"]) - 1), NS)
        return f"**The next ones took {', '.join(after)}**; all {what}s but this one {rest} on average. {took}."
    which = f"functions named like {coded(' '.join(asked.names))}" if row["kinds"] > 1 else ""
    of_all = f"{calls} {what}s of {answering.number(row['kinds'])} {which}" if which else f"{calls} {what}s"
    nth = f"; it is number {answering.number(row['nth'])} in order of time" if row["calls"] > 1 else ""
    spread = f" Of {of_all} the middle one took {middle}{_outlier(row)}{'' if call.is_task else nth}.{further}"
    if asked.has("arguments"):
        return f"**{took}**{given}.{spread}"
    return "\n\n".join(filter(None, (f"**{took}**.{spread}", f"It was called{given[1:]}." if given else "")))


def _after(row: Row, before: Row, evidence: Evidence) -> str:
    where = _thread(row, evidence) if row["profile"] != before["profile"] else ""
    return f"{amount(row['took'], NS)} at {_at(row)}{where}"


def _outlier(row: Row) -> str:
    times = row["took"] / row["median"] if row["median"] else 0.0
    written = f"{float(times):,.0f}" if times >= LARGE else f"{float(times):,.3g}"
    return f", this one {linked(written, times)} times as long" if times >= OUTLIER else ""


def _took(row: Row, call: Spoken, evidence: Evidence) -> str:
    kind = f"task ({_named(row)})" if call.is_task else f"call of {_named(row)}"
    order = f"{_PLACES[call.place]}{'shortest' if call.is_shortest else 'longest'} "
    at = "" if row.get("at") is None else f", from {_at(row)} on"
    return f"The {order}{kind} took {amount(row['took'], NS)}{at}{_thread(row, evidence)}"


def _order(call: Spoken) -> str:
    return f"{_PLACES[call.place]}{'shortest' if call.is_shortest else 'longest'} "


def _named(row: Row) -> str:
    """A call, by the name of its function."""
    return cited({"name": row["name"], "handle": row.get("span") or row["key"]})


def _frame(row: Row) -> dict[str, Any]:
    return {"name": row["name"], "handle": row["frame"]}


def _at(row: Row) -> str:
    return moment(row["at"] / 1e6)


def _thread(row: Row, evidence: Evidence) -> str:
    is_named = evidence.runs_in_several and row.get("thread")
    return f" in {cited_profile({'name': row['thread'], 'handle': row['profile']})}" if is_named else ""


def _arguments(asked: CallAsk, row: Row, rows: list[Row]) -> str:
    """What the call was given, the one that is asked for first; that it is not known, where it was asked for."""
    rows = rows if asked.has("arguments") else [one for one in rows if len(str(one["value"])) <= SHORT]
    given = sorted(rows, key=lambda one: asked.noun not in one["key"].casefold())[: 1 if asked.noun else 4]
    if given:
        listed = [f"{coded(one['key'], 40)} = {coded(str(one['value']), 120)}" for one in given]
        return f", with {joined(listed)}"
    is_of_thread = bool(asked.noun) and asked.noun in str(row.get("thread")).casefold()
    return "; with which arguments is not recorded" if asked.has("arguments") and not is_of_thread else ""


def _has_a_list(evidence: Evidence) -> bool:
    """Whether the longest may be that of a list of functions, which was given before."""
    return evidence.spoken_of is not None and bool(evidence.spoken_of.ranked)


def _without_calls(of_call: CallAsk, call: Spoken, evidence: Evidence) -> Step | None:
    """That there are no single calls, and how long one takes on average where calls were counted."""
    asked = looked_up(Ask(measures=("mean",), of=(IT,)), evidence)
    if (
        asked is None
        or asked.frames[:1] != (call.handle,)
        or asked.kind == "evented"
        or of_call.needs_a_call
        or _has_a_list(evidence)
        or judges(evidence.prompt)
    ):
        return None
    measures = ("calls", "mean") if asked.counts_calls else ("total",)
    asked = looked_up(Ask(measures=measures, of=(IT,)), evidence) or asked
    sql = statement(asked, asked.frames)
    rows = _rows(sql, evidence)
    if rows is None:
        return _asking(sql, evidence)
    if not (rows and rows[0].get("total")):
        return None
    holds = "it has sums" if asked.counts_calls else "samples were taken"
    which = "What one call takes" if of_call.has("typical", "limit") else "Which call took longest"
    cannot = f"**{which} cannot be said: single calls of {asked.label} are not in this recording**, {holds}."
    return Step(text=f"{cannot} {answering.sentence(asked, rows[0]).replace('**', '')}")
