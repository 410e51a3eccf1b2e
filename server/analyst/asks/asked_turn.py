"""An ask through a turn: read, taken on from the prompts before, looked up, answered; or left to the other kinds."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from server.agent.memory.word_stem import stem
from server.analyst.asks import answering, comparing, counted, supposing
from server.analyst.asks.ask import (
    CALLS_LEFT_OUT,
    IT,
    MOMENTS,
    OWN_THREAD,
    THEM,
    Ask,
    after,
    further,
    joined,
    of_a_place,
    only_names,
    supposed_call,
)
from server.analyst.asks.ask_statements import (
    MARK,
    Asked,
    ranking,
    statement,
    threads_against,
    threads_between,
    what_if,
)
from server.analyst.asks.looked_up import looked_up
from server.analyst.asks.named import PROFILES, finds, is_of_a_collector
from server.analyst.asks.read_asks import read
from server.analyst.evidence import Evidence
from server.analyst.findings import with_losses
from server.analyst.forms import forms
from server.analyst.kinds.kind import SUMMARY, Call
from server.analyst.kinds.other_values import value_before
from server.analyst.measured import measured
from server.analyst.moments import called_between
from server.analyst.wording import CALLS

_FORMS = forms("asks")
_KNOWN_FORMS = forms("known_forms")
_UNDERSTANDING = forms("understanding")
_GOING_ON = forms("going_on")
PAIR = 2
MOST_WORDS = 3
"""Of a prompt that only names something, after an answer about another quantity (`and parse?`)."""
_BOLD = re.compile(r"^\*\*.+?\*\*")
_CITED = re.compile(r"\]\(#(f\d+)\)")
OFFERED = frozenset({"list_profiles", "find_frames", "query_trace"})


@dataclass(frozen=True, slots=True)
class Step:
    """What an ask needs next: `calls`, or none and the `text` that answers it."""

    calls: tuple[Call, ...] = ()
    text: str = ""


Answer = str | Step | None
Table = list[answering.Row]


def asked_in(evidence: Evidence) -> Ask | None:
    """What the prompt asks for, with what it leaves out; None where it is none, or leaves out what nobody named."""
    ask, spoken, before = read(evidence.prompt), evidence.spoken_of, _before(evidence)
    if ask is None or only_names(ask) or (IT in (*ask.of, ask.without, ask.base) and _is_lost(evidence, before)):
        return None
    ask = supposed_call(ask if spoken else _by_itself(ask), before)
    if ask.without == IT and ask.what_if and _FORMS.leaves_out.search(evidence.prompt):
        return None  # `and apart from that?`: of an order
    if not (ask.of or ask.measures or before or ask.what_if or ask.rank):
        return None
    if ask.rank and not ask.rank.of:
        return further(ask, before or _order_before(evidence))
    ask = _of_several_spoken_of(ask, evidence)
    if spoken or ask.what_if or ask.rank or ask.base:
        ask = after(ask, before)
    of_threads = any(one.casefold().endswith("s") and one not in THEM for one in ask.of)  # `compare the clerks`
    is_alone = sum(THEM.get(one, 1) for one in ask.of if one != IT) < PAIR
    if "compare" in ask.how and is_alone and not of_threads:
        return None
    if not ((ask := of_a_place(ask)).measures or ask.by or ask.limit or ask.what_if or ask.rank or ask.how):
        return None
    if ask.same_window and ask.window is None:
        window = called_between(evidence.openings[-1]) if spoken and evidence.openings else None
        ask = replace(ask, window=window, clock=(spoken.profile or "") if spoken else "")
        if window is None:
            return None
    return ask if ask.without in ("", *CALLS_LEFT_OUT) or ask.what_if or ask.rank else None


def _of_several_spoken_of(ask: Ask, evidence: Evidence) -> Ask:
    """The ask with those that were spoken of in their place: `together?` is of all that the answer begins with."""
    spoken = evidence.spoken_of
    if ask.without in THEM and ask.of == (IT,):
        ask = replace(ask, of=())  # `without those two, how long would it take`
    number = len(spoken.subjects[0]) if spoken else 0
    is_of_two = spoken and not (ask.names or ask.of or spoken.is_of_recordings or ask.by)
    of_pair = spoken and spoken.sets_against and number == PAIR and ask.measures and not ask.how
    if is_of_two and (of_pair or ("compare" in ask.how and ask.measures)):  # `and self?`, `which one has more calls`
        return replace(ask, of=(f"them {PAIR}",), how=frozenset({"compare"}))
    adds = ask.how and _FORMS.adds.search(evidence.prompt) and len(ask.names) == len(ask.of) == 1
    if spoken and adds and spoken.handle[:1] == "f":
        first = f"them {number}" if "sum" in ask.how and number in THEM.values() else spoken.name
        return replace(ask, of=(first, *ask.of), measures=ask.measures or ("total", "share"))
    if "sum" in ask.how and not (ask.names or ask.rank) and not {*THEM} & {*ask.of} and number in THEM.values():
        ask = replace(ask, of=(f"them {number}",))
    if spoken is None or ask.measures or not {*THEM} & {*ask.of}:
        return ask
    last = read(spoken.prompt)
    return replace(ask, measures=(last.measures if last and not last.rank else ()) or ("self", "total"))


def _is_of_the_other_recording(evidence: Evidence) -> bool:
    """Whether it asks for what another recording has: `there`, after the two were compared."""
    spoken, there = evidence.spoken_of, _UNDERSTANDING.there.search(evidence.prompt)
    return bool(_KNOWN_FORMS.other_recording.search(evidence.prompt) or (spoken and spoken.is_of_recordings and there))


def _by_itself(ask: Ask) -> Ask:
    """The ask of a prompt that nothing was spoken of before."""
    if ask.of:
        return ask
    if ask.by not in ("", "thread", "caller") and {*ask.measures} <= {"total", "mean"}:
        return replace(ask, of=(ask.by,), by="", measures=("mean",))  # `time per lookup`
    if ask.thread and ask.measures and {*ask.measures} <= MOMENTS:
        return replace(ask, of=(ask.thread,), thread="")  # `when did the reader thread finish`
    return ask


def _before(evidence: Evidence) -> Ask | None:
    """The ask of the prompts before, each taken on from the one before it."""
    spoken = evidence.spoken_of
    before: Ask | None = None
    for prompt in (*spoken.prompts, spoken.prompt) if spoken else ():
        earlier = read(prompt)
        if earlier and earlier.rank and not earlier.rank.of:
            earlier = further(earlier, before)
        before = after(supposed_call(earlier, before), before) if earlier else None
    return before


def _order_before(evidence: Evidence) -> Ask | None:
    """The newest order that a prompt asked for, whatever was asked after it."""
    earlier = map(read, evidence.spoken_of.prompts[::-1] if evidence.spoken_of else ())
    return next((one for one in earlier if one and one.rank and one.rank.of), None)


def _is_lost(evidence: Evidence, before: Ask | None) -> bool:
    """Whether what was spoken of is not known: the answer before is about something else than what its prompt named, or
    another kind wrote it and begins with several things."""
    spoken = evidence.spoken_of
    if spoken is None or (before and (before.rank or before.what_if or before.base)):
        return False
    names = [one.casefold() for one in (before.of if before else ()) if one != IT]
    if before is None and evidence.openings:
        begins = _BOLD.match(evidence.openings[-1])
        first = _CITED.findall(begins[0]) if begins else []
        is_subject = begins is not None and begins[0].startswith("**[`")
        return not (is_subject or spoken.is_of_one) and len({*(first or _CITED.findall(evidence.openings[-1]))}) > 1
    if not names:
        return False
    words = {word for name in names for word in name.split()}
    about = spoken.name.casefold()
    return not any(stem(word) in about or stem(about) in word for word in words)


def step(evidence: Evidence, offered: frozenset[str]) -> Step | None:
    """What an ask needs next; None where the prompt is left to the other kinds."""
    is_here = offered >= OFFERED and not _is_of_the_other_recording(evidence)
    is_here = is_here and not _GOING_ON.can_be_fixed.match(evidence.prompt)
    is_here = is_here and not (value_before(evidence) and len(evidence.prompt.split()) <= MOST_WORDS)
    ask = asked_in(evidence) if is_here else None
    if ask is None or not (_is_ours(ask, evidence) or ask.placed or {*ask.measures} & {*answering.OF_THREADS}):
        return None
    if not evidence.results:
        return Step((*finds(ask, evidence), SUMMARY, PROFILES))
    texts: list[str] = []
    for one in (replace(ask, then=None), *joined(ask)):
        asked = looked_up(one, evidence)
        is_ours = asked is not None and (asked.is_of_threads or asked.thread is not None or _is_ours(ask, evidence))
        answered = _answered(asked, evidence) if asked and is_ours else None
        if not isinstance(answered, str):
            return answered
        texts.append(answered)
    return Step(text=with_losses(" ".join(texts), evidence))


def others(evidence: Evidence) -> Evidence:
    """As if no ask had looked anything up, for the other kinds."""
    own = [
        (one.tool, one.arguments) == PROFILES or one.arguments.get("sql", "").startswith(MARK)
        for one in evidence.results
    ]
    return replace(
        evidence, results=evidence.results[max((at + 1 for at, is_own in enumerate(own) if is_own), default=0) :]
    )


def _is_ours(ask: Ask, evidence: Evidence) -> bool:
    """Whether no other kind knows more of it: of one function in all of the recording, and of a limit, they do."""
    if (
        ask.is_composed
        or len(ask.of) > 1
        or {*THEM} & {*ask.of}
        or "compare" in ask.how
        or (ask.limit is not None and evidence.spoken_of is not None)
    ):
        return True
    single = {*ask.measures} <= {"longest", "shortest", "median", "when", "first"}
    known = measured(evidence.prompt) if single else None
    return bool(ask.measures) and not (known and known.asks(*ask.measures))


def _answered(asked: Asked, evidence: Evidence) -> Answer:
    ask = asked.ask
    if asked.is_of_threads:
        return _of_threads(asked, evidence)
    if "compare" in ask.how and (len(asked.subjects) < PAIR or _FORMS.why.match(evidence.prompt)):
        return None
    of_cpu = evidence.measures_waiting and "cpu" in evidence.prompt.casefold()
    if (
        of_cpu
        or answering.is_of_another_unit(evidence.prompt, asked.unit)
        or any(is_of_a_collector(one) for one in asked.subjects)
    ):
        return None
    if ask.what_if or ask.rank:
        return (_supposed if ask.what_if else _ranked)(asked, evidence)
    is_empty = asked.window is not None and asked.window[0] >= asked.window[1]
    if not asked.frames or not {*ask.measures} <= answering.OF_FUNCTIONS or is_empty:
        return None
    return measured_of(asked, evidence)


def measured_of(asked: Asked, evidence: Evidence) -> Answer:
    """The measures of functions that are known."""
    ask = asked.ask
    if asked.base:
        return _as_part(asked, evidence)
    if len(asked.subjects) > 1 and not ask.by and ask.base != OWN_THREAD:
        return _of_several(asked, evidence)
    if counting := counted.counting(asked):
        return _of_what_is_counted(asked, counting, evidence)
    if ask.base == OWN_THREAD or (asked.is_elsewhere and not (ask.by or asked.divisor or asked.thread)):
        return _of_own_thread(asked, evidence)
    needed = [statement(asked, asked.frames), *([statement(asked, asked.divisor.frames)] if asked.divisor else [])]
    return with_rows(needed, evidence, lambda *tables: _written(asked, list(tables), evidence))


def _of_threads(asked: Asked, evidence: Evidence) -> Answer:
    """How long threads work, when they begin and end, and what makes one of them work longer."""
    ask = asked.ask
    if asked.window or ask.limit or asked.within or ask.without or ask.by:
        return None
    if "compare" in ask.how:
        is_plain = len(asked.profiles) > 1
        return with_rows([threads_against(asked)], evidence, partial(comparing.threads, asked)) if is_plain else None
    if ask.measures and {*ask.measures} <= MOMENTS:
        return with_rows([threads_between(asked)], evidence, partial(comparing.moments, asked))
    is_timed = {*ask.measures} & {*answering.OF_THREADS} and asked.unit == "nanoseconds"
    return answering.of_threads(asked) if is_timed else None


def with_rows(needed: list[str], evidence: Evidence, written: Callable[..., str | None]) -> Answer:
    """What is written of the rows of these statements, once they were asked."""
    asked_before = {one.arguments.get("sql") for one in evidence.results}
    if missing := tuple(("query_trace", {"sql": one}) for one in needed if one not in asked_before):
        return Step(missing)
    found = [evidence.first("query_trace", sql=one) for one in needed]
    tables = [answering.rows_of(one) for one in found if one and one["rows"]]
    return written(*tables) if len(tables) == len(needed) else None


def _supposed(asked: Asked, evidence: Evidence) -> Answer:
    if asked.gone is None or asked.gone.profiles or asked.is_of_threads or asked.within:
        return None
    return with_rows([what_if(asked)], evidence, lambda table: supposing.supposed(asked, table[0]))


def _ranked(asked: Asked, evidence: Evidence) -> Answer:
    """An order of functions; of a unit and with counts that the recording has."""
    rank, ask = asked.ask.rank, asked.ask
    assert rank is not None
    if asked.window or ask.limit or ask.by or ask.base or asked.is_of_threads or (asked.gone and asked.gone.profiles):
        return None
    if rank.of == "callee":
        rank = replace(rank, by="self" if rank.by == "self" else "total")
        if len(asked.subjects) != 1:
            return None
    else:
        if asked.subjects and asked.within is None and len(asked.subjects) == 1:
            asked = replace(asked, within=asked.subjects[0])
        rank = replace(rank, by="self" if "sum" in ask.how else rank.by or "self")
        is_list = rank.number > 1 and not _FORMS.plain_top.match(evidence.prompt)
        is_plain = not (asked.within or asked.thread or rank.first or "calls" in (rank.by, *ask.measures) or is_list)
        is_plain = is_plain or bool(asked.subjects and not (ask.within or ask.placed))  # `which check costs most`
        if (
            is_plain
            or (rank.by == "total" and asked.within is None and not is_list)
            or (rank.by == "calls" and asked.profiles[0]["counted"] != CALLS)
            or len(asked.subjects) > 1
        ):
            return None
    ranked = replace(asked, ask=replace(ask, rank=rank))
    return with_rows([ranking(ranked)], evidence, lambda table: comparing.ranked(ranked, table))


def _as_part(asked: Asked, evidence: Evidence) -> Answer:
    """A function as a part of another one, below which it is counted."""
    assert asked.base is not None
    if asked.base.frames == asked.frames or len(asked.subjects) > 1 or asked.within or asked.thread:
        return None
    ask = replace(asked.ask, measures=("total",))
    below = replace(asked, ask=ask, within=asked.base)
    alone = replace(asked, ask=ask, within=None)
    needed = [statement(below, asked.frames), *(statement(alone, one) for one in (asked.base.frames, asked.frames))]
    return with_rows(needed, evidence, lambda *tables: comparing.as_part(asked, *(one[0] for one in tables)))


def _of_what_is_counted(asked: Asked, counting: Call, evidence: Evidence) -> Answer:
    """The waits or the objects of a function, where these are counted in place of calls."""
    sql = statement(asked, asked.frames)
    if not any((one.tool, one.arguments) == counting for one in evidence.results):
        return Step((counting, ("query_trace", {"sql": sql})))
    rows = [one for one in evidence.rows(counting[0], **counting[1]) if one["handle"] in asked.frames]
    return with_rows([sql], evidence, lambda table: counted.counted_of(asked, rows[0], table[0]) if rows else None)


def _of_own_thread(asked: Asked, evidence: Evidence) -> Answer:
    """Of the thread that a function takes the most in, or of the only one that has it."""
    by_thread = replace(
        asked, ask=replace(asked.ask, by="thread", base="", measures=("total",), limit=None, without="")
    )
    if len(asked.subjects) != 1:
        return None
    is_only = asked.is_elsewhere

    def place(table: Table) -> str:
        return str(table[1]["key"]) if table[1:] and not (is_only and table[2:]) else ""

    found = with_rows([statement(by_thread, asked.frames)], evidence, place)
    row = next((one for one in asked.profiles if one["handle"] == found), None)
    if row is None and (isinstance(found, Step) or not is_only):
        return found or None
    there = replace(asked, ask=replace(asked.ask, base=""))
    there = replace(there, profiles=(row,), thread=answering.thread_of(row)) if row else there
    return with_rows([statement(there, there.frames)], evidence, lambda table: _written(there, [table], evidence))


def _of_several(asked: Asked, evidence: Evidence) -> Answer:
    """Several functions next to each other; of all together where their sum is asked for."""
    if "compare" in asked.ask.how and not asked.ask.measures and any(one.is_place for one in asked.subjects):
        asked = replace(asked, ask=replace(asked.ask, measures=("self", "total")))  # packages run in each other
    ask, parts = asked.ask, asked.parts
    needed = [statement(one, one.frames) for one in parts]
    is_sum = "sum" in ask.how
    if is_sum:
        needed.append(statement(asked, asked.frames))

    def written(*tables: Table) -> str | None:
        rows = [one[0] for one in tables]
        if {*asked.ask.measures} <= {"total", "self", "share"} and any(_has(asked, row) for row in rows):
            rows = [row | {one: row.get(one) or 0.0 for one in ("total", "self")} for row in rows]  # nothing is no gap
        elif not all(_has(asked, row) for row in rows):
            return None
        return comparing.several(asked, rows[: len(parts)], rows[-1] if is_sum else None)

    return with_rows(needed, evidence, written)


def _has(asked: Asked, total: answering.Row) -> bool:
    """Whether the recording has what is asked for; where it has not, the other kinds know why."""
    ask = asked.ask
    if not (total.get("calls") or total.get("samples") or total.get("total")):
        return False
    if "rate" in ask.measures and not (asked.unit == "nanoseconds" and any(one["duration"] for one in asked.profiles)):
        return False
    counts = {*ask.measures} & {"calls", "mean", "rate"} and not asked.counts_calls
    moments = (asked.window is not None or {*ask.measures} & MOMENTS) and "first" not in total
    return not ((asked.needs_calls and asked.kind != "evented") or counts or moments)


def _written(asked: Asked, tables: list[Table], evidence: Evidence) -> str | None:
    (total, *_), ask = tables[0], asked.ask
    if not _has(asked, total):
        return answering.not_there(asked, total, evidence) or None
    if asked.divisor:
        is_plain = {*ask.measures} <= {"total", "calls", "mean"} and not (ask.limit or ask.without)
        return answering.divided(asked, total, tables[1][0]) if is_plain else None
    return answering.keyed(asked, tables[0]) if ask.by else answering.sentence(asked, total)
