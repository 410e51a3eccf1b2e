"""Labels of a recording, and which earlier one is compared with."""

import pytest

from server.errors import CannotRecord
from server.recording.recording_labels import KeptRecording, earlier, labels_of


def kept(program: str, *, what: str = "cpu", **labels: str) -> KeptRecording:
    return KeptRecording(
        file="recording.prof",
        at="2026-01-02T03:04:05+00:00",
        recorder="cProfile",
        what=what,
        command=("python", program),
        exit_code=0,
        seconds=1.5,
        labels={"program": program} | labels,
    )


def test_a_recording_is_read_as_it_was_written() -> None:
    one = kept("app.py", branch="main")
    assert KeptRecording.of_json(one.as_json()) == one


def test_labels_are_names_and_values_without_secrets() -> None:
    assert labels_of(["branch=main", "query=a=b"]) == {"branch": "main", "query": "a=b"}
    for given in ("password=hunter2", "password=a hunter2", "db-password=a;hunter2", "token=a&hunter2"):
        assert "hunter2" not in str(labels_of([given]))


@pytest.mark.parametrize("text", ["branch", "=main", ""])
def test_a_label_without_a_name_or_value_is_refused(text: str) -> None:
    with pytest.raises(CannotRecord, match="is no label: write it as name=value"):
        labels_of([text])


@pytest.mark.parametrize(
    ("asked", "at"), [("LAST", 3), ("branch=main", 1), ("main", 1), ("branch=other", None), ("nothing", None)]
)
def test_an_earlier_recording_is_the_newest_that_is_meant(asked: str, at: int | None) -> None:
    past = [
        kept("app.py", branch="main"),
        kept("other.py", branch="main"),
        kept("app.py", what="memory"),
        kept("app.py"),
        kept("other.py"),
    ]
    assert earlier(past, asked, kept("app.py")) == at
