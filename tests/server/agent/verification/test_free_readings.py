"""Free sentences: every plain reading of them is compared, wrong is only what holds in none."""

import pytest

from server.agent.verification.claims import claims_of as figures_of
from server.agent.verification.factors import factors
from server.agent.verification.recompute import last_part, name_parts
from tests.server.agent.verification.test_more_than_figures import claims_of

CPROFILE, PERF, UFTRACE = "redact-documents.cprofile.prof", "thumbnails.linux-perf.txt.gz", "thumbnails.uftrace.json.gz"
CPU, JFR = "search-index.cpuprofile.gz", "invoices.jfr.gz"


@pytest.mark.parametrize(
    ("trace", "sentence"),
    [
        (UFTRACE, "`window_mean` runs 3,200 times, always directly from `blur`."),
        (UFTRACE, "`window_mean` is reached exclusively through `blur`."),
        (UFTRACE, "`free` and `malloc` are called exactly as often as one another: `free` as often as `malloc`."),
        (UFTRACE, "Within the run of 534 µs, `blur` is called twice."),
        (CPROFILE, "Roughly seven in ten of the calls of `_iterencode_dict` are recursive."),
        (CPROFILE, "By its own time the single most expensive function of all is `luhn_sum`."),
        (CPROFILE, "Practically all of `join` comes in by way of calls made in `make_document`."),
        (CPU, "More than four fifths of the time of `buildIndex` end up in `addArticle`."),
        (CPU, "`buildIndex` is dominated by `addArticle`."),
        (JFR, "`java.lang.String:length` is mostly requested by `Invoices:sameCustomer`."),
        (JFR, "Gut drei Viertel der Zeit von `Invoices:doubles` stecken in `Invoices:sameCustomer`."),
        (JFR, "Plus des trois quarts du temps de `Invoices:doubles` passe dans `Invoices:sameCustomer`."),
    ],
)
def test_a_free_sentence_holds_by_the_reading_that_it_names(trace: str, sentence: str) -> None:
    assert {one.status for one in claims_of(trace, sentence)} <= {"verified", "derived"}
    assert claims_of(trace, sentence)


@pytest.mark.parametrize(
    ("trace", "sentence"),
    [
        (UFTRACE, "`malloc` runs a few times, always directly from `blur`."),
        (UFTRACE, "`new_picture` is reached exclusively through `blur`."),
        (UFTRACE, "`window_mean` is called about as often as `malloc`."),
        (UFTRACE, "Within the run of 534 ms, `blur` is called twice."),
        (UFTRACE, "`blur` exceeds `main` with all that it calls."),
        (CPROFILE, "One in ten of the calls of `_iterencode_dict` is recursive."),
        (CPROFILE, "By its own time the single most expensive function of all is `choice`."),
        (CPROFILE, "`resolve_symbol_names` takes about 1.4 s in total."),
        (CPROFILE, "Half of the recorded 40 calls of `luhn_sum` come straight from `make_document`."),
        (CPU, "About a fifth of the time of `buildIndex` ends up in `addArticle`."),
        (CPU, "`addTerm` is dominated by `buildIndex`."),
        (CPU, "`addTerm` is half again as expensive as `addArticle` in total."),
        (CPU, "`addTerm` kostet insgesamt 40 % mehr als `addArticle`."),
        (CPU, "`addTerm` cuesta el doble que `addArticle`."),
        (JFR, "`java.lang.String:length` is mostly requested by `Invoices:describe`."),
        (JFR, "Gut neun Zehntel der Zeit von `Invoices:doubles` stecken in `Invoices:sameCustomer`."),
        (JFR, "Una quinta parte del tiempo de `Invoices:doubles` se va en `Invoices:sameCustomer`."),
        (PERF, "`checksum` costs about as much as `window_mean`."),
        (PERF, "`window_mean` spends five times as long in its own code as in what it calls."),
    ],
)
def test_a_free_sentence_of_which_no_reading_holds_is_called_wrong(trace: str, sentence: str) -> None:
    assert "contradicted" in {one.status for one in claims_of(trace, sentence)}


@pytest.mark.parametrize(
    ("trace", "sentence"),
    [
        (UFTRACE, "`new_picture` is one of the most expensive functions."),
        (UFTRACE, "Apart from `blur`, nearly all calls come from `main`, and `halve` is next."),
        (CPU, "What changes is `addArticle`, in the first half as in the second."),
        (UFTRACE, "`checksum` has 6.33 µs for the slowest and 1.59 µs for the fastest."),
        (CPROFILE, "`resolve_symbol_names` would take about 1.4 s in total."),
        (CPROFILE, "`resolve_symbol_names` does not take 1.4 s."),
        (CPROFILE, "`_iterencode_dict` is called 310,200 times, only 84,300 times from `_iterencode`."),
        (CPU, "If `addTerm` were half again as expensive as `addArticle`, it would matter."),
    ],
)
def test_what_is_supposed_or_of_something_else_is_not_called_wrong(trace: str, sentence: str) -> None:
    assert "contradicted" not in {one.status for one in claims_of(trace, sentence)}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("five sixths of it", 5 / 6),
        ("nine in ten calls", 0.9),
        ("zwei Fünftel der Zeit", 0.4),
        ("près d'un tiers du temps", 1 / 3),
        ("una quinta parte del tiempo", 0.2),
        ("fifteen times as long", 15.0),
        ("two and a half times as much", 2.5),
        ("le double de l'autre", 2.0),
        ("el doble que otro", 2.0),
    ],
)
def test_parts_and_multiples_are_read_in_words(text: str, value: float) -> None:
    assert [one.value for one in factors(text)] == [pytest.approx(value)]


@pytest.mark.parametrize("text", ["a fifth call", "the third one", "in the second half hour of a quarterly run"])
def test_ordinals_are_no_parts(text: str) -> None:
    assert [one.value for one in factors(text) if one.value != 0.5] == []


CARDS, CALLGRIND, FLAT = "board.chrome-object.json.gz", "thumbnails.callgrind.out.gz", "error-groups.pyspy.txt.gz"


@pytest.mark.parametrize(
    ("trace", "sentence", "status"),
    [
        (
            "sample/order-service.speedscope.json.gz",
            "The thread http-4 spent almost half of its time waiting.",
            "contradicted",
        ),
        (CARDS, "`EvaluateScript` is over before the first `FunctionCall` starts.", "verified"),
        (CARDS, "`FunctionCall` is over before the first `EvaluateScript` starts.", "contradicted"),
        (UFTRACE, "Des six appels de `new_picture`, la plupart viennent directement de `blur`.", "contradicted"),
        (UFTRACE, "`halve` contributes more to `malloc` than `new_picture` does.", "contradicted"),
        (UFTRACE, "`new_picture` spends more in `malloc` than in its own body.", "verified"),
        (UFTRACE, "Im Median dauert `window_mean` länger als `blur`.", "contradicted"),
        (UFTRACE, "Each of its calls takes `checksum` 3.95 µs.", "contradicted"),
        (UFTRACE, "The longest task took 92.7 seconds.", "contradicted"),
        (UFTRACE, "`blur` is on the path from `malloc`.", "contradicted"),
        (UFTRACE, "`blur` hardly takes any time, even with what it calls.", "contradicted"),
        (CPROFILE, "The runner-up by its own time is `redact_text`.", "contradicted"),
        (CPROFILE, "The runner-up by its own time is `builtins.ord`.", "verified"),
        (CPU, "Garbage collection eats nearly half of the CPU time.", "contradicted"),
        (
            CPU,
            "Within `buildIndex`, `addArticle` is responsible for about 84 % and `addTerm` for a fifth.",
            "contradicted",
        ),
        (CPU, "Le moteur passe par `addTerm`, qui coûte presque rien à elle-même.", None),
        (CPU, "`addTerm` cuesta diez veces más que `addArticle`.", "contradicted"),
        (CPU, "`addArticle` pesa menos que `addTerm` si se cuenta todo lo que llaman.", "contradicted"),
        (UFTRACE, "`blur` takes long, although that function runs only once.", "contradicted"),
        (CARDS, "CrRendererMain was busy for half as long as Compositor.", "contradicted"),
    ],
)
def test_each_further_kind_of_sentence_is_decided(trace: str, sentence: str, status: str | None) -> None:
    found = {one.status for one in claims_of(trace, sentence)}
    assert status in found if status else "contradicted" not in found


def test_a_name_may_be_written_by_its_last_words() -> None:
    assert last_part("IndexController->indexAction") == "indexAction"
    assert name_parts("IndexController->indexAction") == ["IndexController", "indexAction"]


@pytest.mark.parametrize(
    ("sentence", "number"),
    [
        ("`checksum` has a median of 2 µs but a maximum of about 6.33 µs.", "6.33 µs"),
        ("`checksum` takes up to 6.33 µs, although hardly anything of it is its own time.", "6.33 µs"),
    ],
)
def test_a_measure_of_another_clause_is_no_figures(sentence: str, number: str) -> None:
    assert [one.status for one in claims_of(UFTRACE, sentence) if one.claim == number] != ["contradicted"]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("It waits for 405 ms out of 755.", [405e6, 755e6]),
        ("It takes 40 ms of 12 calls.", [40e6, 12.0]),
        ("The thread RMI TCP Connection(24) waits.", []),
    ],
)
def test_a_figure_has_the_unit_of_what_it_is_out_of(text: str, values: list[float]) -> None:
    assert [one.mentions[0].value for one in figures_of(text).numbers] == values


@pytest.mark.parametrize(
    "sentence",
    [
        "`blur` takes 0× as long as `halve`.",
        "`blur` takes 0% more than `halve`.",
        "0 of 0 calls of `blur` come from `main`.",
        "The runner-up is the runner-up.",
        "Within `blur`, `blur` takes half and half.",
    ],
)
def test_sentences_of_nothing_are_no_error(sentence: str) -> None:
    assert all(one.start < one.end for one in claims_of(UFTRACE, sentence))
