"""What is asked of two recordings, or of the other one alone: of a function, of all, or which functions changed. Both
are named in each answer, so that it is plain which of them a figure is of.
"""

import re
from dataclasses import replace
from typing import Any

from server.agent.verification.references.figure_links import without_addresses
from server.analyst.asked_of_two import LABEL, OF_ONE, OF_THE_CHANGE, Asked, asked_of_two
from server.analyst.asks.asked_turn import Step
from server.analyst.asks.named import placed, spoken_of
from server.analyst.asks.read_asks import read
from server.analyst.evidence import Evidence, Result
from server.analyst.forms import forms
from server.analyst.kinds import spoken_names
from server.analyst.kinds.changes_between import (
    MUCH,
    Change,
    alike,
    calls_or_cost,
    change_of,
    changed,
    cited_row,
    explained,
    most,
    only_in_one,
    part_of_it,
    total_of,
    went,
)
from server.analyst.kinds.kind import SUMMARY, Call
from server.analyst.kinds.meant_functions import is_named
from server.analyst.kinds.other_recording import ENDINGS, LIKE, is_newer, own_words, turned
from server.analyst.measured import Measured
from server.analyst.moments import time_ranges
from server.analyst.question import alone
from server.analyst.sentence_forms import is_yes_or_no
from server.analyst.spoken_of import GOES_BACK
from server.analyst.subjects import IDENTIFIER
from server.analyst.thread_names import is_in
from server.analyst.wording import amount, coded, joined, share
from traces.lazy_regex import lazy_regex

_FORMS = forms("two_recordings")
OTHERS: Call = ("search_findings", {"limit": 29})
"""No other kind asks for so many: by it the calls of these questions are known."""
COMPARED = 500
SHOWN = 3
_NAMED = lazy_regex(r"`([^`\n]+)`(?:\]\(#(f\d+)\))?")
_OF_TWO = lazy_regex(r"^(?:\W*[^.]{2,60}\.\*\* )?\W*In `[^`\n]+` it is .+? in all, here ")
_CJK = lazy_regex(r"[\u3040-\u9fff]")
_SPELLED = lazy_regex(r"[A-Za-z_][A-Za-z0-9_.:#]{2,}(?![^\W\d_])")


def step(evidence: Evidence, offered: frozenset[str]) -> Step | None:
    """What such a question needs next, or its answer; None where it is none, or the two have nothing for it."""
    before = evidence.spoken_of
    openings = tuple(without_addresses(one) for one in evidence.openings)
    asked = asked_of_two(evidence.prompt, (*before.prompts, before.prompt) if before else (), openings)
    is_plain = (
        asked
        and asked.what in (*OF_ONE, *OF_THE_CHANGE)
        and not (asked.side or _FORMS.recording.search(evidence.prompt))
    )
    if is_plain and before and before.sets_against and not before.is_of_recordings:
        return None  # it may be of the two functions
    if (
        time_ranges(evidence.prompt, [])
        or asked is None
        or not offered >= {OTHERS[0], "compare_traces", "find_frames"}
        or others_left(evidence)
    ):
        return None
    if not evidence.results:
        return Step((SUMMARY, OTHERS))
    other = _other(evidence)
    asked = _of_the_names(asked, other, evidence) if other else None
    if other is None or asked is None or not asked.what:
        return None
    names = _names(asked)
    calls = spoken_names.finds(Measured((), names))[: 2 * SHOWN]
    compared: Call = ("compare_traces", {"others": [other["trace_id"]], "limit": COMPARED, "absolute": True})
    if not evidence.called("compare_traces"):
        return Step((*calls, compared))
    found = evidence.first("compare_traces", **compared[1])
    if found is None or not found["related"]:
        is_sure = asked.side or _FORMS.recording.search(evidence.prompt) or LABEL.search(evidence.prompt)
        why = found["notes"][0] if found else "it measures something else"
        open_it = f"**{coded(other['trace'])} cannot be set against this one**: {why}. Open it to ask about it."
        return Step(text=open_it) if is_sure else None
    text = _answer(asked, names, found, other, evidence)
    return Step(text=text) if text else None


def others_left(evidence: Evidence) -> bool:
    """Whether another kind looked things up already."""
    return bool(evidence.results) and evidence.first(OTHERS[0], **OTHERS[1]) is None


def without_them(evidence: Evidence) -> tuple[Evidence, Evidence]:
    """As if nothing had been looked up for these questions: for what has not looked up anything yet, and with what
    others can use of it."""
    own = [at for at, one in enumerate(evidence.results) if _is_own(one)]
    if not own:
        return evidence, evidence
    later = evidence.results[own[-1] + 1 :]
    every = tuple(one for one in evidence.results if not _is_own(one))
    return replace(evidence, results=every if later else ()), replace(evidence, results=every)


def _is_own(one: Result) -> bool:
    return (one.tool, one.arguments) == OTHERS or one.arguments.get("limit") == COMPARED


def _other(evidence: Evidence) -> dict[str, Any] | None:
    """The other recording; None without one, or where it may be any of several."""
    found = evidence.first(OTHERS[0], **OTHERS[1])
    rows: list[dict[str, Any]] = (found or {}).get("traces", [])
    if len(rows) > 1:
        text = evidence.prompt.casefold()
        named = [row for row in rows if any(is_in(word, text) for word in own_words(row["trace"], _this(evidence)))]
        rows = named if len(named) == 1 else []
    return rows[0] if len(rows) == 1 else None


def _this(evidence: Evidence) -> str:
    return str((evidence.summary or {}).get("name", ""))


def _of_the_names(asked: Asked, other: dict[str, Any], evidence: Evidence) -> Asked | None:
    """What is asked, once the names of the two are known: of the one that is named, or called new or old."""
    this, there = _this(evidence), other["trace"]
    if asked.side:
        words = (own_words(this, there), own_words(there, this))
        is_here, is_there = (any(asked.side in word or word in LIKE[asked.side] for word in one) for one in words)
        opposite = any(word in LIKE["old" if asked.side == "new" else "new"] for word in words[0])
        return None if is_here and not is_there else asked if is_there or opposite or not is_here else None
    rest, named = asked.rest, []
    for at, name in enumerate((this, there)):
        stem, alike = ENDINGS.sub("", name), (this, there)[1 - at]
        for one in (name, stem, *sorted(own_words(name, alike))):
            if is_in(one, rest) and not any(one in span for span in re.findall(r"`([^`]*)`", rest)):
                rest = re.sub(
                    rf"(?:\b(?:in|of|from|for|im|von|dans|en|de|em) )?{re.escape(one)}", " ", rest, flags=re.IGNORECASE
                )
                named.append(at)
                break
    rest = re.sub(
        r"\b(?:vs\.?|versus|against|compared (?:to|with))\s*$|^\W+", "", " ".join(rest.split()).rstrip("?:, ")
    )
    if asked.what:
        return asked
    what = "both" if {*named} == {0, 1} else "other" if named == [1] else ""
    what = "than" if what == "other" and _FORMS.than.search(asked.rest) else what
    rest = _FORMS.than.sub(" ", rest) if what == "than" else rest
    return replace(asked, what=what, rest=rest.strip(" ?!.,:")) if what else None


def _names(asked: Asked) -> tuple[str, ...]:
    """The names of what is asked of, as far as words are none of asking."""
    if asked.what not in (*OF_ONE, "part", "cost", "explains") or _FORMS.of_all.match(_plain(asked.rest)):
        return ()
    rest = asked.rest if asked.what in OF_ONE else _FORMS.both.sub(" ", _FORMS.other.sub(" ", asked.rest))
    rest = " ".join(_FORMS.degree.sub(" ", rest).split())
    if asked.what == "cost" or _CJK.search(rest):
        return tuple(_SPELLED.findall(rest))
    ask = read(rest)
    if ask and ask.names:
        return tuple(ask.names)
    if not rest.isascii() and (found := _SPELLED.findall(rest)):
        return tuple(found)
    question = alone(rest, {}, None)
    return question.names or question.placed or question.maybe


def _plain(rest: str) -> str:
    return _FORMS.faster.sub(" ", _FORMS.degree.sub(" ", rest))


def _answer(
    asked: Asked, names: tuple[str, ...], found: dict[str, Any], other: dict[str, Any], evidence: Evidence
) -> str:
    this, there = coded(_this(evidence)), coded(other["trace"])
    totals = _of_all(replace(asked, rest=""), found, there).replace("**", "")
    change = change_of(found, this, there, is_later_there=is_newer(other, evidence))
    if asked.what not in OF_ONE:
        rows = [row for name in names if (row := _row(name, change.found, evidence))]
        if asked.what == "cost":
            words = {name.casefold() for name in names}
            rows = [row for row in change.found["rows"] if row["name"].casefold() in words]
            names = tuple(name for name in names if IDENTIFIER.search(name))
        said = "" if len(rows) < len(names) else _of_the_change(asked, change, rows, evidence)
        return f"{said} {totals}" if said and asked.what in ("grew", "shrank") else said
    if names and not (_FORMS.leads.search(asked.rest) and not any(_row(name, found, evidence) for name in names)):
        rows = [row for name in names if (row := _row(name, found, evidence))]
        if len(rows) < len(names):
            return _none_of(names, found, totals, evidence)
        of_calls = _FORMS.single_calls.search(asked.rest)
        first = "**Single calls are not compared here**; what all of them take: " if of_calls else ""
        each = [_of_function(row, asked, found, there, evidence) for row in rows]
        return f"{first}{' '.join((*each, totals))}"
    ask = read(asked.rest) if asked.rest else None
    is_faster = _FORMS.faster.search(asked.rest) and not _FORMS.asks_what.search(asked.rest)
    if _FORMS.which_faster.match(asked.rest):
        return f"{_of_all(asked, found, there)} {explained(change)}"
    if _FORMS.leads.search(asked.rest) and not is_faster:
        sides = {"other": Change(turned(found), this, there), "here": Change(found, there, this)}
        return " ".join(most(one) for what, one in sides.items() if asked.what in (what, "both", "than"))
    is_of_all = any(_OF_TWO.search(without_addresses(one)) for one in evidence.openings[-1:])
    before = spoken_of(evidence) if evidence.spoken_of and not is_of_all else None
    plain = _plain(asked.rest)
    is_of_it = not _FORMS.faster.search(asked.rest) or re.search(r"\b(?:it|that)\b", asked.rest)
    if before and before.frames and is_of_it and (ask or _FORMS.of_all.match(plain)):
        row = next((one for one in found["rows"] if one["handle"] in before.frames), None)
        return _of_function(row, asked, found, there, evidence) if row else ""
    if not _FORMS.of_all.match(plain) and not (_CJK.search(plain) and _FORMS.faster.search(asked.rest)):
        return ""
    return f"{_of_all(asked, found, there)} {explained(change) if _FORMS.faster.search(asked.rest) else ''}".strip()


def _of_the_change(asked: Asked, change: Change, rows: list[dict[str, Any]], evidence: Evidence) -> str:
    """What is asked about the change of all, or of the function that is named or was spoken of."""
    if asked.what in ("grew", "shrank"):
        return changed(change, grown=asked.what == "grew")
    if asked.what in ("new", "gone"):
        return only_in_one(change, is_new=asked.what == "new")
    if asked.what == "memory":
        has_none = change.unit != "bytes" and all(row["unit"] != "bytes" for row in evidence.profiles)
        none = f"**How much memory is used, I cannot say: neither {change.old} nor {change.new} has that recorded.**"
        return f"{none} {went(change)[:1].upper()}{went(change)[1:]}." if has_none else ""
    if asked.what == "next":
        return most(change)
    if asked.what == "same":
        return alike(change)
    row = next(iter(rows), None) or (None if asked.what == "explains" else _row_before(asked, change, evidence))
    if row is None:
        return (
            f"**{went(change)[:1].upper()}{went(change)[1:]}.** {explained(change)}" if asked.what == "explains" else ""
        )
    return part_of_it(change, row) if asked.what == "part" else calls_or_cost(change, row)


def _none_of(names: tuple[str, ...], found: dict[str, Any], totals: str, evidence: Evidence) -> str:
    """What is said of functions that a comparison does not list; empty where the words may be something else."""
    left = [name for name in names if not _row(name, found, evidence)]
    if not all(f"`{name}`" in evidence.prompt or IDENTIFIER.search(name) for name in left):
        return ""
    missing = joined([coded(name) for name in left])
    here = [row for result in evidence.all("find_frames") for row in result.data["rows"]]
    if any(is_named(row, name) for name in left for row in here):
        return f"**{missing} changed less than the {len(found['rows'])} functions that a comparison lists.** {totals}"
    return f"**I found no function for {missing} in these two recordings.** {totals}"


def _row_before(asked: Asked, change: Change, evidence: Evidence) -> dict[str, Any] | None:
    """The function that an answer before names first, for a cost one whose calls are known; else what changed most."""
    rows = [row for row in change.found["rows"] if asked.what == "part" or "count" in row["before"] | row["after"]]
    rows = rows or change.found["rows"]
    for opening in evidence.openings[:-GOES_BACK:-1]:
        for name, handle in _NAMED.findall(opening):
            for row in rows:
                if row["handle"] == handle or (not handle and row["name"] == name):
                    return dict(row)
    return next((row for row in change.by_change() if row in rows), None)


def _row(name: str, found: dict[str, Any], evidence: Evidence) -> dict[str, Any] | None:
    """The row of the function that is called so, in this recording, or in the other one alone."""
    subject, _, _ = placed(name, evidence)
    frames = subject.frames if subject else ()
    alike = [row for row in found["rows"] if row["handle"] in frames]
    handle = None if alike else spoken_names.handle_named(name, evidence)
    alike = alike or [row for row in found["rows"] if handle and row["handle"] == handle]
    called = [row for row in found["rows"] if row["name"].casefold() == name.casefold()]
    return next(iter(alike or called), None)


def _of_function(row: dict[str, Any], asked: Asked, found: dict[str, Any], there: str, evidence: Evidence) -> str:
    """What a function takes in both, and how often it was called there where that is known."""
    unit, sides = found["unit"], (row["after"], row["before"])
    values = [total_of(one) for one in sides]
    sums = (found["after"]["whole"], found["before"]["whole"])
    counts = [f"{one['count']:,} call{'' if one['count'] == 1 else 's'}" if "count" in one else "" for one in sides]
    of_calls = _FORMS.calls.search(f"{asked.rest} {evidence.prompt}") or (
        evidence.spoken_of and _FORMS.calls.search(evidence.spoken_of.prompt) and not asked.rest
    )
    here_, there_ = (
        f"{count} ({amount(value, unit)}, {share(value / of_all)})"
        if of_calls and count
        else f"{amount(value, unit)} ({share(value / of_all)}){f' in {count}' if count else ''}"
        for value, of_all, count in zip(values, sums, counts, strict=True)
    )
    if of_calls and not any(counts):
        never = f"**How often {cited_row(row)} was called, these recordings do not say.**"
        return f"{never} It takes {there_} in {there} and {here_} here."
    if values[1] <= 0:
        return f"**{cited_row(row)} is not in {there}**; here it is {here_}."
    if values[0] <= 0:
        return f"**{cited_row(row)} is in {there} alone: {there_}.**"
    first, second = (f"{there_} in {there}", f"{here_} here")
    first, second = (first, second) if asked.what == "other" else (second, first)
    yes = _yes(evidence.prompt, *(values if asked.what == "than" else values[::-1]))
    own = [amount(one["self_value"], unit) for one in sides]
    times = _times(values[0], values[1], there)
    return f"**{yes}{cited_row(row)}: {first} and {second}.** {times} Itself {own[1]} there, {own[0]} here."


def _times(here: float, there: float, name: str) -> str:
    """How many times as much the one is as the other."""
    more, less = max(here, there), min(here, there)
    if less <= 0 or more < MUCH * less:
        return "That is about the same."
    return f"That is {more / less:.1f} times as much {'here' if here > there else f'in {name}'}."


def _yes(prompt: str, it: float, than: float) -> str:
    """Yes or no where it is asked whether one is faster or slower than the other."""
    if not _FORMS.faster.search(prompt) or not (is_yes_or_no(prompt) or re.search(r"\w:|: |\?$", prompt)):
        return ""
    less, more = (than, it) if _FORMS.slower.search(prompt) else (it, than)
    return "Yes: " if more >= MUCH * less else "No: "


def _of_all(asked: Asked, found: dict[str, Any], there: str) -> str:
    before, after, unit = found["before"]["whole"], found["after"]["whole"], found["unit"]
    more, less = max(before, after), min(before, after)
    ratio = f": {more / less:.1f} times {'as much' if after > before else 'as much there'}" if less > 0 else ""
    verdict = ""
    if _FORMS.faster.search(asked.rest):
        asks_which = _FORMS.which_faster.match(asked.rest) is not None
        takes_more = asks_which and _FORMS.slower.search(asked.rest) is not None
        both = (after, before) if asked.what == "than" else (before, after)
        is_open = asks_which or _FORMS.either.search(asked.rest) or _FORMS.degree_asked.search(asked.rest)
        yes = "" if is_open else _yes(f"is it {asked.rest}", *both).strip(": ")
        takes_more = before < after if asked.what == "than" else takes_more
        one = there if asked.what != "than" and (before < after) != takes_more else "this one"
        said = f"{one} takes {'more' if takes_more else 'less'}" if more >= MUCH * less else "it is about the same"
        verdict = f"**{yes}, {said}.** " if yes else f"**{said[:1].upper()}{said[1:]}.** "
    return f"{verdict}**In {there} it is {amount(before, unit)} in all, here {amount(after, unit)}{ratio}.**"
