"""A scene as SVG 1.1: self-contained, its text searchable, every box with a title.

Boxes narrower than a pixel are as merged as in the other formats: the file stays bounded, and its titles say so.
"""

from xml.sax.saxutils import escape, quoteattr

from rendering.kernels.cells import ONE
from rendering.palette import Rgb
from rendering.scene import HATCH_STEP, HATCH_STRIPE, Fill, Label, Scene, Strip
from rendering.text import STYLES, typeface

FONTS = "DejaVu Sans, Verdana, sans-serif"
"""Where the first is missing, `textLength` keeps each label as long as its box has room for."""


def encode_svg(scene: Scene) -> str:
    """The document."""
    size = f'width="{scene.width}" height="{scene.height}" viewBox="0 0 {scene.width} {scene.height}"'
    about = f'role="img" aria-labelledby="title description" font-family={quoteattr(FONTS)}'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {about}>',
        f'<title id="title">{escape(scene.title)}</title>',
        f'<desc id="description">{escape(scene.description)}</desc>',
        f'<rect width="100%" height="100%" fill="{_hex(scene.background)}"/>',
        *(_rect(fill) for fill in scene.fills),
    ]
    for strip in scene.strips:
        lines += _strip(strip, scene)
    lines += [line for hatch in scene.hatches for line in _hatch(hatch)]
    lines += [_rect(mark) for mark in scene.marks]
    lines += [_text(label) for label in scene.labels]
    lines.append("</svg>")
    return "\n".join(lines) + "\n"


def _strip(strip: Strip, scene: Scene) -> list[str]:
    cells = strip.cells
    if not len(cells):
        return []
    unit = ONE * scene.dpr
    weight = cells.weight.clip(1)[:, None]
    colours = (cells.colour // weight).clip(0, 255).tolist()
    opacity = (cells.weight / (cells.right - cells.left).clip(1)).clip(0, 1).tolist()
    titles = strip.titles or ("",) * len(cells)
    columns = (cells.left.tolist(), cells.right.tolist(), colours, opacity, titles)
    lines = [f'<g transform="translate({strip.left} {strip.top})">']
    for left, right, colour, covered, title in zip(*columns, strict=True):
        if right <= left:
            continue
        place = f'x="{left / unit:.3f}" width="{(right - left) / unit:.3f}" height="{strip.height}"'
        see_through = "" if covered > 0.995 else f' fill-opacity="{covered:.2f}"'
        inside = f"><title>{escape(title)}</title></rect>" if title else "/>"
        lines.append(f'<rect {place} fill="{_hex(colour)}"{see_through}{inside}')
    if len(strip.edges):
        path = "".join(f"M{edge / scene.dpr + 0.5:g} 0v{strip.height}" for edge in strip.edges.tolist())
        strength = scene.edge_strength / 256
        lines.append(f'<path d="{path}" stroke="{_hex(scene.edge)}" stroke-opacity="{strength:.2f}" fill="none"/>')
    lines.append("</g>")
    return lines


def _rect(fill: Fill) -> str:
    place = f'x="{fill.left}" y="{fill.top}" width="{fill.width}" height="{fill.height}" fill="{_hex(fill.colour)}"'
    return f"<rect {place}><title>{escape(fill.title)}</title></rect>" if fill.title else f"<rect {place}/>"


def _hatch(hatch: Fill) -> tuple[str, str]:
    """Diagonal stripes as one path that its box cuts."""
    right, bottom, name = hatch.left + hatch.width, hatch.top + hatch.height, f"h{hatch.left}-{hatch.top}"
    first = hatch.left - hatch.left % HATCH_STEP
    path = "".join(f"M{x} {hatch.top}l{-hatch.height} {hatch.height}" for x in range(first, right + 32, HATCH_STEP))
    clip = f'<clipPath id="{name}"><path d="M{hatch.left} {hatch.top}H{right}V{bottom}H{hatch.left}z"/></clipPath>'
    stroke = f'stroke="{_hex(hatch.colour)}" stroke-width="{HATCH_STRIPE / 2**0.5:.2f}"'
    return clip, f'<path clip-path="url(#{name})" pointer-events="none" d="{path}" {stroke}/>'


def _text(label: Label) -> str:
    file, size = STYLES[label.style]
    weight = ' font-weight="bold"' if "Bold" in file else ""
    length = typeface(label.style).width(label.text)
    return (
        f'<text x="{label.x}" y="{label.baseline}" font-size="{size}"{weight} fill="{_hex(label.colour)}" '
        f'textLength="{length}" lengthAdjust="spacingAndGlyphs" pointer-events="none">{escape(label.text)}</text>'
    )


def _hex(colour: Rgb | list[int]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)
