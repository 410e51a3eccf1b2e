"""Figures of an answer that are links to what they measure, `[379 ms](#f12.self)`: found, and taken out where people
read plain text. Linear in the text, whatever it is."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from server.agent.verification.references.addresses import Address, Malformed, parse_address
from traces.lazy_regex import lazy_regex

CODE = lazy_regex(r"^(```|~~~).*?(?:^\1|\Z)|`[^`\n]+`", re.DOTALL | re.MULTILINE)
LABEL_CHARACTERS = 80
ADDRESS_CHARACTERS = 120
_LABEL = rf"(?:\\[^\n]|[^\[\]\\\n]){{1,{LABEL_CHARACTERS}}}"
_FIGURE_LINK = lazy_regex(rf"\[(?P<label>{_LABEL})\]\((?P<address>#?[^()\s]{{0,{ADDRESS_CHARACTERS + 41}}})\)")
_LABEL_OF_A_FIGURE = lazy_regex(r"[~≈<>+−±-]?\s?\d[\d.,  \xa0]*(?:\s?[^\W\d]{1,12}|\s?[%×])?")
"""A label that is nothing but a figure: wherever its link leads, it claims to say what the figure is of."""
_OF_A_SUBJECT = 41
"""Characters before the point of what is meant as an address."""
LONGEST_LINK = 2 * LABEL_CHARACTERS + ADDRESS_CHARACTERS + 50
_UNFINISHED = lazy_regex(
    rf"\[(?:\\[^\n]|[^\[\]\\\n]){{0,{LABEL_CHARACTERS}}}"
    rf"(?:\\|\](?:\((?:#?[^()\s]{{0,{ADDRESS_CHARACTERS + 41}}})?)?)?\Z"
)


@dataclass(frozen=True, slots=True)
class FigureLink:
    """`start` to `end` is its label, `opens` to `closes` all of the link."""

    label: str
    address: Address | Malformed
    start: int
    end: int
    opens: int
    closes: int


def figure_links(text: str) -> Iterator[FigureLink]:
    """The links with the address of a figure, in order. With a hash an address need not be well formed to be meant as
    one; without, it does: `notes.md` is a file. A bare figure that leads anywhere but to a page of the web is one, too:
    that is no address, and nothing shows what it is of."""
    for match in _FIGURE_LINK.finditer(text):
        written, address = match["address"], parse_address(match["address"])
        hashed, _, rest = written.partition(".") if written.startswith("#") else ("", "", "")
        is_meant = isinstance(address, Address) or (bool(rest) and 1 < len(hashed) <= _OF_A_SUBJECT)
        if is_meant or ("://" not in written and _LABEL_OF_A_FIGURE.fullmatch(match["label"])):
            yield FigureLink(match["label"], address, *match.span("label"), *match.span())


def figures_of_prose(text: str) -> Iterator[FigureLink]:
    """The links that are no code: in code nothing is a link."""
    return figure_links(CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text))


@dataclass(frozen=True, slots=True)
class ShownText:
    """An answer without the addresses of its figures, in code too. `cuts` are places in `text`; from each on, its
    `shift` is added to a place to find it in the answer."""

    text: str
    cuts: tuple[int, ...]
    shifts: tuple[int, ...]

    def place(self, shown: int, *, is_end: bool = False) -> int:
        """Where a place of `text` stands in the answer; an end stays before an address that begins there."""
        at = bisect_right(self.cuts, shown - is_end) - 1
        return shown + (self.shifts[at] if at >= 0 else 0)


def shown_text(answer: str) -> ShownText:
    """The answer as people read it: a figure's label in place of its link."""
    parts, cuts, shifts = [], [], []
    behind, length = 0, 0
    for link in figure_links(answer):
        for piece, resumes in ((answer[behind : link.opens], link.start), (link.label, link.closes)):
            parts.append(piece)
            length += len(piece)
            cuts.append(length)
            shifts.append(resumes - length)
        behind = link.closes
    parts.append(answer[behind:])
    return ShownText("".join(parts), tuple(cuts), tuple(shifts))


def without_addresses(answer: str) -> str:
    """The text of `shown_text`."""
    return shown_text(answer).text


class AddressFilter:
    """`without_addresses` of a text that comes in pieces: what may be a link yet is kept back."""

    def __init__(self) -> None:
        self._kept = ""

    def feed(self, piece: str) -> str:
        """What can be shown now."""
        text = without_addresses(self._kept + piece)
        unfinished = _UNFINISHED.search(text, max(0, len(text) - LONGEST_LINK))
        self._kept = text[unfinished.start() :] if unfinished else ""
        return text[: unfinished.start()] if unfinished else text

    def close(self) -> str:
        """The rest: half a link is shown as it is."""
        kept, self._kept = self._kept, ""
        return kept
