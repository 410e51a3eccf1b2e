"""Names of functions, labels and recordings in sentences: as code for people, quoted for a model."""

import re

from server.quoting import plain, quoted

NAME_CHARACTERS = 80
_CODE = re.compile(r"`([^`]*)`")


def coded(text: str) -> str:
    """A name as code in Markdown, which it cannot end."""
    return f"`{plain(text, NAME_CHARACTERS).replace('`', chr(39))}`"


def quoted_names(sentence: str) -> str:
    """A sentence with its coded names as quoted data."""
    return _CODE.sub(lambda found: quoted(found[1]), sentence.replace("**", ""))
