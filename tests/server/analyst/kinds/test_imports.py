"""The time that loading modules takes, and which module takes the most of it."""

import re

import pytest

from tests.server.analyst.test_analyst_chat import talk
from tests.traces.insights.recorded import sampled

FIND = "_find_and_load (<frozen importlib._bootstrap>:1165)"
RUNS = [
    ("<module> (cli.py:1);main (cli.py:9)", 50.0),
    (f"<module> (cli.py:1);{FIND};<module> (maps.py:1);build (maps.py:4)", 30.0),
    (f"<module> (cli.py:1);{FIND};<module> (maps.py:1);{FIND};<module> (grid.py:1)", 5.0),
    ("<module> (cli.py:1);main (cli.py:9);<module> (audio.py:1)", 10.0),
    (f"<module> (cli.py:1);{FIND}", 5.0),
]
ALL = "**Imports take 50.0% (50.0 ms), most of it `maps.py` with 35.0 ms**, then `audio.py` with 10.0 ms."
WHICH = "**Importing `maps.py` takes longest: 35.0% (35.0 ms)**, with what it imports itself, then `audio.py`"


def plain(answer: str) -> str:
    return re.sub(r"\[(`[^`]+`)\]\(#\w+\)", r"\1", answer)


@pytest.mark.parametrize(
    "prompt",
    [
        "how long do the imports take before anything happens",
        "cli needs 350 ms before it says anything. imports?",
        "how much is spent importing things",
        "is the import slow?",
        "wie lange dauern die Importe",
        "combien prennent les imports ?",
        "cuánto tardan los imports",
        "quanto vai pros imports?",
        "インポートにかかる時間は",
        "起動が遅い。何をロードしてる?",
        "导入模块花了多久",
    ],
)
async def test_imports_are_what_loads_modules_and_what_that_calls(prompt: str) -> None:
    (answer,) = await talk(sampled(RUNS), prompt)
    assert plain(answer).startswith(ALL), answer


@pytest.mark.parametrize("prompt", ["mostly which module?", "which one mostly", "welches am meisten?", "どれが主に?"])
async def test_which_of_them_is_asked_of_the_imports(prompt: str) -> None:
    *_, answer = await talk(sampled(RUNS), "how long do imports take", prompt)
    assert plain(answer).startswith(WHICH), answer


async def test_without_any_that_is_said_and_other_loading_is_no_import() -> None:
    trace = sampled([("main;parse", 30.0), ("main;emit", 70.0)])
    (none,) = await talk(trace, "how long do the imports take")
    assert none.startswith("**No import is recorded here**"), none
    (other,) = await talk(trace, "起動が遅い。何をロードしてる?")
    assert "import is recorded" not in other, other


async def test_an_import_of_data_is_no_loading_of_modules() -> None:
    (answer,) = await talk(sampled(RUNS), "The import got slow after we added regions. What is going on?")
    assert "Imports take" not in answer, answer


async def test_loaders_of_other_languages_are_known_and_name_no_module_where_none_is() -> None:
    trace = sampled([("main;java.lang.ClassLoader.loadClass;read", 20.0), ("main;run", 80.0)])
    (answer,) = await talk(trace, "imports?")
    assert answer.startswith("**Imports take 20.0% (20.0 ms)**."), answer
