"""Orders of files, packages and classes: each place has the sum of what its functions take themselves."""

import pytest

from server.analyst.asked_things import place_ranked
from tests.server.analyst.test_analyst_chat import asked
from tests.traces.insights.recorded import sampled

PYTHON = {
    "main@/srv/app/main.py;pack@/srv/app/pack.py": 40.0,
    "main@/srv/app/main.py;seal@/srv/app/pack.py": 25.0,
    "main@/srv/app/main.py;Decoder.read@/usr/lib/python3.11/json/decoder.py": 30.0,
    "main@/srv/app/main.py;Parser.step@/usr/lib/python3.11/re/_parser.py": 4.0,
    "main@/srv/app/main.py": 1.0,
}
GO = {
    "main.main@/srv/sky.go;math.cos@math/sin.go": 60.0,
    "main.main@/srv/sky.go;encoding/json.(*D).next@encoding/json/d.go": 40.0,
}


@pytest.mark.parametrize(
    ("prompt", "kind"),
    [
        ("which file costs the most?", "files"),
        ("the 3 files that cost most", "files"),
        ("top 3 packages", "packages"),
        ("biggest libraries", "libraries"),
        ("which class is slowest", "classes"),
        ("time by directory", "directories"),
        ("welche Bibliothek kostet am meisten?", "libraries"),
        ("quels sont les fichiers les plus lents", "files"),
        ("どのクラスが一番重い？", "classes"),
        ("which file defines parse?", ""),
        ("who calls parse?", ""),
    ],
)
def test_which_kind_of_place_is_ranked(prompt: str, kind: str) -> None:
    assert place_ranked(prompt) == kind


@pytest.mark.parametrize(
    ("prompt", "stacks", "opening"),
    [
        (
            "top 2 files",
            PYTHON,
            "**`/srv/app/pack.py` takes the most of all files: 65.0% (65.0 ms) itself**, then `/usr/lib/python3.11/j",
        ),
        (
            "which library costs most?",
            PYTHON,
            "**`json` takes the most of all libraries: 30.0% (30.0 ms) itself**, then `re`",
        ),
        ("which class is the slowest?", PYTHON, "**`Decoder` takes the most of all classes: 30.0% (30.0 ms) itself**"),
        (
            "time per package",
            GO,
            "**`math` takes the most of all packages: 60.0% (60.0 ms) itself**, then `encoding/json`",
        ),
    ],
)
async def test_places_are_ranked_by_what_their_functions_take(
    prompt: str, stacks: dict[str, float], opening: str
) -> None:
    answer, _ = await asked(prompt, sampled(stacks))
    assert answer.text.startswith(opening), answer.text


async def test_the_heaviest_function_of_the_first_place_is_named() -> None:
    answer, _ = await asked("which file costs the most?", sampled(PYTHON))
    assert "Its heaviest function is [`pack`]" in answer.text
