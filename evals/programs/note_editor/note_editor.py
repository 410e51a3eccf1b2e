"""An editor that keeps every key press. With 1 the thread that answers keys writes the file and waits for the disk, with 0
a thread of its own does."""

import os
import queue
import sys
import tempfile
import threading


def save_note(descriptor: int, text: str) -> None:
    os.pwrite(descriptor, text.encode(), 0)
    os.fsync(descriptor)


def keep_saving(descriptor: int, texts: "queue.Queue[str | None]") -> None:
    while (text := texts.get()) is not None:
        save_note(descriptor, text)


def highlight(text: str) -> int:
    return sum(word.istitle() for word in text[-400:].split())


def on_key(text: str, key: str, save: object) -> str:
    text += key
    highlight(text)
    save(text)  # type: ignore[operator]
    return text


def type_note(keys: int, on_this_thread: bool) -> None:
    with tempfile.TemporaryFile(dir=".") as file:
        texts: queue.Queue[str | None] = queue.Queue()
        saver = threading.Thread(target=keep_saving, args=(file.fileno(), texts), name="saver")
        saver.start()
        save = (lambda text: save_note(file.fileno(), text)) if on_this_thread else texts.put
        text = ""
        for n in range(keys):
            text = on_key(text, "Word "[n % 5], save)
        texts.put(None)
        saver.join()


type_note(100, sys.argv[1] == "1")
