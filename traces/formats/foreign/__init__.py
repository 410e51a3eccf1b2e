"""What a file is that is no trace, and what its owner most likely wants to do, in one line.

Signs of binary files are in `magic`, those of JSON in `json_kinds`, those of text in `text_kinds`.
"""

from traces.formats.foreign.file_kind import RECORD, Kind
from traces.formats.foreign.json_kinds import json_kind
from traces.formats.foreign.magic import binary_kind
from traces.formats.foreign.text_kinds import text_kind
from traces.formats.head import Head

UNKNOWN = Kind("binary data of a kind that is not known here", RECORD)


def kind_of(head: Head) -> Kind:
    """What a file is that no format knows, by its first bytes; of two that look alike its name decides."""
    found = binary_kind(head)
    if found is None and head.json is not None:
        found = json_kind(head)
    if found is None and head.text is not None:
        found = text_kind(head.text, head.name)
    return found or UNKNOWN
