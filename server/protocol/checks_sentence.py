"""What became of an answer's claims, as one sentence: the same on the page, in a terminal and in JSON."""

import re
from collections.abc import Iterable, Sequence

from server.protocol.wire_values import Check

SHOWN = 3
"""Contradicted claims and unknown names that the sentence shows."""
SHOWN_CHARACTERS = 60

_STATEMENTS = frozenset({"cause", "relation"})
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)")


def checks_sentence(checks: Sequence[Check]) -> str:
    """`5 figures and 1 statement hold, 1 contradicted: 40 ms (12 ms), 2 could not be checked`; empty without claims.
    Names count only where the trace does not have them, or where nothing else is claimed.
    """
    names = [check for check in checks if check.kind == "name"]
    claims = [check for check in checks if check.kind != "name"]
    right = [check for check in claims if check.status in ("verified", "derived")]
    statements = sum(check.kind in _STATEMENTS for check in right)
    wrong = [check for check in claims if check.status == "contradicted"]
    unknown = [check for check in names if check.status in ("not_found", "contradicted")]
    outside = sum(check.status == "external" for check in claims)
    unread = sum(check.status not in ("verified", "derived", "not_found", "contradicted") for check in names)
    open_ = len(claims) - len(right) - len(wrong) - outside + unread
    counted = [_counted(len(right) - statements, "figure"), _counted(statements, "statement")]
    if not claims and len(names) > len(unknown) + unread:
        counted = [_counted(len(names) - len(unknown) - unread, "name")]
    parts = [" and ".join(one for one in counted if one) + (" holds" if _is_one(counted) else " hold")]
    if not any(counted):
        parts = []
    if wrong:
        parts.append(f"{len(wrong)} contradicted: {_listed(wrong)}")
    if unknown:
        what = "name is" if len(unknown) == 1 else "names are"
        parts.append(f"{len(unknown)} {what} not in the trace: {_listed(unknown)}")
    if outside:
        parts.append(f"{outside} from outside")
    if open_:
        parts.append(f"{open_} could not be checked")
    return ", ".join(parts)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}" if count else ""


def _is_one(counted: Iterable[str]) -> bool:
    found = [one for one in counted if one]
    return len(found) == 1 and found[0].startswith("1 ")


def _listed(checks: Sequence[Check]) -> str:
    shown = [_shown(check.claim) + (f" ({check.actual})" if check.actual else "") for check in checks[:SHOWN]]
    return "; ".join(shown) + ("; …" if len(checks) > SHOWN else "")


def _shown(claim: str) -> str:
    """Without marks and addresses, in one line of at most 60 characters."""
    text = " ".join(_LINK.sub(r"\1", claim).replace("`", "").split())
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"
