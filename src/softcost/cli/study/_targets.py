"""The paper's tables and figures by name, for the help: no imports."""

# The targets and their lines in the help, so that the help imports no experiment; a
# test holds them to the targets themselves.
TARGETS = {
    "alpha-selection": (
        "Two ways to choose softness: by cost, by max(error, normalised cost)."
    ),
    "inconsistent": (
        "Cost and error of eleven algorithms on 22 sets, inconsistent costs."
    ),
    "consistent": "Cost and error of eleven algorithms on 22 sets, consistent costs.",
    "sers": "Prices of confusing bacteria; the spectra are SYNTHETIC.",
    "emphasis": ("One class made expensive, 10^2 to 10^6 times: hard and soft OSR."),
    "unbalanced": "Weighted error as the basic criterion, on ten unbalanced sets.",
    "kdd99": "Intrusion detection with the contest's prices, weighted error.",
    "kdd99-balanced": (
        "Intrusion detection, each price divided by the size of its class."
    ),
    "softness-curve": "Test cost and error against softness, on vowel.",
}
