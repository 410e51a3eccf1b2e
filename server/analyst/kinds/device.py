"""Questions about a device that computes for the processor: how busy it is, and with which kernels."""

import re
from typing import Any

from server.analyst.evidence import Evidence, busy_of, length_of
from server.analyst.figures import linked
from server.analyst.findings import sentence_of
from server.analyst.forms import forms
from server.analyst.queries import query
from server.analyst.wording import amount, cited, cited_profile, coded, in_calls, own, share, table
from traces.lazy_regex import lazy_regex

_FORMS = forms("device")

_OF_A_DEVICE = lazy_regex(r"\bGPU \d+\b|\bstream \d+\b|\bDevice \d+\b")
SHOWN = 4
_OF_TRACKS = query("of_tracks")
_NUMBER = query("number_of_kernels")
_ALL_STREAMS = "streams of its device"
_COPIES = lazy_regex(r"mem(?:cpy|set)\b", re.IGNORECASE)
"""Copies and fills that run on a device, and are no kernels."""


def asks_how_busy(text: str) -> bool:
    """Whether a prompt asks for the share of time in which a device works or does not."""
    return _FORMS.device.search(text) is not None and _FORMS.how_busy.search(text) is not None


def on_device(evidence: Evidence) -> list[str]:
    """How busy the tracks of devices are, the busiest first; nothing where none was recorded."""
    tracks = sorted(_tracks(evidence), key=lambda row: -busy_of(row))
    if not tracks:
        return []
    fed = evidence.finding("kernel-gaps")
    if fed and len(tracks) > 1 and _ALL_STREAMS in sentence_of(fed):
        listed = "\n".join(f"- {cited_profile(row)}: {_of_the_recording(row)}" for row in tracks[:SHOWN])
        return [f"**Often idle.** {sentence_of(fed)} {fed['advice']}", listed]
    return [
        f"**The device works for {_of_the_recording(tracks[0])}** on its busiest track, {cited_profile(tracks[0])}.",
        f"{sentence_of(fed)} {fed['advice']}" if fed else "",
        "\n".join(f"- {cited_profile(row)}: {_of_the_recording(row)}" for row in tracks[1:SHOWN]),
    ]


def kernels_of_all_tracks(evidence: Evidence) -> str:
    """The query for what takes the most on all tracks of devices together; empty where there are not several."""
    tracks = _tracks(evidence)
    return _OF_TRACKS.format(tracks=_handles(tracks)) if len(tracks) > 1 else ""


def number_of_kernels(evidence: Evidence) -> str:
    """The query for how many kernels ran on all tracks of devices; empty where none was recorded."""
    tracks = _tracks(evidence)
    return _NUMBER.format(tracks=_handles(tracks)) if tracks else ""


def tracks_of_kernels(text: str, evidence: Evidence) -> str:
    """The tracks of all devices, where kernels are asked for; empty where none is or none was recorded."""
    return _handles(_tracks(evidence)) if _FORMS.kernels.search(text) else ""


def _tracks(evidence: Evidence) -> list[dict[str, Any]]:
    """The profiles that are tracks of a device."""
    return [row for row in evidence.profiles if _OF_A_DEVICE.search(row["name"])]


def _handles(tracks: list[dict[str, Any]]) -> str:
    return ", ".join(f"'{row['handle']}'" for row in tracks)


def _of_all_tracks(evidence: Evidence) -> list[str]:
    sql = kernels_of_all_tracks(evidence)
    found = evidence.first("query_trace", sql=sql) if sql else None
    rows = [
        (frame["name"], name["name"], took["value_ns"], calls["value"])
        for frame, name, took, calls in (found or {"rows": []})["rows"]
        if not _COPIES.match(name["name"])
    ]
    if not rows:
        return []
    (frame, name, took, calls), *others = rows
    after = [f"[{coded(one)}](#{handle}), {amount(ns, 'nanoseconds')}" for handle, one, ns, _ in others[:SHOWN]]
    runs = linked(f"{int(calls):,}", calls)
    most = f"**[{coded(name)}](#{frame}) takes the most on all tracks of the device together"
    return [
        f"{most}: {amount(took, 'nanoseconds')}**, in {runs} runs.",
        f"After it: {'; '.join(after)}." if after else "",
    ]


def track_of_kernels(evidence: Evidence) -> str:
    """The handle of the busiest track of a device; empty where none was recorded."""
    tracks = _tracks(evidence)
    return str(max(tracks, key=busy_of)["handle"]) if tracks else ""


def heaviest_kernels(evidence: Evidence) -> list[str]:
    """What takes the most on the busiest track of a device; nothing where it was not asked for."""
    if of_all := _of_all_tracks(evidence):
        return of_all
    track = track_of_kernels(evidence)
    found = evidence.first("get_top_functions", profile=track) if track else None
    if not found or not found["rows"]:
        return []
    unit, rows = found["unit"], [row for row in found["rows"] if not _COPIES.match(row["name"])]
    if not rows:
        return []
    said = f"{own(rows[0], unit)} of {amount(found['whole'], unit)}{in_calls(rows[0], found.get('counted'))}"
    return [f"**{cited(rows[0])} takes the most on the device**: {said}.", table(rows, unit)]


def _of_the_recording(row: dict[str, Any]) -> str:
    """`65.2 ms, 0.2% of the recording, and is idle 99.8%`."""
    busy, length = busy_of(row), length_of(row)
    if not length:
        return amount(busy, row["unit"])
    part = busy / length
    return f"{amount(busy, row['unit'])}, {share(part)} of the recording, and is idle {share(1 - part)}"
