"""Colours of boxes by what the frame is, and the colours around them, light and dark.

A box's hue comes from its file (functions of one file look related) or what else the palette names, its shade from its
name; both by CRC-32, so a function has the same colour in every picture of every run, and on the page, which is sent
the numbers of `Hues.numbers`. What has no file or category is grey. Shades lie in a band of OKLCH
lightness (B. Ottosson, "A perceptual color space for image processing", 2020) chosen so that the one ink of the theme
keeps a contrast of at least 4.5:1 (WCAG 2.2, 1.4.3) on every box, on the background, and on any blend of the two,
which is what boxes narrower than a pixel are drawn as."""

import re
from dataclasses import dataclass
from typing import Literal
from zlib import crc32

import numpy as np
import numpy.typing as npt

from traces.analysis.owners import Owner, owners
from traces.equal_rows import distinct, numbered
from traces.model import Int32, Int64, Trace
from traces.values import Role

Theme = Literal["light", "dark"]
PaletteName = Literal["file", "package", "category", "owner", "role", "warm", "ice", "safe"]
"""`file`, `package` and `category` give what belongs together one hue, `owner` what is the program's own, a library's
or the runtime's, `role` all of a thread by what it is for; in `warm` and `ice` the hue has no meaning; `safe` uses blue
and orange alone, which all kinds of colour vision distinguish, and `owner` those with grey."""

ARCS: dict[PaletteName, tuple[tuple[float, float], ...]] = {
    "warm": ((25.0, 100.0),),
    "ice": ((195.0, 285.0),),
    "safe": ((55.0, 75.0), (240.0, 260.0)),
}
"""Hues in degrees of OKLCH; the other palettes use all of them."""
Rgb = tuple[int, int, int]
Rgb8 = npt.NDArray[np.uint8]
"""One row a colour."""
Seed = npt.NDArray[np.uint32]

HUE_STEPS = 24
"""Distinct hues: 15 degrees apart is about what eyes need to distinguish neighbours."""
HUE_SPREAD = 0.76
"""How far functions of one file lie apart, in steps."""

SHADES = 4
"""Shades of a hue on the page, which fills boxes of one colour together."""
NEUTRAL = HUE_STEPS * SHADES
"""The page's first number of a grey."""
NEUTRAL_CHROMA = 0.008
CHANGE_STEPS = 8
"""Steps of change from none to all, on the page and in pictures."""
OWNER_STEPS = {Owner.OWN: 4, Owner.LIBRARY: 16, Owner.RUNTIME: HUE_STEPS}
"""The hues of `owner`: orange, blue, grey."""
ROLE_STEPS = {
    Role.MAIN: 4,
    Role.UI: 7,
    Role.WORKER: 16,
    Role.POOL: 13,
    Role.IO: 10,
    Role.GPU: 19,
    Role.COMPOSITOR: 21,
    Role.GC: 1,
    Role.KERNEL: 23,
    Role.UNKNOWN: HUE_STEPS,
}
FEW_FILES = 4
"""With fewer files, functions have a hue each: by file a trace would be all one hue."""

NEUTRAL_NAMES = frozenset(
    {"(root)", "(program)", "(idle)", "(garbage collector)", "[unknown]", "<idle>", "root", "all", "GC"}
)
"""Frames that are no function of the program: grey, so that they do not compete with it."""
NEUTRAL_SEEDS = np.array(sorted(crc32(name.encode()) for name in NEUTRAL_NAMES), np.uint32)


@dataclass(frozen=True, slots=True)
class Palette:
    """A theme. `lightness` and `chroma` are the band of box colours in OKLCH; `highlight` fills boxes that match a
    pattern; `edge_strength` is in 256ths."""

    background: Rgb
    ink: Rgb
    muted: Rgb
    grid: Rgb
    label: Rgb
    dim_label: Rgb
    edge: Rgb
    edge_strength: int
    highlight: Rgb
    lightness: tuple[float, float]
    chroma: tuple[float, float]
    change_chroma: float
    dim: float

    def frame_colours(
        self, trace: Trace, used: npt.NDArray[np.bool_], name: PaletteName = "file", role: Role = Role.UNKNOWN
    ) -> Rgb8:
        """A colour for each frame where `used`, one row a frame; black where not (never drawn). `role` is that of the
        thread."""
        chosen = np.flatnonzero(used)
        seeds = Seeds(trace)
        colours = np.zeros((len(used), 3), np.uint8)
        hues = seeds.hues(chosen, name, role)
        colours[chosen] = self.colours_of(hues.group, hues.name, hues.neutral, name)
        return colours

    def fills(self) -> Rgb8:
        """The page's colours by the numbers of `Hues.numbers`: each the middle of what pictures have there."""
        step, shade = np.divmod(np.arange(NEUTRAL + SHADES), SHADES)
        neutral = step == HUE_STEPS
        low, high = self.lightness
        lightness = low + (high - low) * (shade + 0.5) / SHADES
        hue = (step + HUE_SPREAD / 2) / HUE_STEPS * 2 * np.pi
        chroma = np.where(neutral, NEUTRAL_CHROMA, (self.chroma[0] + self.chroma[1]) / 2)
        return np.rint(oklch_to_srgb(lightness, chroma, hue)).astype(np.uint8)

    def colours_of(
        self, group: Seed, name: Seed, neutral: npt.NDArray[np.bool_], palette: PaletteName = "file"
    ) -> Rgb8:
        """Box colours from hashes of what gives the hue and of the name: integers, so that text and boxes agree on
        what they are."""
        hue = np.where(neutral, HUE_SPREAD / 2 * 360 / HUE_STEPS, degrees(group, name, palette)) * (np.pi / 180)
        low, high = self.lightness
        lightness = low + (high - low) * ((name >> 8) & 0xFF) / 255
        pale, vivid = self.chroma
        chroma = np.where(neutral, NEUTRAL_CHROMA, pale + (vivid - pale) * ((name >> 16) & 0xFF) / 255)
        return np.rint(oklch_to_srgb(lightness, chroma, hue)).astype(np.uint8)

    def change_colours(self, change: npt.NDArray[np.float64]) -> Rgb8:
        """Colours of a diff, `change` from -1 (all gone, blue) over 0 (grey) to 1 (new, red), in the lightness of all
        boxes, so that text keeps its contrast; blue and red differ for every kind of colour vision."""
        steps = np.floor(change.clip(-1, 1) * CHANGE_STEPS + 0.5)  # a half goes up, as on the page
        size = np.abs(steps) / CHANGE_STEPS
        hue = np.where(steps < 0, 255.0, 27.0) * (np.pi / 180)
        low, high = self.lightness
        lightness = high - (high - low) * size
        chroma = 0.006 + (self.change_chroma - 0.006) * size
        return np.rint(oklch_to_srgb(lightness, chroma, hue)).astype(np.uint8)

    def dimmed(self, colours: Rgb8) -> Rgb8:
        """The same boxes when others are highlighted: mostly background, little hue."""
        grey = colours.mean(axis=-1, keepdims=True)
        faded = colours * 0.35 + grey * 0.65
        background = np.array(self.background, np.float32)
        return np.asarray(np.rint(faded * (1 - self.dim) + background * self.dim), np.uint8)


class Seeds:
    """CRC-32 of the texts that colours come from."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def of_strings(self, index: Int32) -> Seed:
        """Of interned strings, each read once."""
        strings = self._trace.strings
        several, inverse = numbered(index)
        starts, ends = strings.offsets[several].tolist(), strings.offsets[several + 1].tolist()
        arena = strings.arena.data
        return np.array([crc32(arena[a:b]) for a, b in zip(starts, ends, strict=True)], np.uint32)[inverse]

    def hues(self, frames: Int64, palette: PaletteName, role: Role = Role.UNKNOWN) -> "Hues":
        """What gives each of these frames its hue: its file, package, category or owner, or the role of the thread; its
        name where the palette is of no such, where the trace has fewer files than FEW_FILES, or no category at all."""
        trace = self._trace
        names = self.of_strings(trace.frames.name[frames])
        neutral = np.isin(names, NEUTRAL_SEEDS)
        if palette == "package":
            groups = np.array([crc32(package_of(trace, frame).encode()) for frame in frames.tolist()], np.uint32)
            return Hues(groups, names, neutral, "package", palette)
        if palette in ("owner", "role"):
            steps = np.full(len(frames), ROLE_STEPS[role], np.uint32)
            if palette == "owner":
                steps = np.array([OWNER_STEPS[owner] for owner in Owner], np.uint32)[owners(trace)[frames]]
            return Hues(steps, names, neutral | (steps == HUE_STEPS), palette, palette)
        kind = kind_of_hues(trace, palette)
        if kind == "function":
            return Hues(names, names, neutral, kind, palette)
        column = (trace.frames.category if kind == "category" else trace.frames.file)[frames]
        groups = names.copy()
        known = np.flatnonzero(column >= 0)
        groups[known] = self.of_strings(column[known])
        return Hues(groups, names, neutral | (column < 0), kind, palette)


def degrees(group: Seed, name: Seed, palette: PaletteName) -> npt.NDArray[np.float64]:
    """The hue of OKLCH of each, from its hashes."""
    turn = ((group % HUE_STEPS) + (name >> 24) * (HUE_SPREAD / 255)) / HUE_STEPS
    arcs = np.array(ARCS.get(palette, ((0.0, 360.0),)))
    arc = arcs[(group >> 8) % len(arcs)]
    return np.asarray(arc[:, 0] + (arc[:, 1] - arc[:, 0]) * turn)


HueKind = Literal["file", "package", "category", "function", "owner", "role"]


@dataclass(frozen=True, slots=True)
class Hues:
    """Of each frame the hashes that give hue and shade; grey where `neutral`."""

    group: Seed
    name: Seed
    neutral: npt.NDArray[np.bool_]
    kind: HueKind
    palette: PaletteName = "file"

    @property
    def steps(self) -> npt.NDArray[np.int64]:
        """The hue of each, HUE_STEPS for grey."""
        steps = self.group % HUE_STEPS
        if self.palette in ARCS:
            steps = (degrees(self.group, self.name, self.palette) * (HUE_STEPS / 360)).astype(steps.dtype)
        return np.where(self.neutral, HUE_STEPS, steps).astype(np.int64)

    def numbers(self) -> npt.NDArray[np.int64]:
        """The page's colour of each: hue and shade as one number."""
        return self.steps * SHADES + (((self.name >> 8) & 0xFF).astype(np.int64) * SHADES >> 8)


def kind_of_hues(trace: Trace, palette: PaletteName) -> HueKind:
    """What hues stand for in a trace."""
    frames = trace.frames
    if palette == "package":
        return "package"
    if palette == "category" and (frames.category >= 0).any():
        return "category"
    if palette == "file" and len(distinct(frames.file[frames.file >= 0])) >= FEW_FILES:
        return "file"
    return "function"


def package_of(trace: Trace, frame: int) -> str:
    """The folder of a frame's file, or the first part of its qualified name."""
    file = trace.frame_file(frame)
    if file:
        return file.replace("\\", "/").rpartition("/")[0] or file
    return re.split(r"::|[./#:]", trace.frame_name(frame), maxsplit=1)[0]


LIGHT = Palette(
    background=(255, 255, 255),
    ink=(24, 28, 36),
    muted=(88, 96, 110),
    grid=(222, 226, 232),
    label=(20, 22, 28),
    dim_label=(78, 84, 96),
    edge=(30, 34, 44),
    edge_strength=77,
    highlight=(255, 196, 0),
    lightness=(0.77, 0.86),
    chroma=(0.065, 0.105),
    change_chroma=0.13,
    dim=0.55,
)
DARK = Palette(
    background=(20, 20, 22),
    ink=(236, 238, 242),
    muted=(160, 167, 180),
    grid=(52, 57, 66),
    label=(248, 249, 251),
    dim_label=(172, 178, 190),
    edge=(10, 11, 14),
    edge_strength=154,
    highlight=(184, 80, 0),
    lightness=(0.43, 0.53),
    chroma=(0.075, 0.11),
    change_chroma=0.16,
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
