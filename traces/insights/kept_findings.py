"""Findings as bytes that lie next to a trace's columns: a second question about it does not look for them again."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from traces.findings_place import PLACE, FindingsPlace
from traces.insights.insight import Insight
from traces.insights.judged_figures import RecordingFigure
from traces.model import Trace

RULES = ("insights", "analysis", "")
"""Folders of this room whose code decides what is found."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What all detectors say of a trace's main profile, and the figures that they judge it by."""

    insights: tuple[Insight, ...]
    figures: tuple[RecordingFigure, ...]


def kept_findings(trace: Trace) -> Findings | None:
    """Those that this code found before in the same content under the same name; None where nobody keeps any."""
    place: FindingsPlace | None = trace.answers.get(PLACE)
    data = None if place is None else place.read()
    if data is None:
        return None
    import msgspec  # noqa: PLC0415 - 12 ms that recordings of which nothing is kept need not wait for

    try:
        *known_by, findings = msgspec.msgpack.decode(data, type=tuple[str, str, str, msgspec.Raw])
        return msgspec.msgpack.decode(findings, type=Findings) if known_by == _known_by(trace) else None
    except msgspec.MsgspecError:
        return None


def keep_findings(trace: Trace, findings: Findings) -> None:
    """Keep them for the next question, if there is a place for them."""
    place: FindingsPlace | None = trace.answers.get(PLACE)
    if place is not None:
        import msgspec  # noqa: PLC0415 - as above

        of_them = msgspec.Raw(msgspec.msgpack.encode(findings, enc_hook=_plain))
        place.write(msgspec.msgpack.encode((*_known_by(trace), of_them)))


def _known_by(trace: Trace) -> list[str]:
    """What findings are of: the code, the content, and the trace's name, which names its profiles."""
    return [rules(), trace.content_key, trace.name]


def _plain(value: object) -> object:
    """A number of numpy's as a plain one."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a finding has a {type(value).__name__}")


@cache
def rules() -> str:
    """What stands for the code that finds: the engine's version, and all that the folders of the rules have."""
    import hashlib  # noqa: PLC0415 - 3 ms, as msgspec

    from traces.cache import ENGINE_VERSION  # noqa: PLC0415 - read with the columns alone, which a small file has not

    room = Path(__file__).parents[1]
    digest = hashlib.blake2b(ENGINE_VERSION.encode(), digest_size=16)
    for folder in RULES:
        for file in sorted((room / folder).glob("*.py")):
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()
