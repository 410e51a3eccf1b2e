"""The strings of forty pianos are tuned; one of them has not been tuned for years, and takes many rounds."""

import gc
import math
import random

CHANCE = random.Random(3)


def load_temperament():
    pitches = []
    for n in range(88):
        wave = 0.0
        for k in range(1, 900):
            wave += math.sin(n * k)
        pitches.append(440 * 2 ** ((n - 48) / 12) * (1 + wave / 9e5))
    return pitches


def pluck(pitch):
    sound = 0.0
    for t in range(2600):
        sound += math.sin(pitch * t / 8000) * 0.999**t
    return sound


def adjust(string, target):
    rounds = 0
    while abs(string - target) > 0.4:
        string += (target - string) * 0.3
        pluck(string)
        rounds += 1
    return rounds


def tune_piano(number, detuned):
    targets = load_temperament() if number == 0 else PITCHES
    rounds = 0
    for key in range(0, 88, 11):
        rounds += adjust(targets[key] * detuned, targets[key])
    return rounds


def write_invoice(number, rounds):
    rows = [f"{number:03d} {n:3d} {'.' * (n % 30)}" for n in range(250)]
    return "\n".join(sorted(rows, reverse=True)) + str(rounds)


def morning(first, last):
    return [write_invoice(n, tune_piano(n, 1.0012)) for n in range(first, last)]


def concert_hall(number):
    rounds = tune_piano(number, 4.0)
    return write_invoice(number, rounds)


def sweep_workshop():
    gc.collect()


def main():
    global PITCHES
    PITCHES = load_temperament()
    day = morning(0, 24)
    sweep_workshop()
    day.append(concert_hall(24))
    sweep_workshop()
    day += morning(25, 40)
    print(len(day))


main()
