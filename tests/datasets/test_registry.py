"""The registry holds together, and tells columns apart."""

import numpy as np
import pandas as pd
import pytest

import softcost.datasets
from softcost.datasets import info, list_datasets
from softcost.datasets.loading import class_rank, summarise
from softcost.datasets.registry import NominalColumn, NumberColumn

MEASURED = [name for name in list_datasets() if not info(name).generated]


@pytest.mark.parametrize("name", list_datasets())
def test_facts_agree_with_each_other(name):
    entry = info(name)
    assert sum(entry.class_counts.values()) == entry.rows
    assert list(entry.classes) == sorted(entry.classes)
    assert entry.provenance
    assert entry.licence
    if not entry.generated:
        features = [column.feature_names(key) for key, column in entry.columns.items()]
        assert sum(map(len, features)) == entry.features


@pytest.mark.parametrize("name", MEASURED)
def test_nominal_counts_add_up(name):
    entry = info(name)
    for key, column in entry.columns.items():
        assert isinstance(column, NominalColumn) == (key in entry.nominal)
        if isinstance(column, NominalColumn):
            assert sum(column.counts.values()) == entry.rows


def test_summary_by_hand():
    labels = pd.Series(["setosa", "versicolor", "virginica", "virginica"])
    rank = class_rank(labels, info("iris"))
    np.testing.assert_allclose(rank, [1 / 3, 2 / 3, 1, 1])
    summary, scale = summarise([3.0, np.nan, -2.0, 4.0], rank)
    assert summary == NumberColumn(mean=5 / 4, class_moment=(1 - 2 + 4) / 4, missing=1)
    assert scale == pytest.approx(9 / 4)


def test_every_public_name_is_there():
    for name in softcost.datasets.__all__:
        assert name in dir(softcost.datasets)
        assert getattr(softcost.datasets, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'lode'"):
        _ = softcost.datasets.lode
