"""A document in Markdown or plain text, cut at its headings into parts that can be found and cited."""

import re

from server.agent.memory.memory_texts import words_of
from server.ports.knowledge import Chunk

CHARACTERS = 1_200
"""About so many a part: a question is answered by a paragraph or two."""

MOST_HEADING = 200
_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*\s*$")
_FENCE = re.compile(r"^\s*(```|~~~)")


def document_chunks(text: str) -> tuple[Chunk, ...]:
    """The parts in order, each under the headings that it stands below (`Recording > py-spy`); none of a text that is
    empty."""
    chunks: list[Chunk] = []
    for heading, lines in _sections(text):
        chunks += [
            Chunk(heading=heading[:MOST_HEADING], text=part, words=words_of(heading, part)) for part in _parts(lines)
        ]
    return tuple(chunks)


def _sections(text: str) -> list[tuple[str, list[str]]]:
    """Headings, with the lines below each. A `#` within a code block is none."""
    above: list[tuple[int, str]] = []
    sections: list[tuple[str, list[str]]] = [("", [])]
    is_code = False
    for line in text.splitlines():
        is_code ^= _FENCE.match(line) is not None
        found = None if is_code else _HEADING.match(line)
        if found is None:
            sections[-1][1].append(line)
            continue
        level = len(found[1])
        above = [*(one for one in above if one[0] < level), (level, found[2].replace("`", ""))]
        sections.append((" > ".join(title for _, title in above), []))
    return sections


def _parts(lines: list[str]) -> list[str]:
    """The lines in parts of about CHARACTERS: at an empty line where there is one, else between lines; a line that is
    longer is cut."""
    parts: list[str] = []
    part: list[str] = []
    length = 0
    cut = [one[at : at + CHARACTERS] for one in lines for at in range(0, max(len(one), 1), CHARACTERS)]
    for line in cut:
        full = length + len(line) > CHARACTERS or (length > CHARACTERS * 2 / 3 and not line.strip())
        if part and full:
            parts.append("\n".join(part).strip())
            part, length = [], 0
        part.append(line)
        length += len(line) + 1
    parts.append("\n".join(part).strip())
    return [one for one in parts if one]
