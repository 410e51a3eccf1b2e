"""How much of what was spoken of is a kind of work: `how much of that is trig functions?`, `davon json?`."""

import re

from server.analyst.asks import answering
from server.analyst.asks.ask_statements import listed, table
from server.analyst.asks.asked_turn import OFFERED, Step, asked_in
from server.analyst.asks.named import PROFILES, finds, spoken_of
from server.analyst.asks.named import threads as profiles_of
from server.analyst.evidence import Evidence
from server.analyst.forms import expression, first_form, forms
from server.analyst.forms import table as all_forms
from server.analyst.kinds.kind import SUMMARY, Call
from server.analyst.kinds.meant_functions import is_named
from server.analyst.wording import amount, cited, coded, joined, share

_FORMS = forms("part_of_a_kind")
SHOWN = 2
MATCHES = 100


def step(evidence: Evidence, offered: frozenset[str]) -> Step | None:
    """What such a prompt needs next, or its answer; None where it is left to the other kinds."""
    text = " ".join(evidence.prompt.split())
    asked = _FORMS.of_that.search(text) if offered >= OFFERED and evidence.spoken_of else None
    pattern = _names_of(asked["kind"]) if asked else ""
    if asked is None or not pattern:
        return None
    find: Call = ("find_frames", {"pattern": pattern, "regex": True, "limit": MATCHES, "profile": "all"})
    if not evidence.results:
        ask = asked_in(evidence)  # it answers where a function is called so
        return Step((*(finds(ask, evidence) if ask else ()), find, SUMMARY, PROFILES))
    about, profiles = spoken_of(evidence), profiles_of(evidence)
    rows = [row for row in evidence.rows("find_frames", pattern=pattern) if re.search(pattern, row["name"])]
    handles = [row["handle"] for row in rows if about and row["handle"] not in about.frames]
    is_called_so = any(is_named(row, asked["kind"]) for row in rows)
    if is_called_so or about is None or not about.frames or not handles or not profiles:
        return None
    unit = "ns" if profiles[0]["unit"] == "nanoseconds" else profiles[0]["unit"]
    sql = str(table()["part_of_a_kind"]).format(
        of=listed(about.frames),
        kind=listed(handles),
        profiles=listed([row["handle"] for row in profiles]),
        unit=unit if unit in ("ns", "bytes") else "count",
    )
    found = evidence.first("query_trace", sql=sql)
    if found is None:
        failed = any(one.arguments.get("sql") == sql for one in evidence.results)
        return None if failed else Step((("query_trace", {"sql": sql}),))
    parts, of_all = answering.rows_of(found), profiles[0]["unit"]
    if not parts or not parts[0]["whole"]:
        return None
    part, every = parts[0]["part"] or 0, parts[0]["whole"]
    most = joined(
        [
            f"{cited({'name': row['name'], 'handle': row['key']})} {amount(row['total'], of_all)}"
            for row in parts[:SHOWN]
        ]
    )
    words = coded(asked["kind"], 40)
    return Step(
        text=f"**{share(part / every)} of {about.label} is {words} by the names below it: {amount(part, of_all)} of "
        f"{amount(every, of_all)}**, most of it in {most}."
    )


def _names_of(words: str) -> str:
    """How functions are named that do a kind of work; empty where its words are those of none."""
    if further := first_form("kinds_of_work", words):
        return expression("names_of_work", further)
    kind = first_form("work", words)
    return expression("frames_of_work", kind) if kind in all_forms()["frames_of_work"] else ""
