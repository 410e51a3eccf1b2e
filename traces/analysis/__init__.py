"""Questions to a trace. Everything here reads columns and returns frozen values that pickle; nothing changes a trace.

One file a question: summary, functions, calltree, sandwich, find, view_layout (the boxes of a picture).
"""
