"""Computes rents of flats with indexation and writes letters."""
import datetime, decimal, re
D = decimal.Decimal
def parse_contract(line):
    m = re.match(r"(\w+);(\d+)-(\d+)-(\d+);([\d.]+)", line)
    return m[1], datetime.date(int(m[2]), int(m[3]), int(m[4])), D(m[5])
def index_for(year):
    value = D(100)
    for y in range(1990, year):
        value = value * D("1.017")
    return value
def indexed_rent(rent, since, until):
    return rent * index_for(until.year) / index_for(since.year)
def months_between(a, b):
    n, d = 0, a
    while d < b:
        d = d + datetime.timedelta(days=31); n += 1
    return n
def letter(name, rent, months):
    return "\n".join(f"{name} month {m}: {rent:.2f}" for m in range(months))
def process(lines, until):
    out = []
    for line in lines:
        name, since, rent = parse_contract(line)
        new = indexed_rent(rent, since, until)
        out.append(letter(name, new, months_between(since, until)))
    return out
def main():
    lines = [f"flat{i};{1995 + i % 25}-0{1 + i % 9}-1{i % 9};{500 + i % 700}.50" for i in range(3500)]
    process(lines, datetime.date(2026, 1, 1)); process(lines[:500], datetime.date(2024, 6, 1))
main()
