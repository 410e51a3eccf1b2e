"""Which patients of a dental practice are due for a check, before (argument 0) and after (1) an index of visits."""

import sys
from datetime import datetime, timedelta

TODAY = datetime(2026, 8, 20)


def make_visits(patients):
    day = datetime(2025, 1, 1)
    return [(n % patients, (day + timedelta(days=n * 7 % 480)).strftime("%d.%m.%Y")) for n in range(patients * 4)]


def parse_day(text):
    return datetime.strptime(text, "%d.%m.%Y")


def visits_of(patient, visits):
    return [day for who, day in visits if who == patient]


def last_visit(patient, visits):
    return max(parse_day(day) for day in visits_of(patient, visits))


def index_visits(visits):
    index = {}
    for who, day in visits:
        parsed = parse_day(day)
        if who not in index or parsed > index[who]:
            index[who] = parsed
    return index


def is_due(last):
    return TODAY - last > timedelta(days=182)


def letter(patient, last):
    return f"Dear patient {patient}, your last check was on {last:%d %B %Y}."


def due_before(patients, visits):
    letters = []
    for patient in range(patients):
        if is_due(last_visit(patient, visits)):
            letters.append(letter(patient, last_visit(patient, visits)))
    return letters


def due_after(patients, visits):
    index = index_visits(visits)
    return [letter(patient, index[patient]) for patient in range(patients) if is_due(index[patient])]


def main(after):
    visits = make_visits(600)
    letters = (due_after if after else due_before)(600, visits)
    print(len(letters))


main(sys.argv[1] == "1")
