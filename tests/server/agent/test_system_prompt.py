"""The system prompt teaches what the server resolves: every address in it is one, and it names every measure."""

import re

from server.adapters.prompt_file import OWN_PROMPT
from server.agent.verification.references.addresses import MEASURES, Address, parse_address

PROMPT = OWN_PROMPT.read_text(encoding="utf-8")
LINK = re.compile(r"\]\(#([^)]*)\)")
HANDLE = re.compile(r"[fnsp]\d+")


def test_every_link_of_the_prompt_is_a_handle_or_an_address_that_is_read() -> None:
    targets = LINK.findall(PROMPT)
    addresses = [target for target in targets if not HANDLE.fullmatch(target)]
    assert [one for one in addresses if not isinstance(parse_address(one), Address)] == []
    assert {one.partition(".")[0][0] for one in addresses} >= set("fnspwcqi"), "each kind of subject and scope is shown"


def test_the_prompt_lists_every_measure_that_an_address_may_have() -> None:
    (listed,) = re.findall(r"Measures: (.*)\.$", PROMPT, re.MULTILINE)
    assert set(re.findall(r"[a-z]+\d*", listed.replace("(of single calls)", ""))) == MEASURES


def test_an_example_of_an_answer_gives_each_figure_its_address() -> None:
    examples = [line for line in PROMPT.splitlines() if line.startswith("> ")]
    assert len(examples) == 2
    for example in examples:
        assert LINK.findall(example)
        without_links = re.sub(r"\[[^\]]*\]\(#[^)]*\)", "", example)
        assert re.findall(r"\d+ %|\d+ calls", without_links) == []
