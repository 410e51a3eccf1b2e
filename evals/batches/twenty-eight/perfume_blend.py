"""A perfumer's bench: finds a blend near a target scent and prints its labels."""

import json
import random
import time

NOTES = ["bergamot", "cedar", "iris", "amber", "vetiver", "musk", "neroli", "tonka"]


def load_formulas():
    text = json.dumps([{note: (i * 7 + k) % 13 for k, note in enumerate(NOTES)} for i in range(9000)])
    return json.loads(text)


def scent_distance(blend, target):
    return sum((blend[note] - target[note]) ** 2 for note in NOTES)


def nearest_formulas(formulas, target):
    return sorted(formulas, key=lambda formula: scent_distance(formula, target))[:40]


def evaporate(blend, hours):
    rest = dict(blend)
    for hour in range(hours):
        for place, note in enumerate(NOTES):
            rest[note] *= 1 - 0.002 * (place + 1)
    return rest


def tune_blend(start, target, rounds):
    best, score = start, scent_distance(start, target)
    for _ in range(rounds):
        tried = {note: max(0.0, amount + random.uniform(-0.5, 0.5)) for note, amount in best.items()}
        later = evaporate(tried, 48)
        now = scent_distance(later, target)
        if now < score:
            best, score = tried, now
    return best


def weigh(blend):
    for _note in blend:
        wait_for_scale()


def wait_for_scale():
    time.sleep(0.04)


def price_label(blend):
    return "\n".join(f"{note:>12}: {amount:.3f} g" for note, amount in blend.items())


def print_labels(blend, copies):
    return [price_label(blend) for _ in range(copies)]


def main():
    random.seed(5)
    target = {note: 4.0 + place for place, note in enumerate(NOTES)}
    formulas = load_formulas()
    for _customer in range(3):
        nearest = nearest_formulas(formulas, target)
        blend = tune_blend(nearest[0], target, 2500)
        weigh(blend)
        print_labels(blend, 9000)


main()
