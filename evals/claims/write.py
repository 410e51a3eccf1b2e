"""`python -m evals.claims.write`: fills the phrasings with the facts of the traces and writes statements.jsonl.

A phrasing is used once a trace and truth, each third statement is unseen, and of four languages' turns two are
English: the same on every machine. Those of other writers (`writers/`) follow.
"""

import itertools
import json
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evals.claims.known_facts import TRACES, known_facts
from evals.claims.made_facts import Figure, MadeFact, made_facts
from traces.analysis.units import format_value
from traces.values import Unit

HERE = Path(__file__).parent
STATEMENTS = HERE / "statements.jsonl"
LANGUAGES = ("en", "de", "en", "fr")
WRITERS = {"second": False, "third": False, "fourth": False, "fifth": False, "sixth": False, "ninth": False} | {
    "tenth": False,
}
"""Writers who had not seen the checker and took their facts from the command line; whether the rules have not been
changed since their statements were first marked."""
A_KIND = 3
"""Facts of one kind and truth that a trace gives at most."""


def written(figure: Figure, language: str, *, precise: bool) -> str:
    """A figure as people of a language write it."""
    match figure.unit:
        case "share":
            text = f"{100 * figure.value:.{1 if precise or figure.value < 0.1 else 0}f}%"
        case "factor":
            text = f"{figure.value:.1f}"
        case "number":
            text = f"{figure.value:,.0f}"
        case unit:
            text = format_value(figure.value, Unit(unit))
    if language == "en":
        return text
    text = text.replace(",", "\0").replace(".", ",").replace("\0", "." if language == "de" else "\u202f")
    return text.replace("%", " %")


def named(name: str, way: int) -> str:
    """A function as code, or as the label of an ordinary word; `way` turns."""
    bare = name.isidentifier() and "_" in name
    return name if way % 4 == 3 and bare else f"`{name}`"


def filled(phrasing: str, fact: MadeFact, language: str, turn: int) -> str:
    """The statement in words."""
    places = {}
    for place, value in fact.places.items():
        if isinstance(value, Figure):
            places[place] = written(value, language, precise=turn % 2 == 0)
        elif place in "ab":
            places[place] = named(value, turn)
        elif place == "t":
            places[place] = f"`{value}`" if turn % 2 else value
        else:
            places[place] = value
    return phrasing.format(**places)


def statements() -> Iterator[dict[str, Any]]:
    """Every statement that is made, then those that were written by hand."""
    phrasings = tomllib.loads((HERE / "phrasings.toml").read_text(encoding="utf-8"))
    turns: dict[tuple[str, str, bool], Iterator[int]] = defaultdict(itertools.count)
    number = itertools.count()
    for name in TRACES:
        used: dict[tuple[str, bool], int] = defaultdict(int)
        for fact in made_facts(known_facts(name)):
            if used[fact.kind, fact.is_true] == A_KIND:
                continue
            used[fact.kind, fact.is_true] += 1
            turn = next(number)
            language, is_unseen = LANGUAGES[turn // 2 % 4], turn % 6 > 3
            ways = phrasings[fact.kind]["unseen"] if is_unseen else phrasings[fact.kind]
            at = next(turns[fact.kind, language, is_unseen])
            text = filled(ways[language][at % len(ways[language])], fact, language, turn)
            figure = fact.places.get("x")
            yield {
                "trace": name,
                "language": language,
                "kind": fact.kind,
                "is_true": fact.is_true,
                "is_decidable": True,
                "is_unseen": is_unseen,
                "text": text,
                "figure": written(figure, language, precise=turn % 2 == 0) if isinstance(figure, Figure) else None,
                "claimed": fact.claimed,
                "source": fact.source,
            }
    by_hand = tomllib.loads((HERE / "by_hand.toml").read_text(encoding="utf-8"))
    for group in by_hand["trace"]:
        for at, (text, language, kind, is_true, is_decidable) in enumerate(group["statements"]):
            yield {
                "trace": group["name"],
                "language": language,
                "kind": kind,
                "is_true": is_true,
                "is_decidable": is_decidable,
                "is_unseen": at % 3 == 2,
                "text": text,
            }
    for writer, is_unseen in WRITERS.items():
        for line in (HERE / "writers" / f"{writer}.jsonl").read_text(encoding="utf-8").splitlines():
            yield json.loads(line) | {"is_unseen": is_unseen}


if __name__ == "__main__":
    lines = [json.dumps(one, ensure_ascii=False) for one in statements()]
    STATEMENTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} statements")
