"""Where handles are, as JSON values."""

import re
from dataclasses import asdict
from typing import Any

from traces.analysis.places import places
from traces.model import Trace

ADDRESS = re.compile(r"#?(?:(p[0-9]{1,12})\.)?([fpns][0-9]{1,12})(?:\..{1,100})?")
"""A handle, alone or as the subject of a figure's address (`p1.f12.self`), with the thread that is its scope."""


def places_json(trace: Trace, requested: list[str]) -> dict[str, Any]:
    """`{places}`: a row for each requested text, which is its `address`; what is none has a `problem`."""
    parsed = [ADDRESS.fullmatch(text.strip()[:200]) for text in requested]
    handles = [text[:40] if match is None else match[2] for text, match in zip(requested, parsed, strict=True)]
    scopes = [None if match is None else match[1] for match in parsed]
    rows = []
    for text, found in zip(requested, places(trace, handles, scopes=scopes), strict=True):
        rows.append({"address": text[:200]} | asdict(found))
    return {"places": rows}
