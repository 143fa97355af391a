"""Pages of headings, text, tables and figures, as Markdown and as HTML.

One description, two renderings: what a page says is written once.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal


@dataclass(frozen=True)
class Link:
    """A reference to another page of the same report, by its name."""

    text: str
    page: str


Inline = str | Link


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the title of the page."""

    text: str
    level: int = 2


class Text:
    """A paragraph.

    Examples
    --------
    >>> Text("see ", Link("the verdicts", "verdicts")).parts[1].page
    'verdicts'
    """

    def __init__(self, *parts: Inline) -> None:
        self.parts = parts


@dataclass(frozen=True)
class Cell:
    """One field of a table; ``bold`` and ``star`` as the paper marks the best."""

    text: Inline
    bold: bool = False
    star: bool = False


@dataclass(frozen=True)
class Column:
    """Heading of a column, and where its text stands."""

    heading: str
    align: Literal["left", "right"] = "right"


@dataclass(frozen=True)
class PageTable:
    """A table with a caption; plain text is a cell without marks."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell | str]]


@dataclass(frozen=True)
class Figure:
    """A picture in a file beside the page."""

    file: str
    caption: str


Block = Heading | Text | PageTable | Figure


@dataclass(frozen=True)
class Page:
    """One page.

    Attributes
    ----------
    name : str
        Of its file, without an ending.
    title : str
    blocks : sequence of Block
    """

    name: str
    title: str
    blocks: Sequence[Block]


def file_name(page: str, ending: str) -> str:
    """Name of a page's file; the first page is what a folder shows.

    Examples
    --------
    >>> file_name("index", "html"), file_name("index", "md")
    ('index.html', 'README.md')
    """
    return "README.md" if (page, ending) == ("index", "md") else f"{page}.{ending}"


def to_markdown(page: Page, command: str = "") -> str:
    """A page in GitHub's Markdown.

    Parameters
    ----------
    page : Page
    command : str, default=""
        What made it, said in a comment on top.

    Examples
    --------
    >>> table = PageTable("Costs", [Column("set", "left"), Column("OSR")],
    ...               [["iris", Cell("1.5", bold=True, star=True)]])
    >>> print(to_markdown(Page("costs", "Costs", [table])))
    # Costs
    <BLANKLINE>
    Costs:
    <BLANKLINE>
    | set | OSR |
    |:---|---:|
    | iris | **1.5** ★ |
    <BLANKLINE>
    """
    blocks = [_comment(command)] if command else []
    blocks.append(f"# {page.title}")
    blocks += [_markdown_block(block) for block in page.blocks]
    return "\n\n".join(blocks) + "\n"


def _comment(command: str) -> str:
    return f"<!-- {re.sub('--+|>', '', command)} -->"


def _markdown_block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {_markdown_text(block.text)}"
    if isinstance(block, Text):
        return "".join(_markdown_inline(part) for part in block.parts)
    if isinstance(block, Figure):
        return f"![{_markdown_text(block.caption)}]({block.file})"
    marks = {"left": ":---", "right": "---:"}
    lines = [
        _markdown_row(_markdown_text(column.heading) for column in block.columns),
        "|" + "|".join(marks[column.align] for column in block.columns) + "|",
        *(_markdown_row(_markdown_cell(cell) for cell in row) for row in block.rows),
    ]
    caption = _markdown_text(block.caption.rstrip("."))
    return f"{caption}:\n\n" + "\n".join(lines)


def _markdown_row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _markdown_cell(cell: Cell | str) -> str:
    if isinstance(cell, str):
        return _markdown_text(cell)
    content = _markdown_inline(cell.text)
    content = f"**{content}**" if cell.bold else content
    return f"{content} ★" if cell.star else content


def _markdown_inline(part: Inline) -> str:
    if isinstance(part, str):
        return _markdown_text(part)
    return f"[{_markdown_text(part.text)}]({file_name(part.page, 'md')})"


def _markdown_text(content: str) -> str:
    """Text that Markdown shows as it is, in tables, too."""
    return re.sub(r"([\\`*_\[\]|])", r"\\\1", content).replace("<", "&lt;")


STYLE = "style.css"  # beside the pages
_LONG = 36  # characters from which a cell may have several lines


def to_html(page: Page, pages: Sequence[tuple[str, str]], command: str = "") -> str:
    """A page in HTML, with links to the others.

    Parameters
    ----------
    page : Page
    pages : sequence of (name, title)
        All pages of the report.
    command : str, default=""
        What made it, said in a comment on top.
    """
    links = "\n".join(
        f'<a href="{escape(name)}.html"'
        f"{' aria-current=page' if name == page.name else ''}>{escape(title)}</a>"
        for name, title in pages
    )
    body = "\n".join(_html_block(block) for block in page.blocks)
    comment = f"{_comment(escape(command))}\n" if command else ""
    return (
        f'<!DOCTYPE html>\n{comment}<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(page.title)}</title>\n"
        f'<link rel="stylesheet" href="{STYLE}">\n</head>\n'
        f"<body>\n<nav>\n{links}\n</nav>\n<main>\n<h1>{escape(page.title)}</h1>\n"
        f"{body}\n</main>\n</body>\n</html>\n"
    )


def _html_block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"<h{block.level}>{escape(block.text)}</h{block.level}>"
    if isinstance(block, Text):
        return f"<p>{''.join(_html_inline(part) for part in block.parts)}</p>"
    if isinstance(block, Figure):
        return (
            f'<figure><img src="{escape(block.file)}" alt="{escape(block.caption)}">'
            f"<figcaption>{escape(block.caption)}</figcaption></figure>"
        )
    head = "".join(
        f'<th scope="col" class="{column.align}">{escape(column.heading)}</th>'
        for column in block.columns
    )
    rows = "\n".join(
        "<tr>"
        + "".join(
            f'<td class="{_html_class(column, cell)}">{_html_cell(cell)}</td>'
            for column, cell in zip(block.columns, row, strict=True)
        )
        + "</tr>"
        for row in block.rows
    )
    return (
        f'<div class="wide"><table>\n<caption>{escape(block.caption)}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table></div>"
    )


def _html_class(column: Column, cell: Cell | str) -> str:
    long = isinstance(cell, str) and len(cell) > _LONG
    return f"{column.align} long" if long else column.align


def _html_cell(cell: Cell | str) -> str:
    if isinstance(cell, str):
        return escape(cell)
    content = _html_inline(cell.text)
    content = f"<b>{content}</b>" if cell.bold else content
    return f'{content} <span class="star">★</span>' if cell.star else content


def _html_inline(part: Inline) -> str:
    if isinstance(part, str):
        return escape(part)
    return f'<a href="{escape(part.page)}.html">{escape(part.text)}</a>'


# Numbers and names for people.


_HEADINGS = {
    "cost": "cost",
    "error": "error",
    "weighted_error": "weighted error, sum",
    "recall_product": "product of recalls",
    "g_mean": "G-mean",
    "normalized_cost": "normalised cost",
    "emphasized_recall": "recall of expensive class",
}
_UNITS = {1e-3: " x 1000", 1e-6: " x 10^6", 1e-2: " %"}


def heading(metric: str, unit: float) -> str:
    """Name of a metric with its unit.

    Examples
    --------
    >>> heading("cost", 0.001), heading("recall_product", 0.01)
    ('cost x 1000', 'product of recalls %')
    """
    return _HEADINGS[metric] + _UNITS.get(unit, "")


def mean_and_error(mean: float, error: float) -> str:
    """Mean and standard error; nothing where there is no mean.

    Examples
    --------
    >>> mean_and_error(18.341, 4.479), mean_and_error(0.11, 0.003)
    ('18.34 ± 4.48', '0.110 ± 0.003')
    >>> mean_and_error(0.00048, float("nan"))
    '0.00048'
    """
    if math.isnan(mean):
        return ""
    if math.isnan(error):
        return f"{mean:.{_digits(mean) + 1 if abs(mean) < 0.1 else 2}f}"
    digits = _digits(error)
    return f"{mean:.{digits}f} ± {error:.{digits}f}"


def _digits(value: float) -> int:
    """Decimals that show one digit of a small number; two at least."""
    return max(2, -math.floor(math.log10(abs(value)))) if value else 2


def signed(value: float) -> str:
    """A difference with its sign; nothing where there is none.

    Examples
    --------
    >>> signed(1.44), signed(float("nan"))
    ('+1.4', '')
    """
    return "" if math.isnan(value) else f"{value:+.1f}"


def percent(share: float) -> str:
    """A share of one.

    Examples
    --------
    >>> percent(0.861)
    '86 %'
    """
    return f"{100 * share:.0f} %"
