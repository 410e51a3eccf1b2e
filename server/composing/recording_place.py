"""Where a recording is kept, from its new folder to what is known of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Self

from server.adapters.recording import recordings_folder
from server.adapters.recording.child_process import Ended
from server.adapters.recording.recorder_steps import last_line, run_steps
from server.composing.cache_place import data_folder
from server.edges.cli.command_values import Recorded, RecordOptions
from server.errors import ConfigError
from server.recording.masked_command import masked_text
from server.recording.recorder import Plan
from server.recording.recording_labels import KeptRecording, earlier, labels_of

AT_ONCE_S = 0.5
"""A program that ended within this and left nothing has hardly run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingPlace:
    """A new folder for a recording that began at `at`, of a program."""

    data: Path
    folder: Path
    at: datetime
    program: str
    options: RecordOptions

    @classmethod
    def new(cls, options: RecordOptions, program: str) -> Self:
        """Raises ConfigError."""
        data, at = options.data or data_folder(), datetime.now().astimezone()
        try:
            folder = recordings_folder.new_folder(data, program, at)
        except OSError as error:
            raise ConfigError(f"cannot write to the data folder {data}: {error.strerror or error}") from error
        return cls(data=data, folder=folder, at=at, program=masked_text(program), options=options)

    def kept(self, recorder: str, plan: Plan, ended: Ended, command: Sequence[str]) -> Recorded:
        """What the recorder left, with its labels; the exit code is the child's whatever fails here."""
        before, problem = None, None
        try:
            run_steps(plan.after, self.folder)
            file = recordings_folder.heaviest(self.folder, plan.leaves)
            if file is None:
                ran = f"the program ran for {ended.seconds:.1f} s" if ended.seconds < AT_ONCE_S else ""
                why = "; ".join(text for text in (last_line(self.folder), ran) if text)
                nothing = f"{recorder} left no recording in {self.folder}" + (f": {why}" if why else "")
                return Recorded(exit_code=ended.exit_code, file=None, problem=nothing)
            if plan.command_lines is not None:
                recordings_folder.mask_command_lines(file, plan.command_lines)
            about = KeptRecording(
                file=file.name,
                at=self.at.isoformat(timespec="seconds"),
                recorder=recorder,
                what=self.options.what,
                command=tuple(command),
                exit_code=ended.exit_code,
                seconds=round(ended.seconds, 3),
                labels=recordings_folder.own_labels(self.program, self.at) | labels_of(self.options.labels),
            )
            before, problem = self._earlier(about)
            recordings_folder.keep(self.folder, about)
        except OSError as error:
            named = f"{error.filename}: " if error.filename else ""
            return Recorded(exit_code=ended.exit_code, file=None, problem=f"{named}{error.strerror or error}")
        return Recorded(exit_code=ended.exit_code, file=file, before=before, problem=problem)

    def _earlier(self, now: KeptRecording) -> tuple[Path | None, str | None]:
        """The recording to compare with, or why there is none."""
        if self.options.compare is None:
            return None, None
        kept = list(recordings_folder.kept(self.data))
        at = earlier([one for _, one in kept], self.options.compare, now)
        if at is None:
            return None, f"no earlier recording is meant by --compare {self.options.compare}"
        return kept[at][0], None
