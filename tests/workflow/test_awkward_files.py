"""Files as people have them: each is read as expected, or refused in one sentence.

A case is a file with the expected shape and first row, or the words of the message.
Every case runs through the library; those in ``COMMANDS`` also through a command.
"""

import datetime
import gzip
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest

from softcost.tables import RowParser, TableEncoder, read_table, table_pieces
from softcost.workflow import FitOptions
from softcost.workflow.training_data import read_training_table


@dataclass
class Case:
    """A file and what is to be made of it.

    Attributes
    ----------
    content : str, bytes, or dict of sheet name to rows
    header, first, rows
        Names of columns, first row and number of rows; None is not checked.
    told : tuple of str
        Words that notes must have; without any there are no notes.
    refused : tuple of str
        Words of the message, if it is refused.
    """

    name: str
    content: Any
    header: list[str] | None = None
    first: list[Any] | None = None
    rows: int | None = None
    told: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)


def sheet(*rows):
    return {"Sheet1": list(rows)}


BODY = "1,2,x\n3,4,y\n"
ABT = ["a", "b", "t"]
FIRST = ["1", "2", "x"]
NUMBERS = [[1, 2, "x"], [3, 4, "y"], [5, 6, "x"]]
NOTE = [["How to read this file"], ["Ask Ms Smith"]]

CASES = [
    # What separates cells.
    Case("plain.csv", f"a,b,t\n{BODY}", ABT, FIRST, 2),
    Case("semicolon.csv", "a;b;t\n1,5;2;x\n3;4;y\n", ABT, ["1,5", "2", "x"], 2),
    Case("tab.tsv", "a\tb\tt\n1\t2\tx\n", ABT, FIRST, 1),
    Case("tab.csv", "a\tb\tt\n1,5\t2\tx\n3,5\t4\ty\n", ABT, ["1,5", "2", "x"], 2),
    Case("pipe.csv", "a|b|t\n1|2|x\n", ABT, FIRST, 1),
    Case("declared.csv", "sep=;\na;b;t\n1;2;x\n", ABT, FIRST, 1),
    Case("quoted commas.csv", '"a, b";c\n1;2\n3;4\n', ["a, b", "c"], ["1", "2"], 2),
    Case("one column.csv", "size\n1\n\n3\n", ["size"], ["1"], 3),
    Case("title and semicolons.csv", "Sales, 2024\na;b;t\n1;2;x\n3;4;y\n", ABT, FIRST,
         2, ("row 2", "header_row")),
    # Titles and comments above the header.
    Case("title.csv", f"Report 2024\n\na,b,t\n{BODY}", ABT, FIRST, 2, ("row 3",)),
    Case("padded title.csv", f"Report,,\n,,\na,b,t\n{BODY}", ABT, FIRST, 2,
         ("row 3", "row 1")),
    Case("comma in title.csv", f"Report, final\na,b,t\n{BODY}", ABT, FIRST, 2,
         ("row 2",)),
    Case("comment.csv", f"# by x, y and z\na,b,t\n{BODY}", ABT, FIRST, 2, ("row 2",)),
    Case("names and values.csv",
         "Region:;North\nDate:;2024-01-01\n\na;b;c;t\n1;2;3;x\n4;5;6;y\n",
         ["a", "b", "c", "t"], ["1", "2", "3", "x"], 2, ("row 4", "rows 1 to 2")),
    Case("title only with the target.csv",
         "alpha,beta,gamma\np,q,t\nm,n,x\nk,l,y\n", ["p", "q", "t"], None, 2,
         ("row 2",), options={"columns": ["t"]}),
    Case("words only.csv", "a,b\nfoo,bar\nbaz,qux\n", ["a", "b"], ["foo", "bar"], 2),
    Case("data that looks like a header.csv", "a,,\n1,2,3\n4,5,6\n",
         ["a", "unnamed column 2", "unnamed column 3"], ["1", "2", "3"], 2),
    Case("given header.csv", f"x,y,z\na,b,t\n{BODY}", ABT, FIRST, 2,
         options={"header_row": 2}),
    Case("no such header.csv", f"a,b,t\n{BODY}", refused=("header_row 9", "empty row"),
         options={"header_row": 9}),
    Case("given header.xlsx", sheet(["x", "y", "z"], ABT, *NUMBERS), ABT, [1, 2, "x"],
         3, options={"header_row": 2}),
    # Two header rows.
    Case("units.csv", "a,b,t\nmm,kg,\n1,2,x\n3,4,y\n5,6,x\n", ["a mm", "b kg", "t"],
         FIRST, 3, ("rows 1 to 2",)),
    Case("groups.csv", "Size,,Weight,,t\nmin,max,min,max,\n1,2,3,4,x\n3,4,5,6,y\n"
         "5,6,7,8,x\n",
         ["Size min", "Size max", "Weight min", "Weight max", "t"], None, 3,
         ("rows 1 to 2",)),
    Case("groups.xlsx", sheet(["Size", None, "Weight", None, "t"],
         ["min", "max", "min", "max", None], [1, 2, 3, 4, "x"], [3, 4, 5, 6, "y"],
         [5, 6, 7, 8, "x"]),
         ["Size min", "Size max", "Weight min", "Weight max", "t"], [1, 2, 3, 4, "x"],
         3, ("rows 1 to 2",)),
    Case("given two rows.csv", "Sales,,t\n2023,2024,\n1,2,x\n3,4,y\n",
         ["Sales 2023", "Sales 2024", "t"], FIRST, 2, options={"header_row": (1, 2)}),
    Case("an odd first row.csv", "a,b,t\nunknown,?,y\n1,2,x\n3,4,y\n5,6,x\n", ABT,
         ["unknown", "?", "y"], 4),
    # Workbooks.
    Case("plain.xlsx", sheet(ABT, *NUMBERS), ABT, [1, 2, "x"], 3),
    Case("title.xlsx", sheet(["Report"], [], ABT, *NUMBERS), ABT, [1, 2, "x"], 3,
         ("row 3 is its header", "row 1")),
    Case("two titles.xlsx", sheet(["Report"], ["by", "me"], ["a", "b", "c", "t"],
         [1, 2, 3, "x"], [4, 5, 6, "y"]), ["a", "b", "c", "t"], [1, 2, 3, "x"], 2,
         ("row 3", "rows 1 to 2")),
    Case("corner.xlsx", sheet([], [None, None, *ABT], *[[None, None, *row] for row in
         NUMBERS]), ABT, [1, 2, "x"], 3, ("first 2 columns are empty",)),
    Case("second sheet.xlsx", {"Read me": NOTE, "Data": [ABT, *NUMBERS]}, ABT,
         [1, 2, "x"], 3, ("'Data'", "sheet=")),
    Case("sheet with the target.xlsx",
         {"Summary": [["k", "v"], ["n", 3]], "Rows": [ABT, *NUMBERS]}, ABT,
         [1, 2, "x"], 3, ("'Rows'",), options={"columns": ["t"]}),
    Case("given sheet.xlsx", {"One": [ABT, *NUMBERS], "Two": [["z"], [7]]}, ["z"],
         [7], 1, options={"sheet": "two"}),
    Case("sheet by number.xlsx", {"One": [ABT, *NUMBERS], "Two": [["z"], [7]]}, ["z"],
         [7], 1, options={"sheet": 2}),
    Case("no such sheet.xlsx", sheet(ABT, *NUMBERS), refused=("'Tow'", "'Sheet1'"),
         options={"sheet": "Tow"}),
    Case("sheet of a csv.csv", f"a,b,t\n{BODY}", refused=("sheet", "Excel"),
         options={"sheet": "x"}),
    Case("a cell outside.xlsx", sheet(ABT, [1, 2, "x"], [3, 4, "y", None, "!"]),
         refused=("more cells than the header", "row 3")),
    Case("blank rows.xlsx", sheet(ABT, [1, 2, "x"], [], [3, 4, "y"]), ABT, None, 2),
    Case("empty.xlsx", sheet(), refused=("is empty",)),
    Case("dates.xlsx", sheet(["d", "t"], [datetime.datetime(2024, 1, 2), "x"],
         [datetime.datetime(2024, 1, 3), "y"]), ["d", "t"], None, 2),
    Case("not.xlsx", b"a,b\n1,2\n", refused=("not an Excel workbook",)),
    Case("old.xls", b"\xd0\xcf\x11\xe0", refused=("save it as .xlsx",)),
    # Encodings.
    Case("utf8 mark.csv", "t,Größe\nx,1\n".encode("utf-8-sig"), ["t", "Größe"]),
    Case("utf16.csv", "t,Größe\nx,1\n".encode("utf-16"), ["t", "Größe"], None, 1,
         ("UTF-16",)),
    Case("utf16 without mark.csv", "t,Größe\nx,1\n".encode("utf-16-le"),
         ["t", "Größe"], None, 1, ("UTF-16",)),
    Case("windows.csv", "t,a\nFuß“,1\nKöln,2\n".encode("cp1252"), ["t", "a"],
         ["Fuß“", "1"], 2, ("Windows-1252",)),
    Case("mixed.csv", "t,a\nMüller,1\n".encode() + "Köln,2\n".encode("cp1252"),
         ["t", "a"], ["Müller", "1"], 2, ("mixes encodings", "line 3")),
    Case("garbled.csv", "t,a\nMÃ¼ller,1\n", ["t", "a"], None, 1, ("looks like",)),
    Case("binary.csv", bytes(range(256)), refused=("UTF-8",)),
    # Rows that are too long, too short or empty.
    Case("short row.csv", "a,b,t\n1,2,x\n3,4\n", refused=("row 2", "2 cells", "3")),
    Case("cut off.csv", "a,b,t\n1,2,x\n3", refused=("row 2", "line 3", "1 cell ")),
    Case("late short row.csv", "a,b\n" + "1,2\n" * 5000 + "1\n",
         refused=("row 5001", "line 5002")),
    Case("footer.csv", f"a,b,t\n{BODY}Source: us\n", refused=("row 3", "Source: us")),
    Case("long row.csv", "a,t\n1,x\n1,2,y\n", refused=("line 3 has 3", "header")),
    Case("late long row.csv", "a,t\n" + "1,x\n" * 99 + "1,2,y\n",
         refused=("line 101 has 3",)),
    Case("trailing separators.csv", "a,b,t\n1,2,x,\n3,4,y,\n", ABT, FIRST, 2),
    Case("trailing in header.csv", "a,b,t,,\n1,2,x\n3,4,y\n", ABT, FIRST, 2),
    Case("empty rows.csv", f"a,b,t\n{BODY},,\n  \n,,\n", ABT, FIRST, 2,
         ("2 empty rows",)),
    Case("empty row between.csv", "a,b,t\n1,2,x\n,,\n3,4,y\n", ABT, FIRST, 3),
    Case("empty columns.csv", ",,a,t\n,,1,x\n,,2,y\n", ["a", "t"], ["1", "x"], 2,
         ("first 2 columns",)),
    Case("line breaks.csv", '"first\nname",t\n"1\n2",x\n', ["first\nname", "t"],
         ["1\n2", "x"], 1),
    Case("windows lines.csv", "a,t\r\n1,x\r\n\r\n2,y\r\n", ["a", "t"], ["1", "x"], 2),
    Case("open quote.csv", 'a,t\n1,"x\n2,y\n', refused=("CSV",)),
    # Names of columns.
    Case("index.csv", ",a,t\n0,1,x\n1,2,y\n", ["unnamed column 1", "a", "t"]),
    Case("same names.csv", "a,a,t\n1,2,x\n", ["a", "a (2)", "t"], FIRST, 1,
         ("more than one column",)),
    Case("blanks around names.csv", " a , t \n1,x\n", ["a", "t"]),
    # Nothing in it.
    Case("empty.csv", "", refused=("is empty",)),
    Case("blank.csv", "\n\n", refused=("is empty",)),
    Case("header only.csv", "a,b,t\n", refused=("no rows",)),
    Case("packed.csv.gz", gzip.compress(f"a,b,t\n{BODY}".encode()), ABT, FIRST, 2),
    Case("cut.csv.gz", gzip.compress(b"a,t\n" * 999)[:40], refused=("cut off",)),
    Case("no ending", "a,t\n1,x\n", refused=("no ending",)),
]  # fmt: skip


def write(case, folder):
    path = folder / case.name
    if isinstance(case.content, dict):
        book = openpyxl.Workbook()
        book.remove(book.active)
        for title, rows in case.content.items():
            page = book.create_sheet(title)
            for number, row in enumerate(rows, start=1):
                for place, cell in enumerate(row, start=1):
                    page.cell(number, place, cell)
        book.save(path)
    elif isinstance(case.content, bytes):
        path.write_bytes(case.content)
    else:
        path.write_text(case.content, encoding="utf-8", newline="")
    return str(path)


def test_there_are_enough_cases():
    assert len(CASES) >= 60
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_awkward_file(case, tmp_path):
    path, told = write(case, tmp_path), []
    if case.refused:
        with pytest.raises(ValueError, match=r".") as error:
            read_table(path, told.append, **case.options)
        for word in case.refused:
            assert word in str(error.value)
        assert "\n" not in str(error.value)
        return
    frame = read_table(path, told.append, **case.options)
    assert case.header is None or frame.columns.tolist() == case.header
    assert case.first is None or frame.iloc[0].tolist() == case.first
    assert case.rows is None or len(frame) == case.rows
    assert bool(told) == bool(case.told), told
    for word in case.told:
        assert word in " ".join(told)
    pieces = list(table_pieces(path, 1, **case.options))
    pieces = [piece for piece in pieces if len(piece)]
    again = pd.concat(pieces, ignore_index=True)
    pd.testing.assert_frame_equal(again.astype(object), frame.astype(object))


def sample(case, folder):
    """The file, and a price list for its classes x and y."""
    (folder / "prices.json").write_text('{"x": {"y": 1}, "y": {"x": 1}}')
    return write(case, folder)


COMMANDS = [
    "title.csv", "units.csv", "second sheet.xlsx", "title.xlsx", "corner.xlsx",
    "short row.csv", "footer.csv", "late long row.csv", "no such sheet.xlsx",
]  # fmt: skip
BY_NAME = {case.name: case for case in CASES}


@pytest.mark.parametrize("name", COMMANDS)
def test_awkward_file_on_the_command_line(softcost, name, tmp_path):
    case = BY_NAME[name]
    path = sample(case, tmp_path)
    options = [f"--{key}={value}" for key, value in case.options.items()]
    result = softcost("costs", "template", path, "--target", "t", *options)
    if case.refused:
        assert result.exit_code == 2
        assert result.stderr.count("\n") == 1
        words = case.refused
    else:
        assert result.exit_code == 0, result.output
        assert result.stdout.endswith("x,0,1\ny,1,0\n")
        words = [word.replace("sheet=", "--sheet ") for word in case.told]
    for word in words:
        assert word in result.stderr


# Labels and cells of tables that are read, before any training.


def training_table(folder, rows, **options):
    """Read rows ``a,b,t`` and prices for the classes x and y."""
    (folder / "prices.json").write_text('{"x": {"y": 1}, "y": {"x": 1}}')
    (folder / "rows.csv").write_text("a,b,t\n" + rows, encoding="utf-8")
    options = {"costs": str(folder / "prices.json"), "cv": 2} | options
    return read_training_table(FitOptions(str(folder / "rows.csv"), "t", **options))


def lines(labels, first=lambda number: number % 7):
    return "".join(
        f"{first(number)},{number % 5},{label}\n" for number, label in enumerate(labels)
    )


LABELS = ["x", "y"] * 20


def test_missing_labels_are_skipped_on_request(tmp_path):
    rows = lines([*LABELS, "", "?", "NA"])
    with pytest.raises(ValueError, match="skip_unlabelled") as error:
        training_table(tmp_path, rows)
    assert "3 rows" in str(error.value)
    data = training_table(tmp_path, rows, skip_unlabelled=True)
    assert len(data.train.y) == len(data.train.X) == 40
    assert "3 rows" in " ".join(data.notes)


@pytest.mark.parametrize(
    ("label", "word"),
    [
        ("X", "X"),
        ("x\u00a0", None),
        ("n/a", "n/a"),
        ("unknown", "unknown"),
    ],
)
def test_suspicious_labels_are_reported_with_a_remedy(tmp_path, label, word):
    rows = lines([*LABELS, label, label])
    if word is None:  # only blanks around it, which never count
        assert set(training_table(tmp_path, rows).train.y) == {"x", "y"}
        return
    with pytest.raises(ValueError, match="without a price") as error:
        training_table(tmp_path, rows)
    if label == "X":
        assert "merge={'X': 'x'}" in str(error.value)
    new = {"X": "x"}.get(label, "")
    merged = training_table(tmp_path, rows, merge={label: new}, skip_unlabelled=True)
    assert len(merged.train.y) == (42 if new else 40)


SPELLINGS = {
    "case": ("Adelie", "adelie"),
    "swapped letters": ("Adelie", "Adelei"),
    "composed accents": ("Ad\u00e9lie", "Ade\u0301lie"),
    "no-break space": ("King penguin", "King\u00a0penguin"),
    "numbers": ("1", "1.0"),
    "a letter too many": ("Gentoo", "Genttoo"),
}


@pytest.mark.parametrize("what", list(SPELLINGS))
def test_other_spellings_of_a_class_are_reported(tmp_path, softcost, monkeypatch, what):
    right, wrong = SPELLINGS[what]
    labels = [right, "other"] * 20 + [wrong]
    (tmp_path / "rows.csv").write_text("a,b,t\n" + lines(labels), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    result = softcost("costs", "template", "rows.csv", "--target", "t")
    assert "another spelling" in result.stderr
    assert "--merge" in result.stderr
    assert "1 row)" in result.stderr


def test_names_that_differ_on_purpose_are_not_reported(tmp_path, softcost):
    names = ["type a", "type b", "class1", "class2", "male", "female", "ham", "spam",
             "positive", "negative", "2.5", "2.6"]  # fmt: skip
    path = tmp_path / "rows.csv"
    path.write_text("a,b,t\n" + lines(names * 3 + names[::2] * 9))
    result = softcost("costs", "template", path, "--target", "t")
    assert "spelling" not in result.stderr


def test_rare_classes_are_reported(tmp_path):
    data = training_table(
        tmp_path, lines(["x", "y", "y", "y", "y", "x", "y"] * 1), cv=3
    )
    assert "'x' (2)" in " ".join(data.notes)
    assert "folds" not in " ".join(training_table(tmp_path, lines(LABELS), cv=3).notes)


def test_a_class_without_test_rows_is_reported(tmp_path):
    (tmp_path / "test.csv").write_text("a,b,t\n" + lines(["x"] * 5))
    data = training_table(tmp_path, lines(LABELS), test=str(tmp_path / "test.csv"))
    assert "no test row" in " ".join(data.notes)


@pytest.mark.parametrize("code", ["-9", "99", "9999", "-999"])
@pytest.mark.parametrize("n_columns", [1, 100])
def test_codes_for_missing_numbers_are_reported(tmp_path, code, n_columns):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(0, 30, (40, n_columns))).add_prefix("c")
    table.iloc[[3, 17], -1] = int(code)
    table["t"] = LABELS
    path = tmp_path / "wide.csv"
    table.to_csv(path, index=False)
    (tmp_path / "prices.json").write_text('{"x": {"y": 1}, "y": {"x": 1}}')
    options = FitOptions(str(path), "t", costs=str(tmp_path / "prices.json"), cv=2)
    notes = " ".join(read_training_table(options).notes)
    assert f"{code} occurs 2 times" in notes
    assert f"'c{n_columns - 1}'" in notes
    assert f"missing=['{code}']" in notes
    coded = FitOptions(str(path), "t", costs=options.costs, cv=2, missing=(code,))
    assert "occurs" not in " ".join(read_training_table(coded).notes)


def test_usual_numbers_are_not_taken_for_codes(tmp_path):
    for first in (
        lambda number: number % 3 - 1,  # -1, 0 and 1
        lambda number: 60 + number,  # ages, up to 99
        lambda number: -9 + number % 20,
    ):
        notes = training_table(tmp_path, lines(LABELS, first)).notes
        assert "occurs" not in " ".join(notes)


CONVENTIONS = {
    "decimal commas, model with points": (["1.5", "2.25"], ["1.5", "1,5"], 2),
    "thousands and decimal commas": (["1", "2"], ["1,500", "1,5"], 2),
    "decimal points, model with commas": (["1,5", "2,25"], ["1,5", "3", "1.5"], 3),
    "german thousands, model with points": (["1.5", "2.5"], ["1.234,50"], 1),
}


@pytest.mark.parametrize("what", list(CONVENTIONS))
def test_a_column_has_one_decimal_separator(tmp_path, what):
    """A cell that breaks the convention is refused with its row."""
    trained, cells, row = CONVENTIONS[what]
    train = pd.DataFrame({"a": trained, "t": ["x", "y"]})
    encoder = TableEncoder().fit(train[["a"]], train["t"])
    with pytest.raises(ValueError, match=f"in row {row}.*decimal"):
        encoder.typed(pd.DataFrame({"a": cells}))
    parser = RowParser(encoder.kinds_)
    with pytest.raises(ValueError, match=f"in row {row}.*decimal"):
        parser.read([{"a": cell} for cell in cells])
    mixed = "".join(f'"{cell}",1,x\n"{cell}",2,y\n' for cell in ("1.5", "2.5", "2,7"))
    with pytest.raises(ValueError, match="'2,7' in row 5"):
        training_table(tmp_path, mixed)


def test_a_single_row_is_called_a_single_row(tmp_path):
    with pytest.raises(ValueError, match="single row"):
        training_table(tmp_path, "1,2,x\n")


def test_merging_a_label_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ValueError, match="'z'"):
        training_table(tmp_path, lines(LABELS), merge={"z": "x"})


def test_a_model_reads_tables_with_another_decimal_separator(
    softcost, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prices.json").write_text('{"x": {"y": 1}, "y": {"x": 1}}')
    cells = [(number % 7 + 0.5, 1000 + number) for number in range(40)]
    rows = [(*pair, label) for pair, label in zip(cells, LABELS, strict=True)]
    table = pd.DataFrame(rows, columns=ABT)
    table.to_csv("points.csv", index=False)
    german = table.assign(b=[f"{cell / 1000:.3f}" for cell in table["b"]])
    german.to_csv("commas.csv", index=False, sep=";", decimal=",")
    assert softcost(*f"fit points.csv {QUICK} --model m".split()).exit_code == 0
    refused = softcost("predict", "m", "commas.csv")
    assert refused.exit_code == 2
    assert "'0,5' in row 1" in refused.stderr
    assert "--decimal" in refused.stderr
    predicted = softcost("predict", "m", "commas.csv", "--decimal", ",")
    assert predicted.stdout == softcost("predict", "m", "points.csv").stdout
    evaluated = softcost(
        *["evaluate", "m", "commas.csv", "--target", "t", "--decimal", ","]
    )
    assert "all 40 rows" in evaluated.stderr


QUICK = "--target t --costs prices.json --softness 2 --param C=1 --cv 2"


def test_the_workflow_with_an_awkward_workbook(softcost, tmp_path, monkeypatch):
    """Titles, notes and missing labels, from fit to predict."""
    monkeypatch.chdir(tmp_path)
    body = [[n % 7, n % 5, label] for n, label in enumerate([*LABELS, None, "X", "-"])]
    case = Case("rows.xlsx", {"Notes": NOTE, "Data": [["Report"], [], ABT, *body]})
    sample(case, tmp_path)
    line = f"fit rows.xlsx {QUICK} --model m".split()
    assert "--skip-unlabelled" in softcost(*line).stderr
    options = ["--skip-unlabelled", "--merge", "X=x", "--merge", "-="]
    result = softcost(*line, *options)
    assert result.exit_code == 0, result.output
    assert "'Data'" in result.stderr
    again = ("evaluate", "m", "rows.xlsx", "--target", "t", "--skip-unlabelled")
    evaluated = softcost(*again)
    assert evaluated.exit_code == 0, evaluated.output
    assert "all 41 rows" in evaluated.stderr
    predicted = softcost("predict", "m", "rows.xlsx", "--no-scores")
    assert len(predicted.stdout.splitlines()) == 44
    blocks = softcost(*line, *options, "--rows-at-once", "15")
    assert blocks.exit_code == 0, blocks.output
    assert "2 rows of rows.xlsx without a label" in blocks.stderr


def test_a_template_may_merge_labels(softcost, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b,t\n" + lines([*LABELS, "X", "n/a"]))
    line = ("costs", "template", path, "--target", "t")
    result = softcost(*line, "--merge", "X=x", "--merge", "n/a=")
    assert result.stdout.endswith("x,0,1\ny,1,0\n")
    assert "1 row of" in result.stderr
    refused = softcost(*line, "--merge", "z=x")
    assert refused.exit_code == 2
    assert "'z'" in refused.stderr
