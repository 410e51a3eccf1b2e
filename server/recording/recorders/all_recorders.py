"""Every recorder, in the order in which they are taken: those of one kind of program from the best to the last resort,
and what fits any program at the end.
"""

from server.recording.recorder import Recorder
from server.recording.recorders import (
    dotnet_programs,
    go_programs,
    java_programs,
    native_programs,
    node_programs,
    php_programs,
    python_programs,
    ruby_programs,
)

ALL_RECORDERS: tuple[Recorder, ...] = (
    *python_programs.RECORDERS,
    *node_programs.RECORDERS,
    *java_programs.RECORDERS,
    *go_programs.RECORDERS,
    *ruby_programs.RECORDERS,
    *php_programs.RECORDERS,
    *dotnet_programs.RECORDERS,
    *native_programs.RECORDERS,
)
