"""Writes letters and waits for the disk at each: `python mail_merge.py LETTERS`. Planted: `save_letter` syncs each."""

import os
import sys
import tempfile


def compose(number: int) -> str:
    return f"Dear reader {number},\n" + "line of the letter\n" * 40


def save_letter(folder: str, number: int, text: str) -> None:
    with open(os.path.join(folder, f"{number}.txt"), "w") as file:  # noqa: PTH118, PTH123
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def main() -> None:
    with tempfile.TemporaryDirectory(dir=".") as folder:
        for number in range(int(sys.argv[1])):
            save_letter(folder, number, compose(number))
    print("done")


main()
