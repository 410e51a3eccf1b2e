"""Matches blood units to the day's requests of the wards; the argument is "before" or "after" the index of units."""
import random
import sys

GIVES = {"O-": "O- O+ A- A+ B- B+ AB- AB+", "O+": "O+ A+ B+ AB+", "A-": "A- A+ AB- AB+", "A+": "A+ AB+",
         "B-": "B- B+ AB- AB+", "B+": "B+ AB+", "AB-": "AB- AB+", "AB+": "AB+"}


def is_compatible(unit, group):
    return group in GIVES[unit[0]].split()


def days_left(unit):
    return 42 - unit[1]


def find_unit_by_scan(units, group):
    fitting = [unit for unit in units if is_compatible(unit, group)]
    return min(fitting, key=days_left) if fitting else None


def build_index(units):
    index = {}
    for unit in units:
        for group in GIVES[unit[0]].split():
            index.setdefault(group, []).append(unit)
    for found in index.values():
        found.sort(key=days_left, reverse=True)
    return index


def find_unit_by_index(index, group, given):
    row = index.get(group, [])
    while row and row[-1][2] in given:
        row.pop()
    return row.pop() if row else None


def crossmatch(unit, patient):
    value = unit[2] * 31 + patient
    for _ in range(400):
        value = (value * 1103515245 + 12345) % 2147483648
    return value % 50 != 0


def print_label(unit, patient):
    return "\n".join(f"{field:>12}: {value}" for field, value in zip(("group", "age", "unit"), unit)) + f"\npatient {patient}"


def serve_before(units, requests):
    labels = []
    for patient, group in requests:
        unit = find_unit_by_scan(units, group)
        if unit and crossmatch(unit, patient):
            labels.append(print_label(unit, patient))
            units.remove(unit)
    return labels


def serve_after(units, requests):
    index, given, labels = build_index(units), set(), []
    for patient, group in requests:
        unit = find_unit_by_index(index, group, given)
        if unit and crossmatch(unit, patient):
            labels.append(print_label(unit, patient))
            given.add(unit[2])
    return labels


def main(way):
    dice = random.Random(7)
    groups = list(GIVES)
    units = [(dice.choice(groups), dice.randrange(42), number) for number in range(1500)]
    requests = [(number, dice.choice(groups)) for number in range(600)]
    labels = serve_before(units, requests) if way == "before" else serve_after(units, requests)
    print(len(labels))


main(sys.argv[1])
