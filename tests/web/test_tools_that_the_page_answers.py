"""The page mounts every tool that the server lets it mount, and has what each needs: an action, or a card."""

import re
from pathlib import Path
from typing import get_args

from server.protocol.events import ViewerAction
from server.protocol.mounted import ARGUMENTS, PLAIN, RESULTS, WAITS_S, WITH_A_VERSION

WEB = Path(__file__).parents[2] / "web" / "src"


def names_in(path: str, constant: str) -> set[str]:
    text = (WEB / path).read_text(encoding="utf-8")
    found = re.search(rf"const {constant} = \[(.*?)\]", text)
    assert found
    return set(re.findall(r'"(\w+)"', found[1]))


def test_the_page_mounts_every_tool() -> None:
    plain, answered = (names_in("room/asked_of_page.ts", name) for name in ("PLAIN", "ANSWERED"))
    assert plain | answered | {"read_view"} == WITH_A_VERSION
    assert answered == set(RESULTS) == set(ARGUMENTS) == set(WAITS_S)
    assert plain | {"navigate"} == PLAIN


def test_every_action_of_the_viewer_is_performed() -> None:
    acts = (WEB / "viewer" / "navigation.ts").read_text(encoding="utf-8")
    assert set(re.findall(r'case "(\w+)":', acts)) == set(get_args(ViewerAction.model_fields["action"].annotation))


def test_every_question_to_the_person_has_its_card() -> None:
    card = (WEB / "chat" / "asked_card.tsx").read_text(encoding="utf-8")
    for tool in set(ARGUMENTS) - {"navigate"}:
        assert ARGUMENTS[tool].__name__ in card
