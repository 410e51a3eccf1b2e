"""Citations in an answer: `[parseJson](f12)`, `[parseJson](#f12)` or `(#f12)` behind a name. Those that exist are
resolved to what they name; rewriting links is the page's work.
"""

import re
from dataclasses import dataclass

from server.protocol.wire_values import Citation
from traces.cache import ENGINE_VERSION
from traces.errors import TraceError
from traces.handles import place_behind, resolve
from traces.model import Trace

CITATION = re.compile(r"(?:\[(?P<label>`[^`\n]*`|(?:\\.|[^\[\]\\\n])*)\]\(#?|\((?=#))#?(?P<handle>[fpns]\d{1,12})\)")


@dataclass(frozen=True, slots=True)
class Resolved:
    """A citation and where it begins in the answer."""

    citation: Citation
    start: int


def resolve_citations(trace: Trace, answer: str) -> tuple[Resolved, ...]:
    """The answer's citations whose handles exist, in order."""
    found = []
    for match in CITATION.finditer(answer):
        try:
            handle = resolve(trace, match["handle"])
        except TraceError:
            continue
        name, file, line = place_behind(trace, handle)
        citation = Citation(
            handle=str(handle),
            label=(match["label"] or "").strip("`") or name,
            name=name,
            file=file,
            line=line,
            engine_version=ENGINE_VERSION,
        )
        found.append(Resolved(citation, match.start()))
    return tuple(found)
