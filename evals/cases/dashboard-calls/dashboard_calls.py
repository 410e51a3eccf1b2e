"""Builds a dashboard out of three services: `python dashboard_calls.py`. Planted: `fetch_weather`, `fetch_news` and
`fetch_stocks` wait one after another, the news longest."""

import time


def fetch_weather() -> str:
    time.sleep(0.08)
    return "sun"


def fetch_news() -> list[str]:
    time.sleep(0.25)
    return ["one", "two"]


def fetch_stocks() -> dict[str, int]:
    time.sleep(0.1)
    return {"a": 1}


def render(weather: str, news: list[str], stocks: dict[str, int]) -> str:
    return "\n".join([weather, *news, *(f"{name} {price}" for name, price in stocks.items())] * 200)


def build() -> str:
    return render(fetch_weather(), fetch_news(), fetch_stocks())


def main() -> None:
    print(len(build()))


main()
