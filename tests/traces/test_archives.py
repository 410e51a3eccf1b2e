"""Which file of an archive is the trace."""

import io

import pytest

from traces.archives import MAX_MEMBERS, Member, chosen
from traces.errors import UnrecognisedTrace


def member(name: str, content: bytes = b"", *, is_link: bool = False) -> Member:
    return Member(name, is_link, lambda: io.BytesIO(content))


def choose(*members: Member) -> str:
    return chosen(list(members), "zip", "a.zip", lambda head, name: head.startswith(b"trace")).name


def test_the_only_file_or_the_only_trace_is_chosen() -> None:
    assert choose(member("notes")) == "notes"
    assert choose(member("notes"), member("b", b"trace 1"), member("c", b"trace 2", is_link=True)) == "b"
    assert choose(*(member(f"{k}") for k in range(MAX_MEMBERS - 1)), member("b", b"trace")) == "b"


@pytest.mark.parametrize(
    ("members", "refusal"),
    [
        ([], "holds no files. Pack the trace itself."),
        ([member("a", b"trace", is_link=True)], "holds links, no files. Pack"),
        ([member("b", b"trace 1"), member("c", b"trace 2")], "2 files, 2 traces: b, c. Unpack"),
        ([member("b"), member("c")], "2 files, none of which is a trace that is known here: b, c. Unpack"),
        ([member(f"n{k}") for k in range(7)], "n0, n1, n2, n3, n4 and 2 more. Unpack"),
        ([member(f"n{k}") for k in range(5)], "n3, n4. Unpack"),
        ([member("b"), member("é\n" + "x" * 70)], f"b, …{'x' * 60}. Unpack"),
        ([member("../b")], "names files outside"),
        ([member("/b")], "names files outside"),
        ([member("C:\\b")], "names files outside"),
        ([member("b")] * (MAX_MEMBERS + 1), "more than 200 files"),
    ],
)
def test_what_cannot_be_chosen_from_is_refused(members: list[Member], refusal: str) -> None:
    with pytest.raises(UnrecognisedTrace) as caught:
        choose(*members)
    assert refusal in str(caught.value)
