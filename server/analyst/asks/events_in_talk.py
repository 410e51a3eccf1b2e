"""Prompts for what a recording holds besides its samples: collections, layouts, interactions, markers, kernels.

A kind is one of a table, or is called like its events. How many there are, how long they take together, the longest and
when, of which names, on which threads; then what goes on about them: `und die längste?`, `how many major ones?`.
"""

import re
from dataclasses import dataclass, replace
from typing import Any

from server.agent.verification.references.figure_links import without_addresses
from server.analyst.asks import ask_statements
from server.analyst.asks.answering import Row, rows_of
from server.analyst.asks.asked_turn import Step
from server.analyst.asks.lexicon import NO_SPACES, lexicon
from server.analyst.evidence import Evidence, length_of
from server.analyst.figures import linked
from server.analyst.forms import expression, first_form, forms, table, word_list
from server.analyst.kinds.kind import SUMMARY
from server.analyst.queries import query
from server.analyst.sentence_forms import asks_for_any, limit_asked
from server.analyst.unread_words import SMALL_WORDS
from server.analyst.wording import amount, cited_profile, coded, joined, share

MOST_WORDS = 18
SHOWN, FEW = 3, 4
MUCH, SOME = 0.3, 0.05
"""Parts of the recording from which events are why it is slow, and from which they add to it."""
THE_MOST = "takes the most on all tracks of the device together"
ON_MAIN = " on the main thread"
OWN = " AS source FROM "
"""In these queries, and in none of another kind."""
_MEASURES = forms("event_measures")
_KINDS = forms("event_kinds")
_GIVEN = frozenset({"count", "longest", "when", "total", "share", "typical", "limit"})
"""What is asked of events and of no function alone."""
_PAUSES = frozenset({"pause", "pauses", "pausen", "pausas", "paused", "stop", "stops"})
_WORD = re.compile(r"[^\W\d_][\w-]*")
_SINGULAR = re.compile(r"\b(?:thread|stream|process|track)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class EventAsk:
    """`kind` is one of the table, or empty where `words` are in the names of events; of a kind they narrow it.
    `profile` is the one that it asks for alone, `frame` that of the only name, `is_of_main` whether it asks for the
    main thread."""

    kind: str
    words: tuple[str, ...]
    measures: frozenset[str] = frozenset()
    profile: str = ""
    frame: str = ""
    is_of_main: bool = False

    def has(self, *names: str) -> bool:
        return bool(self.measures & {*names})

    @property
    def noun(self) -> str:
        noun = f"{' '.join(self.words)} {ask_statements.table()['event_nouns'][self.kind]}".strip() if self.kind else ""
        return noun or f"{coded(' '.join(self.words))} event"


def asked_of(evidence: Evidence) -> tuple[EventAsk, ...]:
    """What the prompt asks of such events, after an answer about some or by itself, the likelier first; empty for any
    other prompt."""
    text = lexicon().written_out(" ".join(evidence.prompt.casefold().split()))
    if "`" in text or len(text.split()) > MOST_WORDS or _MEASURES.otherwise.search(text):
        return ()
    kind = first_form("event_kinds", text)
    text = getattr(_KINDS, kind).sub(" ", text) if kind else text
    measures: set[str] = set()
    for name in table()["event_measures"]:
        form = getattr(_MEASURES, name)
        measures |= {name} if form.search(text) else set()
        text = form.sub(" ", text)
    measures |= {"longest"} if "most" in measures else set()
    words, before = _left(text), _before(evidence)
    if kind == "garbage" and _PAUSES & {*words}:
        kind, words = "pauses", tuple(word for word in words if word not in _PAUSES)
    found: list[EventAsk] = []
    if not kind and before and (measures or words):
        is_of_one = measures == {"thread"} and not words and _SINGULAR.search(evidence.prompt)
        found = [replace(before, words=words or before.words, frame=_frame_of(evidence) if is_of_one else "")]
    measures |= {"count"} if kind and not (measures or words) and len(evidence.prompt.split()) <= FEW else set()
    is_by_name = words and measures & {"count", "longest"} and not {*words} & word_list("of_no_event")
    if (kind and measures & _GIVEN) or (not kind and is_by_name):
        found += [EventAsk(kind, words)]
    profile = _profile_meant(evidence, measures)
    is_of_main = "main" in measures
    return tuple(
        replace(
            one, measures=frozenset(measures), profile=profile, is_of_main=is_of_main or (one.is_of_main and not kind)
        )
        for one in found
    )


def _profile_meant(evidence: Evidence, measures: set[str]) -> str:
    """The thread that was spoken of, where a prompt asks for that alone."""
    spoken = evidence.spoken_of
    is_there = "thread" in measures and re.search(r"\b(?:that|this|the) (?:thread|stream)\b", evidence.prompt)
    cited = re.search(r"\]\(#(p\d+)\)", evidence.openings[-1]) if evidence.openings and is_there else None
    return cited[1] if cited else (spoken.profile if spoken and is_there else "") or ""


def _left(text: str) -> tuple[str, ...]:
    """The words of a prompt that are not of asking."""
    known = lexicon().small | lexicon().refers | SMALL_WORDS | word_list("around_events") | word_list("one_call")
    words = _WORD.findall(NO_SPACES.sub(" ", text))
    return tuple(word for word in words if word not in known)


def _opening(evidence: Evidence) -> str:
    return without_addresses(evidence.openings[-1]) if evidence.openings else ""


def _before(evidence: Evidence) -> EventAsk | None:
    """The events that the newest answer begins with, with what narrows them; None where it begins with others."""
    opening = _opening(evidence)
    nouns = ask_statements.table()["event_nouns"]
    for kind, noun in nouns.items():
        plural = rf"(?:{noun}s?|{noun[:-1]}ies|{noun.replace(' for', 's for')}s)"
        if found := re.match(
            rf"\*\*[^*`\[]*?[\d,]+ (?P<of>(?:(?!of\b)[a-z][\w-]* )*?){plural}\b(?P<main>{ON_MAIN})?", opening
        ):
            return EventAsk(kind, tuple(found["of"].split()), is_of_main=found["main"] is not None)
    if found := re.match(r"\*\*(?:[^*`\[]*? )?`([^`]+)` events?\b", opening):
        return EventAsk("", tuple(found[1].casefold().split()))
    if THE_MOST in opening:
        return EventAsk("kernels", ())
    return EventAsk("garbage", ()) if re.match(r"\*\*[\d,]+ (?:pauses|collections) ", opening) else None


def _frame_of(evidence: Evidence) -> str:
    """The handle of the events that the newest answer names first, where it begins with one."""
    found = re.search(r"\]\(#(f\d+)\)", evidence.openings[-1])
    return found[1] if found and re.match(r"\*\*(?:By name|The longest|\[)", evidence.openings[-1]) else ""


def _condition(word: str, column: str = "a.name", *, in_place: bool = False) -> str:
    """That a name has a word, as people and recorders write it; or, `in_place`, the thread's name."""
    if word in table()["event_narrower"]:
        return f"regexp_matches(lower({column}), '{expression('event_narrower', word)}')"
    stem = word.removesuffix("s") if len(word) > 3 else word
    columns = (column, "p.name") if in_place else (column,)
    return f"({' OR '.join(f'contains(lower({one}), {stem!r})' for one in columns)})"


def statement(ask: EventAsk, text: str) -> str:
    """The query for these events."""
    narrowed = " AND ".join(_condition(word, in_place=bool(ask.kind)) for word in ask.words) or "true"
    if ask.kind:
        ways = [f"({one}) AND {narrowed}" for one in ask_statements.table()["event_ranks"][ask.kind]]
    else:
        taken = " AND ".join(_condition(word, "f.name") for word in ask.words)
        called = [f"'{''.join(ask.words)}'", f"'{''.join(ask.words).removesuffix('s')}'"]
        exact = f"lower(replace({{}}, ' ', '')) IN ({', '.join(called)})"
        of_none = "a.source IN ('interval', 'moment') AND {} AND NOT EXISTS (SELECT 1 FROM frames f WHERE {})"
        ways = [of_none.format(exact.format("a.name"), exact.format("f.name")), of_none.format(narrowed, taken)]
    there = f" AND a.profile IN ('{ask.profile}')" if ask.profile else ""
    there += f" AND a.frame = '{ask.frame}'" if ask.frame else ""
    ranks = " ".join(f"WHEN {one}{there} THEN {at}" for at, one in enumerate(ways))
    limit = limit_asked(text)
    return query("recorded_events").format(ranks=ranks, limit=f"{limit[0]:g}" if limit else "0")


def step(evidence: Evidence, offered: frozenset[str]) -> Step | None:
    """What such a prompt needs next, or its answer; None where the recording has none of them."""
    for ask in asked_of(evidence) if "query_trace" in offered else ():
        if ask.is_of_main and not evidence.called(SUMMARY[0]):
            return Step((SUMMARY,))
        sql = statement(replace(ask, profile=_of_main(evidence)) if ask.is_of_main else ask, evidence.prompt)
        if not any(one.arguments.get("sql") == sql for one in evidence.results):
            return Step((("query_trace", {"sql": sql}),))
        found = rows_of(evidence.first("query_trace", sql=sql) or {"rows": []})
        rows = [{name.removesuffix("_ms"): value for name, value in row.items()} for row in found]
        if rows and not evidence.called(SUMMARY[0]):
            return Step((SUMMARY,))
        if rows and not (ask.measures == {"names"} and sum(1 for row in rows if row["name"]) == 1):
            return Step(text=_written(ask, rows, evidence))
        if ask.kind in word_list("kinds_of_their_own"):
            return Step(text=f"**No {ask.noun} is recorded in this trace**: no event in it is named like one.")
    return None


def _of_main(evidence: Evidence) -> str:
    """The profiles of the thread that leads, as a list of the query."""
    main = evidence.profile((evidence.summary or {}).get("default_profile"))
    rows = [row for row in evidence.profiles if main and (row["pid"], row["tid"]) == (main["pid"], main["tid"])]
    return "', '".join(row["handle"] for row in rows)


def others(evidence: Evidence) -> Evidence:
    """As if no events had been looked for, for the other kinds."""
    return replace(evidence, results=tuple(one for one in evidence.results if OWN not in one.arguments.get("sql", "")))


def _written(ask: EventAsk, rows: list[Row], evidence: Evidence) -> str:
    everything, names, places = rows[0], [row for row in rows if row["name"]], [row for row in rows if row["profile"]]
    most = names[0]
    if ask.kind == "kernels" and ask.has("most"):
        runs = f"in {_count(most['events'])} runs, the longest {_ns(most['longest'])}"
        return f"**{_called(most)} {THE_MOST}: {_ns(most['took'])}**, {runs}. By name there are {_by_name(names)}."
    first = _sentence(ask, everything, places, evidence)
    by_name = f"By name {_many(ask, everything['events'])} are {_by_name(names)}" if len(names) > 1 else ""
    by_place = f"By thread there are {_by_place(places, evidence)}" if len(places) > 1 else ""
    if ask.frame:
        what = f"{_count(everything['events'])} {_called(names[0])} took {_ns(everything['took'])} together"
        return (
            f"**{what}: {_by_place(places, evidence)}**."
            if len(places) > 1
            else f"**{what}**, {_placed(everything, evidence)}."
        )
    if ask.has("names") and by_name:
        return f"**{by_name}**; {_lower(first.replace('**', ''))}"
    if ask.has("thread") and by_place and not ask.profile:
        return f"**{by_place}**; {_lower(first.replace('**', ''))}"
    return " ".join([first, *(f"{one}." for one in (by_name, by_place) if one)])


def _sentence(ask: EventAsk, row: Row, places: list[Row], evidence: Evidence) -> str:
    """What is asked for, then the rest."""
    many = _many(ask, row["events"])
    yes = "Yes: " if asks_for_any(evidence.prompt) and not ask.has("problem", "share") else ""
    if row["took"] is None:
        at = [amount(row[one], "nanoseconds") for one in ("first", "last")]
        when = f"at {at[0]}" if row["events"] == 1 else f"from {at[0]} to {at[1]}"
        return f"**{yes}{many} {'is' if row['events'] == 1 else 'are'} marked**, {when}."
    part, said = _share(places[0], evidence)
    of_all = said if len(places) == 1 else ""
    longest = f"the longest {_ns(row['longest'])} {_placed(row, evidence)}"
    sums = f"{many} took {_ns(row['took'])} together{of_all}"
    middle = f"the middle one {_ns(row['middle'])}"
    if limit := limit_asked(evidence.prompt):
        yes = yes if row["longer"] or not yes else "No: "
        return f"**{yes}{_count(row['longer'])} of {many} took longer than {limit[1]}**; {longest}, {middle}."
    if ask.has("problem") and part is not None:
        verdict = "Yes" if part >= MUCH else "Partly" if part >= SOME else "No"
        return f"**{verdict}: {sums}**; {longest}, {middle}."
    if ask.has("longest", "when") and not ask.has("count", "total", "share"):
        of_it = longest.replace("the longest", f"The longest of {many} took", 1)
        return f"**{of_it}**; together they took {_ns(row['took'])}{of_all}, {middle}."
    if ask.has("typical") and not ask.has("count", "total", "longest"):
        mean = amount(float(row["took"]) / float(row["events"]), "nanoseconds")
        return f"**{many} took {mean} on average**, {middle}; {longest}, together {_ns(row['took'])}{of_all}."
    if row["events"] == 1:
        return f"**{yes}{many} took {_ns(row['took'])}{of_all}, {_placed(row, evidence)}**."
    return f"**{yes}{sums}, {longest}**; {middle}."


def _many(ask: EventAsk, count: Any) -> str:
    noun = f"{ask.noun[:-1]}ies" if ask.noun.endswith("y") else f"{ask.noun}s"
    noun = "pauses for collections" if ask.noun == "pause for collections" else noun
    return f"{_count(count)} {noun if count != 1 else ask.noun}{ON_MAIN if ask.is_of_main else ''}"


def _count(value: Any) -> str:
    return linked(f"{int(value):,}", value)


def _ns(value: Any) -> str:
    return amount(value, "nanoseconds")


def _share(row: Row, evidence: Evidence) -> tuple[float | None, str]:
    """The part of the recording that those of a profile take."""
    one = evidence.profile(row["there"])
    length = length_of(one) if one else 0.0
    if not length or row["took"] is None or row["took"] > length:
        return None, ""
    part = row["took"] / length
    return part, f" ({share(part)} of the recording)"


def _placed(row: Row, evidence: Evidence) -> str:
    one, name = evidence.profile(row["there"]), row["longest_name"]
    called = _called({"name": name, "frame": row["longest_frame"]})
    where = f" in {cited_profile(one)}" if one else ""
    return f"from {_ns(row['at'])} on{where} ({called})"


def _called(row: Row) -> str:
    return f"[{coded(row['name'])}](#{row['frame']})" if row["frame"] else coded(row["name"])


def _by_name(names: list[Row]) -> str:
    said = []
    for row in names[:SHOWN]:
        took = f" ({_ns(row['took'])}, the longest {_ns(row['longest'])})" if row["took"] is not None else ""
        said.append(f"{_count(row['events'])} {_called(row)}{took}")
    rest = len(names) - SHOWN
    return joined([*said, *([f"{rest} more names"] if rest > 1 else ["one more name"][: max(rest, 0)])])


def _by_place(places: list[Row], evidence: Evidence) -> str:
    """The threads that have the most of it."""
    said = []
    for row in places[:SHOWN]:
        one = evidence.profile(row["profile"])
        took = f", {_ns(row['took'])}{_share(row, evidence)[1]}" if row["took"] is not None else ""
        said += [f"{_count(row['events'])} in {cited_profile(one)}{took}"] if one else []
    return "; ".join(said)


def _lower(sentence: str) -> str:
    return f"{sentence[:1].lower()}{sentence[1:]}"
