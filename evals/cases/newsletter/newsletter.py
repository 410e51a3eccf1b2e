"""Renders a newsletter for each reader: `python newsletter.py READERS`. Planted: `footer_for` parses the same
translations for every reader."""

import json
import sys
from string import Template

TRANSLATIONS = json.dumps(
    {f"language{n}": {f"line{m}": f"words {m} of {n} " * 3 for m in range(30)} for n in range(20)}
)
BODY = Template("Dear $name,\n$news\n$footer\n")


def news_for(reader: int) -> str:
    return "\n".join(f"- item {n} for group {reader % 7}" for n in range(40))


def footer_for(reader: int) -> str:
    translations = json.loads(TRANSLATIONS)  # once would do
    lines = translations[f"language{reader % 20}"]
    return " ".join(lines.values())


def render(reader: int) -> str:
    return BODY.substitute(name=f"Reader {reader}", news=news_for(reader), footer=footer_for(reader))


def main() -> None:
    print(sum(len(render(reader)) for reader in range(int(sys.argv[1]))))


main()
