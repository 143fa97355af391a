"""A mistake of ours is not the user's: traceback and code 1, not bad input."""

import subprocess
import sys

import pytest

from softcost.errors import InputError
from softcost.reductions import CostSensitiveOneVsOne, OneSidedRegression
from softcost.svm import KernelSVC, OneSidedSVR
from softcost.workflow.fit_options import check_params


def raising(error):
    def function(*args, **options):
        raise error

    return function


def is_fault(result, error):
    """Python prints the traceback of an exception that leaves the program."""
    assert result.exit_code == 1
    assert result.exception is error
    assert any("bug in softcost" in note for note in error.__notes__)


@pytest.mark.parametrize("kind", [ValueError, TypeError, KeyError])
@pytest.mark.parametrize(
    "place",
    [
        "softcost.search.SoftCostClassifierCV.fit",
        "softcost.search.estimator.tradeoff_table",
        "softcost.workflow.training.compare_candidates",
        "softcost.workflow.assessment.measure",
        "softcost.workflow.training.write_explorer",
        "softcost.workflow.training.save",
    ],
)
def test_a_mistake_inside_fit(softcost, menu, tmp_path, monkeypatch, place, kind):
    error = kind("shapes (3,) and (4,) do not fit")
    monkeypatch.setattr(place, raising(error))
    model, page = tmp_path / "model", tmp_path / "page.html"
    words = (*menu.fit, "--test-size", "0.3", "--model", model, "--report", page)
    is_fault(softcost(*words), error)


def test_a_mistake_in_the_trial_is_no_bad_parameter(softcost, menu, monkeypatch):
    """A learner that fails with parameters of ours, too, is not the user's choice."""
    error = ValueError("cannot reshape array")
    monkeypatch.setattr(
        "softcost.search.estimator.held_out_predictions", raising(error)
    )
    is_fault(softcost(*menu.fit), error)


@pytest.mark.parametrize(
    ("command", "place"),
    [
        ("predict", "softcost.search.SoftCostClassifierCV.decision_function"),
        ("evaluate", "softcost.search.SoftCostClassifierCV.predict"),
        ("evaluate", "softcost.workflow.evaluation.measure"),
    ],
)
def test_a_mistake_in_using_a_model(
    softcost, menu, tmp_path, monkeypatch, command, place
):
    error = TypeError("unsupported operand")
    monkeypatch.setattr(place, raising(error))
    options = {
        "predict": ("-o", tmp_path / "out.csv"),
        "evaluate": ("--target", "class"),
    }
    is_fault(softcost(command, menu.model, menu.data, *options[command]), error)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("kind", [ValueError, TypeError])
def test_a_mistake_in_costs_and_reproduce(softcost, menu, tmp_path, monkeypatch, kind):
    error = kind("not ours to say")
    monkeypatch.setattr("softcost.costs.price_template.template_text", raising(error))
    words = ("costs", "template", menu.data, "--target", "class")
    is_fault(softcost(*words), error)
    monkeypatch.setattr("softcost.paper.reproduction.summarize", raising(error))
    words = ("reproduce", "inconsistent", "--datasets", "iris", "--algorithms", "OVA")
    store = ("--store", tmp_path / "store", "--runs", "1", "--quiet")
    is_fault(softcost(*words, *store), error)


def test_a_real_process_prints_the_traceback_and_a_sentence(menu):
    program = (
        "import sys\n"
        "import softcost.search.estimator as module\n"
        "from softcost.cli import main\n"
        "def broken(*args, **options):\n"
        "    raise ValueError('shapes do not fit')\n"
        "module.tradeoff_table = broken\n"
        f"main({[str(word) for word in menu.fit]!r}, prog_name='softcost')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert "Traceback (most recent call last)" in done.stderr
    assert "ValueError: shapes do not fit" in done.stderr
    assert done.stderr.rstrip().endswith("with all of these lines and the command.")


def test_a_full_disk_is_a_failed_job(softcost, menu, tmp_path, monkeypatch):
    full = OSError(28, "No space left on device")
    monkeypatch.setattr("softcost.workflow.training.save", raising(full))
    result = softcost(*menu.fit, "--model", tmp_path / "model")
    assert result.exit_code == 1
    assert (
        result.stderr == "softcost: cannot write the output: no space left on device.\n"
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--param", "kernel=precomputed"], "--param kernel=precomputed"),
        (["--param", "kernel=cubic"], "kernel"),
        (["--reduction", "csovo", "--param", "C=none"], "C"),
        (["--learner", "linear", "--param", "C=-1"], "C"),
        (["--learner", "linear", "--param", "alpha=1"], "alpha"),
        (["--learner", "nystroem", "--param", "kernel=cubic"], "kernel"),
        (["--reduction", "mec", "--param", "solver=best"], "solver"),
        (["--learner", "boosting", "--param", "num_leaves=0"], "num_leaves"),
        # refused in fit only, since the solver has no such penalty
        (["--reduction", "mec", "--param", "penalty=l1"], "penalt"),
    ],
)
def test_parameters_that_do_not_suit_the_learner(softcost, menu, options, words):
    fit = [word for word in menu.fit if word not in ("--param", "C=1,16")]
    result = softcost(*fit, *options)
    assert result.exit_code == 2, result.exception
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert "does not suit the learner" in result.stderr
    assert words in result.stderr


def test_parameters_that_suit_the_learner():
    check_params(OneSidedRegression(OneSidedSVR()), None, 3)
    check_params(OneSidedRegression(OneSidedSVR()), {"C": [1, 2.5]}, 2)
    check_params(CostSensitiveOneVsOne(KernelSVC()), {"kernel": ["rbf"]}, 5)
    with pytest.raises(InputError, match="depth"):
        check_params(OneSidedRegression(OneSidedSVR()), {"depth": [3]}, 3)


def test_test_rows_are_checked_before_training(softcost, menu, tmp_path, monkeypatch):
    rows = menu.rows(10, seed=1)
    rows.loc[3, "class"] = "soup"
    rows.to_csv(tmp_path / "test.csv", index=False)
    never = raising(AssertionError("trained"))
    monkeypatch.setattr("softcost.workflow.training.fit_model", never)
    result = softcost(*menu.fit, "--test", tmp_path / "test.csv")
    assert result.exit_code == 2
    assert "'soup'" in result.stderr
