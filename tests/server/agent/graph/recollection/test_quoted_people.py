"""A figure that an answer quotes of a person is neither right nor wrong by the trace."""

import pytest

from server.agent.graph.recollection.quoted_people import HOW, of_people
from server.protocol.wire_values import Check

FACT = "requests stay under 300 ms"
ANSWER = f'Remembered: "{FACT}". The trace has 300 ms.'


def check(start: int, status: str) -> Check:
    return Check.model_validate(
        {"claim": "300 ms", "kind": "number", "status": status, "start": start, "end": start + 6, "actual": "1 s"}
    )


@pytest.mark.parametrize("status", ["verified", "derived", "contradicted", "not_found"])
def test_only_what_stands_in_the_quotation_is_left_open(status: str) -> None:
    places = [ANSWER.index("300 ms"), ANSWER.rindex("300 ms")]
    inside, outside = of_people(ANSWER, [check(at, status) for at in places], [FACT])
    assert (inside.status, inside.how, inside.actual) == ("unchecked", HOW, None)
    assert outside.status == status
    assert [one.status for one in of_people(ANSWER, [check(places[0], status)], ["something else"])] == [status]
