"""Dates old beams by their tree rings: one thread measures, one compares with the master curve, one saves."""

import queue
import threading
import time

beams: queue.Queue = queue.Queue()
dated: queue.Queue = queue.Queue()


def ring_widths(beam: int) -> list[float]:
    widths = []
    value = beam * 7919 % 1009
    for _ in range(160):
        value = (value * 31 + 17) % 1009
        widths.append(value / 1009)
    return smooth(widths)


def smooth(widths: list[float]) -> list[float]:
    return [sum(widths[max(0, at - 4) : at + 5]) / 9 for at in range(len(widths))]


def measure(count: int) -> None:
    for beam in range(count):
        beams.put(ring_widths(beam))
        time.sleep(0.02)
    beams.put(None)


def correlation(widths: list[float], master: list[float], offset: int) -> float:
    total = 0.0
    for at, width in enumerate(widths):
        total += (width - 0.5) * (master[offset + at] - 0.5)
    return total


def best_offset(widths: list[float], master: list[float]) -> int:
    return max(range(len(master) - len(widths)), key=lambda offset: correlation(widths, master, offset))


def compare() -> None:
    master = [(year * year * 31 % 997) / 997 for year in range(900)]
    while (widths := beams.get()) is not None:
        dated.put(best_offset(widths, master))
    dated.put(None)


def save() -> None:
    with open("rings.txt", "w", encoding="utf-8") as file:
        while (offset := dated.get()) is not None:
            file.write(f"{offset}\n")
            file.flush()
            time.sleep(0.004)


def main() -> None:
    threads = [
        threading.Thread(target=measure, args=(90,), name="measure"),
        threading.Thread(target=compare, name="compare"),
        threading.Thread(target=save, name="save"),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
