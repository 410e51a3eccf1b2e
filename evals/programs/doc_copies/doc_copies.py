"""Edits a document and keeps what can be undone. With 1 the whole document is pickled for every edit, with 0 the edit is."""

import pickle
import sys


def make_document(pages: int) -> dict[str, list[dict[str, object]]]:
    return {"pages": [{"n": n, "words": [f"word {n}.{k}" for k in range(30)], "seen": False} for n in range(pages)]}


def freeze_state(value: object) -> bytes:
    return pickle.dumps(value)


def keep_undo(history: list[bytes], document: dict[str, list[dict[str, object]]], page: int, all_of_it: bool) -> None:
    history.append(freeze_state(document if all_of_it else document["pages"][page]))
    if len(history) > 20:
        history.pop(0)


def apply_edit(document: dict[str, list[dict[str, object]]], page: int) -> None:
    document["pages"][page]["seen"] = not document["pages"][page]["seen"]


def count_seen(document: dict[str, list[dict[str, object]]]) -> int:
    return sum(bool(page["seen"]) for page in document["pages"])


def edit(edits: int, all_of_it: bool) -> int:
    document, history = make_document(200), []
    for n in range(edits):
        keep_undo(history, document, n * 7 % 200, all_of_it)
        apply_edit(document, n * 7 % 200)
        count_seen(document)
    return count_seen(document)


edit(500, sys.argv[1] == "1")
