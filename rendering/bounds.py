"""The room's ceilings and sizes, each with its reason."""

MIN_SIDE = 100
"""Narrowest and lowest picture: below it title, axis and one row of boxes no longer fit."""

MAX_SIDE = 8192
"""Widest and highest picture: the texture size that every browser and viewer still shows."""

MAX_PIXELS = 32_000_000
"""Device pixels of one picture: 96 MB while it is drawn, what a worker on a small machine can give."""

MAX_BOXES = 1_000_000
"""Boxes asked of the layout: past it boxes are far below a pixel and the layout merges them itself."""

MAX_PATTERN_LENGTH = 200
"""Longest highlight pattern: longer than any name a person types."""

MAX_LABEL_CHARACTERS = 2_000
"""Characters of a name that are looked at: the widest picture shows about 1,200 of the font's narrow letters in one
box."""

MAX_GLYPHS = 4_096
"""Drawn glyphs kept per typeface, about 4 MB: all that real traces use at once; names made of every character there is
cannot fill memory."""

MAX_TITLE_CHARACTERS = 300
"""Longest title: one line of the widest picture."""

ROW_HEIGHT = 18
"""Pixels from one row of boxes to the next, with the one pixel that separates them: room for 12 px letters with air
around them."""

LABEL_MIN_WIDTH = 22
"""Narrowest box that gets a label: two letters and an ellipsis."""

EDGE_MIN_WIDTH = 3
"""Narrowest run that gets an edge line: below it edges would be all there is to see, and the picture would wash out."""

SEPARATE_WIDTH = 4
"""Two neighbours of one function, both at least this wide, keep an edge between them; a narrower one joins its
neighbour's label run."""

RUN_MAX_GAP = 1.0
"""Pixels between two boxes of one function that still count as touching: less cannot be seen."""

RUN_MIN_TENTHS = 7
"""Tenths of the drawn weight inside a label run that must be the labelled function's, so that a label never names a
minority."""

MIN_DPR = 1
MAX_DPR = 3
"""Device pixels for each logical one: screens have 1 to 3."""

MAX_MIN_WIDTH = 100.0
"""Widest "minimum visible width": more would hide what is plainly to be seen."""

MINIMAP_HEIGHT = 28
"""Pixels of the strip that shows all of a profile above a chart: deep enough to recognise a shape, no more."""

MAX_VANISHED_NAMES = 3
"""Vanished functions that a diff names in its notes; it counts the others."""

NEAREST_NAMES = 5
"""How many of the nearest frames a refusal names."""

MAX_WEBP_SIDE = 16_383
"""The format's own limit (RFC 9649, 14 bits a side)."""
