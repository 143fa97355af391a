"""What is known to be wrong with the published numbers, or open in how they were made.

Facts for readers of a comparison, never for tuning.
"""

from dataclasses import dataclass

UNEXPLAINED = "unexplained"


@dataclass(frozen=True)
class Anomaly:
    """Why published numbers may differ; an empty field stands for all.

    Attributes
    ----------
    text : str
    target, metric : str
    datasets, algorithms : tuple of str
    misprint : bool, default=True
        Whether the published number is wrong, and not only made in another way.
    """

    text: str
    target: str = ""
    metric: str = ""
    datasets: tuple[str, ...] = ()
    algorithms: tuple[str, ...] = ()
    misprint: bool = True

    def covers(self, target: str, metric: str, dataset: str, algorithm: str) -> bool:
        """Whether this is about a cell."""
        return (
            self.target in ("", target)
            and self.metric in ("", metric)
            and (not self.datasets or dataset in self.datasets)
            and (not self.algorithms or algorithm in self.algorithms)
        )


# What is open about a target as a whole, for the head of its page.
NOTES: dict[str, tuple[str, ...]] = {
    "inconsistent": (
        "The paper prints one rule for its costs, uniform up to the ratio of class "
        "sizes. Its published rows of glass, dna and satimage can only come from costs "
        "drawn without class sizes ('plain'): dna and splice are the same sequences, "
        "yet an error of one-vs-all costs .58 on the one and .36 on the other. Iris, "
        "wine, vehicle, vowel and segment, which were published together with them, "
        "hardly tell the two apart. For these eight sets comparisons use "
        "plain costs; costs by class sizes ('class-ratio') are shown where they "
        "were run.",
    ),
    "consistent": (
        "How the paper draws consistent costs is open in three places. For the order "
        "of the classes and the range of the draw, the reading taken here is the one "
        "that comes nearest to the published cost per error: classes by falling size, "
        "range by the ratio of the larger class to the smaller. The third are class "
        "weights, which are drawn anew in every run here. What an error costs in the "
        "paper scatters more between data sets than that can give, and fits better "
        "if the paper drew its weights once for each set. These cannot be known, and "
        "hard algorithms depend on them.",
        "The published costs of FT equal those of the inconsistent table digit for "
        "digit on six sets, which other costs cannot give; they are not to be trusted.",
    ),
    "sers": (
        "SYNTHETIC data: the paper's 96 spectra of bacteria are not public. Only the "
        "matrix of prices is the paper's. The numbers show how the algorithms behave "
        "under such prices, and are not expected to be the published ones.",
    ),
    "emphasis": (
        "Which matrix the paper starts from, and which columns become expensive, is "
        "not said. Here all mistakes cost 1, but predicting one class wrongly costs u; "
        "the classes take turns, and costs are shown in units of u. No reading that "
        "was tried shows all that the paper tells: that soft classification has the "
        "lower error and the lower cost, that its cost does not change with u, and "
        "that the hard one never predicts the expensive class.",
    ),
    "unbalanced": (
        "The weighted error is the sum over the test part, and what the paper calls "
        "G-mean is the product of the recalls: only so do its numbers fit together. "
        "G-mean with its root is shown, too. The published costs of soft-OSR on zoo, "
        "yeast, anneal, solar and splice are those of OVA in the inconsistent table.",
    ),
    "alpha-selection": (
        "Softness and C are chosen by cross-validation: by cost (soft-OSR), or by the "
        "larger of error and normalised cost (soft-OSR-max).",
    ),
    "softness-curve": (
        "For every softness, C is chosen by cross-validated cost. The paper shows a "
        "figure and prints no numbers.",
    ),
}

# From the particular to the general: the first that covers a cell explains it.
ANOMALIES = (
    Anomaly(
        "the published number is that of the inconsistent table, digit for digit",
        "consistent",
        "cost",
        ("vehicle", "usps", "nursery", "arrhythmia", "optdigits", "mfeat"),
        ("FT",),
    ),
    Anomaly(
        "the published number is that of OVA in the inconsistent table",
        "unbalanced",
        "cost",
        ("zoo", "yeast", "anneal", "solar", "splice"),
        ("soft-OSR",),
    ),
    Anomaly(
        "another kernel, it seems: a Gaussian one errs as published",
        metric="error",
        datasets=("usps",),
        algorithms=("OVA", "OSR", "soft-OSR", "OVO"),
        misprint=False,
    ),
)


def explain(target: str, metric: str, dataset: str, algorithm: str) -> str:
    """The first anomaly that covers a cell, or "unexplained".

    Examples
    --------
    >>> explain("consistent", "cost", "vehicle", "FT")
    'the published number is that of the inconsistent table, digit for digit'
    >>> explain("inconsistent", "error", "iris", "OVA")
    'unexplained'
    """
    known = _first(target, metric, dataset, algorithm)
    return known.text if known else UNEXPLAINED


def misprinted(target: str, metric: str, dataset: str, algorithm: str) -> bool:
    """Whether a published number is known to be wrong."""
    known = _first(target, metric, dataset, algorithm)
    return known is not None and known.misprint


def _first(target: str, metric: str, dataset: str, algorithm: str) -> Anomaly | None:
    place = (target, metric, dataset, algorithm)
    return next((known for known in ANOMALIES if known.covers(*place)), None)
