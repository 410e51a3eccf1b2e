"""Functions in an order, as a part of one another, added up and against each other."""

import re

import pytest

from tests.server.analyst.asks.test_supposing import bakery, plain
from tests.server.analyst.test_analyst_chat import talk
from tests.traces.insights.recorded import sampled, timeline


@pytest.mark.parametrize(
    ("prompts", "begins"),
    [
        (["top 2 functions by self below `bake`"], "**`knead` 500 ms (71.4%) and `glaze` 200 ms (28.6%)**, in the"),
        (["top function by self below `bake` besides `knead`"], "**`glaze` takes the most itself of what"),
        (["hottest function by self", "the third?"], "**The third is `sell` 200 ms (20.0%)**"),
        (["hottest function by self", "next two"], "**`glaze` 300 ms (30.0%) and `sell` 200 ms (20.0%)**"),
        (["biggest child of `main` incl. everything under it"], "**`bake` takes the most in total of what `main`"),
        (["`glaze` as part of `bake`"], "**28.6% of `bake` is `glaze`**: 200 ms of 700 ms."),
        (["`bake` total", "`glaze` as part of it"], "**28.6% of `bake` is `glaze`**: 200 ms of 700 ms."),
        (["how much of `bake` is `glaze`"], "**28.6% of `bake` is `glaze`**"),
        (["wie viel % von `bake` ist `glaze`"], "**28.6% of `bake` is `glaze`**"),
        (["`knead` as part of `sell`"], "**Nothing of `sell` is `knead`**"),
        (["`bake` plus `glaze` together"], "**Together `bake` and `glaze` take 800 ms"),
        (["`bake` vs `sell` vs `knead`, which is hottest"], "**`knead` takes the most of them**: 500 ms itself"),
        (["`bake` total", "plus ou moins que `sell` ?"], "**`bake` takes more**: 700 ms"),
        (["`bake` total", "plus `sell`, how much altogether"], "**Together `bake` and `sell` take"),
        (["`bake` vs `sell`, which is heavier", "which of the two is worse"], "**`bake` takes more**: "),
        (["`bake` vs `sell`, which is heavier", "and self?"], "**`sell` takes more**: "),
        (["`bake` vs `sell`, which is heavier, as a factor"], "**`bake` takes more**: 700 ms, and `sell` 300 ms. That"),
    ],
)  # fmt: skip
async def test_functions_are_compared(prompts: list[str], begins: str) -> None:
    *_, answer = await talk(bakery(), *prompts)
    assert plain(answer).startswith(begins), answer


async def test_calls_are_ranked_where_they_were_counted() -> None:
    trace = timeline([("job", 0, 90), ("ink", 0, 10), ("ink", 20, 30), ("dry", 40, 80)])
    (answer,) = await talk(trace, "which function is called the most")
    assert plain(answer).startswith("**The most calls go to `ink`: 2 times**"), answer


async def test_the_share_of_its_thread_is_of_that_thread() -> None:
    trace = timeline([("job", 0, 80), ("ink", 0, 20)], [("bind", 0, 40)], names=("press", "binder"))
    (answer,) = await talk(trace, "share of `ink` in its thread")
    assert re.match(r"\*\*`ink` takes 25\.0% of 80\.0 ms, 20\.0 ms, in `press`\*\*", plain(answer)), answer


async def test_parts_by_thread_are_all_of_it() -> None:
    trace = timeline([("ink", 0, 20)], [("ink", 0, 40)], [("ink", 10, 15)], names=("a", "b", "c"))
    (answer,) = await talk(trace, "`ink` total per thread")
    *each, together = (float(one) for one in re.findall(r"(\d+\.\d+) ms(?! \(\d)", answer))
    assert sum(each) == together


async def test_a_file_is_all_of_its_functions() -> None:
    trace = sampled([("main@app.js;minify@terser.js;walk@terser.js", 60.0), ("main@app.js;check@typescript.js", 40.0)])
    (answer,) = await talk(trace, "terser vs typescript, which is heavier")
    assert plain(answer).startswith("**`terser` takes more**: 60.0 ms itself and"), answer
