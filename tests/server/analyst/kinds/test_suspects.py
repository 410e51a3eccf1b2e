"""A suspicion in a question is looked up under the finding that it means."""

import pytest

from server.analyst.evidence import Evidence
from server.analyst.forms import table
from server.analyst.kinds.suspects import first
from server.analyst.question import Intent, Question
from tests.server.analyst.written_answers import assert_answered, prompts_of
from traces.insights.registry import DETECTORS

ASKED = {
    "serialisation": ("Is it serialization?", "is it JSON", "too much pickle?", "is it the encoding"),
    "logging": ("Is it the logging?", "do we write too many logs"),
    "regular-expressions": ("Is it a regex?", "is it the regular expressions"),
    "dates": ("Is it parsing dates?", "date formatting?"),
    "compression": ("Is it the compression?", "is it gzip", "zlib?"),
    "cryptography": ("Is it encryption?", "is it TLS"),
    "sorting": ("Is it the sorting?", "do we sort too often"),
    "linear-search": ("Is it a linear search?", "are we searching lists"),
    "copying": ("Is it copying?", "is it memcpy"),
    "exceptions": ("Is it exceptions?",),
    "reflection": ("Is it reflection?",),
    "data-loading": ("Is it the data loader?", "is it loading the data"),
    "kernel-gaps": ("Is the GPU often idle?", "are there kernel gaps"),
    "compilation": ("Is it the JIT?", "is it compiling"),
    "layout-thrashing": (
        "Is it reflow?",
        "is it layout?",
        "is it layout thrashing",
    ),
    "rendering": ("Is it rendering?", "is it painting"),
    "unsymbolised": ("whats all that [unknown] stuff", "why are there no symbols"),
    "third-parties": ("Is it third-party scripts?", "is it a tracker"),
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in ASKED.items() for text in texts])
def test_a_suspicion_is_looked_up_by_its_finding(name: str, text: str) -> None:
    question = Question(intent=Intent.OVERVIEW, text=text)
    assert ("get_insights", {"name": name}) in first(question, Evidence(text, {}, ()))


def test_every_suspicion_is_asked_here_and_has_a_detector() -> None:
    assert list(table()["work"]) == list(ASKED)
    assert set(ASKED) <= {detector.id for detector in DETECTORS}


@pytest.mark.parametrize(("module", "trace", "prompt"), prompts_of("suspects"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
