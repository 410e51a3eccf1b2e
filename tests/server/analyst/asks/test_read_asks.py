"""Prompts into slots, word by word: each slot in many wordings and five languages, and slots composed at random."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.analyst.asks.ask import IT, WORST, Ask
from server.analyst.asks.read_asks import read
from server.analyst.moments import TimeRange
from tests.server.analyst.written_answers import assert_answered
from tests.server.analyst.written_answers import prompts_of as answers_of

FROM_TO = TimeRange(500.0, 700.0)
FIRST = TimeRange(0.0, 1000.0)
LAST_THIRD = TimeRange(part=(2 / 3, 1.0))
MEASURES = {
    "total": [
        *(
            "parse total",
            "total time of parse",
            "how long does parse take",
            "how much time in parse",
            "parse altogether",
        ),
        *("wie lange dauert parse", "parse insgesamt", "cuánto tarda parse", "parse en total"),
        *("combien de temps prend parse", "parse au total", "parse总共花了多少时间", "parse花了多久"),
    ],
    "self": [
        *(
            "parse self time",
            "parse own",
            "parse own time",
            "exclusive time of parse",
            "self cost of parse",
            "parse excl",
        ),
        *("eigenzeit von parse", "parse selbst", "tiempo propio de parse", "temps propre de parse", "parse en propre"),
    ],
    "calls": [
        *("parse calls", "how often is parse called", "how many times does parse run", "number of calls of parse"),
        *(
            "call count of parse",
            "wie oft läuft parse",
            "aufrufe von parse",
            "combien de fois parse",
            "appels de parse",
        ),
        *("cuántas veces parse", "llamadas de parse", "parse多少次", "parse用了几次"),
    ],
    "mean": [
        *("avg of parse", "parse on average", "mean time of parse", "average call of parse", "parse time per call"),
        *("parse im schnitt", "parse durchschnittlich", "parse en moyenne", "parse par appel", "promedio de parse"),
        *("parse por llamada", "parse平均"),
    ],
    "median": [
        *("median of parse", "parse median", "typical call of parse", "median call of parse", "parse median time"),
        *("parse typisch", "médiane de parse", "mediana de parse", "parse的中位数", "typical duration of parse"),
    ],
    "longest": [
        *("longest parse", "worst parse", "slowest call of parse", "parse max", "any outlier in parse"),
        *("parse ausreißer", "längster parse", "le plus long de parse", "parse más larga", "parse最长", "parse peak"),
    ],
    "percentile": [
        *("p95 of parse", "parse p95", "95th percentile of parse", "parse 95 percentile", "das p95 von parse"),
        *("95. perzentil von parse", "le p95 de parse", "el p95 de parse", "parse的p95", "parse p95多少"),
    ],
    "end": [
        *("when is parse done", "until when parse", "parse finished when"),
        *("is parse done", "parse fertig", "bis wann parse", "jusqu'à quand parse", "parse fini", "parse terminado"),
        *("hasta cuándo parse", "parse到什么时候"),
    ],
    "waiting": [
        *(
            "waiting of the presses",
            "waiting time of the presses",
            "presses: wait time",
            "how long do they wait, presses",
        ),
        *("wartezeit der presses", "temps d'attente des presses", "tiempo de espera de presses", "presses等待"),
        *("presses等待时间", "time waiting, presses"),
    ],
}


@pytest.mark.parametrize(("measure", "prompt"), [(one, way) for one, ways in MEASURES.items() for way in ways])
def test_a_measure_is_read_however_it_is_put(measure: str, prompt: str) -> None:
    found = read(prompt)
    assert found is not None
    assert found.measures == (measure,)
    assert {"waiting": "presses"}.get(measure, "parse") in found.of


WINDOWS = [
    (FROM_TO, "between 500 and 700ms"),
    (FROM_TO, "from 500 ms to 700 ms"),
    (FROM_TO, "500-700ms"),
    (FROM_TO, "zwischen 500 und 700 ms"),
    (FROM_TO, "von 500 bis 700 ms"),
    (FROM_TO, "entre 500 et 700 ms"),
    (FROM_TO, "entre 500 y 700 ms"),
    (FROM_TO, "从500到700毫秒"),
    (FROM_TO, "500毫秒到700毫秒之间"),
    (FIRST, "in the first second"),
    (FIRST, "first 1000ms"),
    (FIRST, "in der ersten sekunde"),
    (FIRST, "in den ersten 1000 ms"),
    (FIRST, "dans la première seconde"),
    (FIRST, "en el primer segundo"),
    (FIRST, "第一秒"),
    (FIRST, "前1秒"),
    (FIRST, "until 1s"),
    (LAST_THIRD, "in the last third"),
    (LAST_THIRD, "im letzten drittel"),
    (LAST_THIRD, "dans le dernier tiers"),
    (LAST_THIRD, "en el último tercio"),
    (TimeRange(2000.0), "after 2s"),
    (TimeRange(2000.0), "nach 2 s"),
    (TimeRange(2000.0), "después de 2 s"),
    (TimeRange(2000.0), "2秒之后"),
]


@pytest.mark.parametrize(("window", "words"), WINDOWS)
@pytest.mark.parametrize("prompt", ["{}", "parse {}", "{} parse"])
def test_a_window_is_read_in_any_place(window: TimeRange, words: str, prompt: str) -> None:
    found = read(prompt.format(words))
    assert found is not None
    assert (found.window, found.of) == (window, ("parse",) * ("parse" in prompt))


@pytest.mark.parametrize(
    ("slot", "value", "prompt"),
    [
        *(
            ("by", "thread", one)
            for one in ("per thread?", "by thread", "pro thread", "par thread", "por hilo", "每个线程")
        ),
        *(("by", "caller", one) for one in ("per caller?", "by caller", "pro aufrufer", "par appelant", "按调用者")),
        *(("by", "ship", one) for one in ("load: calls per ship", "load calls for each ship", "load aufrufe pro ship")),
        *(
            ("by", "ship", one)
            for one in ("appels de load par ship", "llamadas de load por ship", "load每个ship多少次")
        ),
        *(("within", "save", one) for one in ("flush inside save", "flush under save", "flush below save")),
        *(("within", "save", one) for one in ("flush innerhalb von save", "flush dentro de save", "flush sous save")),
        *(
            ("within", "save", one)
            for one in ("在save里面flush多少次", "inside save how often flush", "calls of flush in save")
        ),
        *(
            ("thread", "binder", one)
            for one in ("flush on the binder thread", "flush, thread binder", "binder thread?")
        ),
        *(
            ("without", WORST, one)
            for one in ("avg without the worst", "mean except the worst", "avg ohne den ausreißer")
        ),
        *(("without", WORST, one) for one in ("moyenne sans le plus long", "promedio sin el peor", "没有最长的平均")),
        *(("without", IT, one) for one in ("avg without it?", "mean without that", "durchschnittlich ohne das")),
        *(("same_window", True, one) for one in ("parse meanwhile", "parse in that time", "parse im selben zeitraum")),
    ],
)
def test_a_scope_is_read_however_it_is_put(slot: str, value: object, prompt: str) -> None:
    found = read(prompt)
    assert found is not None
    assert getattr(found, slot) == value


@pytest.mark.parametrize(
    ("ms", "is_over", "prompt"),
    [
        *((50.0, True, one) for one in ("parse over 50ms", "calls of parse longer than 50 ms", "parse > 50 ms")),
        *(
            (50.0, True, one)
            for one in ("how many parse took more than 50ms", "parse über 50 ms", "parse plus de 50 ms")
        ),
        *((50.0, True, one) for one in ("parse más de 50 ms", "超过50毫秒的parse有几次", "parse above 0.05 s")),
        *(
            (2.0, False, one)
            for one in ("parse under 2ms", "parse faster than 2 ms", "parse unter 2 ms", "parse < 2 ms")
        ),
    ],
)
def test_a_limit_is_read_however_it_is_put(ms: float, is_over: bool, prompt: str) -> None:
    found = read(prompt)
    assert found is not None
    assert found.limit is not None
    assert (found.limit.ms, found.limit.is_over, found.of) == (ms, is_over, ("parse",))


def test_an_and_joins_two_that_are_narrowed_differently() -> None:
    found = read("layout total, and how much of that in the first second")
    assert found is not None
    assert found.then is not None
    assert (found.measures, found.of, found.window) == (("total",), ("layout",), None)
    assert (found.then.measures, found.then.of, found.then.window) == (("total",), (IT,), FIRST)


@pytest.mark.parametrize(
    "prompt",
    [
        *("", "?!", "why is parse slow between 1 and 2s", "is parse slower in the first second", "who calls parse"),
        *("how many functions ran in the first second", "at 300 ms", "first 10ms or last 10ms of parse"),
        *("a b c d e f g h in the first second", "parse 42 in the first second", "which thread runs parse"),
        *("parse more in the last third", "back to the old one. between 500 and 700ms?"),
    ],
)
def test_a_word_left_over_makes_it_no_ask(prompt: str) -> None:
    assert read(prompt) is None


_MEASURES = st.sampled_from(
    [("total", "total"), ("self", "self time"), ("mean", "avg"), ("median", "median"), ("calls", "how often"),
     ("longest", "longest"), ("end", "until when"), ("share", "share")]
)  # fmt: skip
_NAMES = st.sampled_from(["parse", "flush_all", "`Store.save`", "RunTask", "drawTile()", "ns::emit"])
_SCOPES = st.fixed_dictionaries(
    {},
    optional={
        "window": st.sampled_from([(window, words) for window, words in WINDOWS if words.isascii()]),
        "thread": st.sampled_from([("binder", "on the binder thread"), ("press-1", "in thread press-1")]),
        "within": st.sampled_from([("save", "inside save"), ("save", "under `save`")]),
        "by": st.sampled_from([("thread", "per thread"), ("caller", "per caller"), ("ship", "per ship")]),
    },
)


@given(_MEASURES, _NAMES, _SCOPES, st.sampled_from(["{m} {n}", "{m} of {n}", "{n} {m}", "and {n} {m}"]), st.randoms())
def test_slots_in_any_order_are_read_as_they_were_put(
    measure: tuple[str, str],
    name: str,
    scopes: dict[str, tuple[object, str]],
    form: str,
    order: "st.random.Random",  # type: ignore[name-defined]
) -> None:
    words = [written for _, written in scopes.values()]
    order.shuffle(words)
    prompt = " ".join([form.format(m=measure[1], n=name), *words])
    expected = Ask(
        measures=(measure[0],),
        of=(name.strip("`").removesuffix("()"),),
        goes_on=form.startswith("and"),
        **{slot: value for slot, (value, _) in scopes.items()},  # type: ignore[arg-type]
    )
    assert read(prompt) == expected, prompt


@pytest.mark.parametrize(("module", "trace", "prompt"), answers_of("read_asks"))
async def test_an_answer_is_as_it_is_written(module: str, trace: str, prompt: str) -> None:
    await assert_answered(module, trace, prompt)


@pytest.mark.parametrize(
    "prompt",
    ["parse は main の中で何%?", "mainのうちparseは何パーセント?", "parse 占 main 的百分之几", "main 里 parse 占多少"],
)
def test_a_share_of_a_caller_is_asked_in_scripts_without_spaces(prompt: str) -> None:
    ask = read(prompt)
    assert ask is not None
    assert (ask.of, ask.base or ask.within) == (("parse",), "main")


def test_what_takes_longest_in_a_function_is_an_order() -> None:
    ask = read("what takes longest in a turn_out on average")
    assert ask is not None
    assert ask.rank is not None


@pytest.mark.parametrize(
    "prompt", ["What blocks the main thread when I open the outline?", "what is busy when users parse"]
)
def test_what_somebody_does_at_the_time_asks_for_no_moment(prompt: str) -> None:
    ask = read(prompt)
    assert ask is None or "when" not in ask.measures


@pytest.mark.parametrize("prompt", ["how much is that of main", "how much of main is that", "what % of main is it"])
def test_a_share_of_a_function_is_asked_of_what_was_spoken_of(prompt: str) -> None:
    found = read(prompt)
    assert found is not None
    assert (found.of, found.base, found.measures) == ((IT,), "main", ("share",))
    assert read("whats calling it") is None
