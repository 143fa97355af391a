"""Pages of the site that are files elsewhere in the repository.

They are copied into ``docs/project`` when the site is built. Links between them are
kept; links to files that are not on the site become the file's name.
"""

import os
import re
from pathlib import Path
from typing import Any

# Where each file goes. Links between them follow.
PAGES = {
    "ARCHITECTURE.md": "project/architecture.md",
    "CHANGELOG.md": "project/changelog.md",
    "CODE_OF_CONDUCT.md": "project/conduct.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "RELEASING.md": "project/releasing.md",
    "SECURITY.md": "project/security.md",
    "benchmarks/README.md": "project/benchmarks.md",
}
LINK = re.compile(r"(?<!\!)\[([^\]]*)\]\(([^)#\s]+)(#[^)]*)?\)")
IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")


def page_text(root: Path, source: str, directory: Path) -> str:
    """The text of a file, with links as they are on the site."""
    here = (root / source).parent
    target = directory / PAGES[source]

    def on_the_site(match: re.Match[str]) -> str:
        text, address, anchor = match[1], match[2], match[3] or ""
        if "://" in address or address.startswith("mailto:"):
            return match[0]
        linked = (here / address).resolve()
        name = linked.relative_to(root.resolve()).as_posix()
        if name in PAGES:
            place = directory / PAGES[name]
        elif linked.is_relative_to(directory.resolve()) and linked.suffix == ".md":
            place = linked
        else:
            return f"`{name}`"
        return f"[{text}]({relative(place, target.parent)}{anchor})"

    def image(match: re.Match[str]) -> str:
        place = (here / match[2]).resolve()
        return f"![{match[1]}]({relative(place, target.parent.resolve())})"

    text = (root / source).read_text(encoding="utf-8")
    return IMAGE.sub(image, LINK.sub(on_the_site, text))


def relative(place: Path, start: Path) -> str:
    """A path from one directory to a file, as links have it."""
    return Path(os.path.relpath(place, start)).as_posix()


def write_pages(root: Path, directory: Path) -> None:
    for source, name in PAGES.items():
        text, path = page_text(root, source, directory), directory / name
        path.parent.mkdir(exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    directory = Path(app.srcdir)
    write_pages(directory.parent, directory)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
