"""Write a report: pages as Markdown and HTML, figures as SVG."""

from collections.abc import Iterator
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from softcost.files import atomic_write
from softcost.paper import figures
from softcost.paper.chapters import (
    FOLDER,
    Study,
    artificial_page,
    chapter_page,
    has_figure,
    home_page,
    readings_page,
    verdicts_page,
)
from softcost.paper.document import STYLE, file_name, to_html, to_markdown


def write_study(study: Study, directory: Any) -> list[Path]:
    """Write a report as Markdown and HTML, with figures as SVG.

    Parameters
    ----------
    study : Study
    directory : path-like
        Made where it does not exist; files of the same names are replaced, each at
        once or not at all.

    Returns
    -------
    list of Path
        The files.
    """
    if find_spec("matplotlib") is None:
        raise ImportError("a report needs matplotlib: pip install 'softcost[plot]'.")
    folder = Path(directory)
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    pages = [home_page(study), verdicts_page(study.claims)]
    pages.append(artificial_page(study.artificial))
    pages += [chapter_page(chapter, study.claims) for chapter in study.chapters]
    if study.readings is not None:
        pages.append(readings_page(study.readings))
    titles = [(page.name, page.name) for page in pages]
    written = [folder / STYLE, *_draw(study, folder)]
    style = files("softcost.paper").joinpath("study.css")
    with atomic_write(written[0]) as place:
        place.write_bytes(style.read_bytes())
    for page in pages:
        for ending, content in (
            ("md", to_markdown(page, study.command)),
            ("html", to_html(page, titles, study.command)),
        ):
            path = folder / file_name(page.name, ending)
            with atomic_write(path) as place:
                place.write_text(content, encoding="utf-8")
            written.append(path)
    return written


def _draw(study: Study, folder: Path) -> Iterator[Path]:
    own = study.artificial
    classes = folder / FOLDER / "artificial-classes.svg"
    figures.save(classes, figures.classes_figure, own.points, own.front)
    lines = folder / FOLDER / "artificial-lines.svg"
    figures.save(lines, figures.lines_figure, own.lines, own.front)
    yield from (classes, lines)
    kinds = {
        "agreement": figures.agreement_figure,
        "emphasis": figures.emphasis_figure,
        "curve": figures.curve_figure,
    }
    for chapter in study.chapters:
        if has_figure(chapter):
            path = folder / FOLDER / f"{chapter.name}.svg"
            figures.save(path, kinds[chapter.figure], chapter.table)
            yield path
