"""Three kettles of a brewery; each holds the one thermometer while it stirs, so the others wait."""

import threading
import time

THERMOMETER = threading.Lock()


def stir(turns):
    value = 0
    for turn in range(turns * 1000):
        value = (value * 31 + turn) % 65521
    return value


def take_thermometer():
    THERMOMETER.acquire()


def heat():
    time.sleep(0.02)
    stir(60)


def mash(kettle):
    take_thermometer()
    heat()
    THERMOMETER.release()


def note_temperature(kettle, step):
    lines = [f"{kettle} {step} {n * 7 % 100}" for n in range(9000)]
    return len("\n".join(sorted(lines)))


def brew(kettle, steps):
    for step in range(steps):
        mash(kettle)
        note_temperature(kettle, step)


def main():
    kettles = [threading.Thread(target=brew, args=(n, 34), name=f"kettle-{n}") for n in (1, 2, 3)]
    for one in kettles:
        one.start()
    for one in kettles:
        one.join()


main()
