"""What a prompt states in passing: of `evals/memory/passing.toml` most is noticed, of ordinary questions nothing."""

import tomllib
from pathlib import Path

from server.analyst.lasting_facts import lasting_facts

ROOT = Path(__file__).parents[3]
PASSING = tomllib.loads((ROOT / "evals/memory/passing.toml").read_text(encoding="utf-8"))["passing"]
QUESTIONS = (ROOT / "tests/server/analyst/unseen_prompts.toml").read_text(encoding="utf-8")
LEAST, MOST_FALSE = 24, 4


def questions() -> list[str]:
    read = tomllib.loads(QUESTIONS)
    found: list[str] = []

    def walk(part: object) -> None:
        if isinstance(part, str) and " " in part:
            found.append(part)
        for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
            walk(inner)

    walk(read)
    return found


def test_most_facts_in_passing_are_noticed_in_the_persons_words() -> None:
    noticed = [
        any(all(word in fact for word in words) and fact in prompt for fact in lasting_facts(prompt))
        for prompt, words in PASSING
    ]
    assert len(PASSING) == 40
    assert sum(noticed) >= LEAST
    assert sum(noticed[30:]) >= LEAST / 4


def test_ordinary_questions_state_nothing() -> None:
    asked = questions()
    assert len(asked) >= 200
    assert len([one for one in asked if lasting_facts(one)]) <= MOST_FALSE


def test_a_question_about_a_limit_is_no_fact() -> None:
    assert lasting_facts("Do we keep our limit of 300 ms?") == ()
    assert lasting_facts("What is our limit?") == ()
    assert lasting_facts("I think our limit here is 300 ms") == ()
