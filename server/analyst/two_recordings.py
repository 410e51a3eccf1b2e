"""What is asked of two recordings, or of the other one alone: of a function, of all, or which functions changed. Both
are named in each answer, so that it is plain which of them a figure is of.
"""

import re
from dataclasses import dataclass, replace
from typing import Any

from server.agent.verification.references.figure_links import without_addresses
from server.analyst.asks.asked_turn import Step
from server.analyst.asks.named import placed, spoken_of
from server.analyst.asks.read_asks import read
from server.analyst.evidence import Evidence, Result
from server.analyst.forms import forms
from server.analyst.kinds import spoken_names
from server.analyst.kinds.kind import SUMMARY, Call
from server.analyst.kinds.other_recording import is_newer
from server.analyst.measured import Measured
from server.analyst.moments import time_ranges
from server.analyst.pseudo_frames import is_pseudo
from server.analyst.question import alone
from server.analyst.sentence_forms import is_yes_or_no
from server.analyst.subjects import IDENTIFIER
from server.analyst.thread_names import is_in
from server.analyst.wording import amount, cited, coded, joined, share
from traces.lazy_regex import lazy_regex

_FORMS = forms("two_recordings")
OTHERS: Call = ("search_findings", {"limit": 29})
"""No other kind asks for so many: by it the calls of these questions are known."""
COMPARED = 200
SHOWN = 3
MUCH = 1.05
"""Times as much as another value from which it is more."""
_WORD = lazy_regex(r"[^\W_]{3,}")
_LABEL = lazy_regex(r"(?<![\w.-])[A-Za-z]\w+(?:-[A-Za-z]\w*)+(?:\.\w+)*|\bvs\b")
_SENTENCE = lazy_regex(r"(?<=[.!?])\s+(?=\w+ \w+ \w+)")
_ENDINGS = lazy_regex(r"(?:\.(?:gz|zst|pb|prof|pstats|json|jfr|cpuprofile|heapprofile|txt|out|perf|html|svg|trace))+$")
_HEX = lazy_regex(r"0x[0-9a-f]+")
_OF_TWO = lazy_regex(r"^(?:\W*[^.]{2,60}\.\*\* )?\W*In `[^`\n]+` it is .+? in all, here ")
_SPELLED = lazy_regex(r"[A-Za-z_][A-Za-z0-9_.:#]{2,}(?![^\W\d_])")
_SETS_AGAINST = lazy_regex(r"\bin all, here \d|` and [^`]+ here\.\*\*|\bhere and [^`]+ in `[^`]+`\.\*\*")
_AND_OF = lazy_regex(r"^(?:and|und|et|y|e|what about|how about|那|では)\s+(\S.*)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asked:
    """`what` is asked, `both` or `other` of what `rest` names, or which functions `grew`, `shrank`, are `new` or
    `gone`; `side` is the word by which one of the two is meant, `new` or `old`."""

    what: str
    rest: str
    side: str = ""


_SIDES = {
    "new": ("new", "neu", "nouveau", "nuevo", "novo", "atarashii"),
    "old": ("old", "alt", "ancien", "viejo", "velho", "furui"),
}


def asked_of_two(prompt: str, before: tuple[str, ...] = (), openings: tuple[str, ...] = ()) -> Asked | None:
    """What a prompt asks of two recordings by its words, or by those of the prompts before it; None without any."""
    text = _SENTENCE.split(" ".join(prompt.split()).strip())[-1]
    if _FORMS.which_faster.search(text) and (not before or openings):
        return Asked("both", text if _FORMS.faster.search(text) else "faster")
    if found := next((one for one in ("new", "gone", "shrank", "grew") if getattr(_FORMS, one).search(text)), None):
        return Asked(found, text)
    for what in ("both", "other"):
        if found_ := getattr(_FORMS, what).search(text):
            groups = {name for name, value in found_.groupdict().items() if value}
            side = next((word for word, ways in _SIDES.items() if any(one.startswith(ways) for one in groups)), "")
            return Asked(what, f"{text[: found_.start()]} {text[found_.end() :]}".strip(" ?!.,:"), side)
    last = asked_of_two(before[-1], before[:-1]) if before else None
    if (last is None or not last.what) and openings and _SETS_AGAINST.search(openings[-1]):
        last = Asked("other", "")
    if last and last.what and (there := _FORMS.there.search(text)):
        return Asked("other", f"{text[: there.start()]} {text[there.end() :]}".strip(" ?!.,:"))
    goes_on = None if _FORMS.here.search(text) else _AND_OF.match(text) or _FORMS.by_how_much.match(text)
    if last and goes_on and last.what in ("both", "other"):
        return replace(last, rest=(goes_on[1] or "").strip(" ?!.,:"))
    return Asked("", text) if _LABEL.search(text) or _FORMS.names_one.search(text) else None


def step(evidence: Evidence, offered: frozenset[str]) -> Step | None:
    """What such a question needs next, or its answer; None where it is none, or the two have nothing for it."""
    before = evidence.spoken_of
    openings = tuple(without_addresses(one) for one in evidence.openings)
    asked = asked_of_two(evidence.prompt, (*before.prompts, before.prompt) if before else (), openings)
    is_plain = (
        asked and asked.what in ("both", "other") and not (asked.side or _FORMS.recording.search(evidence.prompt))
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
        is_sure = asked.side or _FORMS.recording.search(evidence.prompt) or _LABEL.search(evidence.prompt)
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
        named = [row for row in rows if any(is_in(word, text) for word in _own_words(row["trace"], _this(evidence)))]
        rows = named if len(named) == 1 else []
    return rows[0] if len(rows) == 1 else None


def _this(evidence: Evidence) -> str:
    return str((evidence.summary or {}).get("name", ""))


def _own_words(name: str, other: str) -> set[str]:
    """The words of a recording's name that the other one's has not."""
    one, two = ({word.casefold() for word in _WORD.findall(_ENDINGS.sub("", both))} for both in (name, other))
    return one - two


def _of_the_names(asked: Asked, other: dict[str, Any], evidence: Evidence) -> Asked | None:
    """What is asked, once the names of the two are known: of the one that is named, or called new or old."""
    this, there = _this(evidence), other["trace"]
    if asked.side:
        words = (_own_words(this, there), _own_words(there, this))
        is_here, is_there = (any(asked.side in word or word in _LIKE[asked.side] for word in one) for one in words)
        opposite = any(word in _LIKE["old" if asked.side == "new" else "new"] for word in words[0])
        return None if is_here and not is_there else asked if is_there or opposite or not is_here else None
    rest, named = asked.rest, []
    for at, name in enumerate((this, there)):
        stem, alike = _ENDINGS.sub("", name), (this, there)[1 - at]
        for one in (name, stem, *sorted(_own_words(name, alike))):
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
    return replace(asked, what=what, rest=rest.strip(" ?!.,:")) if what else None


_LIKE = {
    "new": ("new", "newer", "after", "fixed", "fast", "kept", "now", "v2"),
    "old": ("old", "older", "before", "base", "baseline", "slow", "orig", "v1"),
}


def _names(asked: Asked) -> tuple[str, ...]:
    """The names of what is asked of, as far as words are none of asking."""
    if asked.what not in ("both", "other") or _FORMS.of_all.match(asked.rest):
        return ()
    rest = " ".join(_FORMS.degree.sub(" ", asked.rest).split())
    ask = read(rest)
    if ask and ask.names:
        return tuple(ask.names)
    if not rest.isascii() and (found := _SPELLED.findall(rest)):
        return tuple(found)
    question = alone(rest, {}, None)
    return question.names or question.placed or question.maybe


def _answer(
    asked: Asked, names: tuple[str, ...], found: dict[str, Any], other: dict[str, Any], evidence: Evidence
) -> str:
    there = coded(other["trace"])
    totals = _of_all(replace(asked, rest=""), found, there).replace("**", "")
    if asked.what in ("grew", "shrank", "new", "gone"):
        return _changed(asked, found, other, evidence)
    if names and not (_FORMS.leads.search(asked.rest) and not any(_row(name, found, evidence) for name in names)):
        rows = [row for name in names if (row := _row(name, found, evidence))]
        if len(rows) < len(names):
            missing_ones = [name for name in names if not _row(name, found, evidence)]
            if not all(f"`{name}`" in evidence.prompt or IDENTIFIER.search(name) for name in missing_ones):
                return ""
            missing = joined([coded(name) for name in missing_ones])
            return f"**I found no function for {missing} in these two recordings.** {totals}"
        of_calls = _FORMS.single_calls.search(asked.rest)
        first = "**Single calls are not compared here**; what all of them take: " if of_calls else ""
        each = [_of_function(row, asked, found, there, evidence) for row in rows]
        return f"{first}{' '.join((*each, totals))}"
    ask = read(asked.rest) if asked.rest else None
    is_faster = _FORMS.faster.search(asked.rest) and not _FORMS.asks_what.search(asked.rest)
    if _FORMS.which_faster.match(asked.rest):
        return _of_all(asked, found, there)
    if _FORMS.leads.search(asked.rest) and not is_faster:
        return _most(asked, found, there)
    is_of_all = any(_OF_TWO.search(without_addresses(one)) for one in evidence.openings[-1:])
    before = spoken_of(evidence) if evidence.spoken_of and not is_of_all else None
    plain = _FORMS.faster.sub(" ", _FORMS.degree.sub(" ", asked.rest))
    is_of_it = not _FORMS.faster.search(asked.rest) or re.search(r"\b(?:it|that)\b", asked.rest)
    if before and before.frames and is_of_it and (ask or _FORMS.of_all.match(plain)):
        row = next((one for one in found["rows"] if one["handle"] in before.frames), None)
        return _of_function(row, asked, found, there, evidence) if row else ""
    return _of_all(asked, found, there) if _FORMS.of_all.match(plain) else ""


def _row(name: str, found: dict[str, Any], evidence: Evidence) -> dict[str, Any] | None:
    """The row of the function that is called so, in this recording, or in the other one alone."""
    subject, _, _ = placed(name, evidence)
    frames = subject.frames if subject else ()
    alike = [row for row in found["rows"] if row["handle"] in frames]
    handle = None if alike else spoken_names.handle_named(name, evidence)
    alike = alike or [row for row in found["rows"] if handle and row["handle"] == handle]
    called = [row for row in found["rows"] if row["name"].casefold() == name.casefold()]
    return next(iter(alike or called), None)


def _named(row: dict[str, Any]) -> str:
    return cited(row) if row["handle"] else coded(row["name"])


def _total(side: dict[str, Any]) -> float:
    """What a function takes with what it calls, as the file has it where it has that."""
    value = side.get("recorded_total")
    return float(side["total_value"]) if value is None else value


def _of_function(row: dict[str, Any], asked: Asked, found: dict[str, Any], there: str, evidence: Evidence) -> str:
    """What a function takes in both, and how often it was called there where that is known."""
    unit, sides = found["unit"], (row["after"], row["before"])
    values = [_total(one) for one in sides]
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
        never = f"**How often {_named(row)} was called, these recordings do not say.**"
        return f"{never} It takes {there_} in {there} and {here_} here."
    if values[1] <= 0:
        return f"**{_named(row)} is not in {there}**; here it is {here_}."
    if values[0] <= 0:
        return f"**{_named(row)} is in {there} alone: {there_}.**"
    first, second = (f"{there_} in {there}", f"{here_} here")
    first, second = (first, second) if asked.what == "other" else (second, first)
    yes = _yes(evidence.prompt, values[1], values[0])
    own = [amount(one["self_value"], unit) for one in sides]
    times = _times(values[0], values[1], there)
    return f"**{yes}{_named(row)}: {first} and {second}.** {times} Itself {own[1]} there, {own[0]} here."


def _times(here: float, there: float, name: str) -> str:
    """How many times as much the one is as the other."""
    more, less = max(here, there), min(here, there)
    if less <= 0 or more < MUCH * less:
        return "That is about the same."
    return f"That is {more / less:.1f} times as much {'here' if here > there else f'in {name}'}."


def _yes(prompt: str, there: float, here: float) -> str:
    """Yes or no where it is asked whether the other one is faster or slower."""
    if not _FORMS.faster.search(prompt) or not (is_yes_or_no(prompt) or re.search(r"\w:|: ", prompt)):
        return ""
    is_less = there < here
    return "Yes: " if is_less != bool(_FORMS.slower.search(prompt)) else "No: "


def _of_all(asked: Asked, found: dict[str, Any], there: str) -> str:
    before, after, unit = found["before"]["whole"], found["after"]["whole"], found["unit"]
    more, less = max(before, after), min(before, after)
    ratio = f": {more / less:.1f} times {'as much' if after > before else 'as much there'}" if less > 0 else ""
    verdict = ""
    if _FORMS.faster.search(asked.rest):
        asks_which = _FORMS.which_faster.match(asked.rest) is not None
        takes_more = asks_which and _FORMS.slower.search(asked.rest) is not None
        yes = "" if asks_which else _yes(f"is it {asked.rest}", before, after).strip(": ")
        one = there if (before < after) != takes_more else "this one"
        said = f"{one} takes {'more' if takes_more else 'less'}" if more >= MUCH * less else "it is about the same"
        verdict = f"**{yes}, {said}.** " if yes else f"**{said[:1].upper()}{said[1:]}.** "
    return f"{verdict}**In {there} it is {amount(before, unit)} in all, here {amount(after, unit)}{ratio}.**"


def _most(asked: Asked, found: dict[str, Any], there: str) -> str:
    """What takes the most by itself in the other one, or in each."""
    said = []
    for side, name in (("before", f"In {there}"), ("after", "here"))[: 1 if asked.what == "other" else None]:
        rows = [row for row in found["rows"] if row[side]["self_value"] > 0 and not is_pseudo(row)]
        rows.sort(key=lambda row: -row[side]["self_value"])
        each = [
            f"{_named(row)} with {amount(row[side]['self_value'], found['unit'])} ({share(row[side]['self_share'])})"
            for row in rows[:SHOWN]
        ]
        if each:
            said.append(f"{name} {each[0]} itself leads" + (f", then {joined(each[1:])}" if each[1:] else ""))
    return f"**{'; '.join(said)}.**" if said else ""


def _changed(asked: Asked, found: dict[str, Any], other: dict[str, Any], evidence: Evidence) -> str:
    """Which functions take more in the later one, or are in one of the two alone. Where neither name shows which is the
    later one, both ways are given."""
    this, there, unit = coded(_this(evidence)), coded(other["trace"]), found["unit"]
    later_there = is_newer(other, evidence)
    theirs = Result("get_trace_summary", {}, {"name": other["trace"]}, "", failed=False)
    is_known = later_there or is_newer({"trace": _this(evidence)}, replace(evidence, results=(theirs,)))
    if asked.what in ("new", "gone"):
        here, away = (_alone(status, found) for status in ("new", "vanished"))
        named = [
            f"only in {name}: {_listed(rows, side, unit)}"
            for name, rows, side in ((there, away, "before"), (this, here, "after"))
        ]
        is_there_first = later_there == (asked.what == "new") if is_known else None
        ordered = named if is_there_first is not False else named[::-1]
        return f"**{ordered[0][:1].upper()}{ordered[0][1:]}**; {ordered[1]}."
    ways = [("before", "after", there, this), ("after", "before", this, there)]
    said = []
    for old, new, old_name, new_name in ways[:: -1 if later_there else 1][: 1 if is_known else None]:
        sign = 1 if asked.what == "grew" else -1
        rows = [row for row in found["rows"] if sign * (row[new]["self_value"] - row[old]["self_value"]) > 0]
        rows.sort(key=lambda row: sign * (row[old]["self_value"] - row[new]["self_value"]))
        each = [
            f"{_named(row)} ({amount(row[old]['self_value'], unit)} to {amount(row[new]['self_value'], unit)} itself)"
            for row in rows
            if not is_pseudo(row)
        ][: SHOWN - 1]
        verb = "grew" if asked.what == "grew" else "shrank"
        said.append(
            f"From {old_name} to {new_name} "
            + (
                f"{each[0]} {verb} most" + (f", then {joined(each[1:])}" if each[1:] else "")
                if each
                else f"no function {verb}"
            )
        )
    totals = _of_all(replace(asked, rest=""), found, there).replace("**", "")
    return f"**{'. '.join(said)}.** {totals}"


def _alone(status: str, found: dict[str, Any]) -> list[dict[str, Any]]:
    """The functions of one of the two alone; one whose name holds an address is another function in each."""
    others = {_HEX.sub("", row["name"]) for row in found["rows"] if row["status"] != status}
    return [row for row in found["rows"] if row["status"] == status and _HEX.sub("", row["name"]) not in others]


def _listed(rows: list[dict[str, Any]], side: str, unit: str) -> str:
    rows = sorted((row for row in rows if not is_pseudo(row)), key=lambda row: -row[side]["total_value"])
    more = f" and {len(rows) - SHOWN} more" if len(rows) > SHOWN else ""
    return (
        joined([f"{_named(row)} ({amount(_total(row[side]), unit)})" for row in rows[:SHOWN]]) + more
        if rows
        else "none"
    )
