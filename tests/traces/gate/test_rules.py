"""Rules from their text, and every text that is none."""

import pytest

from traces.gate.rules import (
    FindingRule,
    GrowthRule,
    InvalidRule,
    Measure,
    NewHotFunctionRule,
    Rule,
    parse_percent,
    parse_rule,
    parse_rules,
)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("self_share(matchTrades) +5%", GrowthRule("", Measure.SELF_SHARE, "matchTrades", 0.05)),
        ("  total_share( a b ) +0.5 % ", GrowthRule("", Measure.TOTAL_SHARE, "a b", 0.005)),
        ("self(ns::f(int, char)) + 12%", GrowthRule("", Measure.SELF, "ns::f(int, char)", 0.12)),
        ("total(f) 5%", GrowthRule("", Measure.TOTAL, "f", 0.05)),
        ("total(operator()) +5%", GrowthRule("", Measure.TOTAL, "operator()", 0.05)),
        ("self(a\nb) +5%", GrowthRule("", Measure.SELF, "a\nb", 0.05)),
        ("total +3%", GrowthRule("", Measure.TOTAL, None, 0.03)),
        ("total +0%", GrowthRule("", Measure.TOTAL, None, 0.0)),
        ("new hot function 2%", NewHotFunctionRule("", 0.02)),
        ("finding long-tasks", FindingRule("", "long-tasks")),
    ],
)
def test_a_rule_is_read_from_its_text(text: str, rule: Rule) -> None:
    found = parse_rule(text)
    assert type(found) is type(rule)
    fields = [name for name in rule.__dataclass_fields__ if name != "text"]
    assert [getattr(found, name) for name in fields] == [getattr(rule, name) for name in fields]
    assert found.text == text.strip()


@pytest.mark.parametrize(
    "text",
    ["", "nonsense", "self_share(f)", "self_share() +5%", "self( ) +5%", "self_share(f) -5%", "self_share +5%",
     "total +nan%", "total +1e3%", "total +99999%", "new hot function 0%", "new hot function 101%",
     "new hot function", "finding", "finding Long Tasks", "finding ../x", "total +3% and more", "x" * 2001,
     "self(" + "f" * 3000 + ") +5%"],
)  # fmt: skip
def test_what_is_no_rule_is_refused(text: str) -> None:
    with pytest.raises(InvalidRule):
        parse_rule(text)


def test_a_rule_counts_once_and_there_is_at_least_one() -> None:
    assert len(parse_rules(["total +3%", " total +3%", "total +4%"])) == 2
    with pytest.raises(InvalidRule, match="needs a rule"):
        parse_rules([])
    with pytest.raises(InvalidRule, match="at most 100"):
        parse_rules([f"total +{number}%" for number in range(101)])


def test_a_part_is_written_with_or_without_its_sign() -> None:
    assert (parse_percent("25%"), parse_percent(" 2.5 ")) == (0.25, 0.025)
    for text in ("", "%", "-5%", "much", "5%%"):
        with pytest.raises(InvalidRule):
            parse_percent(text)
