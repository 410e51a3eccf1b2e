"""Lists orders with their customers out of SQLite: `python order_customers.py ORDERS`. Planted: `load_customer` runs
one query for each order (N+1)."""

import sqlite3
import sys


def make_database(orders: int) -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    database.execute("create table customers (id integer, name text, city text)")  # no index: each look-up reads all
    database.execute("create table orders (id integer, customer integer, total real)")
    database.executemany(
        "insert into customers values (?, ?, ?)", [(n, f"customer {n}", f"city {n % 9}") for n in range(2000)]
    )
    database.executemany("insert into orders values (?, ?, ?)", [(n, n * 7 % 2000, n * 1.5) for n in range(orders)])
    return database


def load_orders(database: sqlite3.Connection) -> list[tuple[int, int, float]]:
    return database.execute("select id, customer, total from orders").fetchall()


def load_customer(database: sqlite3.Connection, customer: int) -> str:
    return database.execute("select name from customers where id = ?", (customer,)).fetchone()[0]


def format_line(order: int, name: str, total: float) -> str:
    return f"{order:6} {name:20} {total:9.2f}"


def list_orders(database: sqlite3.Connection) -> list[str]:
    lines = []
    for order, customer, total in load_orders(database):
        lines.append(format_line(order, load_customer(database, customer), total))
    return lines


def main() -> None:
    database = make_database(int(sys.argv[1]))
    print(len("\n".join(list_orders(database))))


main()
