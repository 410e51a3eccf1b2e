"""Free sentences: every plain reading of them is compared, wrong is only what holds in none."""

import pytest

from server.agent.verification.factors import factors
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
