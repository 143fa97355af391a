"""Every set, as loaded, against a statement of it that the registry did not make."""

import gzip
import re

import numpy as np
import pandas as pd
import pytest

from softcost.costs import KDD99_COSTS, SERS_COSTS
from softcost.datasets import info, list_datasets, load

MEASURED = [name for name in list_datasets() if not info(name).generated]

# Rows, features and classes of the sets, as published with the benchmark.
PUBLISHED = {
    "iris": (150, 4, 3),
    "wine": (178, 13, 3),
    "glass": (214, 9, 6),
    "vehicle": (846, 18, 4),
    "vowel": (990, 10, 11),
    "segment": (2310, 19, 7),
    "dna": (3186, 180, 3),
    "satimage": (6435, 36, 6),
    "usps": (9298, 256, 10),
    "zoo": (101, 16, 7),
    "yeast": (1484, 8, 10),
    "pageblock": (5473, 10, 5),
    "anneal": (898, 84, 5),
    "solar": (1389, 44, 6),
    "splice": (3190, 287, 3),
    "ecoli": (336, 7, 8),
    "nursery": (12960, 27, 5),
    "soybean": (683, 133, 19),
    "arrhythmia": (452, 279, 13),
    "optdigits": (5620, 64, 10),
    "mfeat": (2000, 649, 10),
    "pendigit": (10992, 16, 10),
    "kdd99": (494021, 118, 5),
}


@pytest.fixture(scope="session")
def loaded(data_dir):
    """Load each set once."""
    bunches = {}

    def get(name):
        if name not in bunches:
            bunches[name] = load(name, data_home=data_dir)
        return bunches[name]

    return get


@pytest.fixture(scope="session")
def readme(data_dir):
    """The table that came with the files: cells by name."""
    path = data_dir / "README.md"
    if not path.is_file():
        pytest.skip(f"{path} did not come with the data files")
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0]: row for row in rows if row[0] in PUBLISHED and len(row) == 8}


def test_the_measured_sets_are_the_published_ones():
    assert set(MEASURED) == set(PUBLISHED)
    assert set(list_datasets()) - set(MEASURED) == {"artificial", "sers"}


@pytest.mark.parametrize("name", MEASURED)
def test_shape_is_the_published_one(loaded, name):
    bunch = loaded(name)
    rows, features, classes = PUBLISHED[name]
    assert bunch.data.shape == (rows, features)
    assert bunch.target.shape == (rows,)
    assert len(bunch.target_names) == classes == len(np.unique(bunch.target))
    assert len(bunch.feature_names) == features == len(set(bunch.feature_names))


@pytest.mark.parametrize("name", MEASURED)
def test_rows_and_distribution_are_those_the_files_came_with(loaded, readme, name):
    cells = readme[name]
    counts = {
        label: int(count)
        for label, count in re.findall(r"(\S[^,]*?) (\d+)(?:,|$)", cells[5])
    }
    found = dict(zip(*np.unique(loaded(name).target, return_counts=True), strict=True))
    assert found == counts
    assert loaded(name).data.shape[0] == int(cells[1])
    one_hot = [int(number) for number in re.findall(r"\d+", cells[3])]
    assert loaded(name).data.shape[1] in one_hot


@pytest.mark.parametrize("name", MEASURED)
def test_numbers_and_words_are_what_estimators_take(loaded, name):
    bunch = loaded(name)
    assert bunch.data.dtype == (np.float32 if name == "kdd99" else np.float64)
    assert bunch.target.dtype.kind == "U"
    assert np.isfinite(bunch.data).all()
    assert list(bunch.target_names) == sorted(bunch.target_names)
    for word in ("Provenance", "Licence", bunch.source):
        assert word in bunch.DESCR


@pytest.mark.parametrize("name", [name for name in MEASURED if name != "kdd99"])
def test_the_cells_are_the_cells_of_the_file(loaded, data_dir, name):
    """Decode the features and compare with the file, read as text."""
    bunch = loaded(name)
    text = pd.read_csv(
        data_dir / f"{name}.csv.gz", dtype=str, keep_default_na=False
    ).astype(object)
    assert list(bunch.target) == list(text["label"])
    features = pd.DataFrame(bunch.data, columns=bunch.feature_names)
    every = max(1, len(text.columns) // 60)  # of many columns, some
    for column in text.columns[:-1:every]:
        if column in features:
            cells = text[column].replace({"true": "1", "false": "0"})
            numbers = pd.to_numeric(cells.where(cells != "", np.nan)).astype(float)
            expected = numbers.fillna(numbers.median())
            np.testing.assert_array_equal(features[column], expected)
        else:
            block = features[[f for f in features if f.startswith(f"{column}=")]]
            assert (block.sum(axis=1) == 1).all()
            names = block.columns[block.to_numpy().argmax(axis=1)]
            cells = [name.removeprefix(f"{column}=") for name in names]
            expected = text[column].replace({"": "(missing)"})
            assert cells == list(expected)


def test_kdd99_blocks_and_the_spread_of_its_numbers(loaded, data_dir):
    bunch = loaded("kdd99")
    names = np.array(bunch.feature_names)
    for column, values in {"protocol_type": 3, "service": 66, "flag": 11}.items():
        block = bunch.data[:, np.char.startswith(names, f"{column}=")]
        assert block.shape[1] == values
        assert (block.sum(axis=1) == 1).all()
    with gzip.open(data_dir / "kdd99.csv.gz", "rt") as file:
        header = next(file).split(",")
        first = next(file).rstrip("\n").split(",")
    row = dict(zip(bunch.feature_names, bunch.data[0], strict=True))
    assert row[f"service={first[header.index('service')]}"] == 1
    assert row["src_bytes"] == float(first[header.index("src_bytes")])


def test_declared_but_unseen_value_of_solar_has_an_empty_feature(loaded):
    bunch = loaded("solar")
    column = bunch.feature_names.index("C-class_flares_production_by_this_region=7")
    assert not bunch.data[:, column].any()


def test_arrhythmia_has_medians_where_cells_are_empty(loaded):
    entry = info("arrhythmia")
    empty = sum(getattr(column, "missing", 0) for column in entry.columns.values())
    assert empty == 408
    assert not np.isnan(loaded("arrhythmia").data).any()


def test_sets_with_a_price_list(loaded):
    kdd = loaded("kdd99")
    pd.testing.assert_frame_equal(kdd.cost_matrix, KDD99_COSTS)
    assert set(kdd.cost_matrix.index) == set(kdd.target_names)
    assert kdd.cost_matrix.loc["r2l", "normal"] == 4
    sers = load("sers")
    pd.testing.assert_frame_equal(sers.cost_matrix, SERS_COSTS)
    assert set(sers.cost_matrix.index) == set(sers.target_names)
    assert loaded("vehicle").cost_matrix is None


def test_changing_the_price_list_changes_no_later_one():
    costs = load("artificial").cost_matrix
    costs.loc["2", "1"] = 0
    assert load("artificial").cost_matrix.loc["2", "1"] == 30


def test_return_X_y(data_dir):
    X, y = load("wine", data_home=data_dir, return_X_y=True)
    bunch = load("wine", data_home=data_dir)
    np.testing.assert_array_equal(X, bunch.data)
    np.testing.assert_array_equal(y, bunch.target)


@pytest.mark.parametrize(
    ("name", "hint"), [("irish", "did you mean 'iris'"), ("?", "iris, wine, glass")]
)
def test_unknown_name(name, hint):
    with pytest.raises(ValueError, match=r"name=.* is not a data set") as error:
        load(name)
    assert hint in str(error.value)
