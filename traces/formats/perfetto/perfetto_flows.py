"""Flows of Perfetto's track events: the events of one number, in order of time, each lead to the next.

Format: https://github.com/google/perfetto, protos/perfetto/trace/track_event/track_event.proto (flow_ids,
terminating_flow_ids, and their older kinds, which were varints).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from traces.kernels.protobuf import FIXED64, VARINT, Fields
from traces.model import Int64

FLOWS, ENDS = 47, 48
OLD_FLOWS, OLD_ENDS = 36, 42


@dataclass(frozen=True, slots=True)
class FlowSteps:
    """One a row: an event that belongs to a flow, which `ends` with it or goes on."""

    event: Int64
    ident: Int64
    ends: npt.NDArray[np.bool_]


def flow_steps(data: bytes, said: Fields) -> FlowSteps:
    """Of the fields of events; an event is in as many flows as it names."""
    events, idents, ends = [], [], []
    for number, wire, is_end in (
        (FLOWS, FIXED64, False),
        (OLD_FLOWS, VARINT, False),
        (ENDS, FIXED64, True),
        (OLD_ENDS, VARINT, True),
    ):
        rows = np.flatnonzero((said.number == number) & (said.wire == wire))
        first = said.first[rows].astype(np.int64)
        if wire == FIXED64:
            places = first[:, None] + np.arange(8)
            first = np.frombuffer(data, np.uint8)[places].copy().view("<i8").reshape(-1)
        events.append(said.message[rows].astype(np.int64))
        idents.append(first)
        ends.append(np.full(len(rows), is_end))
    return FlowSteps(np.concatenate(events), np.concatenate(idents), np.concatenate(ends))


def arrows(steps: FlowSteps, time: Int64) -> tuple[Int64, Int64]:
    """Where each arrow begins and ends, as events of which `time` is known."""
    order = np.lexsort((steps.event, time[steps.event], steps.ident))
    event, ident, ends = steps.event[order], steps.ident[order], steps.ends[order]
    leads = np.flatnonzero((ident[1:] == ident[:-1]) & ~ends[:-1])
    return event[leads], event[leads + 1]
