"""Lines of a trace in a text of another version."""

import pytest

from server.agent.tools.sources.moved_lines import line_now, line_of_function, own_name

THEN = [
    "import a",
    "",
    "def total(cart):",
    "    x = 1",
    "    return x",
    "",
    "def tax(cart):",
    "    x = 1",
    "    return x",
]


def test_a_line_is_found_by_itself_and_by_the_lines_around_it() -> None:
    assert line_now(THEN, ["import b", *THEN], 3) == 4
    assert line_now(THEN, THEN, 8) == 8
    assert line_now(THEN, ["import b", "import c", *THEN], 8) == 10, "the same line stands in two functions"
    assert line_now(THEN, [one.replace("    ", "\t") for one in THEN], 3) == 3


def test_a_line_that_is_gone_or_could_be_any_of_several_is_none() -> None:
    assert line_now(THEN, ["def other():"], 3) is None
    assert line_now(THEN, THEN, 2) is None, "a blank line"
    assert line_now(THEN, THEN, 99) is None
    assert line_now(["x"], ["x", "x", "x", "x", "x", "x", "x", "x"], 1) is None


@pytest.mark.parametrize(
    ("text", "name", "line", "now"),
    [
        ("a\nb\ndef parse(x):\n    return x\n", "parse", 1, 3),
        ("a\ndef parse(x):\n    return x\n", "parse", 2, None),
        ("a\ndef parse(x):\n    y = x\n    return y\n", "parse", 4, None),
        ("def parse(x):\n    return x\n\ndef other(x):\n    return x\n", "parse", 5, 1),
        ("def parse(x):\n    return x\n", "parse", 40, 1),
        ("@cached\ndef parse(x):\n    return x\n", "parse", 1, None),
        ("class A:\n    def parse(x):\n        return x\n\n    def other(x):\n        return x\n", "A.parse", 6, 2),
        ("a\nb\nc\nfunc (s *Shop) Total() int {\n}\n", "main.(*Shop).Total", 1, 4),
        ("a\nb\nc\npub fn total(&self) -> u32 {\n}\n", "shop::Cart::total", 1, 4),
        ("a\nb\nc\nconst total = (cart) => {\n}\n", "total", 1, 4),
        ("a\nb\nc\n  async total(cart) {\n  }\n", "Cart.total", 1, 4),
        ("a\nb\nc\npublic static int total(int[] cart) {\n}\n", "Cart.total(int[])", 1, 4),
        ("x = parse(1)\ny = parse(2)\n", "parse", 1, None),
        ("a\nb\nc\ndef parse(): 1\nd\ndef parse(): 2\n", "parse", 1, None),
        ("a\n", "<anonymous>", 1, None),
    ],
)
def test_a_function_that_begins_elsewhere_is_found_where_it_is_defined_once(
    text: str, name: str, line: int, now: int | None
) -> None:
    assert line_of_function(text.splitlines(), name, line) == now


def test_a_functions_own_name_is_without_its_class_and_arguments() -> None:
    names = ["main.(*Shop).Total", "a::b<T>::total", "Cart.total(int, x.Y)", "total", "<lambda>", "[unknown]", ""]
    assert [own_name(one) for one in names] == ["Total", "total", "total", "total", None, None, None]
