"""Wrong command lines and broken files: one sentence, a code, and nothing written."""

import gzip
import json

import pytest

TWO = '{"a": {"b": 1}, "b": {"a": 2}}'
ROWS = "x,y,t\n" + "".join(f"{i},{i % 7},{'ab'[i % 2]}\n" for i in range(24))


@pytest.fixture(scope="module")
def broken(tmp_path_factory, menu):
    """A folder of files, most of them wrong."""
    folder = tmp_path_factory.mktemp("broken")
    packed = gzip.compress(ROWS.encode() * 50)
    model = menu.model.read_bytes()
    texts = {
        "rows.csv": ROWS,
        "prices.json": TWO,
        "empty.csv": "",
        "blank.csv": "\n\n\n",
        "header.csv": "x,y,t\n",
        "twice.csv": "x,x,t\n1,2,a\n",
        "long.csv": "x,t\n1,a\n1,2,b\n",
        "longer.csv": "x,t\n1,a,3\n1,b,4\n",
        "quote.csv": 'x,t\n1,"a\n2,b\n',
        "one.csv": "x,t\n1,a\n2,a\n",
        "alone.csv": "t\na\nb\na\nb\n",
        "holes.csv": "x,t\n1,a\n2,\n3,b\n",
        "many.csv": "x,t\n" + "".join(f"{i},{i}\n" for i in range(200)),
        "strange.csv": "x,y,t\n1,2,a\n1,2,c\n",
        "words.csv": ROWS.replace("\n9,", "\nnine,"),
        "infinite.csv": ROWS.replace("\n9,", "\ninf,"),
        "name.txt": ROWS,
        "bad.libsvm": "1 1:2 x:3\n",
        "list.json": "[1, 2]",
        "broken.json": '{"a": ',
        "nan.json": '{"a": {"b": NaN}, "b": {"a": 1}}',
        "double.json": '{"a": {"b": 1}, "a": {"b": 2}, "b": {"a": 1}}',
        "text.json": '{"a": {"b": "much"}, "b": {"a": 1}}',
        "true.json": '{"a": {"b": true}, "b": {"a": 1}}',
        "hole.json": '{"a": {}, "b": {"a": 1}}',
        "gap.json": '{"a": {"c": 1}, "b": {"a": 1, "c": 1}, "c": {"a": 1, "b": 1}}',
        "negative.json": '{"a": {"b": -1}, "b": {"a": 1}}',
        "diagonal.json": '{"a": {"a": 5, "b": 1}, "b": {"a": 1}}',
        "flat.json": '{"a": 1, "b": 2}',
        "free.json": '{"a": {"b": 0}, "b": {"a": 0}}',
        "single.json": '{"a": {"a": 0}}',
        "third.json": '{"a": {"b": 1, "c": 1}, "b": {"a": 2}}',
        "other.json": '{"u": {"v": 1}, "v": {"u": 2}}',
        "ragged.csv": ",a,b\na,0,1\nb,2\n",
        "again.csv": ",a,b\na,0,1\na,2,0\n",
        "columns.csv": ",a,a\na,0,1\nb,2,0\n",
        "rowless.csv": ",a,b\n",
        "square.json": '{"classes": ["a", "b"], "matrix": [[0, 1]]}',
        "bad.toml": "[a\nb = 1\n",
        "bad.yaml": "a: [1\nb: }\n",
        "prices.txt": TWO,
        "table.softcost": ROWS,
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    contents = {
        "latin.csv": "x,t\n1,ä\n2,b\n".encode("latin-1"),
        "latin.json": '{"ä": {"b": 1}, "b": {}}'.encode("latin-1"),
        "binary.csv": bytes(range(256)),
        "old.xls": b"",
        "cut.csv.gz": packed[: len(packed) // 2],
        "plain.csv.gz": ROWS.encode(),
        "bad.parquet": b"PAR1 and nothing else",
        "cut.softcost": model[: len(model) // 2],
        "tampered.softcost": model[:900] + bytes([model[900] ^ 1]) + model[901:],
        "good.softcost": model,
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    (folder / "menu.csv").write_bytes(menu.data.read_bytes())
    return folder


FIT = "fit rows.csv --target t --costs prices.json --softness 2 --param C=1 --cv 2"
WITH = "--target t --costs prices.json --softness 2 --param C=1 --cv 2 --model OUT"

WRONG = [
    # fit: the command line
    ("fit", "Missing argument 'DATA'"),
    ("fit rows.csv", "--target"),
    ("fit rows.csv --target t", "costs template"),
    ("fit rows.csv --target t --costs prices.json --cost-columns c_", "only one"),
    ("fit rows.csv --target q --costs prices.json", "'q' is not a column"),
    ("fit rows.csv --target T --costs prices.json", "did you mean 't'?"),
    ("fit nothing.csv --target t --costs prices.json", "there is no file nothing.csv"),
    ("fit . --target t --costs prices.json", "."),
    ("fit rows.csv --target t --costs nothing.json", "there is no file nothing.json"),
    ("fit rows.csv --target t --cost-columns c_", "--cost-columns 'c_'"),
    (f"{FIT} --softness 2.5", "neither a number"),
    (f"{FIT} --softness 0,x", "neither a number"),
    (f"{FIT} --softness -1", "neither a number"),
    (f"{FIT} --softness ,", "neither a number"),
    (f"{FIT} --max-error 5", "5"),
    (f"{FIT} --max-error 0.1 --tolerance 0.1", "not both"),
    (f"{FIT} --max-error 0.1 --criterion max", "contradict"),
    (f"{FIT} --criterion constrained", "needs --max-error"),
    (f"{FIT} --confidence 0.9", "goes with a limit to test"),
    (f"{FIT} --holdout 0.2", "goes with a limit to test"),
    (f"{FIT} --max-error 0.1 --holdout 0.2", "give --confidence"),
    (f"{FIT} --max-error 0.1 --confidence 95", "95 is not between 0 and 1"),
    (f"{FIT} --max-error 0.1 --confidence 0.9 --holdout 1", "1"),
    (f"{FIT} --min-recall 0.9", "not of the form CLASS=RATE"),
    (f"{FIT} --min-recall ham=much", "not of the form CLASS=RATE"),
    (f"{FIT} --min-recall ham=90", "a rate from 0 to 1"),
    (f"{FIT} --min-recall spam=0.9", "is not a class"),
    (f"{FIT} --min-recall ham=0.9 --tolerance 0.1", "not both"),
    (f"{FIT} --min-recall ham=0.9 --criterion max", "contradict"),
    (f"{FIT} --criterion tolerance", "needs --tolerance"),
    (f"{FIT} --criterion cheap", "cheap"),
    (f"{FIT} --tolerance -1", "neither a fraction"),
    (f"{FIT} --tolerance much", "neither a fraction"),
    (f"{FIT} --test-size 1.5", "between 0 and 1"),
    (f"{FIT} --test-size 0.2 --test rows.csv", "not both"),
    (f"{FIT} --test nothing.csv", "there is no file"),
    (f"{FIT} --test strange.csv", "'c'"),
    (f"{FIT} --cv 1", "--cv"),
    (f"{FIT} --cv 20", "--cv 20 asks for more folds"),
    (f"{FIT} --jobs 0", "--jobs"),
    (f"{FIT} --seed -1", "--seed"),
    (f"{FIT} --param C", "NAME=VALUE"),
    (f"{FIT} --param depth=3", "depth"),
    (f"{FIT} --param C=-1", "C"),
    (f"{FIT} --reduction best", "best"),
    (f"{FIT} --learner deep", "deep"),
    (f"{FIT} --reduction mec --learner svm", "needs probabilities"),
    (f"{FIT} --drop q", "--drop 'q'"),
    (f"{FIT} --nominal q", "--nominal 'q'"),
    (f"{FIT} --drop x --drop y", "no column to learn from"),
    (f"{FIT} --model no/where/model", "there is no directory"),
    (f"{FIT} --report no/where.html", "there is no directory"),
    (f"{FIT} --model .", "is a directory"),
    # fit: tables
    (f"fit empty.csv {WITH}", "is empty"),
    (f"fit blank.csv {WITH}", "is empty"),
    (f"fit header.csv {WITH}", "has no rows"),
    (f"fit twice.csv {WITH.replace('-target t', '-target x')}", "more than one column"),
    (f"fit long.csv {WITH}", "more cells than the header: line 3"),
    (f"fit longer.csv {WITH}", "more cells than the header"),
    (f"fit quote.csv {WITH}", "not a CSV table"),
    (f"fit one.csv {WITH}", "one class only"),
    (f"fit alone.csv {WITH}", "no column to learn from"),
    (f"fit holes.csv {WITH}", "empty in 1 row of"),
    (f"fit strange.csv {WITH}", "'c'"),
    (f"fit infinite.csv {WITH}", "finite number"),
    (f"fit latin.csv {WITH}", "classes without a price, 'ä'"),
    (f"fit binary.csv {WITH}", "UTF-8"),
    (f"fit old.xls {WITH}", "save it as .xlsx"),
    (f"{FIT} --number x --nominal x", "--number 'x' is also given to --nominal"),
    (f"{FIT} --date q", "--date 'q'"),
    (f"{FIT} --date x=dmy", "needs a date"),
    (f"{FIT} --missing a --decimal x", "--decimal"),
    (f"fit words.csv {WITH} --number x", "'nine' in row 10"),
    (f"fit cut.csv.gz {WITH}", "cut off or damaged"),
    (f"fit plain.csv.gz {WITH}", "cut off or damaged"),
    (f"fit bad.parquet {WITH}", "not a Parquet file"),
    (f"fit bad.libsvm {WITH}", "not a LIBSVM file"),
    (f"fit name.txt {WITH}", "no ending"),
    # predict
    ("predict", "Missing argument"),
    ("predict nothing.softcost rows.csv -o OUT.csv", "there is no file"),
    ("predict table.softcost rows.csv -o OUT.csv", "not a softcost model"),
    ("predict cut.softcost rows.csv -o OUT.csv", "not a softcost model"),
    ("predict tampered.softcost rows.csv -o OUT.csv", "damaged"),
    ("predict - rows.csv -o OUT.csv", "MODEL must be a file"),
    ("predict good.softcost rows.csv -o OUT.csv", "'Größe' is not a column"),
    ("predict good.softcost nothing.csv -o OUT.csv", "there is no file"),
    ("predict good.softcost empty.csv -o OUT.csv", "is empty"),
    ("predict good.softcost cut.csv.gz -o OUT.csv", "damaged"),
    ("predict good.softcost menu.csv -o OUT.txt", "no ending"),
    ("predict good.softcost menu.csv -o OUT.libsvm", "must be a CSV or Parquet"),
    ("predict good.softcost menu.csv -o no/OUT.csv", "there is no directory"),
    ("predict good.softcost menu.csv -o OUT.csv --keep q", "--keep 'q'"),
    ("predict good.softcost menu.csv --json", "-o"),
    ("predict good.softcost menu.csv -o OUT.csv --rows-at-once 0", "--rows-at-once"),
    # evaluate
    ("evaluate good.softcost menu.csv", "--target"),
    ("evaluate good.softcost menu.csv --target clas", "did you mean 'class'?"),
    ("evaluate good.softcost menu.csv --target kind", "empty in"),
    ("evaluate good.softcost menu.csv --target Größe", "Größe"),
    ("evaluate good.softcost header.csv --target t", "not a column"),
    ("evaluate cut.softcost menu.csv --target class", "not a softcost model"),
    ("evaluate good.softcost menu.csv --target class --costs other.json", "'u'"),
    ("evaluate good.softcost menu.csv --target class --cost-columns c", "give one"),
    (
        "evaluate good.softcost menu.csv --target t --costs a --cost-columns b",
        "only one",
    ),
    # compare
    ("compare good.softcost good.softcost", "Missing argument"),
    ("compare good.softcost nothing menu.csv --target class", "there is no file"),
    ("compare good.softcost good.softcost - --target class", "must be a file"),
    ("compare good.softcost cut.softcost menu.csv --target class", "not a softcost"),
    ("compare good.softcost good.softcost menu.csv --target clas", "did you mean"),
    # costs
    ("costs bogus", "bogus"),
    ("costs template rows.csv", "--target"),
    ("costs template rows.csv --target q", "not a column"),
    ("costs template one.csv --target t", "one class only"),
    ("costs template many.csv --target t", "too many for classes"),
    ("costs template rows.csv --target t -o OUT.json", ".csv"),
    ("costs template rows.csv --target t -o OUT.csv --json", "leave out -o"),
    ("costs check prices.json --data rows.csv", "belong together"),
    ("costs check prices.json --data nothing.csv --target t", "there is no file"),
    ("costs check prices.txt", "no ending"),
    ("costs check nothing.csv", "there is no file"),
    ("costs check .", "directory"),
    # demo
    ("demo extra", "extra"),
    ("demo --seed many", "--seed"),
    ("demo -o no/where.html", "there is no directory"),
]

PRICE_FILES = {
    "list.json": "not a price list",
    "broken.json": "not a JSON",
    "nan.json": "NaN is no price",
    "double.json": "named twice",
    "text.json": "'much'",
    "true.json": "write a number",
    "hole.json": "'b' as a true class only",
    "gap.json": "no price for predicting 'b' for a true 'a'",
    "negative.json": "cheaper than being right",
    "diagonal.json": "cheaper than being right",
    "flat.json": "no list of predicted classes",
    "third.json": "no price for predicting 'c' for a true 'b'",
    "ragged.csv": "one price per class",
    "again.csv": "more than one row 'a'",
    "columns.csv": "twice",
    "rowless.csv": "is empty",
    "empty.csv": "is empty",
    "square.json": "one row and one price",
    "bad.toml": "not a TOML",
    "latin.json": "'ä' as a true class only",
    "binary.csv": "UTF-8",
}


def refused(softcost, broken, line, words):
    """Run in the folder; one sentence, code 2, nothing changed."""
    before = {path.name: path.read_bytes() for path in broken.iterdir()}
    result = softcost(*line.split(" "))
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("softcost: "), result.stderr
    assert result.stderr.count("\n") == 1, result.stderr
    assert words in result.stderr
    assert "Traceback" not in result.stderr
    assert {path.name: path.read_bytes() for path in broken.iterdir()} == before


@pytest.mark.bad_input
@pytest.mark.parametrize(("line", "words"), WRONG, ids=[line for line, _ in WRONG])
def test_wrong_lines_and_files(softcost, broken, line, words, monkeypatch):
    monkeypatch.chdir(broken)
    refused(softcost, broken, line, words)


@pytest.mark.bad_input
@pytest.mark.parametrize("name", list(PRICE_FILES))
def test_wrong_price_lists(softcost, broken, name, monkeypatch):
    monkeypatch.chdir(broken)
    line = f"fit rows.csv --target t --costs {name} --model OUT --report OUT.html"
    refused(softcost, broken, line, PRICE_FILES[name])
    refused(softcost, broken, f"costs check {name}", PRICE_FILES[name])


def test_prices_at_which_nothing_can_be_learnt(softcost, broken, monkeypatch):
    monkeypatch.chdir(broken)
    for name, words in (
        ("free.json", "no mistake costs anything"),
        ("single.json", "one class only"),
        ("other.json", "'a', 'b'"),
    ):
        line = f"fit rows.csv --target t --costs {name} --model OUT"
        refused(softcost, broken, line, words)


def test_broken_yaml(softcost, broken, monkeypatch):
    pytest.importorskip("yaml")
    monkeypatch.chdir(broken)
    refused(softcost, broken, "costs check bad.yaml", "not a YAML price list")


def test_a_word_among_numbers_makes_a_column_of_words(softcost, broken, monkeypatch):
    """Not an error in fit: nobody has said yet that the column holds numbers."""
    monkeypatch.chdir(broken)
    words = f"fit words.csv {WITH.removesuffix(' --model OUT')} --json --quiet"
    found = json.loads(softcost(*words.split(" ")).stdout)
    assert found["left_out"] == ["x"]  # a different text in every row


def test_a_job_that_cannot_be_done_has_code_1(softcost, menu, monkeypatch):
    """Not enough memory is no fault of the command line."""

    def fail(*args, **options):
        raise MemoryError("X has too many rows.")

    monkeypatch.setattr("softcost.workflow.training.fit_model", fail)
    result = softcost(*menu.fit)
    assert result.exit_code == 1
    assert result.stderr == "softcost: X has too many rows.\n"


def test_ctrl_c_has_code_130_and_writes_nothing(softcost, menu, tmp_path, monkeypatch):
    def stop(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("softcost.workflow.training.fit_model", stop)
    result = softcost(*menu.fit, "--model", tmp_path / "model")
    assert result.exit_code == 130
    assert result.stderr.strip() == "softcost: interrupted."
    monkeypatch.setattr("softcost.search.SoftCostClassifierCV.decision_function", stop)
    out = tmp_path / "out.csv"
    assert softcost("predict", menu.model, menu.data, "-o", out).exit_code == 130
    assert not any(tmp_path.iterdir())
