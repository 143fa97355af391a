"""Check that links and anchors inside a built site lead somewhere.

python docs/check_links.py docs/_build/html
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The anchors that a page has, and the addresses that it names."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.addresses: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if not value:
                continue
            if name == "id" or (name == "name" and tag == "a"):
                self.anchors.add(value)
            elif name in ("href", "src"):
                self.addresses.add(value)


def broken_links(directory: Path) -> list[str]:
    """Addresses that lead to no file, or to no anchor, of the site."""
    pages = {
        path.resolve(): Page(path.read_text(encoding="utf-8"))
        for path in directory.rglob("*.html")
        if "_static" not in path.relative_to(directory).parts  # the theme's own
    }
    broken = []
    for path, page in pages.items():
        for address in page.addresses:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:  # elsewhere
                continue
            target = (path.parent / unquote(parts.path)).resolve()
            target = target if parts.path else path
            if target.is_dir():
                target /= "index.html"
            anchor = unquote(parts.fragment)
            lost = not target.exists()
            if not lost and anchor and target in pages:
                lost = anchor not in pages[target].anchors
            if lost:
                broken.append(f"{path.relative_to(directory.resolve())}: {address}")
    return sorted(broken)


def main() -> int:
    directory = Path(sys.argv[1])
    if not (directory / "index.html").exists():
        print(f"{directory} has no index.html: build the site first.", file=sys.stderr)
        return 2
    broken = broken_links(directory)
    for line in broken:
        print(line, file=sys.stderr)
    print(f"{len(broken)} broken links inside the site")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
