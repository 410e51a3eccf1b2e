"""What recorders of trace events say that they lost: it is a warning, and nothing is where nothing was lost."""

from typing import Any

import pytest

from tests.traces.formats.trace_event.test_side_events import read, warned


def overflowed(**metadata: Any) -> Any:
    return {"ph": "M", "name": "trace_buffer_overflowed", "args": {"overflowed_at_ts": 5}, **metadata}


def test_viztracers_full_buffer() -> None:
    trace = read(viztracer_metadata={"version": "1.1.1", "overflow": True})
    assert [(one.code, one.text.partition(":")[0]) for one in trace.warnings] == [
        ("overflow", "the recorder's buffer was full")
    ]
    assert not read(viztracer_metadata={"version": "1.1.1", "overflow": False}).warnings
    assert not read(viztracer_metadata=["overflow"]).warnings


def test_chromes_full_buffers_are_one_warning() -> None:
    assert warned(read(overflowed(), overflowed(pid=2))) == {"overflow": 1}


@pytest.mark.parametrize(
    ("metadata", "pieces"),
    [
        ({"perfetto_trace_stats": {"buffer_stats": [{"chunks_overwritten": 4}, {"trace_writer_packet_loss": 3}]}}, 7),
        ({"trace_processor_stats": {"traced_buf": [{"chunks_discarded": 2, "chunks_overwritten": 0}]}}, 2),
        ({"trace_processor_stats": {"traced_buf": [{"chunks_discarded": -2, "chunks_overwritten": 0}]}}, 0),
        ({"perfetto_trace_stats": "__stripped__", "trace_processor_stats": {"traced_buf": [5, None]}}, 0),
        ({"trace_processor_stats": {"traced_buf": [{"chunks_discarded": "many"}]}}, 0),
        ({}, 0),
    ],
)
def test_pieces_that_perfettos_statistics_count(metadata: dict[str, Any], pieces: int) -> None:
    assert warned(read(metadata=metadata)) == ({"overflow": pieces} if pieces else {})
