"""A loan book: schedules, overdue loans and a report by branch."""
import json
import random
from decimal import Decimal


def make_loans(count):
    rng = random.Random(8)
    return [
        {"id": f"L{n:05d}", "branch": f"B{rng.randrange(9)}", "amount": rng.randrange(2000, 90000), "months": rng.choice((12, 24, 36))}
        for n in range(count)
    ]


def round_cents(value):
    return value.quantize(Decimal("0.01"))


def interest_of(rest, rate):
    return round_cents(rest * rate / 12)


def schedule(loan):
    rate, rest = Decimal("0.047"), Decimal(loan["amount"])
    part, rows = rest / loan["months"], []
    for month in range(loan["months"]):
        rows.append((month, round_cents(part), interest_of(rest, rate)))
        rest -= part
    return rows


def overdue(loans, paid):
    return [loan for loan in loans if loan["id"] not in paid]


def by_branch(loans, schedules):
    totals = {}
    for loan, rows in zip(loans, schedules):
        totals[loan["branch"]] = totals.get(loan["branch"], 0) + sum(row[2] for row in rows)
    return totals


def export_row(loan, rows):
    return json.dumps({"loan": loan, "rows": [[m, str(p), str(i)] for m, p, i in rows]}, sort_keys=True)


def main():
    loans = make_loans(2400)
    schedules = [schedule(loan) for loan in loans]
    late = overdue(loans, [loan["id"] for loan in loans[::2]])
    totals = by_branch(loans, schedules)
    lines = [export_row(loan, rows) for loan, rows in zip(loans[:900], schedules)]
    print(len(late), len(totals), sum(map(len, lines)))


main()
