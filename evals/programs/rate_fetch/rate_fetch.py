"""Prices a basket in six currencies. With 1 the rates are fetched one after the other, with 0 by a pool at once."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor

CURRENCIES = ("EUR", "USD", "JPY", "CHF", "SEK", "PLN")


def ask_bank(currency: str) -> float:
    time.sleep(0.05)
    return 1 + len(currency) / 10


def fetch_rate(currency: str) -> float:
    return round(ask_bank(currency), 4)


def fetch_all(one_by_one: bool) -> list[float]:
    if one_by_one:
        return [fetch_rate(currency) for currency in CURRENCIES]
    with ThreadPoolExecutor(len(CURRENCIES)) as pool:
        return list(pool.map(fetch_rate, CURRENCIES))


def price_basket(rates: list[float], articles: int) -> list[list[int]]:
    return [[round(article * 199 * rate) for rate in rates] for article in range(articles)]


for _ in range(3):
    price_basket(fetch_all(sys.argv[1] == "1"), 4000)
