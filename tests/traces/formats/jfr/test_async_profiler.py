"""async-profiler's pages: names that share beginnings, frames that follow each other."""

import pytest

from tests.traces.stacks_of_traces import read, stacks
from traces.errors import DamagedTrace, EmptyTrace

HEAD = (
    "<!DOCTYPE html>\n<html lang='en'>\n<h1>CPU profile</h1>\n<header>Produced by <a href='https://github.com/"
    "async-profiler/async-profiler'>async-profiler</a></header>\n<canvas id='canvas'></canvas>\n<script>\n"
)
NAMES = ["all", " java/util/ArrayList.add", "4grow", " it\\'s"]


def packed(*calls: str) -> str:
    names = ",\n".join(f"'{name}'" for name in NAMES)
    return f"{HEAD}const cpool = [\n{names}\n];\nunpack(cpool);\n\n" + "\n".join(calls) + "\nsearch();\n</script>\n"


def test_packed_frames_follow_from_the_one_before() -> None:
    # all 10; add 8 below it, grow 5 in add, it's 2 beside grow; add again in the second it's
    trace = read(packed("n(3,10)", "u(9,8)", "u(16,5)", "n(27,2)", "f(29,1,3,2)", "u(9)"))
    add, grow = "java/util/ArrayList.add", "java/util/ArrayList.grow"
    assert stacks(trace) == [(add, 1.0), (f"{add};{grow}", 5.0), (f"{add};it's", 2.0), (f"it's;{add}", 2.0)]
    category = {trace.frame_names[i]: trace.strings[int(c)] for i, c in enumerate(trace.frames.category)}
    assert category[add] == "compiled"


def test_version_2_writes_every_number_and_name() -> None:
    page = HEAD + "f(0,0,10,3,'all')\nf(1,0,7,1,'Main.&lt;init&gt;')\nf(2,3,4,5,'do\\'it')\nf(1,7,3,0,'run')\n</script>"
    assert stacks(read(page)) == [("Main.<init>", 3.0), ("Main.<init>;do'it", 4.0), ("run", 3.0)]


@pytest.mark.parametrize(
    ("calls", "reason"),
    [
        (("f(0,5,0,3)",), "no frame below"),
        (("n(3,10)", "u(9,11)"), "wider"),
        (("n(800,10)",), "names what is not"),
    ],
)
def test_contradictions_are_refused(calls: tuple[str, ...], reason: str) -> None:
    with pytest.raises(DamagedTrace, match=reason):
        read(packed(*calls))


def test_a_page_without_frames_is_empty() -> None:
    with pytest.raises(EmptyTrace):
        read(packed())
