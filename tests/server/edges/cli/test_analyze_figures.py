"""What a terminal shows of an answer's figures: labels, never addresses."""

import pytest

from server.edges.cli.analyze import TerminalSink
from server.protocol.events import ModelChunkAppend, ModelChunkStart, ModelReading


async def test_figures_are_shown_without_their_addresses(capsys: pytest.CaptureFixture[str]) -> None:
    sink = TerminalSink(quiet=False)
    for at, chunk in enumerate(["It takes [379", " ms](#f12.se", "lf) of [`parse`](#f12), [4"]):
        kind = ModelChunkAppend if at else ModelChunkStart
        await sink.emit(kind(message_id="m", offset=0, chunk=chunk))
    sink.close()
    assert capsys.readouterr().out == "It takes 379 ms of [`parse`](#f12), [4"


async def test_a_model_that_reads_says_so_a_line_a_quarter(capsys: pytest.CaptureFixture[str]) -> None:
    sink = TerminalSink(quiet=True)
    for read in (0, 500, 1_250, 1_300, 4_870):
        await sink.emit(ModelReading(tokens_read=read, tokens_in_all=4_870))
    assert capsys.readouterr().err.splitlines() == [
        "· the model is reading: 0 of 4,870 tokens",
        "· the model is reading: 1,250 of 4,870 tokens",
        "· the model is reading: 4,870 of 4,870 tokens",
    ]
