"""An auction: bidders on four telephones write into one book, a clerk prints the sheets."""

import threading
import time

book_lock = threading.Lock()
book = []


def check_credit(bidder, lot):
    total = 0
    for step in range(60_000):
        total += (bidder * lot + step) % 7
    return total


def wait_for_book():
    book_lock.acquire()


def enter_bid(bidder, lot):
    book.append((lot, bidder))
    time.sleep(0.02)
    book_lock.release()


def telephone_line(bidder):
    for lot in range(14):
        check_credit(bidder, lot)
        wait_for_book()
        enter_bid(bidder, lot)


def sort_book():
    rows = [(lot % 5, bidder, lot) for lot in range(3000) for bidder in range(4)]
    return sorted(rows, key=lambda row: (row[0], -row[1], row[2]))


def print_sheet(page):
    time.sleep(0.035)
    return page


def clerk():
    for page in range(10):
        sort_book()
        print_sheet(page)


def open_house():
    lines = [threading.Thread(target=telephone_line, args=(n,), name=f"line-{n}") for n in range(1, 5)]
    printer = threading.Thread(target=clerk, name="clerk")
    for one in [*lines, printer]:
        one.start()
    for one in [*lines, printer]:
        one.join()


open_house()
