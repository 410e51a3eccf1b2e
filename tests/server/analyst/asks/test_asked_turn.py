"""Asks through turns: what they leave out comes from the ones before, and their figures are counted from the calls."""

import re
from pathlib import Path

import pytest

from server.analyst.asks.ask import Ask, after
from server.analyst.asks.read_asks import read
from tests.server.analyst.test_analyst_chat import talk
from tests.server.analyst.written_answers import assert_answered
from tests.server.analyst.written_answers import prompts_of as answers_of
from tests.traces.insights.recorded import sampled, timeline
from traces.model import Trace
from traces.reader import read_trace
from traces.values import Unit


def presses() -> Trace:
    """Two presses and a binder: `ink` on press-1 from 0 and 40 ms, on press-2 from 20 and 60 ms, one of 30 ms."""
    return timeline(
        [("job", 0, 50), ("ink", 0, 10), ("ink", 40, 50)],
        [("job", 20, 90), ("ink", 20, 30), ("ink", 60, 90)],
        [("bind", 0, 80), ("glue", 10, 70)],
        names=("press-1", "press-2", "binder"),
    )


_LIMIT = "**`ink` takes longer than 15 ms in 1 of 4 calls, 30.0 ms at the most, from 60.0 ms on in `press-2`**"


@pytest.mark.parametrize(
    ("prompts", "begins"),
    [
        (["total of `ink`", "per press?"], "**`ink` per thread: `press-2` 40.0 ms in 2 calls and `press-1` 20"),
        (["`ink` total", "per thread?"], "**`ink` per thread, in 2 of 3: `press-2` 40.0 ms in 2 calls and"),
        (["`ink` calls?", "between 45 and 65ms?"], "**`ink` was called 1 time, between 45.0 ms and 65.0 ms**"),
        (["`ink` total in the first 25ms"], "**`ink` takes 15.0 ms in total (27.3% of 55.0 ms), between 0 s"),
        (["longest `ink`", "avg without it?"], "**`ink` takes 10.0 ms on average, without the longest call**, 15"),
        (["p75 of `ink`"], "**`ink` takes 15.0 ms at the 75th percentile**, in 4 calls."),
        (["how busy are the presses"], "**`press-1` works for 50.0 ms and `press-2` works for 70.0 ms.**"),
        (["`ink` total", "over 15ms?"], _LIMIT),
        (["`ink` calls on press-1", "and on press-2?"], "**`ink` was called 2 times, in `press-2`**"),
        (["`ink` calls on press-1", "and -2?"], "**`ink` was called 2 times, in `press-2`**"),
        (["`ink` calls", "nur press-1"], "**`ink` was called 2 times, in `press-1`**"),
        (["`glue` calls", "and on press-2?"], "**`glue` does not run in `press-2`.**"),
        (["e ink, na press-1?"], "**`ink` takes 20.0 ms in total"),
        (["ink in press-1"], "**`ink` takes 20.0 ms in total"),
        (["`ink` total", "which press is worst"], "**`ink` runs in 2 of 3 threads: `press-2` (40.0 ms, 2 calls) and"),
        (["`ink` total", "who of them has the least"], "About `ink`, as before: **`ink` runs in 2 of 3 threads, the"),
        (["`ink` total", "same in the others?"], "**`ink` runs in 2 of 3 threads: `press-2` (40.0 ms, 2 calls) and"),
        (["what does press-1 do", "so it mostly waits?"], "**`press-1` is idle for 40.0 ms (44.4%)**, and"),
        (["longest task on press-1", "und auf press-2?"], "**`job` takes 70.0 ms at the most"),
        (["`ink` calls per `job`"], "**2 calls of `ink` for each call of `job`**"),
        (["`ink` total", "median on press-2"], "**`ink` takes 20.0 ms in the median, in `press-2`**, in 2 calls."),
        (["`ink` over 15ms in the first 70ms"], "**`ink` takes longer than 15 ms in 1 of 4 calls, 30.0 ms at the"),
        (["`ink` and `glue` together in the first 25ms"], "**Together `ink` and `glue` take 30.0 ms"),
        (["why is press-2 slower than press-1"], "**`press-2` works the longest: 70.0 ms**, `press-1` 50.0 ms. The"),
        (["press-2 takes way longer than press-1, why?"], "**`press-2` works the longest: 70.0 ms**, `press-1`"),
        (["compare the presses"], "**`press-2` works the longest: 70.0 ms**, `press-1` 50.0 ms. The most of the"),
        (["when did press-1 finish"], "**What is recorded of `press-1` from 0 s to 50.0 ms**, in the recording's"),
        (["wann endet der Thread binder"], "**What is recorded of `binder` from 0 s to 80.0 ms**, in the"),
        (["ink vs glue per call"], "**A call of `glue` takes more**: 60.0 ms on average, and `ink` 15.0 ms on"),
        (["compare cpu of ink vs glue"], "**`"),
        (["cost per `ink` call"], "**`ink` takes 15.0 ms on average**, in 4 calls."),
        (["how long per ink"], "**`ink` takes 15.0 ms on average**, in 4 calls."),
        (["time per ink in µs"], "**`ink` takes 15.0 ms on average**, in 4 calls."),
        (["`ink` calls per second"], "**`ink` was called 4 times in 90.0 ms: 44.4 times a second**"),
        (["wie oft pro sekunde läuft `ink`"], "**`ink` was called 4 times in 90.0 ms: 44.4 times a second**"),
        (["`ink` calls/s in the first 50ms"], "**`ink` was called 3 times in 50.0 ms: 60 times a second, between"),
        (["which calls of `ink` took more than 1.5x the average"], "**`ink` takes longer than 1.5 times the average"),
        (["`ink` plus long que la médiane"], "**`ink` takes longer than the median of 10.0 ms in 1 of 4 calls, 30.0"),
        (["`ink` total, and how much of that in the first 25ms"], "**`ink` takes 60.0 ms in total"),
        (["`ink` total", "same for `glue`", "both together"], "**Together `ink` and `glue` take 120 ms"),
        (["`ink` total", "and `glue`?", "beide zusammen", "in percent"], "**Together `ink` and `glue` take 60.0% of"),
        (["`ink` total", "and `bind`?", "without those two how long would it take"], "**Without `ink` and `bind`, 60"),
        (["`ink` total", "and `glue`?", "e os dois juntos, em percentagem"], "**Together `ink` and `glue` take 60.0%"),
        (["`ink` vs `glue`", "and self?"], "**`ink` and `glue` take the same**: 60.0 ms itself"),
        (["`ink` vs `glue`", "and `bind`?", "the three together"], "**Together `ink`, `glue` and `bind` take 140"),
        (["how long is one ink"], "**`ink` takes 15.0 ms on average**, in 4 calls."),
        (["und ein einzelnes ink, wie lang?"], "**`ink` takes 15.0 ms on average**, in 4 calls."),
        (["combien de temps dure un ink"], "**`ink` takes 15.0 ms on average**, in 4 calls."),
        (["how long is an ink normally"], "**`ink` takes 10.0 ms in the median**, in 4 calls."),
        (["duración normal de un ink"], "**`ink` takes 10.0 ms in the median**, in 4 calls."),
        (["ink anzahl + summe"], "**`ink` was called 4 times and takes 60.0 ms in total"),
        (["inkは何回?合計は?"], "**`ink` was called 4 times and takes 60.0 ms in total"),
        (["ink: wie oft und wie lange je?"], "**`ink` was called 4 times and takes 15.0 ms on average**"),
        (["`ink` total", "ms per ink"], "**`ink` takes 15.0 ms on average**, in 4 calls."),
        (["how many inks"], "**`ink` was called 4 times**"),
        (["longest `ink`", "avg without it?", "in total without it?"], "**`ink` takes 30.0 ms in total"),
        (["`ink` total", "how often do we print it"], "**`ink` was called 4 times**"),
        (["`bind` total", "how much of that is glue"], "**75.0% of `bind` is `glue`**: 60.0 ms of 80.0 ms."),
        (["`bind` total", "wieviel davon ist glue"], "**75.0% of `bind` is `glue`**: 60.0 ms of 80.0 ms."),
        (["if `ink` were free how much shorter would it all get"], "**At most 30.0% (60.0 ms) of all threads"),
        (["combien on gagne si on supprime ink"], "**At most 30.0% (60.0 ms) of all threads"),
        (["was sparen wir wenn wir ink weglassen"], "**At most 30.0% (60.0 ms) of all threads"),
        (["top three"], "**`glue` 60.0 ms (30.0%), `ink` 60.0 ms (30.0%) and `job` 60.0 ms (30.0%)**, in the"),
        (["top 3", "second?"], "**The second is `ink` 60.0 ms (30.0%)**"),
        (["top two", "second?", "next"], "**The third is `job` 60.0 ms (30.0%)**"),
        (["the three biggest by calls"], "**`ink` 4 times, `job` 2 times and `bind` 1 time**, in the order of what is"),
        (["`ink` calls", "`ink` vs `glue`"], "**`ink` and `glue` take the same**: 60.0 ms"),
        (["what share of the whole is ink"], "**`ink` takes 30.0% of 200 ms, 60.0 ms**"),
    ],
)  # fmt: skip
async def test_an_ask_is_answered_from_the_calls(prompts: list[str], begins: str) -> None:
    answers = await talk(presses(), *prompts)
    answer = re.sub(r"\[(`[^`]+`)\]\(#\w+\)", r"\1", answers[-1])
    assert answer.startswith(begins), answer


async def test_what_samples_do_not_have_is_refused_with_its_reason() -> None:
    trace = sampled([("main;parse", 30.0), ("main;emit", 70.0)])
    (answer,) = await talk(trace, "p95 of `parse`")
    assert answer.startswith("**Single calls are not in this trace**"), answer
    (answer,) = await talk(trace, "`parse` total in the first 50ms")
    assert answer == "**[`parse`](#f1) takes 30.0 ms in total (30.0% of 100 ms), between 0 s and 50.0 ms**."


async def test_a_noun_divides_where_one_function_alone_has_it_in_its_name() -> None:
    rounds = [("strike", 10 * at + 2 * k, 10 * at + 2 * k + 1) for at in range(4) for k in range(3)]
    trace = timeline([*(("ring_round", 10 * at, 10 * at + 9) for at in range(4)), *rounds])
    *_, answer = await talk(trace, "how often is strike called", "per round?")
    assert answer.startswith("**3 calls of [`strike`](#f"), answer
    *_, answer = await talk(trace, "how many ring-rounds")
    assert answer.startswith("**[`ring_round`](#f0) was called 4 times**"), answer


async def test_the_tasks_of_a_browser_are_counted_next_to_its_samples(fixtures: Path) -> None:
    source = fixtures / "changes.chrome-array.json.gz"
    trace = read_trace(source.read_bytes(), name=source.name)
    *_, answer = await talk(trace, "HandlePostMessage: how many, and how long in total")
    assert re.match(r"\*\*\[`HandlePostMessage`\]\(#f\d+\) was called 10 times and takes ", answer), answer


def test_what_is_left_out_is_taken_from_the_ask_before() -> None:
    before = read("median of parse between 500 and 700ms")
    per_thread, again = read("per thread?"), read("and emit?")
    assert before is not None
    assert per_thread is not None
    assert again is not None
    first = after(before, None)
    assert after(per_thread, first) == Ask(measures=("median",), of=("it",), window=first.window, by="thread")
    assert after(again, first) == Ask(measures=("median",), of=("emit",), window=first.window, goes_on=True)


@pytest.mark.parametrize(
    ("prompt", "name"),
    [("waits over 50 ms?", "wait for lock"), ("tasks over 50 ms?", ""), ("`Task` over 50 ms?", "Task")],
)
async def test_an_ordinary_word_is_no_function_unless_just_one_holds_it(prompt: str, name: str) -> None:
    trace = timeline([("wait for lock", 0, 60), ("Task", 60, 90), ("RunTask", 90, 150)])
    *_, answer = await talk(trace, "how long does `RunTask` take", prompt)
    assert answer.startswith(f"**[`{name}`]") or not name, answer
    assert "`Task`](#f1) takes longer" not in answer or name, answer


async def test_a_count_of_eleven_is_plural_and_of_one_is_not() -> None:
    trace = timeline([("ink", 2 * at, 2 * at + 1) for at in range(11)])
    eleven, one = await talk(trace, "`ink` calls?", "in the first 25ms?"), await talk(trace, "`ink` calls after 19ms")
    assert "was called 11 times, between" in eleven[-1]
    assert "was called 1 time, between" in one[-1]


@pytest.mark.parametrize(("module", "trace", "prompt"), answers_of("asked_turn"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)


@pytest.mark.parametrize(
    ("prompts", "refused"),
    [
        (["how long does `ink` take", "how many sheets did that take"], "was called"),
        (["`ink` total in the first 25ms", "what ran in the first 25ms"], "`ink` takes"),
        (["compare `ink` and `paper`"], "`ink` takes"),
        (["`ink` self time as a chart"], "`ink` takes"),
        (["is `ink` called more than `glue`"], "**`ink` was called"),
    ],
)
async def test_a_word_that_changes_what_is_asked_is_not_passed_over(prompts: list[str], refused: str) -> None:
    *_, answer = await talk(presses(), *prompts)
    assert refused not in re.sub(r"\[(`[^`]+`)\]\(#\w+\)", r"\1", answer).partition("\n")[0], answer


@pytest.mark.parametrize(
    ("prompt", "begins"),
    [
        ("hey can you tell me how long `ink` takes in total pls", "**`ink` takes 60.0 ms in total"),
        ("`ink`: n and total", "**`ink` was called 4 times and takes 60.0 ms in total"),
        ("wich % of everything is `ink`, thx", "**`ink` takes 30.0% of 200 ms, 60.0 ms**"),
        ("mean `ink` over the presses", "**`ink` takes 15.0 ms on average, in `press-1` and `press-2`**"),
        ("cnt `ink` on press-2", "**`ink` was called 2 times, in `press-2`**"),
    ],
)
async def test_slips_short_forms_and_politeness_are_read(prompt: str, begins: str) -> None:
    (answer,) = await talk(presses(), prompt)
    assert re.sub(r"\[(`[^`]+`)\]\(#\w+\)", r"\1", answer).startswith(begins), answer


@pytest.mark.parametrize(
    ("prompts", "begins"),
    [
        (["inkの合計は?"], "**`ink` takes 60.0 ms in total"),
        (["inkは何回?平均は?"], "**`ink` was called 4 times and takes 15.0 ms on average**"),
        (["ink: anzahl + schnitt"], "**`ink` was called 4 times and takes 15.0 ms on average**"),
        (["how long does `job` take", "e ink sozinha, sem os filhos?"], "**`ink` takes 60.0 ms itself"),
        (["how long does `ink` take", "gesamtzeit, inklusive"], "**`ink` takes 60.0 ms in total"),
        (["quantas vezes ink, em média?"], "**`ink` was called 4 times and takes 15.0 ms on average**"),
    ],
)
async def test_terse_measures_and_names_next_to_particles_are_read(prompts: list[str], begins: str) -> None:
    answers = await talk(presses(), *prompts)
    answer = re.sub(r"\[(`[^`]+`)\]\(#\w+\)", r"\1", answers[-1])
    assert answer.startswith(begins), answer


async def test_instructions_are_what_is_counted_and_no_time() -> None:
    asked = "combien d'instructions, en propre et au total ?"
    stacks = [("main;parse", 30.0), ("main;parse;scan", 70.0)]
    *_, counted = await talk(sampled(stacks, unit=Unit.COUNT), "how much is `parse`", asked)
    assert re.match(r"\*\*\[`parse`\]\(#f1\) takes 100 in total \(100\.0% of 100\) and takes 30 itself", counted), (
        counted
    )
    *_, timed = await talk(sampled(stacks), "how much is `parse`", asked)
    assert "takes 100 ms in total" not in timed, timed
