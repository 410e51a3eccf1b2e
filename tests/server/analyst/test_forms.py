"""The table of how prompts are put: code names what it has, and it has nothing that no code names."""

import ast
import re
from pathlib import Path

import pytest

from server.analyst.forms import LISTS, TABLE, expression, first_form, forms, table
from server.analyst.intent import Intent

SERVER = TABLE.parents[1]
FORMS = "server.analyst.forms"
"""A module that asks for forms imports them."""


def _named_in(tree: ast.Module) -> set[tuple[str, str]]:
    """The forms that a module asks for: attributes of the parts that it names at its top."""
    parts = {
        one.targets[0].id: one.value.args[0].value
        for one in tree.body
        if isinstance(one, ast.Assign)
        and isinstance(one.targets[0], ast.Name)
        and isinstance(one.value, ast.Call)
        and isinstance(one.value.func, ast.Name)
        and one.value.func.id == "forms"
        and isinstance(one.value.args[0], ast.Constant)
    }
    return {
        (str(parts[one.value.id]), one.attr)
        for one in ast.walk(tree)
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id in parts
    }


def _parts_in(tree: ast.Module) -> set[str]:
    """The parts of which a module asks for forms by a name that it works out."""
    calls = [one for one in ast.walk(tree) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)]
    named = {
        name.id: part.args[0].value
        for one in tree.body
        if isinstance(one, ast.Assign)
        for name, part in zip(*map(_elements, (one.targets[0], one.value)), strict=False)
        if isinstance(name, ast.Name)
        and isinstance(part, ast.Call)
        and part.args
        and isinstance(part.args[0], ast.Constant)
    }
    first = [
        one.args[0] for one in calls if isinstance(one.func, ast.Name) and one.func.id in ("first_form", "expression")
    ]
    asked = [one.args[0] for one in calls if isinstance(one.func, ast.Name) and one.func.id == "getattr"]
    parts = {str(one.value) for one in first if isinstance(one, ast.Constant)}
    return parts | {str(named[one.id]) for one in asked if isinstance(one, ast.Name) and one.id in named}


def _elements(value: ast.expr) -> list[ast.expr]:
    return value.elts if isinstance(value, ast.Tuple) else [value]


def _lists_in(tree: ast.Module) -> set[str]:
    """The lists of words that a module asks for."""
    return {
        str(one.args[0].value)
        for one in ast.walk(tree)
        if isinstance(one, ast.Call)
        and isinstance(one.func, ast.Name)
        and one.func.id == "word_list"
        and isinstance(one.args[0], ast.Constant)
    }


def _of_the_code() -> set[tuple[str, str]]:
    sources = [Path(path).read_text(encoding="utf-8") for path in sorted(SERVER.rglob("*.py"))]
    trees = [ast.parse(source) for source in sources if FORMS in source]
    lists = {(LISTS, name) for tree in trees for name in _lists_in(tree)}
    parts = {"intents_by_form"}.union(*map(_parts_in, trees))
    every = {(part, name) for part in parts for name in table()[part]}
    return lists | every.union(*map(_named_in, trees))


def test_every_form_that_code_names_is_in_the_table_and_the_other_way_round() -> None:
    written = {(part, name): text for part, of_part in table().items() for name, text in of_part.items()}
    asked = _of_the_code()
    within = {(part, used) for (part, _), text in written.items() for used in re.findall(r"\{\{(\w+)\}\}", str(text))}
    assert sorted(asked - set(written)) == []
    assert sorted(set(written) - asked - within) == []


def test_every_form_compiles_with_those_that_it_is_made_of() -> None:
    for part in set(table()) - {LISTS, "intents_by_form"}:
        for name in table()[part]:
            re.compile(expression(part, name))
            assert "{{" not in expression(part, name)


def test_each_form_that_is_known_as_it_is_has_its_intent() -> None:
    assert list(table()["known_forms"]) == list(table()["intents_by_form"])
    assert set(map(Intent, table()["intents_by_form"].values()))


def test_a_form_goes_over_line_ends_and_takes_letters_of_either_case() -> None:
    assert forms("answerable").of_a_change.search("Did it REGRESS?")


def test_the_first_form_of_a_part_that_a_text_has_is_named() -> None:
    assert first_form("units", "how many objects and how many bytes") == "count"
    assert not first_form("units", "how long")


def test_a_form_that_is_not_there_is_named() -> None:
    with pytest.raises(AttributeError, match="no form 'cheaper' of 'answerable'"):
        _ = forms("answerable").cheaper
