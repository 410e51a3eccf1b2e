"""A trace's packets: how much of one that breaks off is complete."""

import pytest

from tests.traces.formats.protobuf_messages import message
from traces.formats.perfetto.perfetto_packets import complete_size
from traces.kernels.library import NotReadable

PACKET = message((1, message((8, 7))))


def test_packets_count_as_far_as_they_are_complete() -> None:
    assert complete_size(PACKET * 3) == len(PACKET * 3)
    assert complete_size(PACKET * 3 + PACKET[:-1]) == len(PACKET * 3)


@pytest.mark.parametrize("data", [PACKET[:-1], PACKET + b"\x0e\x01", b"\x0e\x01"])
def test_what_is_no_packet_is_refused(data: bytes) -> None:
    with pytest.raises(NotReadable):
        complete_size(data)
