"""Statements about several functions, parts of one, threads and locks: what holds, and what is called wrong."""

import pytest

from evals.claims.known_facts import known_facts
from server.agent.verification.answer_checks import checked
from server.agent.verification.facts import Facts
from tests.server.agent.verification.test_more_than_figures import claims_of

UFTRACE, VIZ, CPU, JFR = (
    "thumbnails.uftrace.json.gz",
    "redact-documents.viztracer.json.gz",
    "search-index.cpuprofile.gz",
    "invoices.jfr.gz",
)
CHROME = "board.chrome-object.json.gz"

TRUE = [
    # the first ones
    (UFTRACE, "The two most expensive functions by self time are `window_mean` and `blur`."),
    (UFTRACE, "By self time the top three are `window_mean` (282 µs), `blur` (216 µs) and `checksum` (15.8 µs)."),
    (UFTRACE, "Die drei teuersten Funktionen nach Eigenzeit sind `window_mean`, `blur` und `checksum`."),
    (UFTRACE, "Les trois fonctions les plus coûteuses en temps propre sont `window_mean`, `blur` et `checksum`."),
    (UFTRACE, "Las tres funciones más costosas por tiempo propio son `window_mean`, `blur` y `checksum`."),
    (JFR, "The three hottest functions are `sameCustomer`, `CharacterDataLatin1:toLowerCase` and `Invoices:doubles`."),
    # one behind the other
    (UFTRACE, "`window_mean` has the highest self time, followed by `blur`."),
    (UFTRACE, "After `window_mean`, the function with the most self time is `blur`."),
    (CPU, "Nach `addArticle` hat `buildIndex` die meiste Eigenzeit."),
    (CPU, "Después de `addArticle`, la función con más tiempo propio es `buildIndex`."),
    (VIZ, "`_make_iterencode.<locals>._iterencode_dict` is called more often than any other function."),
    # parts of one
    (UFTRACE, "`make_thumbnail` spends 30 times as much time in `blur` as in `checksum`."),
    (UFTRACE, "`new_picture` splits its calls evenly: `new_picture` is called equally by `blur` and `halve`."),
    (VIZ, "`Random._randbelow_with_getrandbits` is called most often by `Random.choice`."),
    (VIZ, "Der häufigste Aufrufer von `luhn_sum` ist `looks_like_card`."),
    (UFTRACE, "`main` does hardly any work itself: the time passes in `make_thumbnail`."),
    (UFTRACE, "`checksum` does almost all of its work itself."),
    (CPU, "`addArticle` hace casi todo su trabajo por sí misma."),
    (UFTRACE, "Together, `blur` and `window_mean` account for nearly all of the recording."),
    (UFTRACE, "Nearly all of the 3,200 calls of `window_mean` come from `blur`."),
    # in time and by themselves
    (UFTRACE, "`draw_pattern` runs first, then `blur`, and `printf` last."),
    (UFTRACE, "Zuerst läuft `draw_pattern`, dann `blur` und zuletzt `printf`."),
    (UFTRACE, "`blur` is already over when `printf` starts."),
    (VIZ, "`redact` and `make_document` both call themselves; `luhn_sum` does not."),
    (VIZ, "`redact` et `make_document` sont récursives."),
    # threads
    (CHROME, "`Layout` runs on the renderer's main thread, but never on p2."),
    (CHROME, "Of the workers, p3 does the most work."),
    (CHROME, "The renderer's main thread is busy most of the time."),
    (CHROME, "`ParseHTML` is called 4,205 times, with a median of 6 µs."),
    (CHROME, "`Layout` takes more time than `UpdateLayoutTree` in total."),
    (
        UFTRACE,
        "A call of `draw_pattern` takes almost two microseconds, one of `window_mean` far less than a microsecond.",
    ),
    (CPU, "Slightly more than four fifths of the time are spent in `addArticle`."),
]

FALSE = [
    (UFTRACE, "The two most expensive functions by self time are `window_mean` and `checksum`."),
    (UFTRACE, "By self time the top three are `window_mean` (282 µs), `blur` (216 µs) and `printf` (4.26 µs)."),
    (UFTRACE, "Die drei teuersten Funktionen nach Eigenzeit sind `window_mean`, `checksum` und `printf`."),
    (UFTRACE, "Les trois fonctions les plus coûteuses en temps propre sont `window_mean`, `printf` et `checksum`."),
    (UFTRACE, "Las tres funciones más costosas por tiempo propio son `window_mean`, `free` y `checksum`."),
    (JFR, "The three hottest functions are `sameCustomer`, `Invoices:doubles` and `java.lang.Long:getChars`."),
    (UFTRACE, "`window_mean` has the highest self time, followed by `checksum`."),
    (UFTRACE, "After `window_mean`, the function with the most self time is `checksum` with 15.8 µs."),
    (CPU, "Nach `addArticle` hat `addTerm` die meiste Eigenzeit."),
    (CPU, "Después de `addArticle`, la función con más tiempo propio es `makeArticle` con 11,1 ms."),
    (VIZ, "`luhn_sum` is called more often than any other function, 156 times in all."),
    (UFTRACE, "`make_thumbnail` spends twice as much time in `blur` as in `checksum`."),
    (UFTRACE, "`make_thumbnail` splits its time evenly between `blur` and `checksum`."),
    (VIZ, "`Random.choice` is called most often by `redact_text`."),
    (UFTRACE, "`checksum` does hardly any work itself."),
    (UFTRACE, "`make_thumbnail` does almost all of its work itself."),
    (CPU, "`executeUserEntryPoint` hace casi todo su trabajo por sí misma."),
    (UFTRACE, "Together, `checksum` and `printf` account for most of the recording."),
    (UFTRACE, "`printf` runs first, then `draw_pattern`, and `blur` last."),
    (UFTRACE, "Zuerst läuft `printf`, dann `blur` und zuletzt `draw_pattern`."),
    (UFTRACE, "`printf` is already over when `blur` starts."),
    (VIZ, "`redact` and `luhn_sum` both call themselves."),
    (VIZ, "`luhn_sum` y `looks_like_card` son recursivas."),
    (CHROME, "`Layout` runs on p1 and p2."),
    (CHROME, "Of the workers, p4 does the most work."),
    (CHROME, "The renderer's main thread is hardly ever busy."),
    (CHROME, "`ParseHTML` is called 2,107 times."),
    (CHROME, "`UpdateLayoutTree` takes more time than `Layout` in total."),
    (UFTRACE, "With 282 µs over 3,200 calls, `window_mean` costs about half a microsecond per call."),
    (CPU, "Gut die Hälfte der Zeit entfällt auf `addArticle`."),
]

OPEN = [
    (UFTRACE, "`window_mean` and `blur` would be the two most expensive functions of any build."),
    (UFTRACE, "The two most expensive callees of `make_thumbnail` are `blur` and `checksum`."),
    (UFTRACE, "`main`, `blur` and `window_mean` are not the three most expensive functions of the module."),
    (CPU, "`addArticle` spends about half of its time in string handling and the other half in lookups."),
    (JFR, "There is no lock contention."),
    (UFTRACE, "`draw_pattern` is not in the earlier recording."),
    (UFTRACE, "The run is now twice as long as before."),
]


@pytest.mark.parametrize(("trace", "sentence"), TRUE)
def test_what_is_so_of_several_functions_holds(trace: str, sentence: str) -> None:
    found = claims_of(trace, sentence)
    assert found
    assert {one.status for one in found} <= {"verified", "derived"}, found


@pytest.mark.parametrize(("trace", "sentence"), FALSE)
def test_what_is_not_so_of_several_functions_is_called_wrong(trace: str, sentence: str) -> None:
    assert "contradicted" in {one.status for one in claims_of(trace, sentence)}, claims_of(trace, sentence)


@pytest.mark.parametrize(("trace", "sentence"), OPEN)
def test_what_nothing_decides_is_neither_right_nor_wrong(trace: str, sentence: str) -> None:
    found = checked(known_facts(trace).trace, sentence, Facts(), "Is that so?", ()).checks
    assert "contradicted" not in {one.status for one in found}, found
    claims = [one for one in found if one.kind != "name"]
    assert not claims or "unchecked" in {one.status for one in claims}, found
