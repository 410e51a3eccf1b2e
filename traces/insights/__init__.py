"""Findings: what a performance engineer would point at first, each computed from columns by a detector.

`registry` holds all detectors and runs them over a trace; each other module holds those of one kind. A detector is
a pure function from a `Subject` (a trace with what detectors share) to a `Verdict`; `thresholds` are data with their
sources; docs/insights.md lists them all.
"""
