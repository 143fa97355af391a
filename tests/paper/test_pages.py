"""The report of a study: pages, tables, figures."""

import builtins
import errno
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from softcost.paper.chapters import Artificial, Chapter, Study
from softcost.paper.claim_verdicts import ABOVE, CHANCE, NOT_RUN
from softcost.paper.document import (
    Cell,
    Column,
    Figure,
    Heading,
    Link,
    Page,
    PageTable,
    Text,
    heading,
    to_html,
    to_markdown,
)
from softcost.paper.findings import Overview
from softcost.paper.reproduction import write_study

VOID = {"meta", "img", "link"}


class Reader(HTMLParser):
    """Checks that tags close, and collects tables as lists of rows."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tables, self.links, self.images = [], [], [], []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        attributes = dict(attributes)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        elif tag == "a":
            self.links.append(attributes["href"])
        elif tag == "img":
            assert attributes["alt"]
            self.images.append(attributes["src"])
        elif tag == "link":
            self.images.append(attributes["href"])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if {"td", "th"} & set(self.open):
            self.tables[-1][-1][-1] += data


@pytest.fixture
def page():
    table = PageTable(
        "Numbers & names",
        [Column("set", "left"), Column("O|SR")],
        [["a|b <i>", Cell("1.5 ± 0.1", bold=True, star=True)], ["c", Cell("2|3")]],
    )
    blocks = [
        Text("see ", Link("verdicts", "verdicts"), " < 5"),
        Heading("More"),
        Figure("figures/x.svg", "A picture"),
        table,
    ]
    return Page("first", "A title", blocks)


def test_a_page_in_markdown(page):
    lines = to_markdown(page, "softcost reproduce pages x -o y").splitlines()
    assert lines[:3] == ["<!-- softcost reproduce pages x -o y -->", "", "# A title"]
    assert "see [verdicts](verdicts.md) &lt; 5" in lines
    assert "## More" in lines
    assert "![A picture](figures/x.svg)" in lines
    assert "| a\\|b &lt;i> | **1.5 ± 0.1** ★ |" in lines
    assert "| c | 2\\|3 |" in lines
    assert lines[lines.index("| set | O\\|SR |") + 1] == "|:---|---:|"


def test_a_page_in_html(page):
    reader = Reader(to_html(page, [("first", "First"), ("verdicts", "Verdicts")]))
    assert reader.links == ["first.html", "verdicts.html", "verdicts.html"]
    assert reader.images == ["style.css", "figures/x.svg"]
    rows = [["set", "O|SR"], ["a|b <i>", "1.5 ± 0.1 ★"], ["c", "2|3"]]
    assert reader.tables == [rows]


STANDING = {
    "metric": "cost", "algorithm": "OSR", "rank": 2.25, "rank_published": 3.0,
    "bold": 4, "bold_published": 5, "star": 1, "star_published": 2,
}  # fmt: skip
OTHER_STANDING = {"algorithm": "OVA", "rank": 1.0, "rank_published": 1.5}
SIZES = {"dataset": "iris", "rows": 6, "features": 2, "sizes": (1, 5), "same": True}


def make_table(algorithms=("OSR", "soft-OSR"), datasets=("iris", "wine"), costs=()):
    """A table of random means, all published."""
    rng = np.random.default_rng(0)
    rows = [
        {
            "dataset": dataset, "costs": kind, "algorithm": algorithm,
            "metric": metric, "unit": unit, "runs": 20, "mean": rng.uniform(1, 9),
            "se": 0.5, "published_mean": rng.uniform(1, 9), "published_se": 0.5,
            "bold": algorithm == algorithms[0], "star": False, "as_in_paper": True,
        }
        for dataset in datasets
        for kind in costs or ("plain",)
        for algorithm in algorithms
        for metric, unit in (("cost", 1e-3), ("error", 1e-2))
    ]  # fmt: skip
    table = pd.DataFrame(rows)
    spread = np.hypot(table["se"], table["published_se"])
    table["difference"] = (table["mean"] - table["published_mean"]) / spread
    table["near"] = table["difference"].abs() <= 2
    return table


def make_chapter(name="inconsistent", table=None, **other):
    table = make_table() if table is None else table
    columns = [
        "dataset", "costs", "metric", "algorithm", "versus", "unpaired", "paired",
        "stated", "published", "as_in_paper",
    ]  # fmt: skip
    pair, no = ("cost", "soft-OSR", "OSR"), np.nan
    tests = pd.DataFrame(
        [
            ("iris", "plain", *pair, "better", "worse", "better", "=", True),
            ("wine", "plain", *pair, "=", "=", "worse", no, True),
            ("wine", "other", *pair, "worse", "=", "=", no, False),
        ],
        columns=columns,
    )
    agreement = pd.DataFrame(
        [("all", "cost", 4, 3, 0.75)],
        columns=["what", "metric", "cells", "within", "share"],
    )
    outside = table.iloc[:1].assign(explanation="a misprint")
    frames = {"tests": tests, "agreement": agreement, "outside": outside}
    return Chapter(name, "A title.", table, **frames | other)


def make_claims():
    """One of each kind."""
    nothing = dict.fromkeys(("ours", "published", "stated", "tested", "of"))
    nothing |= {"same": np.nan, "compared": np.nan, "chance": np.nan, "differs": ""}
    both = (("soft-OSR", "OSR"), ("soft-CSFT", "CSFT"))
    rows = [
        {
            "claim": "soft is better", "target": "inconsistent", "subjects": both,
            "ours": (1, 2), "published": (2, 1), "stated": (2, 2), "tested": (1, 1),
            "of": (2, 2), "same": 2, "compared": 4, "chance": 2.04, "verdict": ABOVE,
            "differs": "soft-OSR: iris",
        },
        {
            "claim": "less is known", "target": "inconsistent", "subjects": both,
            "ours": (1, 2), "published": (2, 1), "of": (2, 3), "same": 2,
            "compared": 4, "chance": 3.5, "verdict": CHANCE,
        },
        {
            "claim": "in a figure", "target": "emphasis", "subjects": both[:1],
            "ours": (3,), "of": (15,), "chance": 7.5, "verdict": "on some sets",
        },
        {"claim": "later", "target": "kdd99", "subjects": both, "verdict": NOT_RUN},
    ]  # fmt: skip
    return pd.DataFrame(
        [nothing | row | {"number": n} for n, row in enumerate(rows, 1)]
    )


def make_overview():
    near = [
        ("tables", "inconsistent", "error", 3, 4, 0.75),
        ("tables", "consistent", "error", 1, 4, 0.25),
        ("rule", "inconsistent", "error", 2, 4, 0.5),
    ]
    columns = ["what", "target", "metric", "within", "cells", "share"]
    costs = [
        ("inconsistent", "ecoli", "class-ratio", 11.7, 15.1, False, 4.0, True),
        ("inconsistent", "zoo", "class-ratio", 4.0, 4.0, True, 1.0, False),
        ("consistent", "zoo", "consistent", 4.0, 4.0, True, 1.0, False),
    ]
    names = ["target", "dataset", "costs", "error", "published_error", "near", "ratio"]
    cells = pd.DataFrame([("iris", 2, "inconsistent"), ("wine", 1, "inconsistent")])
    return Overview(
        pd.DataFrame(near, columns=columns),
        pd.DataFrame(costs, columns=[*names, "other"]),
        cells.set_axis(["dataset", "cells", "target"], axis=1),
    )


def make_readings():
    """One mean nearer to the published value with C, one with 1/C."""
    table = make_table(("OVA",), ("iris",)).assign(balanced=True)
    ours = ["runs", "mean", "se", "difference", "near"]
    other = table[ours].assign(difference=[3.0, 0.1], near=[False, True])
    table = table.assign(difference=[1.0, -2.0], near=True)
    return pd.concat(
        [
            table.drop(columns=ours),
            table[ours].add_suffix("_c"),
            other.add_suffix("_inverse"),
        ],
        axis=1,
    )


@pytest.fixture(scope="module")
def artificial():
    lines = pd.DataFrame({"error": [0.1, 0.3, 0.5], "cost": [2.0, 0.5, 9.0]})
    front = pd.DataFrame(
        [
            (scale, softness, 0.1 + softness / 2, 0.3 - softness / 5, 0.3 + softness)
            for scale in ("raw", "divided")
            for softness in (0.0, 0.5, 1.0)
        ],
        columns=["scale", "softness", "b", "error", "cost"],
    )
    points = pd.DataFrame({"x1": [0.0, 1.0], "x2": [0.0, 1.0], "label": ["1", "2"]})
    return Artificial(points, lines, front)


@pytest.fixture(scope="module")
def written(artificial, tmp_path_factory):
    """A report of three chapters."""
    emphasis = make_table(costs=("emphasis-1e2", "emphasis-1e3"))
    curve = make_table(tuple(f"OSR@{s:.1f}" for s in (0, 0.5, 1)), ("vowel",))
    nothing = pd.DataFrame(columns=["what", "metric", "cells", "within", "share"])
    study = Study(
        "A study",
        [
            make_chapter(
                notes=["Read this first."],
                standings=pd.DataFrame([STANDING, STANDING | OTHER_STANDING]),
                sizes=pd.DataFrame([SIZES]),
            ),
            make_chapter("emphasis", emphasis, figure="emphasis", agreement=nothing),
            make_chapter("softness-curve", curve, figure="curve", agreement=nothing),
            make_chapter("sers", agreement=nothing),
        ],
        artificial,
        make_claims(),
        make_overview(),
        make_readings(),
        ["Some facts."],
        "softcost reproduce pages store -o DIR",
    )
    folder = tmp_path_factory.mktemp("report") / "new" / "folder"
    files = write_study(study, folder)
    return study, folder, files


def tables_of(folder, name):
    return Reader((folder / f"{name}.html").read_text("utf-8")).tables


def test_all_links_and_pictures_are_there(written):
    _, folder, files = written
    assert all(file.is_file() for file in files)
    for file in folder.glob("*.html"):
        reader = Reader(file.read_text("utf-8"))
        for target in reader.links + reader.images:
            assert (folder / target).is_file()
    for file in folder.glob("*.md"):
        for target in re.findall(r"\]\(([^)]+)\)", file.read_text("utf-8")):
            assert (folder / target).is_file()
    drawn = {file.stem for file in (folder / "figures").glob("*.svg")}
    assert drawn == {
        "artificial-classes", "artificial-lines", "inconsistent", "emphasis",
        "softness-curve",
    }  # fmt: skip


def test_the_same_results_give_the_same_bytes(written, tmp_path):
    study, _, files = written
    again = write_study(study, tmp_path)
    for one, other in zip(files, again, strict=True):
        assert one.name == other.name
        assert one.read_bytes() == other.read_bytes()


def test_markdown_and_html_say_the_same(written):
    _, folder, _ = written
    for name in ("index", "inconsistent", "verdicts", "artificial", "emphasis"):
        markdown = "README" if name == "index" else name
        lines = (folder / f"{markdown}.md").read_text("utf-8").splitlines()
        plain = [re.sub(r"\*\*|\[|\]\(\w[\w-]*\.md\)|\\", "", line) for line in lines]
        rows = [
            line.strip("| ").split(" | ") for line in plain if line.startswith("| ")
        ]
        html = [row for table in tables_of(folder, name) for row in table]
        assert ["".join(row).replace(" ", "") for row in html] == [
            "".join(row).replace(" ", "").replace("|", "") for row in rows
        ]


def test_tables_in_the_form_of_the_paper(written):
    _, folder, _ = written
    cost = tables_of(folder, "inconsistent")[0]
    assert cost[0] == ["data set", "costs", "runs", "OSR", "soft-OSR"]
    mean = make_table().set_index(["dataset", "metric", "algorithm"])["mean"]
    for row in cost[1:]:
        assert row[1:3] == ["plain", "20"]
        for name, cell in zip(cost[0][3:], row[3:], strict=True):
            assert cell == f"{mean[row[0], 'cost', name]:.2f} ± 0.50"
    bold = (folder / "inconsistent.md").read_text("utf-8").splitlines()
    rows = [
        line.split("|") for line in bold if line.startswith("| iris | plain | 20 |")
    ]
    assert [["**" in cell for cell in row[4:6]] for row in rows] == [[True, False]] * 2


def test_ours_beside_the_published(written):
    study, folder, _ = written
    beside = tables_of(folder, "inconsistent")[-1]
    assert beside[0][4:] == ["cost x 1000", "published", "off by", "error %",
                             "published", "off by"]  # fmt: skip
    table = study.chapters[0].table.set_index(["dataset", "algorithm", "metric"])
    for row in beside[1:]:
        own = table.loc[(row[0], row[2], "error")]
        assert row[8] == f"{own['published_mean']:.2f} ± 0.50"
        assert row[9] == f"{own['difference']:+.1f}"


def test_what_is_outside_has_its_line(written):
    _, folder, _ = written
    pages = tables_of(folder, "inconsistent")
    (outside,) = [table for table in pages if table[0][-1] == "explanation"]
    assert [row[-1] for row in outside[1:]] == ["a misprint"]


def test_answers_of_tests_and_their_counts(written):
    _, folder, _ = written
    pages = tables_of(folder, "inconsistent")
    found = (t for t in pages if t[0][-1] == "soft-OSR against OSR")
    unpaired, paired, stated = found
    assert [row[-1] for row in unpaired[1:]] == [
        "better (published =)", "=", "worse", "1 better, 1 =, 0 worse",
    ]  # fmt: skip
    assert paired[1][-1] == "worse"  # the paper's symbols are of the other test
    assert paired[-1] == ["all", "as in the paper", "0 better, 1 =, 1 worse"]
    assert [row[-1] for row in stated[1:4]] == ["better", "worse", "="]


def test_other_data_are_not_called_the_papers(artificial, tmp_path):
    own = make_chapter("sers")
    other = make_chapter("sers", tests=own.tests.assign(as_in_paper=False))
    study = Study("A study", [other], artificial, make_claims(), make_overview())
    write_study(study, tmp_path)
    assert "as in the paper" not in (tmp_path / "sers.md").read_text("utf-8")


def test_verdicts_with_counts(written):
    _, folder, _ = written
    first, figure, later, differs = tables_of(folder, "verdicts")
    assert first[1][2:] == [
        "soft-OSR/soft-CSFT", "1/2 of 2", "2/1 of 2", "2/2", "1/1 of 2", "2 of 4",
        "2.0", ABOVE,
    ]  # fmt: skip
    assert first[2][3:5] == ["1/2 of 2/3", "2/1 of 2/3"]
    assert figure[1][2:] == ["", "3 of 15", "", "", "", "", "7.5", "on some sets"]
    assert later[1][3:] == [""] * 6 + [NOT_RUN]
    assert [row[0] for row in (*first, *figure, *later) if row[0] != "no."] == list(
        "1234"
    )
    assert differs[1:] == [["1", "soft-OSR: iris"]]
    own = tables_of(folder, "inconsistent")
    assert first in own


def test_the_first_page_counts(written):
    _, folder, _ = written
    contents, near, open_cells = tables_of(folder, "index")
    row = next(row for row in contents if row[0] == "inconsistent")
    assert row[2:] == ["20", "cost 75 %", "1 of 2"]
    assert near[1][1:] == ["3 of 4 (75 %)", "1 of 4 (25 %)"]
    assert near[2][1:] == ["2 of 4 (50 %)", ""]
    assert open_cells[1:] == [["inconsistent", "3", "iris 2, wine 1"]]
    text = (folder / "README.md").read_text("utf-8")
    assert "on 1 of 2 sets (ecoli)" in text
    assert "but for ecoli 11.7 % against 15.1" in text
    assert "on 0 of 1 sets" in text
    assert "kdd99-balanced: not run yet" in text
    assert "3 means are more than two" in text


def test_kdd99_is_told_on_the_first_page(artificial, tmp_path):
    table = make_table(("OSR", "soft-OSR"), ("kdd99",), ("own",))
    chapters = [make_chapter("kdd99", table)]
    study = Study("A study", chapters, artificial, make_claims(), make_overview())
    write_study(study, tmp_path)
    text = (tmp_path / "README.md").read_text("utf-8")
    own = table[table["algorithm"] == "soft-OSR"].set_index("metric")
    for metric in ("cost", "error"):
        assert f"{own['mean'][metric]:.2f} ± 0.50 in 20 runs" in text
        assert f"off by {own['difference'][metric]:+.1f} combined" in text
    assert "kdd99-balanced: not run yet" not in text


def test_standings_and_class_distributions(written):
    _, folder, _ = written
    pages = tables_of(folder, "inconsistent")
    (standings,) = [table for table in pages if table[0][1] == "mean rank"]
    assert standings[1] == ["OSR", "2.2 (3.0)", "4 (5)", "1 (2)"]
    assert "cost 1.00 (" in (folder / "inconsistent.md").read_text("utf-8")
    (sizes,) = [table for table in pages if "features" in table[0]]
    assert sizes[1] == ["iris", "6", "2", "1, 5", "the same"]


def test_two_readings_beside_the_published(written):
    _, folder, _ = written
    summary, both = tables_of(folder, "lambda")
    assert summary[1:] == [
        ["OVA", "cost", "1", "1", "0", "1.0", "9.0", "0"],
        ["OVA", "error", "1", "1", "1", "4.0", "0.0", "1"],
        ["all", "cost", "1", "1", "0", "1.0", "9.0", "0"],
        ["all", "error", "1", "1", "1", "4.0", "0.0", "1"],
    ]
    assert [row[5] for row in both[1:]] == ["+1.0", "-2.0"]
    assert [row[7] for row in both[1:]] == ["+3.0", "+0.1"]


@pytest.mark.parametrize("ending", [".css", ".md", ".html", ".svg"])
def test_a_full_disk_leaves_files_as_they_were(written, tmp_path, monkeypatch, ending):
    study, folder, files = written
    before = {tmp_path / path.relative_to(folder): f"old {path.name}" for path in files}
    for path, text in before.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (victim,) = [path for path in before if path.suffix == ending][:1]
    open_as_usual = builtins.open

    def opened(path, mode="r", *args, **options):
        file = open_as_usual(path, mode, *args, **options)
        if str(path).endswith(victim.name) and "w" in mode:
            file.write("half" if "b" not in mode else b"half")
            file.close()
            raise OSError(errno.ENOSPC, "No space left on device")
        return file

    monkeypatch.setattr("builtins.open", opened)
    monkeypatch.setattr("io.open", opened)
    with pytest.raises(OSError, match=f"{victim.name} cannot be written: no space"):
        write_study(study, tmp_path)
    monkeypatch.undo()
    assert victim.read_text() == before[victim]
    found = {path for path in tmp_path.rglob("*") if path.is_file()}
    assert found == set(before)


def test_it_says_what_is_missing_without_matplotlib(written, tmp_path, monkeypatch):
    monkeypatch.setattr("softcost.paper.reproduction.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pip install .*matplotlib"):
        write_study(written[0], tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_small_numbers_keep_their_digits():
    table = make_table(("OSR",), ("iris",)).assign(mean=0.00048, se=np.nan)
    assert heading("cost", 1e-6) == "cost x 10^6"
    from softcost.paper.result_tables import paper_tables

    cell = next(paper_tables(table)).rows[0][-1]
    assert cell.text == "0.00048"


@pytest.mark.parametrize("name", [r"a|b <x> $\q$", "*mine* x_y_z@2"])
def test_any_name_can_be_shown(artificial, tmp_path, name):
    curve = make_table(("OSR@0.0", "OSR@1.0", name), ("vowel",))
    emphasis = make_table(("OSR", name), ("iris",), ("emphasis-1e2", "emphasis-1e3"))
    chapters = [
        make_chapter(table=make_table(("OSR", name))),
        make_chapter("softness-curve", curve, figure="curve"),
        make_chapter("emphasis", emphasis, figure="emphasis"),
    ]
    study = Study(
        "A study",
        chapters,
        artificial,
        make_claims(),
        make_overview(),
        command=f"report {name}--->x",
    )
    write_study(study, tmp_path)
    for page in ("inconsistent", "softness-curve", "emphasis"):
        assert name in tables_of(tmp_path, page)[0][0]
        lines = (tmp_path / f"{page}.md").read_text("utf-8").splitlines()
        rule = next(n for n, line in enumerate(lines) if line.startswith("|:---"))
        bars = [
            len(re.findall(r"(?<!\\)\|", line)) for line in lines[rule - 1 : rule + 2]
        ]
        assert len(set(bars)) == 1
