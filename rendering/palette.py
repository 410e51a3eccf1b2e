"""Colours of boxes by what the frame is, and the colours around them, light and dark.

A box's hue comes from its file (functions of one file look related), its shade from its name; both by CRC-32, so a
function has the same colour in every picture of every run. Shades lie in a band of OKLCH lightness (B. Ottosson, "A
perceptual color space for image processing", 2020) chosen so that the one ink of the theme keeps a contrast of at least
4.5:1 (WCAG 2.2, 1.4.3) on every box, on the background, and on any blend of the two, which is what boxes narrower than
a pixel are drawn as.
"""

from dataclasses import dataclass
from typing import Literal
from zlib import crc32

import numpy as np
import numpy.typing as npt

from traces.model import Trace

Theme = Literal["light", "dark"]
Rgb = tuple[int, int, int]
Colours = npt.NDArray[np.float32]
"""One row a colour: red, green, blue from 0 to 255."""

HUE_STEPS = 24
"""Distinct hues: 15 degrees apart is about what neighbours need to be told apart."""

NEUTRAL_NAMES = frozenset(
    {"(root)", "(program)", "(idle)", "(garbage collector)", "[unknown]", "<idle>", "root", "all", "GC"}
)
"""Frames that are no function of the program: grey, so that they do not compete with it."""


@dataclass(frozen=True, slots=True)
class Palette:
    """A theme. `lightness` and `chroma` are the band of box colours in OKLCH; `highlight` fills boxes that match a
    pattern."""

    background: Rgb
    ink: Rgb
    muted: Rgb
    grid: Rgb
    label: Rgb
    dim_label: Rgb
    edge: Rgb
    edge_strength: float
    highlight: Rgb
    lightness: tuple[float, float]
    chroma: tuple[float, float]
    dim: float

    def frame_colours(self, trace: Trace, used: npt.NDArray[np.bool_]) -> Colours:
        """A colour for each frame where `used`; black where not (never drawn)."""
        chosen = np.flatnonzero(used)
        file_hash = np.zeros(len(chosen), np.uint32)
        name_hash = np.zeros(len(chosen), np.uint32)
        neutral = np.zeros(len(chosen), bool)
        for row, frame in enumerate(chosen.tolist()):
            name = trace.frame_name(frame)
            name_hash[row] = crc32(name.encode("utf-8", "replace"))
            file = trace.frame_file(frame)
            file_hash[row] = crc32((file or name).encode("utf-8", "replace"))
            neutral[row] = name in NEUTRAL_NAMES
        colours = np.zeros((len(used), 3), np.float32)
        colours[chosen] = self.colours_of(file_hash, name_hash, neutral)
        return colours

    def colours_of(
        self, file_hash: npt.NDArray[np.uint32], name_hash: npt.NDArray[np.uint32], neutral: npt.NDArray[np.bool_]
    ) -> Colours:
        """Box colours from hashes, rounded to whole numbers so that text and boxes agree on what they are."""
        hue = (file_hash % HUE_STEPS) * (2 * np.pi / HUE_STEPS) + (name_hash >> 24) * (0.2 / 255)
        low, high = self.lightness
        lightness = low + (high - low) * ((name_hash >> 8) & 0xFF) / 255
        pale, vivid = self.chroma
        chroma = np.where(neutral, 0.008, pale + (vivid - pale) * ((name_hash >> 16) & 0xFF) / 255)
        return np.asarray(np.rint(oklch_to_srgb(lightness, chroma, hue)), np.float32)

    def dimmed(self, colours: Colours) -> Colours:
        """The same boxes when others are highlighted: mostly background, little hue."""
        grey = colours.mean(axis=-1, keepdims=True)
        faded = colours * 0.35 + grey * 0.65
        background = np.array(self.background, np.float32)
        return np.asarray(np.rint(faded * (1 - self.dim) + background * self.dim), np.float32)


LIGHT = Palette(
    background=(255, 255, 255),
    ink=(24, 28, 36),
    muted=(88, 96, 110),
    grid=(222, 226, 232),
    label=(20, 22, 28),
    dim_label=(78, 84, 96),
    edge=(30, 34, 44),
    edge_strength=0.3,
    highlight=(255, 196, 0),
    lightness=(0.77, 0.86),
    chroma=(0.065, 0.105),
    dim=0.55,
)
DARK = Palette(
    background=(22, 24, 29),
    ink=(236, 238, 242),
    muted=(160, 167, 180),
    grid=(52, 57, 66),
    label=(248, 249, 251),
    dim_label=(172, 178, 190),
    edge=(10, 11, 14),
    edge_strength=0.6,
    highlight=(184, 80, 0),
    lightness=(0.43, 0.53),
    chroma=(0.075, 0.11),
    dim=0.6,
)
PALETTES: dict[Theme, Palette] = {"light": LIGHT, "dark": DARK}


def oklch_to_srgb(
    lightness: npt.NDArray[np.float64], chroma: npt.NDArray[np.float64], hue: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """sRGB from 0 to 255, colours outside its gamut clipped. Matrices: Ottosson, "A perceptual color space" (public
    domain)."""
    a, b = chroma * np.cos(hue), chroma * np.sin(hue)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = np.stack(
        [
            4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
            -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
            -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
        ],
        axis=-1,
    ).clip(0, 1)
    return np.asarray(255 * np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055))


def contrast(first: npt.ArrayLike, second: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """WCAG contrast ratio, 1 to 21, of colours with channels from 0 to 255 in the last axis."""
    brighter, darker = _luminance(first), _luminance(second)
    high, low = np.maximum(brighter, darker), np.minimum(brighter, darker)
    return np.asarray((high + 0.05) / (low + 0.05))


def _luminance(colour: npt.ArrayLike) -> npt.NDArray[np.float64]:
    channel = np.asarray(colour, np.float64) / 255
    linear = np.where(channel <= 0.04045, channel / 12.92, ((channel + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ np.array([0.2126, 0.7152, 0.0722]))
