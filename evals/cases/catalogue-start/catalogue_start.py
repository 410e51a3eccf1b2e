"""A service that loads its catalogue and then answers: `python catalogue_start.py PRODUCTS`. Planted: `parse_row` in
`load_catalogue` is most of the run, all of it before the first request."""

import sys


def parse_field(text: str) -> str:
    return text.strip().strip('"')


def parse_row(line: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    name, value, in_name = "", "", True
    for character in line:  # by hand, character by character
        if character == "=":
            in_name = False
        elif character == ";":
            fields[name] = parse_field(value)
            name, value, in_name = "", "", True
        elif in_name:
            name += character
        else:
            value += character
    return fields


def load_catalogue(count: int) -> dict[str, dict[str, str]]:
    rows = (
        f'id={n};name="Product number {n}";colour="blue";stock={n % 40};text="{"word " * 30}";' for n in range(count)
    )
    return {row["id"]: row for row in map(parse_row, rows)}


def answer_request(catalogue: dict[str, dict[str, str]], number: int) -> str:
    product = catalogue[str(number)]
    return f"{product['name']}: {product['stock']}"


def serve(catalogue: dict[str, dict[str, str]]) -> int:
    return sum(len(answer_request(catalogue, number % len(catalogue))) for number in range(3000))


def main() -> None:
    print(serve(load_catalogue(int(sys.argv[1]))))


main()
