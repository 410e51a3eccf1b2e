"""The season of a choir: voices, seats, scores and rehearsals are planned; no part is much dearer than another."""
import random

random.seed(5)


def sort_voices(singers):
    return sorted(singers, key=lambda one: (one[1], one[2], one[0]))


def seat_rows(singers):
    rows = [[] for _ in range(8)]
    for at, one in enumerate(singers):
        rows[at % 8].append(one)
    return [sorted(row, key=lambda one: -one[2]) for row in rows]


def share_scores(singers):
    pages = {}
    for name, voice, height in singers:
        pages.setdefault((voice, height % 5), []).append(name)
    return {key: ", ".join(names) for key, names in pages.items()}


def rehearsal_days(week):
    return [(week * 7 + day, (week + day) % 3) for day in range(7) for _ in range(45)]


def print_plan(rows, scores, days):
    lines = [" ".join(name for name, _, _ in row) for row in rows]
    lines += [f"{voice} {part}: {len(names)}" for (voice, part), names in scores.items()]
    return "\n".join(lines + [f"day {day} room {room}" for day, room in days])


def plan_week(singers, week):
    voices = sort_voices(singers)
    return print_plan(seat_rows(voices), share_scores(voices), rehearsal_days(week))


def main():
    singers = [(f"singer {n}", "SATB"[random.randrange(4)], random.randrange(150, 200)) for n in range(420)]
    total = 0
    for week in range(2_600):
        total += len(plan_week(singers, week))
    print(total)


main()
