"""How long the explorer page takes to open, by number of classes.

Opens made-up pages in Chromium several times and prints medians: seconds until the page
is drawn, and the processor time of its script. The target is 2 s for 200 classes on an
idle machine.

    python benchmarks/page_opening.py [--classes 2,60,200] [--models 45] [--output F]
"""

import argparse
import json
import os
import shutil
import statistics
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from softcost.report import ExplorerData, write_explorer
from softcost.search import LeastCost
from softcost.search.preference import PreferBlend

TARGET = 2.0  # seconds, for the largest number of classes


def made_up(n_classes: int, n_models: int, rows_per_class: int = 15) -> ExplorerData:
    """A page like one of "auto": few decimals, sparse mistakes, a preferred blend."""
    rng = np.random.default_rng(0)
    prices = np.round(rng.uniform(0.1, 20, (n_classes, n_classes)), 1)
    np.fill_diagonal(prices, 0.0)
    softness = np.linspace(0, 1, n_models)
    confusion = np.zeros((n_models, n_classes, n_classes))
    classes = np.repeat(np.arange(n_classes), rows_per_class)
    for counts, share in zip(confusion, 0.8 - 0.6 * softness, strict=True):
        wrong = rng.random(len(classes)) < share
        answers = np.where(wrong, rng.integers(0, n_classes, len(classes)), classes)
        np.add.at(counts, (classes, answers), 1)
    cost = (confusion * prices).sum(axis=(1, 2)) / len(classes)
    error = 1 - np.trace(confusion, axis1=1, axis2=2) / len(classes)
    family = np.where(np.arange(n_models) % 5 == 0, "blend", "trees")
    table = pd.DataFrame(
        {"family": family, "softness": softness, "cost": cost, "error": error}
    )
    penalty = np.where(family == "blend", 0.0, 0.1 * cost.mean())
    rule = PreferBlend(LeastCost(), penalty)
    return ExplorerData(
        table, confusion, [f"class {k}" for k in range(n_classes)], prices,
        rule.choose(table), hard=0, regular=n_models - 1, penalty=penalty,
    )  # fmt: skip


def opening(browser, path: Path) -> tuple[float, float]:
    """Seconds until the page is drawn, and seconds of its script."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "timeTicks"})
    page.goto(path.as_uri())
    # The first frame after the script has run.
    drawn = page.evaluate(
        "new Promise(done => requestAnimationFrame(() => setTimeout("
        "() => done(performance.now() / 1000))))"
    )
    values = session.send("Performance.getMetrics")["metrics"]
    metrics = {one["name"]: one["value"] for one in values}
    page.close()
    return drawn, metrics["ScriptDuration"]


def main() -> None:
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--classes", default="2,60,200")
    parser.add_argument("--models", type=int, default=45)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for n_classes in map(int, options.classes.split(",")):
            data = made_up(n_classes, options.models)
            path = write_explorer(Path(folder) / "page.html", data)
            opening(browser, path)  # caches of the browser
            times = [opening(browser, path) for _ in range(options.repeats)]
            drawn, script = map(statistics.median, zip(*times, strict=True))
            results.append(
                {
                    "classes": n_classes, "models": options.models,
                    "kilobytes": path.stat().st_size // 1000,
                    "drawn_seconds": round(drawn, 3),
                    "script_seconds": round(script, 3),
                    "load_average": round(os.getloadavg()[0], 1),
                }
            )  # fmt: skip
            print(results[-1], flush=True)
        browser.close()
    print(f"target: drawn within {TARGET:g} s with 200 classes on an idle machine")
    if options.output:
        options.output.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
