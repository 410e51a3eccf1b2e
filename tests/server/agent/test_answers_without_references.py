"""A model with a context of 4 k that writes no references: complete turns, whose marks keep the bounds for numbers."""

from evals.claims.known_facts import recording
from evals.claims.marking import Mark, Marked, mark_of
from evals.claims.marks_table import MEASURES
from evals.claims.statements import Statement, read_statements
from tests.openai_endpoint import Reply, openai_endpoint, requested_tokens
from tests.server.agent.test_small_context import TOP, TREE, staged
from traces.reader import read_trace

TRACE = "redact-documents.viztracer.json.gz"
A_TURN = 12
TURNS = 3


def with_figures() -> list[Statement]:
    """Statements of one trace in English whose figure the trace decides, half of them false."""
    chosen = [
        one
        for one in read_statements()
        if one.trace == TRACE and one.language == "en" and one.figure is not None and one.is_decidable
    ]
    return chosen[: A_TURN * TURNS]


async def test_marks_of_an_answer_without_references_keep_the_bounds_for_numbers() -> None:
    trace = read_trace(recording(TRACE).read_bytes(), name=TRACE)
    found: list[Marked] = []
    every = with_figures()
    for at in range(0, len(every), A_TURN):
        statements = every[at : at + A_TURN]
        text = "\n\n".join(one.text for one in statements)
        replies = (Reply(calls=(TOP,)), Reply(calls=(TREE,)), Reply(text=text), Reply(text=text))
        async with openai_endpoint(*replies, context=4_000) as endpoint:
            scene = staged(endpoint, 4_000, trace)
            answer = await scene.agent.answer(scene.turn, scene.sink)
        assert answer.text == text
        assert len(scene.sink.of("tool_result")) == 2
        assert requested_tokens(endpoint.requests[0]) <= 2_000
        start = 0
        for one in statements:
            end = start + len(one.text)
            checks = [check for check in answer.checks if start <= check.start < end]
            found.append(Marked(one, mark_of(checks), tuple(checks)))
            start = end + 2
    assert len(found) == A_TURN * TURNS
    assert {one.mark for one in found} >= {Mark.CERTIFIED, Mark.CONTRADICTED}
    assert [measure.name for measure in MEASURES if not measure.keeps(found)] == []
