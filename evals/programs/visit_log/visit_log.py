"""Counts visits of a site. With 1 every visit is kept in a list at module level and never let go; with 0 only counts are."""

import sys
from collections import Counter

HISTORY: list[dict[str, object]] = []
PAGES: Counter[str] = Counter()


def parse_visit(n: int) -> dict[str, object]:
    return {"page": f"/article/{n % 40}", "visitor": f"visitor {n}" * 3, "headers": [f"h{n}-{k}" for k in range(6)]}


def remember_visit(visit: dict[str, object]) -> None:
    HISTORY.append(dict(visit))


def count_page(visit: dict[str, object]) -> None:
    PAGES[str(visit["page"])] += 1


def render_report() -> str:
    return "\n".join(f"{page} {count}" for page, count in PAGES.most_common()) * 40


def serve(visits: int, keep: bool) -> None:
    for n in range(visits):
        visit = parse_visit(n)
        count_page(visit)
        if keep:
            remember_visit(visit)
        if n % 2000 == 0:
            render_report()


serve(16_000, sys.argv[1] == "1")
