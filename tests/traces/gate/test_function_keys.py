"""Which functions are one, and which ones a name means."""

import pytest

from traces.gate.function_keys import file_key, matching, short_name
from traces.gate.rules import InvalidRule


@pytest.mark.parametrize(
    ("file", "key"),
    [
        ("/srv/app/b.js", "b.js"),
        ("file:///srv/ci/app/b.js", "b.js"),
        ("https://example.org:8080/assets/index-BwJ3x9Qz.js?v=3#x", "index.js"),
        ("/srv/main.4f2a1c0d.chunk.js", "main.js"),
        ("C:\\src\\b.cs", "b.cs"),
        ("lodash-4.17.21.min.js", "lodash-4.17.21.min.js"),
        ("index.production.js", "index.production.js"),
        ("/", ""),
    ],
)
def test_a_file_is_the_same_on_another_machine_and_in_another_build(file: str, key: str) -> None:
    assert file_key(file) == key


@pytest.mark.parametrize(
    "name",
    ["matchTrades", "book::Engine::matchTrades(Order const&)", "main.(*Engine).matchTrades", "Engine#matchTrades",
     "com.example.Engine.matchTrades", "com.example.Engine:matchTrades", "com/example/Engine.matchTrades_[j]",
     "matchTrades (engine.py:33)", "book::Map<a::b, c>::matchTrades()", "main.Map[go.shape.int].matchTrades",
     "matchTrades(int) [clone .cold]"],
)  # fmt: skip
def test_the_last_part_of_a_name_is_what_people_call_it(name: str) -> None:
    assert short_name(name) == "matchTrades"


@pytest.mark.parametrize("name", ["(garbage collector)", "<module>", "[vdso]", "a::operator()(int)", "", "...", "::"])
def test_a_name_without_parts_is_its_own_last_part_or_an_operator(name: str) -> None:
    assert short_name(name) in (name, "operator()")


KNOWN = [("main", "a.js"), ("render", "a.js"), ("render", "b.js"), ("ns::draw(int)", "c.cc"), ("x.draw", None),
         ("book::match(Order)", "c.cc")]  # fmt: skip


def test_a_name_means_the_functions_of_that_name_else_of_that_last_part() -> None:
    assert matching("render", KNOWN) == {("render", "a.js"), ("render", "b.js")}
    assert matching("render @ src/b.js", KNOWN) == {("render", "b.js")}
    assert matching("match", KNOWN) == {("book::match(Order)", "c.cc")}
    assert matching("ns::draw(int)", KNOWN) == {("ns::draw(int)", "c.cc")}


def test_a_name_that_may_be_two_functions_is_refused_with_both() -> None:
    with pytest.raises(InvalidRule, match=r"may be ns::draw\(int\), x\.draw"):
        matching("draw", KNOWN)


def test_a_name_that_no_run_has_is_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidRule, match=r"no run has a function rendr\. The nearest: render"):
        matching("rendr", KNOWN)
    with pytest.raises(InvalidRule, match=r"no run has a function render @ z\.js"):
        matching("render @ z.js", KNOWN)
    with pytest.raises(InvalidRule, match=r"no run has a function zzz\.$"):
        matching("zzz", KNOWN)
