"""Sends a month's statement to sixty customers. With 1 one of them, a wholesaler, has fourteen thousand bookings; with 0
it has as many as the others."""

import sys
from operator import itemgetter

BOOKINGS = 120


def bookings_of(customer: int, wholesale: bool) -> list[tuple[int, int]]:
    count = BOOKINGS * 120 if wholesale and customer == 41 else BOOKINGS
    return [(n % 28 + 1, n * 13 % 5000) for n in range(count)]


def sort_bookings(bookings: list[tuple[int, int]]) -> list[tuple[int, int]]:
    return sorted(bookings, key=itemgetter(0, 1))


def layout_statement(bookings: list[tuple[int, int]]) -> str:
    balance, rows = 0, []
    for day, cents in bookings:
        balance += cents
        rows.append(f"{day:>2} {cents / 100:>10.2f} {balance / 100:>12.2f}")
    return "\n".join(rows)


def deliver(text: str) -> int:
    return sum(text.encode()) % 251


def send_statement(customer: int, wholesale: bool) -> int:
    return deliver(layout_statement(sort_bookings(bookings_of(customer, wholesale))))


def send_all(wholesale: bool) -> None:
    for customer in range(60):
        send_statement(customer, wholesale)


send_all(sys.argv[1] == "1")
