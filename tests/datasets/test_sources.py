"""Where a set is looked for, in which order, and what is said where it is not."""

import shutil
from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets

from softcost.datasets import info, load, locate


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch, tmp_path):
    monkeypatch.delenv("SOFTCOST_DATA", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "scikit_learn"))


@pytest.fixture
def offline(monkeypatch):
    """No network, and a record of what was asked for."""
    asked = []

    def fetch(**options):
        asked.append(options)
        raise URLError("no network")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    monkeypatch.setattr(sklearn.datasets, "fetch_kddcup99", fetch)
    return asked


def raw_table(data_dir, name):
    table = pd.read_csv(
        data_dir / f"{name}.csv.gz", dtype=str, keep_default_na=False
    ).astype(object)
    return table.drop(columns="label"), table["label"]


def serve(monkeypatch, answers):
    """Let scikit-learn's fetch_openml answer with these (frame, target) by id."""

    def fetch(*, data_id, as_frame, **_):
        assert as_frame is True
        frame, target = answers[data_id]
        return SimpleNamespace(data=frame, target=target)

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)


def as_openml(frame, nominal=()):
    """Types as OpenML's: words categorical, empty cells missing, numbers numbers."""
    columns = {}
    for name in frame:
        cells = frame[name].where(frame[name] != "", np.nan)
        words = name in nominal
        columns[name] = cells.astype("category") if words else pd.to_numeric(cells)
    return pd.DataFrame(columns)


# Order of the look-up.


def test_data_home_then_environment_then_bundled(data_dir, tmp_path, monkeypatch):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        shutil.copy(data_dir / "iris.csv.gz", folder)
    monkeypatch.setenv("SOFTCOST_DATA", str(second))
    assert load("iris", data_home=first).source == str(first / "iris.csv.gz")
    (first / "iris.csv.gz").unlink()
    assert load("iris", data_home=first).source == str(second / "iris.csv.gz")
    (second / "iris.csv.gz").unlink()
    assert "scikit-learn" in load("iris", data_home=first).source


def test_plain_csv_is_taken_too(data_dir, tmp_path):
    frame, target = raw_table(data_dir, "zoo")
    frame.assign(label=target).to_csv(tmp_path / "zoo.csv", index=False)
    assert load("zoo", data_home=tmp_path).source == str(tmp_path / "zoo.csv")


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_bundled_sets_equal_the_files(data_dir, name):
    file, bundled = load(name, data_home=data_dir), load(name)
    assert "scikit-learn" in bundled.source
    np.testing.assert_array_equal(file.data, bundled.data)
    np.testing.assert_array_equal(file.target, bundled.target)
    assert file.feature_names == bundled.feature_names


def test_a_refused_file_is_not_passed_over(data_dir, tmp_path, monkeypatch):
    monkeypatch.setenv("SOFTCOST_DATA", str(data_dir))
    (tmp_path / "iris.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="not the registered data set"):
        load("iris", data_home=tmp_path)


def test_files_win_over_openml(data_dir, offline):
    load("glass", data_home=data_dir)
    assert offline == []


# Nothing there.


@pytest.mark.parametrize("name", ["glass", "mfeat", "kdd99"])
def test_offline_is_one_sentence(offline, tmp_path, name):
    with pytest.raises(FileNotFoundError) as error:
        load(name, data_home=tmp_path)
    message = str(error.value)
    assert f"{name}.csv.gz" in message
    assert "SOFTCOST_DATA" in message
    assert str(tmp_path) in message
    assert "\n" not in message
    assert error.value.__suppress_context__
    assert len(offline) == 1
    assert offline[0]["data_home"] == str(tmp_path)


@pytest.mark.parametrize("name", ["glass", "kdd99"])
def test_scikit_learn_s_own_fetchers_offline(monkeypatch, tmp_path, recwarn, name):
    """No warning about retries, no chain of network errors."""

    def unreachable(*args, **options):
        raise URLError("no network")

    monkeypatch.setattr("sklearn.datasets._openml.urlopen", unreachable)
    monkeypatch.setattr("sklearn.datasets._base.urlretrieve", unreachable)
    with pytest.raises(FileNotFoundError, match="could not be downloaded"):
        load(name, data_home=tmp_path)
    assert not recwarn.list


def test_solar_is_not_on_openml_and_nobody_asks(offline):
    with pytest.raises(FileNotFoundError, match="no complete copy on OpenML"):
        load("solar")
    assert offline == []


def test_directories_that_are_not_there_are_named(monkeypatch, tmp_path):
    monkeypatch.setenv("SOFTCOST_DATA", str(tmp_path / "gone"))
    source = locate("solar", tmp_path)
    assert source.kind == "missing"
    assert f"{tmp_path} or {tmp_path / 'gone'} (no such directory)" in source.text


def test_locate_opens_nothing(tmp_path):
    (tmp_path / "kdd99.csv.gz").write_bytes(b"not even an archive")
    source = locate("kdd99", tmp_path)
    assert source.kind == "file"
    assert source.path == tmp_path / "kdd99.csv.gz"


# OpenML's copies, in OpenML's form.


def assert_same(data_dir, name):
    file, fetched = load(name, data_home=data_dir), load(name)
    assert fetched.source.startswith("OpenML")
    np.testing.assert_array_equal(file.data, fetched.data)
    np.testing.assert_array_equal(file.target, fetched.target)
    assert file.feature_names == fetched.feature_names


def test_openml_vowel_loses_what_is_not_acoustic(data_dir, monkeypatch):
    frame, target = raw_table(data_dir, "vowel")
    frame = as_openml(frame).rename(columns=lambda name: name.replace(" ", "_"))
    frame.insert(0, "Sex", "Male")
    frame.insert(0, "Speaker_Number", "Andrew")
    serve(monkeypatch, {307: (frame, target.astype("category"))})
    assert_same(data_dir, "vowel")


def test_openml_anneal_with_escaped_names_and_missing_words(data_dir, monkeypatch):
    frame, target = raw_table(data_dir, "anneal")
    frame = as_openml(frame, info("anneal").nominal)
    frame = frame.rename(columns=lambda name: name.replace("/", "%2F"))
    frame = frame[frame.columns[::-1]]
    serve(monkeypatch, {2: (frame, target.astype("category"))})
    assert_same(data_dir, "anneal")


def test_openml_zoo_with_the_animal_and_capital_truths(data_dir, monkeypatch):
    frame, target = raw_table(data_dir, "zoo")
    for name in info("zoo").nominal:
        frame[name] = frame[name].str.upper().astype("category")
    frame.insert(0, "animal", [f"animal {i}" for i in range(len(frame))])
    frame["legs"] = pd.to_numeric(frame["legs"])
    serve(monkeypatch, {62: (frame, target)})
    assert_same(data_dir, "zoo")


def test_openml_columns_in_another_order_are_matched_by_name(data_dir, monkeypatch):
    frame, target = raw_table(data_dir, "glass")
    frame = as_openml(frame)[frame.columns[::-1]]
    serve(monkeypatch, {41: (frame, target)})
    assert_same(data_dir, "glass")


def test_openml_dna_has_other_names_and_codes(data_dir, monkeypatch):
    frame, target = raw_table(data_dir, "dna")
    frame = frame.astype("category")
    frame.columns = [f"A{i}" for i in range(frame.shape[1])]
    codes = target.map({"ei": "1", "ie": "2", "n": "3"}).astype("category")
    serve(monkeypatch, {40670: (frame, codes)})
    assert_same(data_dir, "dna")


def test_openml_usps_counts_digits_from_one(data_dir, monkeypatch):
    frame, target = raw_table(data_dir, "usps")
    frame = as_openml(frame).rename(columns=lambda name: f"int_{name}")
    codes = (target.astype(int) + 1).astype(float)
    serve(monkeypatch, {41082: (frame, codes)})
    assert_same(data_dir, "usps")


def test_openml_mfeat_is_six_sets(data_dir, monkeypatch):
    frame, target = raw_table(data_dir, "mfeat")
    frame = as_openml(frame)
    views = {"fac": 12, "fou": 14, "kar": 16, "mor": 18, "pix": 20, "zer": 22}
    codes = (target.astype(int) + 1).astype(str).astype("category")
    answers = {}
    for view, number in views.items():
        part = frame[[name for name in frame if name.startswith(view)]]
        part.columns = [f"att{i + 1}" for i in range(part.shape[1])]
        answers[number] = (part, codes)
    serve(monkeypatch, answers)
    assert_same(data_dir, "mfeat")


def test_openml_columns_of_the_wrong_order_without_names_are_refused(
    data_dir, monkeypatch
):
    frame, target = raw_table(data_dir, "glass")
    frame = as_openml(frame)[frame.columns[::-1]]
    frame.columns = [f"att{i}" for i in range(frame.shape[1])]
    serve(monkeypatch, {41: (frame, target)})
    with pytest.raises(ValueError, match="column 'RI' has other values"):
        load("glass")


def test_openml_satimage_is_five_rows_short(data_dir, monkeypatch):
    frame, target = raw_table(data_dir, "satimage")
    serve(monkeypatch, {182: (as_openml(frame)[:-5], target[:-5].astype(float))})
    with pytest.raises(ValueError, match="6430 rows instead of 6435"):
        load("satimage")
    assert "five rows fewer" in locate("satimage").text


def test_openml_with_a_column_too_few_is_refused(data_dir, monkeypatch):
    frame, target = raw_table(data_dir, "glass")
    serve(monkeypatch, {41: (as_openml(frame).drop(columns="Mg"), target)})
    with pytest.raises(ValueError, match="column 'Mg' is missing"):
        load("glass")


def test_kddcup99_attacks_are_grouped(monkeypatch):
    """Bytes and attack names, as scikit-learn has them, come out in our words."""
    from softcost.datasets.loading import openml_table

    attacks = {b"smurf.": "dos", b"satan.": "probe", b"rootkit.": "u2r"}
    attacks |= {b"phf.": "r2l", b"normal.": "normal"}
    entry = info("kdd99")
    frame = pd.DataFrame({name: [0] * 5 for name in entry.columns}, dtype=object)
    frame["protocol_type"] = [b"tcp", b"udp", b"tcp", b"icmp", b"tcp"]
    frame["service"] = [b"http"] * 5
    frame["flag"] = [b"SF"] * 5

    def fetch(*, percent10, as_frame, **_):
        assert percent10
        assert as_frame
        return SimpleNamespace(data=frame, target=pd.Series(list(attacks)))

    monkeypatch.setattr(sklearn.datasets, "fetch_kddcup99", fetch)
    table = openml_table(entry)
    assert list(table["label"]) == list(attacks.values())
    assert list(table["protocol_type"]) == ["tcp", "udp", "tcp", "icmp", "tcp"]
    assert list(table.columns) == [*entry.columns, "label"]
    with pytest.raises(ValueError, match="5 rows instead of 494021"):
        load("kdd99")
