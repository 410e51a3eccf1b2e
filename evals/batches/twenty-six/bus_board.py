"""The departure board of a bus station: asks every stop, reads the timetable, prints what leaves next."""

import json
import time
from datetime import datetime

STOPS = ["Market", "Mill Lane", "Harbour", "Museum", "Station", "Hospital"]


def ask_stop(stop: str) -> str:
    time.sleep(0.22 if stop == "Hospital" else 0.07)
    return json.dumps([{"line": n % 14, "at": f"2026-03-0{n % 7 + 1} {n % 24:02d}:{n % 60:02d}"} for n in range(15000)])


def read_times(text: str) -> list[tuple[int, datetime]]:
    return [(one["line"], datetime.strptime(one["at"], "%Y-%m-%d %H:%M")) for one in json.loads(text)]


def delay_of(line: int, at: datetime) -> int:
    total = 0
    for step in range(24):
        total += (line * 7 + at.minute * step) % 11
    return total // 24


def next_departures(times: list[tuple[int, datetime]]) -> list[tuple[int, datetime]]:
    found = []
    for line, at in times:
        if delay_of(line, at) < 9:
            found.append((line, at))
    return sorted(found, key=lambda one: (one[1], one[0]))[:40]


def draw_board(stop: str, departures: list[tuple[int, datetime]]) -> str:
    rows = []
    for line, at in departures:
        rows.append(f"{stop:<12}{line:>3}  {at:%H:%M}")
    return "\n".join(rows)


def load_fonts() -> int:
    time.sleep(0.35)
    return 3


def main() -> None:
    load_fonts()
    for stop in STOPS:
        times = read_times(ask_stop(stop))
        board = draw_board(stop, next_departures(times))
        print(len(board))


if __name__ == "__main__":
    main()
