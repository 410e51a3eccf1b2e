"""An ask through a turn: read, taken on from the prompts before, looked up, answered; or left to the other kinds."""

from dataclasses import dataclass, replace

from server.analyst.asks import answering
from server.analyst.asks.ask import IT, MOMENTS, WORST, Ask, after
from server.analyst.asks.ask_statements import MARK, Asked, statement
from server.analyst.asks.named import PROFILES, finds, named, spoken_of, threads
from server.analyst.asks.read_asks import read
from server.analyst.evidence import Evidence
from server.analyst.kinds.kind import Call
from server.analyst.moments import called_between

OFFERED = frozenset({"list_profiles", "find_frames", "query_trace"})
_OF_THREADS = frozenset({*answering.OF_THREADS, "total"})
_KEYS = ("", "thread", "caller")


@dataclass(frozen=True, slots=True)
class Step:
    """What an ask needs next: `calls`, or none and the `text` that answers it."""

    calls: tuple[Call, ...] = ()
    text: str = ""


def asked_in(evidence: Evidence) -> Ask | None:
    """What the prompt asks for, with what it leaves out; None where it is none, or leaves out what nobody named."""
    ask, spoken = read(evidence.prompt), evidence.spoken_of
    before: Ask | None = None
    for prompt in (*spoken.prompts, spoken.prompt) if spoken else ():
        earlier = read(prompt)
        before = after(earlier, before) if earlier else None
    if ask is None or not (ask.of or ask.measures or before):
        return None
    ask = after(ask, before) if spoken else ask
    if ask.same_window and ask.window is None:
        window = called_between(evidence.openings[-1]) if spoken and evidence.openings else None
        ask = replace(ask, window=window, clock=(spoken.profile or "") if spoken else "")
        if window is None:
            return None
    if ask.without == IT and before and "longest" in before.measures:
        ask = replace(ask, without=WORST)
    return ask if ask.without in ("", WORST) else None


def step(evidence: Evidence, offered: frozenset[str]) -> Step | None:
    """What an ask needs next; None where the prompt is left to the other kinds."""
    ask = asked_in(evidence) if offered >= OFFERED else None
    if ask is None or not (_is_ours(ask, evidence) or ask.placed or {*ask.measures} & {*answering.OF_THREADS}):
        return None
    if not evidence.results:
        return Step((*finds(ask, evidence), PROFILES))
    texts: list[str] = []
    for one in (replace(ask, then=None), *_joined(ask)):
        asked = _looked_up(one, evidence)
        is_ours = asked is not None and (asked.is_of_threads or asked.thread is not None or _is_ours(ask, evidence))
        answered = _answered(asked, evidence) if asked and is_ours else None
        if not isinstance(answered, str):
            return answered
        texts.append(answered)
    return Step(text=" ".join(texts))


def _joined(ask: Ask) -> tuple[Ask, ...]:
    """What is asked after an `and`, of what stands before it."""
    if ask.then is None:
        return ()
    then = after(ask.then, ask)
    return (replace(then, of=ask.of if then.of == (IT,) else then.of),)


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
    return ask.is_composed or (ask.limit is not None and evidence.spoken_of is not None)


def _looked_up(ask: Ask, evidence: Evidence) -> Asked | None:
    """The ask with its names looked up; None where one stands for nothing here."""
    every, before = threads(evidence), spoken_of(evidence)
    of = [named(one, evidence) for one in ask.of]
    scopes = [
        named(one, evidence, is_thread=is_thread) for one, is_thread in ((ask.within, False), (ask.thread, True)) if one
    ]
    by = named(ask.by, evidence) if ask.by not in _KEYS else None
    if None in (*of, *scopes) or not every or (by is None and ask.by not in _KEYS):
        return None
    known = [one for one in of if one]
    within = next((one for one in scopes if one and one.frames), None)
    thread = next((one for one in scopes if one and one.profiles), None)
    if len(known) == 1 and known[0].profiles and not {*ask.measures} <= _OF_THREADS:
        if not (before and before.frames and ask.placed):
            return None
        known, thread = [before], known[0]  # `on press-2?` after an answer about a function
    subjects = [one for one in known if one.profiles]
    if len(subjects) > 1 or (subjects and (len(known) > 1 or by)):
        return None
    if by and by.profiles:
        ask, thread, by = replace(ask, by="thread"), by, None
    place = thread or (subjects[0] if subjects else None)
    profiles = place.profiles if place else tuple(every)
    if ask.placed and not thread and not ask.goes_on and known and known[0].frames:
        own = read(evidence.prompt)
        ask = replace(ask, window=own.window if own else None)
    is_timed = ask.window is not None or bool({*ask.measures} & MOMENTS)
    if is_timed and len(profiles) > 1 and any(row["clock"] == "own" for row in profiles):
        return None
    return Asked(
        ask=ask,
        frames=tuple(frame for one in known for frame in one.frames),
        profiles=profiles,
        label=" and ".join(one.label for one in known) or "the recording",
        within=within,
        thread=thread if ask.by != "thread" or ask.thread else None,
        window=ask.window.within(max(row["duration"] or 0.0 for row in profiles) / 1e6) if ask.window else None,
        divisor=by,
        is_of_threads=bool(subjects),
    )


def _answered(asked: Asked, evidence: Evidence) -> "str | Step | None":
    """The text, or the statement that it needs; None where the recording has nothing for it."""
    ask = asked.ask
    if asked.is_of_threads and {*ask.measures} & {*answering.OF_THREADS} and not asked.window:
        is_plain = not (ask.limit or asked.within or ask.without or ask.by) and asked.unit == "nanoseconds"
        return answering.of_threads(asked) if is_plain else None
    if not asked.frames or not {*ask.measures} <= answering.OF_FUNCTIONS:
        return None
    if asked.window and asked.window[0] >= asked.window[1]:
        return None
    needed = [statement(asked, asked.frames), *([statement(asked, asked.divisor.frames)] if asked.divisor else [])]
    asked_before = {one.arguments.get("sql") for one in evidence.results}
    if missing := tuple(("query_trace", {"sql": one}) for one in needed if one not in asked_before):
        return Step(missing)
    found = [evidence.first("query_trace", sql=one) for one in needed]
    tables = [answering.rows_of(one) for one in found if one and one["rows"]]
    return _written(asked, tables) if len(tables) == len(needed) else None


def _written(asked: Asked, tables: list[list[answering.Row]]) -> str | None:
    (total, *parts), ask = tables[0], asked.ask
    if not (total.get("calls") or total.get("samples") or total.get("total")):
        return None
    counts = {*ask.measures} & {"calls", "mean"} and not asked.counts_calls
    moments = (asked.window is not None or {*ask.measures} & MOMENTS) and "first" not in total
    if (asked.needs_calls and asked.kind != "evented") or counts or moments:
        return None  # the other kinds know why the recording has none
    if asked.divisor:
        is_plain = {*ask.measures} <= {"total", "calls", "mean"} and not (ask.limit or ask.without)
        return answering.divided(asked, total, tables[1][0]) if is_plain else None
    if ask.by or len(ask.of) > 1:
        return answering.keyed(asked, tables[0]) if ask.by or len(parts) == len(ask.of) else None
    return answering.sentence(asked, total)
