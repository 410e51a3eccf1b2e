"""The rendering room: a trace and a view become a picture. Pure apart from its drawing libraries; knows `traces` only.

Trace + view -> `scene.Scene` (boxes, labels, axes: plain values) -> PNG, SVG or WebP. Start at
`flamegraph.render_flamegraph`; the other kinds are `sandwich`, `diff`, `minimap` and `charts`.
"""
