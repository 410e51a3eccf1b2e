"""Letters: what is measured fits, and a shortened name keeps what distinguishes it."""

import json
import subprocess
import sys
from bisect import bisect_right
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ImageFont

from rendering.fonts import Fonts
from rendering.labels import label_text, missing_note
from rendering.options import FlamegraphOptions
from rendering.text import Typeface, elide_end, elide_name, elided_anew, font_folder, printable, typeface


@given(name=st.text(max_size=80), room=st.integers(-5, 400), handle=st.sampled_from(["", "[f0]", "[f12345]"]))
def test_a_label_never_leaves_its_room(name: str, room: int, handle: str) -> None:
    face = typeface("label")

    text = label_text(face, printable(name), room, handle)

    assert face.width(text) <= max(0, room)


@given(name=st.text(st.sampled_from("aWi.:/#\\()<>[]{}, _é…你م"), min_size=1, max_size=40), room=st.integers(-5, 250))
def test_a_name_whose_letters_were_measured_once_is_shortened_as_when_each_part_is_measured(
    name: str, room: int
) -> None:
    for dpr in (1, 2):
        face = typeface("label", dpr)
        assert elide_name(face, name, room) == elided_anew(face, name, room)


def test_a_letter_that_comes_again_is_drawn_once_to_see_whether_a_font_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    draw = ImageFont.FreeTypeFont.getmask

    def counted(font: ImageFont.FreeTypeFont, text: str, *args: Any, **options: Any) -> Any:
        drawn.append(text)
        return draw(font, text, *args, **options)

    monkeypatch.setattr(ImageFont.FreeTypeFont, "getmask", counted)
    fonts = Fonts(font_folder() / "DejaVuSans.ttf", 11)
    assert fonts.shaping("ف" * 5_000) is fonts.shaping("ففل")
    assert len(drawn) < 10


def test_a_name_that_fits_is_left_alone() -> None:
    assert elide_name(typeface("label"), "django.db.models.QuerySet.filter", 400) == "django.db.models.QuerySet.filter"


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("django.db.models.query.QuerySet.filter", "filter"),
        ("std::vector<std::pair<int, int>>::push_back(int const&)", "push_back"),
        ("cmd/compile/internal/ssa.(*regAllocState).init", "init"),
        ("node:internal/modules/cjs/loader/Module._compile", "_compile"),
    ],
)
def test_a_long_qualified_name_is_cut_in_the_middle(name: str, end: str) -> None:
    face = typeface("label")

    for room in range(face.width("…" + end), face.width(name) - 30, 7):
        shortened = elide_name(face, name, room)

        assert "…" in shortened or shortened == name
        assert shortened.endswith((end, end + "(…)"))


def test_the_more_room_the_more_of_the_qualification_shows() -> None:
    face = typeface("label")

    assert elide_name(face, "django.db.models.query.QuerySet.filter", 110) == "…QuerySet.filter"
    assert elide_name(face, "django.db.models.query.QuerySet.filter", 150) == "dja…query.QuerySet.filter"


def test_arguments_go_before_the_name_does() -> None:
    assert elide_name(typeface("label"), "draw(Canvas&, Point const&, Colour)", 60) == "draw(…)"


def test_a_plain_name_is_cut_at_its_end() -> None:
    assert elide_name(typeface("label"), "createSourceFileFromText", 70) == "createSou…"


def test_where_two_letters_do_not_fit_there_is_no_label() -> None:
    assert elide_end(typeface("label"), "render", 12) == ""


def test_the_name_goes_before_the_handle() -> None:
    face = typeface("label")

    assert label_text(face, "parseJson", 200, "[f12]") == "parseJson [f12]"
    assert label_text(face, "parseJson", face.width("parseJson [f12]") - 1, "[f12]") == "parseJson"
    assert label_text(face, "createSourceFileFromText", 70, "[f12]") == "createSou…"


@pytest.mark.parametrize("name", ["line\nbreak", "tab\tand\x00null", "right\u202eleft", "zero\u200bwidth"])
def test_what_cannot_be_seen_becomes_a_space(name: str) -> None:
    assert printable(name).isprintable()
    assert len(printable(name)) == len(name)


def test_an_empty_name_says_so() -> None:
    assert printable(" ") == "(unnamed)"


def test_a_name_of_ten_thousand_characters_is_bounded_and_keeps_its_end() -> None:
    assert len(printable("namespace." * 1_000 + "run")) < 2_100
    assert printable("namespace." * 1_000 + "run").endswith("run")


def test_characters_that_the_font_lacks_show_as_boxes() -> None:
    numbers, _ = typeface("label").run("\U0001f525")
    sizes, opacities = typeface("label").atlas()

    _, _, width, height, begin = sizes[numbers[0]].tolist()
    assert opacities[begin : begin + width * height].any()


def test_the_font_is_found_without_importing_matplotlib() -> None:
    code = (
        "import sys; from rendering import text; text.typeface('label').width('x'); print('matplotlib' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)

    assert done.stdout.strip() == "False"


PAGE_LABELS = Path(__file__).parents[2] / "web/tests/elided.json"
"""Read by the page's own test, which shortens the same names to the same rooms."""
NAMES = [
    "django.db.models.query.QuerySet.filter",
    "std::vector<std::pair<int, int>>::push_back(int const&)",
    "cmd/compile/internal/ssa.(*regAllocState).init",
    "draw(Canvas&, Point const&, Colour)",
    "createSourceFileFromText",
    "a.b",
    "...",
    "f(",
    ")",
    "C:\\work\\app\\main.py#run",
    "   ",
    "line\nbreak\u202ereversed\u00a0space",
    "<b>bold</b>.run",
    "日本語の名前.解析する",
    "🔥🔥🔥🔥.🔥🔥🔥",
    "x" * 1_500 + "." + "y" * 1_500,
]


class WidthsByKind(Typeface):
    """Letters of three widths, as the page's test has them too."""

    def __init__(self) -> None:
        self.dpr = 1

    def advance(self, piece: str) -> int:
        return 3 if piece in "iljt.,:;/'!|()[] " else 9 if piece in "mwMW…" else 6

    def width(self, text: str) -> int:
        return sum(map(self.advance, text))

    def fitting(self, text: str, room: int) -> int:
        return bisect_right(list(accumulate(map(self.advance, text))), room)


def test_the_page_shortens_names_as_pictures_do() -> None:
    face = WidthsByKind()
    cases = [
        [name, room, elide_name(face, printable(name), room)] for name in NAMES for room in (0, *range(9, 400, 17))
    ]
    assert json.loads(PAGE_LABELS.read_bytes()) == cases, f"write to {PAGE_LABELS}: {json.dumps(cases)}"


def test_words_from_right_to_left_are_shaped_in_one_piece() -> None:
    face = typeface("label")
    shaped, isolated = face.width("مرحبا"), sum(face.width(letter) for letter in "مرحبا")
    assert len(face.run("שלום.עולם")[0]) == 3
    assert face.run("שלום עולם.a")[1] == [0, face.width("שלום עולם"), face.width("שלום עולם.")]
    assert shaped < isolated, "letters of Arabic are joined"
    assert face.fitting("مرحبا", shaped) == 5
    assert 0 < face.fitting("مرحبا", shaped - 1) < 5


def test_without_libraqm_they_are_drawn_letter_by_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rendering.text.shapes", lambda: False)
    assert len(Typeface(font_folder() / "DejaVuSans.ttf", 11).run("שלום")[0]) == 4


def test_a_letter_that_the_first_font_lacks_is_drawn_with_the_next_that_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    file, other = font_folder() / "DejaVuSans.ttf", font_folder() / "DejaVuSansMono.ttf"
    letter = "\u2312"
    monkeypatch.setattr("rendering.fonts.other_files", lambda: (font_folder() / "no such file.ttf",))
    alone = Typeface(file, 11)
    assert alone.missing(f"a{letter}é") == {letter}
    monkeypatch.setattr("rendering.fonts.other_files", lambda: (font_folder() / "no such file.ttf", other))
    both = Typeface(file, 11)
    assert both.missing(f"a{letter}é") == set()
    for face in (alone, both):
        face.run(letter)
    drawn = [face.atlas()[1].tolist() for face in (alone, both)]
    assert drawn[0] != drawn[1]


def test_a_picture_says_how_many_letters_no_font_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rendering.fonts.other_files", tuple)
    monkeypatch.setattr("rendering.labels.typeface", lambda *_: Typeface(font_folder() / "DejaVuSans.ttf", 11))
    said = missing_note(["main", "解析", "解"], FlamegraphOptions())
    assert said == ("2 letters are in no font of this machine and drawn as boxes; the extra flamechat[fonts] has more",)
    assert missing_note(["main", "שלום"], FlamegraphOptions()) == ()
    assert missing_note(["解析"], FlamegraphOptions(format="svg")) == ()
