"""The hot loops of the room, twice: in C where a compiler was there at install, in Python and numpy everywhere.

Each module names its loops, chooses the C one when `library` has it, and holds the reference that gives the same
answer. `hatch_build.py` compiles the `.c` files of this folder; `FLAMECHAT_KERNELS=off` in the environment leaves
them out. Nothing here knows a format or a trace: bytes and columns come in, columns go out.
"""
