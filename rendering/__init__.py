"""The rendering room: a trace and a view become a picture. Pure apart from its drawing libraries; knows `traces` only.

Trace + view -> `scene.Scene` (boxes, labels, axes: plain values) -> PNG. Start at `flamegraph.render_flamegraph`.
"""
