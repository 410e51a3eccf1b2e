"""Draws charts of the night sky from a catalogue of stars."""

import io

CACHE: dict = {}


class Star:
    def __init__(self, number: int) -> None:
        self.number = number
        self.name = f"HR {number}"
        self.right_ascension = number * 0.0123 % 24
        self.declination = number * 0.771 % 180 - 90
        self.magnitude = number % 70 / 10


def read_catalogue(count: int) -> str:
    return "\n".join(f"{n};HR {n};{n * 0.0123 % 24:.5f};{n * 0.771 % 180 - 90:.4f}" for n in range(count))


def load_stars(text: str) -> list[Star]:
    return [Star(int(line.split(";")[0])) for line in text.splitlines()]


def project(stars: list[Star], hour: int) -> list[tuple[float, float]]:
    return [((star.right_ascension + hour) % 24 * 15, star.declination) for star in stars]


def sky_at(stars: list[Star], hour: int) -> list[tuple[float, float]]:
    if hour not in CACHE:
        CACHE[hour] = project(stars, hour)
    return CACHE[hour]


def draw(points: list[tuple[float, float]]) -> int:
    canvas = bytearray(1200 * 800 * 3)
    for x, y in points:
        at = (int(y + 90) * 4 * 1200 + int(x * 3)) * 3
        canvas[at % len(canvas)] = 255
    return encode(canvas)


def encode(canvas: bytearray) -> int:
    out = io.BytesIO()
    for row in range(800):
        out.write(bytes(canvas[row * 3600 : row * 3600 + 3600]))
    return len(out.getvalue())


def main() -> None:
    stars = load_stars(read_catalogue(16000))
    size = 0
    for hour in range(18):
        size += draw(sky_at(stars, hour))
    print(size)


if __name__ == "__main__":
    main()
