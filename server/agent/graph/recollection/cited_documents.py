"""Documents that an answer cites, as `[Recording with py-spy](k17)`: those that are there are its sources."""

import re

from server.agent.tools.contract.tool_context import DocumentsAsked
from server.protocol.wire_values import OutsideSource

CITED = re.compile(r"\[(?:\\.|[^\[\]\\\n])*\]\(#?(k\d{1,18})\)")
MOST_CITED = 20


def document_handles(answer: str) -> tuple[str, ...]:
    """The handles that an answer cites, each once."""
    return tuple(dict.fromkeys(CITED.findall(answer)))[:MOST_CITED]


async def cited_documents(answer: str, documents: DocumentsAsked | None) -> list[OutsideSource]:
    """Document and heading of each citation that is there, in order."""
    handles = document_handles(answer)
    if documents is None or not handles:
        return []
    found = {one.handle: one for one in await documents.cited(handles)}
    return [
        OutsideSource(name=f"{one.document}: {one.heading}" if one.heading else one.document, handle=handle)
        for handle in handles
        if (one := found.get(handle)) is not None
    ]
