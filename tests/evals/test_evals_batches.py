"""The batches: each recording with its program and sibling, first contact as the docs print it."""

import gzip
import re
from collections import Counter
from pathlib import Path

import pytest

from evals.asking import Turn, first_contact, graded_turns
from evals.case import ROOT, BadCase
from evals.cause_classes import CLASSES
from evals.causes import false_claims, printed_causes, recordings
from evals.dull_talkers import Blind, Symptom, Talker, TopFunction
from evals.first_contact import FILE, answers_of, store, stored_answers
from evals.grades import Grade
from evals.grades_table import first_contact_row, printed_grades, share
from evals.questions import BATCHES, Conversation, Question, file_of, left_out, read_batch, read_batches
from evals.talking import Talking
from evals.talks import listed, main

PROGRAMS = Path(__file__).resolve().parents[2] / "evals" / "programs"
MACHINE_PATH = re.compile(rb"(?<![A-Za-z0-9_.])/(?:work|root|home|tmp|Users)/|pyenv")
MOST_BYTES, MOST_IN_ALL = 200_000, 6_000_000
ALL = read_batches()
RECORDED = sorted(PROGRAMS.glob("*/*.gz"))


def test_every_conversation_has_its_trace_and_a_name_of_its_own() -> None:
    assert all(file_of(trace).is_file() for one in ALL for trace in (one.trace, *one.others))
    names = Counter(f"{one.batch}/{one.name}" for one in ALL)
    assert [name for name, count in names.items() if count > 1] == []


def test_what_needs_recordings_from_elsewhere_is_left_out_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("evals.questions.SHARED", tmp_path)
    absent = left_out()
    assert absent
    assert all(one.trace.startswith("shared/") for one in absent)
    assert set(absent).isdisjoint(read_batches())
    main(["--stored", "--only", f"{absent[0].batch}/{absent[0].name}"])
    assert "left out: 1 conversations, as FLAMECHAT_SHARED" in capsys.readouterr().out


def test_what_is_asked_of_a_program_names_its_class_and_every_recording_is_asked_about() -> None:
    planted = [one for one in ALL if one.program]
    assert [one.name for one in planted if one.cause not in CLASSES] == []
    asked = {ROOT / trace for one in ALL for trace in (one.trace, *one.others)}
    assert [str(path) for path in RECORDED if path not in asked and path.name.startswith("fault")] == []


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_recording_is_small_names_no_machine_and_has_its_program_and_its_sibling(path: Path) -> None:
    assert path.stat().st_size < MOST_BYTES
    assert MACHINE_PATH.findall(gzip.decompress(path.read_bytes())) == []
    assert [one for one in path.parent.iterdir() if one.suffix in {".py", ".js", ".go", ".java", ".c", ".rb"}] != []
    other = "sibling" if path.name.startswith("fault") else "fault"
    assert path.with_name(other + path.name.removeprefix("fault").removeprefix("sibling")).is_file()


def test_all_recordings_together_are_small() -> None:
    assert sum(path.stat().st_size for path in RECORDED) < MOST_IN_ALL


def test_first_contact_in_the_docs_is_what_the_stored_answers_are_graded() -> None:
    docs = (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8")
    partly = {one.batch for one in left_out()}  # whose recordings are not all here
    first = first_contact([one for one in ALL if one.batch not in partly])
    batches = dict.fromkeys(turn.conversation.batch for turn in first)
    assert batches
    assert [row for batch in batches if (row := first_contact_row(batch, first)) not in docs] == []


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("talker", [Blind(Talking()), TopFunction(), Symptom()], ids=lambda talker: talker.name)
async def test_answers_without_thought_are_right_to_less_than_a_fifth(talker: Talker) -> None:
    """Of every third conversation; make eval asks them all."""
    of_faults = [one for one in ALL if not one.sibling][::3]
    turns = [turn for one in of_faults for turn in graded_turns(one, talker.name, await talker.answers(one))]
    assert share(turns, Grade.RIGHT) < 0.2
    assert share(turns, Grade.WRONG) >= 0.2


def test_a_batch_is_asked_once(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    assert stored_answers("x", tmp_path) is None
    store("x", {"one-1": ["Yes."]}, commit="abc", day="2026-11-23", folder=tmp_path)
    assert stored_answers("x", tmp_path) == {"one-1": ("Yes.",)}
    with pytest.raises(BadCase, match="asked before"):
        store("x", {}, commit="abc", day="2026-11-23", folder=tmp_path)


def test_stored_answers_that_are_not_one_a_question_are_refused() -> None:
    conversation = Conversation(
        name="one-1", batch="x", trace="t", turns=(Question(asked="a", cannot=True), Question(asked="b", cannot=True))
    )
    with pytest.raises(BadCase, match="1 stored answers for 2"):
        answers_of(conversation, {"one-1": ("Yes.",)})


def test_a_broken_file_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "half.toml").write_text('trace = "x"\n', encoding="utf-8")
    with pytest.raises(BadCase, match="half"):
        read_batch(tmp_path)


def test_the_table_counts_grades_by_answerer_batch_and_class() -> None:
    conversation = Conversation(
        name="one-1", batch="x", trace="t", program="p", cause="leak", turns=(Question(asked="why?", opening=("yes",)),)
    )
    turns: list[Turn] = []
    for answerer, text in (("analyst", "Yes."), ("blind", "Yes."), ("top-1", "Maybe.")):
        turns += graded_turns(conversation, answerer, [text])
    table = printed_grades(turns, graded_turns(conversation, "first contact", ["Maybe."]))
    assert "|analyst|1|0|0|0|0|100.0%|" in table
    assert "|top-1|0|0|0|1|0|0.0%|" in table
    assert "|leak|1|100.0%|0.0%|0.0%|0.0%|" in table
    assert "- blind: x/one-1, 1: why?" in table
    assert listed(turns) == ""


def test_the_command_grades_stored_answers_without_asking(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "answers.md"
    partly = {one.batch for one in left_out()}
    batch = next(name for path in sorted(BATCHES.glob(f"*/{FILE}")) if (name := path.parent.name) not in partly)
    assert main(["--stored", "--only", f"{batch}/", "--answers", str(out)]) == 0
    assert f"|{batch}|" in capsys.readouterr().out
    assert out.read_text(encoding="utf-8").count("\nAsked: ") >= 10
    assert main(["--only", "no such conversation"]) == 2


@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_conversation_is_asked_of_the_analyst_and_of_every_dull_answerer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "one/tax_lines-1"]) == 0
    said = capsys.readouterr().out
    assert all(f"\n|{name}|" in said for name in ("analyst", "blind", "top-1", "symptom", "analyst, first contact"))


@pytest.mark.long
def test_causes_are_found_as_the_docs_say_and_never_of_siblings() -> None:
    found, (others, false) = list(recordings()), false_claims()
    docs = (ROOT / "docs" / "insights.md").read_text(encoding="utf-8")
    assert printed_causes(found, others, false) in docs
    planted = [one for one in found if one.planted]
    assert sum(one.cause in one.claims for one in planted) >= 0.85 * len(planted)
    assert [one.name for one in found if not one.planted and one.cause in one.claims] == []
