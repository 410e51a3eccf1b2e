"""A lighting board goes through the cues of an evening's play."""
import math
import time

CHANNELS, CUES = 16, 96


def load_patch(cue):
    return {channel: (channel * 7 + cue) % 512 for channel in range(CHANNELS)}


def fade_level(start, end, part):
    return start + (end - start) * (1 - math.cos(part * math.pi)) / 2


def mix_channels(cue, steps):
    levels = []
    for step in range(steps):
        levels.append([fade_level(cue % 100, channel % 100, step / steps) for channel in range(CHANNELS)])
    return levels


def send_universe(levels):
    time.sleep(0.0015)
    return len(levels)


def read_fixture_library():
    fixtures = []
    for number in range(900):
        fixtures.append(parse_fixture(f"{number};wash;{number % 16};{number % 7}"))
    time.sleep(0.045)
    return fixtures


def parse_fixture(row):
    number, kind, channels, gels = row.split(";")
    return int(number), kind, int(channels), int(gels)


def check_lamps(cue):
    time.sleep(0.003)
    return cue % 2


def run_cue(cue):
    patch = load_patch(cue)
    levels = mix_channels(cue, 12 if cue % 16 else 40)
    if cue == 41:
        read_fixture_library()
    if cue % 8 == 0:
        check_lamps(cue)
    for _ in range(3):
        send_universe(levels)
    return len(patch)


def rehearse():
    for cue in range(CUES):
        run_cue(cue)


def write_show_log():
    return "\n".join(f"cue {cue}" for cue in range(CUES))


def evening():
    rehearse()
    write_show_log()


evening()
