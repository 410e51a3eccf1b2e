"""What a reader sees of an HTML page, as plain lines."""

from html.parser import HTMLParser

MAX_TEXT = 32_000
"""Characters that go on; a model reads far fewer."""

_UNSEEN = frozenset({"script", "style", "noscript", "template", "svg", "head", "nav", "footer", "iframe", "object"})
_BLOCKS = frozenset(
    {"p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "section", "article", "td"}
)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._unseen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNSEEN:
            self._unseen.append(tag)
        elif tag in _BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._unseen:
            while self._unseen and self._unseen.pop() != tag:
                pass
        elif tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.parts.append(data)


def text_of_html(html: str) -> str:
    """Without scripts, styles, comments and what surrounds the text."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    lines = (" ".join(line.split()) for line in "".join(reader.parts).split("\n"))
    return "\n".join(line for line in lines if line)[:MAX_TEXT]
