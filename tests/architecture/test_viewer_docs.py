"""The table of features in docs/viewer.md: at most four are missing, with a reason, and what is there has a test."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
E2E = "tests/e2e/test_page_"
MOST_MISSING = 4
SEEN_IN = {
    "view, thread, selection, search, window in the address; Back and Forward": ("permalinks", "twenty_views"),
    "a citation of an answer leads to its thread, place and time": ("citations", "among_fifty_threads"),
    "chart, findings and answers begin with the same thread": ("citations", "among_fifty_threads"),
    "the chart follows the answer, or offers to": ("answer_places", "follows_an_answer"),
    "pointing at a citation marks it in the chart, and the reverse": ("answer_places", "a_box_in_the_answer"),
    "findings, steps and pictures lead into the chart": ("citations", "every_handle_of_a_step"),
    "what is too long for an address is kept under a short one": ("history", "under_a_short_one"),
    "all threads at once": ("open_threads", "on_one_axis"),
    "grouped by process": ("threads", "below_their_process"),
    "pin": ("ranges", "pinned_and_moved"),
    "filter threads by name": ("threads", "listed_by_work"),
    "counters": ("lanes", "levels_marks"),
    "markers": ("lanes", "levels_marks"),
    "async spans": ("lanes", "levels_marks"),
    "flows between slices": ("flows", "arrows_to_other_threads"),
    "requests as a waterfall": ("lanes", "requests_are_a_waterfall"),
    "collections and long tasks as bands": ("flows", "arrows_to_other_threads"),
    "statistics of a range over several threads": ("ranges", "has_its_figures"),
    "arguments of a call": ("details", "its_arguments"),
    "callers, callees and a histogram of calls of a selection": ("details", "callers_callees"),
    "source": ("details", "its_arguments"),
    "one palette for page and pictures, every hue named": ("colours", "the_picture_of_an_answer"),
    "colouring by choice (package, category, role)": ("colours", "each_way_to_colour"),
    "safe for colour-blind readers by choice": ("colours", "legend_names_their_colours"),
    "names are cut in the middle, by one rule for page and pictures": ("pictures", "loses_its_middle"),
    "letters of all scripts in pictures, what no font has is said": ("pictures", "letters_of_all_scripts"),
    "focus": ("transforms", "changed_at_a_box"),
    "hide": ("transforms", "changed_at_a_box"),
    "collapse": ("transforms", "changed_at_a_box"),
    "merge": ("transforms", "changed_at_a_box"),
    "collapse recursion, drop libraries, filter by search": ("transforms", "changed_at_a_box"),
    "inverted tree": ("transforms", "changed_at_a_box"),
    "transforms as steps in the address, undone one by one": ("transforms", "each_step_is_undone"),
    "function table": ("tables", "sorted_filtered"),
    "call tree": ("tables", "call_trees_open"),
    "CSV of tables": ("tables", "saved_by_mouse"),
    "search over all threads with counts": ("tables", "through_all_threads"),
    "regular expressions in search": ("tables", "what_an_expression_lacks"),
    "SQL": ("tests/server/agent/tools/test_query_arguments.py", ""),
    "diff of two recordings": ("viewer", "compare_shows"),
    "answers next to the chart, each figure checked against the trace": ("checks", "each_kind_of_mark"),
    "steps folded to a line, with what each found": ("citations", "a_tools_text"),
    "the reader stays at the question while an answer grows": ("conversation", "reader_stays"),
    "next questions that fit": ("conversation", "heap_are_not_about_time"),
    "conversations over all traces, searched, archived": ("all_conversations", "archived_and_deleted"),
    "the same from within a room, without leaving it": ("all_conversations", "about_other_traces_too"),
    "palette of commands": ("commands", "reached_by_typing"),
    "notes in chart, list, links and files": ("sharing", "notes_are_written"),
    "a conversation shared by a link": ("sharing", "read_next_to_its_chart"),
    "saved while an answer is being written": ("conversation", "while_an_answer_is_being_written"),
    "a conversation as Markdown, page and JSON; an answer for a pull request": ("conversation", "without_a_network"),
    "an answer with its figures and marks as a picture": ("commands", "a_picture_of_an_answer"),
    "permalink for others": ("sharing", "whoever_holds_it"),
    "open by address": ("handover", "fetched_by_the_browser"),
    "handed over by another window": ("handover", "hands_a_recording_over"),
    "paste a file, drop a second one to compare": ("sizes", "dropped_to_compare"),
    "several files at once": ("sizes", "several_at_once"),
    "save profile": ("commands", "trace_are_downloaded"),
    "save picture": ("commands", "downloaded_as_it_is"),
    "keyboard": ("tables", "by_mouse_and_keyboard"),
    "touch": ("windows", "a_finger_drags"),
    "phone: question box in sight, chart and conversation take turns": ("sizes", "take_turns"),
    "type and rows scale at 4k": ("windows", "on_4k"),
    "screen reader": ("threads", "walked_to_its_end"),
    "reduced motion": ("windows", "less_motion"),
    "offline": ("sizes", "without_a_network"),
}
"""By row the browser test in which it is seen: a file of tests/e2e, and a part of the test's name; or other tests."""


@cache
def rows() -> dict[str, list[str]]:
    """By feature what stands in the columns: of ours first."""
    text = (ROOT / "docs" / "viewer.md").read_text(encoding="utf-8")
    table = text.partition("\n## Next to other viewers\n")[2]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.startswith("| ")]
    return {feature: others for feature, *others in cells if feature and not feature.startswith("**")}


def test_every_row_has_five_viewers_and_a_word_of_the_legend() -> None:
    assert len(rows()) >= len(SEEN_IN)
    for feature, cells in rows().items():
        assert len(cells) == 5, feature
        assert all(re.match(r"(yes|no|part)\b|\?$|no pictures$", cell) for cell in cells), feature


def test_at_most_four_are_not_there_and_each_has_a_reason() -> None:
    missing = [feature for feature, (ours, *_) in rows().items() if not ours.startswith(("yes", "part"))]
    assert len(missing) <= MOST_MISSING
    ending = (ROOT / "docs" / "viewer.md").read_text(encoding="utf-8").rpartition("|\n")[2]
    assert [feature for feature in missing if feature not in ending] == []


@pytest.mark.parametrize("feature", list(SEEN_IN))
def test_what_is_there_has_a_test(feature: str) -> None:
    assert feature in rows()
    place, part = SEEN_IN[feature]
    path = ROOT / (place if "/" in place else f"{E2E}{place}.py")
    tests = path.read_text(encoding="utf-8")
    assert not part or re.search(rf"^def test_\w*{part}\w*\(", tests, re.MULTILINE)


def test_no_feature_that_is_there_is_without_one() -> None:
    assert {feature for feature, (ours, *_) in rows().items() if ours.startswith(("yes", "part"))} == set(SEEN_IN)
