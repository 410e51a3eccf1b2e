"""What a terminal shows of an answer's figures: labels, never addresses."""

import pytest

from server.edges.cli.analyze import TerminalSink
from server.protocol.events import ModelChunkAppend, ModelChunkStart


async def test_figures_are_shown_without_their_addresses(capsys: pytest.CaptureFixture[str]) -> None:
    sink = TerminalSink(quiet=False)
    for at, chunk in enumerate(["It takes [379", " ms](#f12.se", "lf) of [`parse`](#f12), [4"]):
        kind = ModelChunkAppend if at else ModelChunkStart
        await sink.emit(kind(message_id="m", offset=0, chunk=chunk))
    sink.close()
    assert capsys.readouterr().out == "It takes 379 ms of [`parse`](#f12), [4"
