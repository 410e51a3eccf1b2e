"""Labels of a wool shop: each drawn label is kept by an unbounded lru_cache whose key has the moment in it."""

import sys
from functools import lru_cache


@lru_cache(maxsize=None)
def draw_label(wool, moment):
    return [bytes([wool % 256]) * 900 for _ in range(12)]


def stock_table(count):
    return [{"wool": n, "metres": n * 50, "colour": f"#{n * 4099 % 16777216:06x}"} for n in range(count)]


def month_report(table):
    text = "\n".join(f"{row['wool']:05d} {row['colour']} {row['metres']:>9}" for row in table * 4)
    return text.encode()


def serve(customers):
    total = 0
    for customer in range(customers):
        label = draw_label(customer % 40, customer)
        total += len(label)
    return total


def main():
    table = stock_table(9000)
    sold = serve(int(sys.argv[1]))
    report = month_report(table)
    print(sold, len(report))


main()
