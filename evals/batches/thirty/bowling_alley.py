"""A bowling alley: three lanes share one pinsetter, each lane keeps its own score sheet; the board is shown meanwhile."""

import threading
import time

PINSETTER = threading.Lock()
SHEETS: dict[str, list[int]] = {}


def roll_ball(lane, frame):
    total, number = 0, ord(lane[-1])
    for step in range(9000):
        total = (total * 31 + step * frame + number) % 1009
    return total % 11


def set_pins(lane):
    PINSETTER.acquire()
    try:
        sweep_pins()
        lower_rack(lane)
    finally:
        PINSETTER.release()


def sweep_pins():
    time.sleep(0.006)


def lower_rack(lane):
    time.sleep(0.012 if lane == "lane 3" else 0.004)


def add_score(lane, pins):
    SHEETS[lane].append(pins)
    return score_sheet(lane)


def score_sheet(lane):
    sheet = SHEETS[lane]
    return sum(frame_score(sheet, at) for at in range(len(sheet)))


def frame_score(sheet, at):
    return sum(sheet[at : at + 3]) if sheet[at] == 10 else sheet[at]


def bowl_frame(lane, frame):
    set_pins(lane)
    pins = roll_ball(lane, frame)
    add_score(lane, pins)


def play_game(lane, frames):
    SHEETS[lane] = []
    for frame in range(frames):
        bowl_frame(lane, frame)


def show_board():
    lines = [f"{lane}: {sum(sheet)}" for lane, sheet in list(SHEETS.items())]
    time.sleep(0.05)
    return "\n".join(lines)


def print_receipts():
    for lane, sheet in SHEETS.items():
        time.sleep(0.02)
        "".join(f"{lane} {pins}\n" for pins in sheet)


def main():
    lanes = [threading.Thread(target=play_game, args=(f"lane {at}", 30), name=f"lane {at}") for at in (1, 2, 3)]
    for lane in lanes:
        lane.start()
    for _ in range(5):
        show_board()
    for lane in lanes:
        lane.join()
    print_receipts()


main()
