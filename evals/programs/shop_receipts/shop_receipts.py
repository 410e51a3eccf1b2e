"""Receipts of a shop's orders out of SQLite. With 1: the lines of each order are asked for one by one, inside a helper
of a helper. With 0: all lines come with one query."""

import sqlite3
import sys


def open_shop(orders: int) -> sqlite3.Connection:
    shop = sqlite3.connect(":memory:")
    shop.execute("create table orders (id integer primary key, customer text)")
    shop.execute("create table lines (order_id integer, article text, cents integer)")
    shop.executemany("insert into orders values (?, ?)", [(n, f"customer {n % 97}") for n in range(orders)])
    shop.executemany("insert into lines values (?, ?, ?)", [(n % orders, f"article {n}", n % 900) for n in range(orders * 4)])
    return shop


def lines_of(shop: sqlite3.Connection, order: int) -> list[tuple[str, int]]:
    cursor = shop.cursor()
    cursor.execute("select article, cents from lines where order_id = ?", (order,))
    return cursor.fetchall()


def all_lines(shop: sqlite3.Connection) -> dict[int, list[tuple[str, int]]]:
    cursor = shop.cursor()
    cursor.execute("select order_id, article, cents from lines")
    found: dict[int, list[tuple[str, int]]] = {}
    for order, article, cents in cursor.fetchall():
        found.setdefault(order, []).append((article, cents))
    return found


def order_total(lines: list[tuple[str, int]]) -> int:
    return sum(cents for _, cents in lines)


def receipt(customer: str, lines: list[tuple[str, int]]) -> str:
    rows = [f"{article:<30} {cents / 100:8.2f}" for article, cents in lines]
    return "\n".join([customer, *rows, f"{order_total(lines) / 100:.2f}"])


def receipt_of(shop: sqlite3.Connection, order: int, customer: str) -> str:
    return receipt(customer, lines_of(shop, order))


def print_receipts(shop: sqlite3.Connection, one_by_one: bool) -> list[str]:
    orders = shop.execute("select id, customer from orders").fetchall()
    if one_by_one:
        return [receipt_of(shop, order, customer) for order, customer in orders]
    lines = all_lines(shop)
    return [receipt(customer, lines[order]) for order, customer in orders]


print_receipts(open_shop(600), sys.argv[1] == "1")
