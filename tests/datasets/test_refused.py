"""Files that are not the registered data set, each refused by its difference."""

import gzip
import io

import pandas as pd
import pytest

from softcost.datasets import load


def text_of(data_dir, name):
    return gzip.decompress((data_dir / f"{name}.csv.gz").read_bytes()).decode()


def table_of(data_dir, name):
    return pd.read_csv(
        io.StringIO(text_of(data_dir, name)), dtype=str, keep_default_na=False
    )


@pytest.fixture
def refuse(tmp_path, monkeypatch):
    """Load a made-up file and return the sentence with which it is refused."""
    monkeypatch.delenv("SOFTCOST_DATA", raising=False)

    def run(name, content):
        path = tmp_path / f"{name}.csv"
        if isinstance(content, pd.DataFrame):
            content = content.to_csv(index=False)
        if isinstance(content, bytes):
            path = tmp_path / f"{name}.csv.gz"
            path.write_bytes(content)
        else:
            path.write_text(content, encoding="utf-8")
        with pytest.raises(ValueError, match="not the registered data set") as error:
            load(name, data_home=tmp_path)
        message = str(error.value)
        assert str(path) in message
        assert "\n" not in message
        return message

    return run


@pytest.mark.parametrize("name", ["vehicle", "anneal"])
def test_truncated(refuse, data_dir, name):
    lines = text_of(data_dir, name).splitlines()
    message = refuse(name, "\n".join(lines[:-1]))
    assert f"{len(lines) - 2} rows instead of {len(lines) - 1}" in message
    label = lines[-1].split(",")[-1]
    assert f"class {label!r} has" in message


def test_truncated_within_the_last_line(refuse, data_dir):
    text = text_of(data_dir, "vehicle").rstrip()
    assert "label '(missing)' (1 time)" in refuse("vehicle", text[: text.rindex(",")])


def test_truncated_archive(refuse, data_dir):
    packed = (data_dir / "glass.csv.gz").read_bytes()
    assert "cut off" in refuse("glass", packed[: len(packed) // 2])


def test_damaged_archive(refuse):
    assert "damaged" in refuse("glass", b"no archive at all")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "not a CSV table"),
        ("RI,Na\n1,2\n", "column 'Mg' is missing"),
        ('RI,"Na\n', "not a CSV table"),
    ],
)
def test_something_else(refuse, content, words):
    assert words in refuse("glass", content)


def test_header_and_values_swapped(refuse, data_dir):
    table = table_of(data_dir, "vehicle")
    names = list(table.columns)
    names[2], names[5] = names[5], names[2]
    message = refuse("vehicle", table[names])
    assert f"column 3 is {names[2]!r} instead of {names[5]!r}" in message


def test_label_not_last(refuse, data_dir):
    table = table_of(data_dir, "iris")
    assert "column 1 is 'label'" in refuse("iris", table[table.columns[::-1]])


@pytest.mark.parametrize(
    ("name", "pair"),
    [
        ("iris", ("sepal_length", "petal_width")),
        ("dna", ("V7", "V8")),
        ("zoo", ("hair", "eggs")),
        ("splice", ("attribute_3", "attribute_4")),
        ("soybean", ("precip", "temp")),
    ],
)
def test_values_swapped_under_the_same_header(refuse, data_dir, name, pair):
    table = table_of(data_dir, name)
    first, second = pair
    table[first], table[second] = table[second].copy(), table[first].copy()
    message = refuse(name, table)
    assert repr(first) in message


def test_label_typo(refuse, data_dir):
    table = table_of(data_dir, "vehicle")
    table.loc[table.index[table["label"] == "opel"][0], "label"] = "opal"
    message = refuse("vehicle", table)
    assert "label 'opal' (1 time) is not one of its 4 classes" in message


def test_label_of_another_class(refuse, data_dir):
    table = table_of(data_dir, "vehicle")
    table.loc[table.index[table["label"] == "opel"][0], "label"] = "saab"
    message = refuse("vehicle", table)
    assert "class 'opel' has 211 rows instead of 212" in message
    assert "class 'saab' has 218 rows instead of 217" in message


def test_labels_in_other_rows(refuse, data_dir):
    table = table_of(data_dir, "iris")
    table["label"] = table["label"].to_numpy()[::-1]
    assert "in rows of other classes" in refuse("iris", table)


def test_value_typo_in_a_nominal_column(refuse, data_dir):
    table = table_of(data_dir, "nursery")
    table.loc[7, "finance"] = "inconvenient"
    message = refuse("nursery", table)
    assert "column 'finance' has the value 'inconvenient' (1 time)" in message


def test_text_in_a_column_of_numbers(refuse, data_dir):
    table = table_of(data_dir, "glass")
    table.loc[3, "Na"] = "plenty"
    message = refuse("glass", table)
    assert "holds text" in message
    assert "plenty" in message


def test_empty_cell_in_a_column_of_numbers(refuse, data_dir):
    table = table_of(data_dir, "glass")
    table.loc[3, "Na"] = ""
    assert "column 'Na' has 1 empty cells instead of 0" in refuse("glass", table)


def test_one_other_number(refuse, data_dir):
    table = table_of(data_dir, "wine")
    table.loc[3, "proline"] = str(float(table.loc[3, "proline"]) + 1)
    assert "column 'proline' has other values" in refuse("wine", table)


def test_many_differences_are_counted_not_listed(refuse, data_dir):
    table = table_of(data_dir, "vehicle")
    message = refuse("vehicle", table.drop(columns=table.columns[:9]))
    assert message.count("is missing") == 3
    assert "6 more differences" in message
