"""Documents that an answer cites, as `[Recording with py-spy](k17)`: those that are there are its sources."""

import re
from collections.abc import Sequence

from server.agent.tools.contract.tool_context import DocumentsAsked
from server.ports.knowledge import Passage
from server.protocol.wire_values import Citation, OutsideSource
from traces.cache import ENGINE_VERSION

CITED = re.compile(r"\[(?:\\.|[^\[\]\\\n])*\]\(#?(k\d{1,18})\)")
LABELLED = re.compile(r"\[((?:\\.|[^\[\]\\\n])*)\]\(#?(k\d{1,18})\)")
MOST_CITED = 20


def document_handles(answer: str) -> tuple[str, ...]:
    """The handles that an answer cites, each once."""
    return tuple(dict.fromkeys(CITED.findall(answer)))[:MOST_CITED]


async def cited_passages(answer: str, documents: DocumentsAsked | None) -> list[Passage]:
    """The passages that an answer cites and that are there, in order."""
    handles = document_handles(answer)
    if documents is None or not handles:
        return []
    found = {one.handle: one for one in await documents.cited(handles)}
    return [found[handle] for handle in handles if handle in found]


def document_sources(passages: Sequence[Passage]) -> list[OutsideSource]:
    """Document and heading of each."""
    return [
        OutsideSource(name=f"{one.document}: {one.heading}" if one.heading else one.document, handle=one.handle)
        for one in passages
    ]


def document_citations(passages: Sequence[Passage], answer: str) -> list[Citation]:
    """Each as it is cited, with the words that the answer uses for it."""
    labels = {handle: label for label, handle in reversed(LABELLED.findall(answer))}
    return [
        Citation(
            kind="document",
            handle=one.handle,
            label=labels.get(one.handle, one.heading),
            name=one.document,
            engine_version=ENGINE_VERSION,
            document=one.document,
            heading=one.heading,
        )
        for one in passages
    ]
