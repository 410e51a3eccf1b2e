"""Functions are found by what people call them, in whichever profile they are, and those without a name by where they
stand."""

import pytest

from server.analyst.kinds.unnamed_functions import is_unnamed
from server.analyst.measured import measured
from server.analyst.ordinals import bare_place
from server.analyst.subject_words import in_english
from tests.server.analyst.test_analyst_chat import asked, talk
from tests.server.analyst.written_answers import assert_answered, prompts_of
from tests.traces.insights.recorded import sampled, timeline

BADGES = {
    "main;fetch_logo": 70,
    "main;sheet_of;<listcomp>": 12,
    "main;sheet_of;<lambda>": 6,
    "main;qr_code": 5,
    "main;ToLower": 4,
    "main;short": 3,
}


@pytest.mark.parametrize(
    ("prompt", "begins"),
    [
        ("lowercasing total", "**[`ToLower`](#f6) takes 4.00 ms in total (4.0% of 100 ms)**"),
        ("qr codes total", "**[`qr_code`](#f5) takes 5.00 ms in total (5.0% of 100 ms)**"),
        ("qr codes vs the name shortening", "**[`qr_code`](#f5) takes more**: "),
        ("sheets pct", "**[`sheet_of`](#f2) takes 18.0% of 100 ms, 18.0 ms**"),
        ("logos or sheets, which costs more", "**[`fetch_logo`](#f1) takes more**: "),
    ],
)
async def test_a_function_is_found_by_what_people_call_it(prompt: str, begins: str) -> None:
    answer, _ = await asked(prompt, sampled(BADGES))
    assert answer.text.startswith(begins), answer.text


@pytest.mark.parametrize("prompt", ["gc share", "and the rest", "json total", "quota lookup: how many calls"])
async def test_a_word_of_another_kind_of_question_is_no_function(prompt: str) -> None:
    names = {"main;gcharts": 50, "main;restart": 30, "main;jsonish": 15, "main;look": 5}
    answer, _ = await asked(prompt, sampled(names))
    first = answer.text.partition("\n")[0]
    assert not any(
        f"[`{one}`](#f" in first and "in total**" in first for one in ("gcharts", "restart", "jsonish", "look")
    )


async def test_several_measures_stand_in_one_sentence() -> None:
    trace = timeline([("fire", 0, 40), ("fire", 50, 60), ("draw", 70, 80)], names=("a",))
    answer, _ = await asked("fire: calls, total and mean", trace)
    assert answer.text.startswith(
        "**[`fire`](#f0) was called 2 times, takes 50.0 ms in total (83.3% of 60.0 ms) and takes 25.0 ms on average**"
    ), answer.text
    answer, _ = await asked("how many fired and the worst: draw", trace)
    assert "was called 1 time" in answer.text.partition("\n")[0]
    assert "takes 10.0 ms" in answer.text.partition("\n")[0]


async def test_what_is_asked_of_the_rest_is_the_next_in_the_order() -> None:
    answers = await talk(sampled(BADGES), "why is it slow", "and apart from that?")
    assert "[`<listcomp>`]" in answers[1].partition("\n")[0], answers[1]


@pytest.mark.parametrize(
    "prompt",
    [
        "and apart from that?",
        "what else",
        "next after it?",
        "à part ça ?",
        "und abgesehen davon",
        "y aparte de eso",
        "其他呢",
    ],
)
def test_the_rest_is_asked_for_in_several_languages(prompt: str) -> None:
    assert bare_place(prompt) == bare_place("next")
    assert bare_place("and after it?") is None  # of the time after a call


@pytest.mark.parametrize(
    ("prompt", "measures", "runs"),
    [
        ("脚本执行花了多久", ("total",), ("EvaluateScript",)),
        ("et le tri ?", (), ("sort",)),
        ("was kostet die Sortierung", ("total",), ("sort",)),
        ("cuántas veces se pinta", ("calls",), ("paint",)),
        ("whats in it", ("callees",), ()),
        ("layouts count + sum", ("calls", "total"), ("layouts",)),
    ],
)
def test_measures_and_parts_of_programs_are_read_in_other_languages(
    prompt: str, measures: tuple[str, ...], runs: tuple[str, ...]
) -> None:
    found = measured(prompt)
    assert found is not None
    assert (found.measures, found.runs) == (measures, runs)


def test_a_word_that_the_table_has_not_stays_as_it_is() -> None:
    assert (in_english("Tri"), in_english("triage")) == ("sort", "triage")


@pytest.mark.parametrize(
    ("name", "unnamed"),
    [
        ("<listcomp>", True),
        ("(anonymous app.js:3)", True),
        ("Shop:lambda$main$0", True),
        ("main.work.func1", True),
        ("std::sort<...>::{lambda(int)#1}::operator()", True),
        ("block in Parser#run", True),
        ("func", False),
        ("make_lambda", False),
        ("anonymise", False),
    ],
)
def test_functions_without_a_name_are_known(name: str, unnamed: bool) -> None:
    assert is_unnamed(name) is unnamed


async def test_a_function_without_a_name_is_named_with_the_one_it_stands_in() -> None:
    answer, _ = await asked("why is it slow", sampled({"main;work;<listcomp>": 90, "main;rest": 10}))
    assert answer.text.startswith("**[`<listcomp>`](#f2) dominates**, called in [`work`](#f1): "), answer.text
    answer, _ = await asked("why is it slow", sampled({"main;work": 90, "main;rest": 10}))
    assert "called in" not in answer.text.partition("\n")[0]


@pytest.mark.parametrize(
    ("prompt", "begins"),
    [
        ("any long tasks?", "**Yes: 1 of 2 tasks took longer than 50 ms.** "),
        ("any long tasks (>500ms)?", "**No: none of 2 tasks took longer than 500ms.** "),
    ],
)
async def test_whether_there_are_long_tasks_is_decided(prompt: str, begins: str) -> None:
    answer, _ = await asked(prompt, timeline([("RunTask", 0, 80), ("RunTask", 90, 100)], names=("main",)))
    assert answer.text.startswith(begins), answer.text


async def test_samples_do_not_show_whether_a_function_waits() -> None:
    answer, _ = await asked("is it waiting for something?", sampled({"main;fetch": 9, "main;work": 1}))
    assert not answer.text.startswith("**No: nothing in this trace is named like waiting"), answer.text


async def test_what_is_named_goes_before_what_was_spoken_of() -> None:
    answers = await talk(sampled(BADGES), "why is it slow", "qr codes: total and self", "who calls it")
    assert answers[1].startswith(
        "**[`qr_code`](#f5) takes 5.00 ms in total (5.0% of 100 ms) and takes 5.00 ms itself"
    ), answers[1]
    assert "`qr_code`" in answers[2].partition("\n")[0], answers[2]


async def test_a_name_next_to_thread_is_that_of_a_thread() -> None:
    trace = timeline([("walk", 0, 40)], [("auditor", 0, 30)], names=("main", "auditor"))
    answers = await talk(trace, "walk in which threads", "and in the auditor thread?")
    assert not answers[1].startswith("**[`auditor`](#f1) runs"), answers[1]


@pytest.mark.parametrize("word", ["client", "lecture", "charger", "analyse", "impression", "image"])
def test_an_english_word_is_never_put_into_another(word: str) -> None:
    assert in_english(word) == word


async def test_what_is_asked_to_be_little_is_answered_so() -> None:
    answer, _ = await asked("qr codes negligible?", sampled(BADGES | {"main;fetch_logo": 900}))
    assert answer.text.startswith("**Yes: [`qr_code`](#f5) takes 0.5%"), answer.text
    answer, _ = await asked("sheets negligible?", sampled(BADGES))
    assert answer.text.startswith("**No: [`sheet_of`](#f2) takes 18.0%"), answer.text


@pytest.mark.parametrize(("module", "trace", "prompt"), prompts_of("spoken_names"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)
