"""Codes that a client of the socket relies on."""

import re
from pathlib import Path

from server.edges.ws.answers import CloseCode


def test_the_codes_that_close_a_socket_are_those_of_the_protocol() -> None:
    text = (Path(__file__).parents[4] / "docs" / "protocol.md").read_text(encoding="utf-8")
    documented = {int(code) for code in re.findall(r"^\| (\d{4}) \|", text, re.MULTILINE)}
    by_the_framework = {1011}
    assert documented - by_the_framework == {int(code) for code in CloseCode}
