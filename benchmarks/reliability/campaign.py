"""Attacks on files, caches and stores: one command, one table.

    python benchmarks/reliability/campaign.py [PART ...] [--scale 1.0] [--output F.json]
    python benchmarks/reliability/campaign.py --table

Every part counts what it tried and what failed; the exit code is 1 where anything did.
``--table`` runs nothing and writes the committed rows into SECURITY.md.
"""

import argparse
import json
import sys
import time
from collections import Counter
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "reliability.json"
MUTATION = RESULTS.with_name("mutation.json")
PAGE = ROOT / "SECURITY.md"
COMMAND = "python benchmarks/reliability/"

# Part: what is tried, how often, and the module and function.
PARTS = {
    "damaged": ("damaged model files", 2000, "models:damaged_files"),
    "crafted": (
        "crafted model files, with right checksums",
        700,
        "models:crafted_files",
    ),
    "stores": ("damaged stores", 200, "stores:run"),
    "kills": ("SIGKILL while a file is written", 200, "kills:run"),
    "control": ("the same, written naively, which has to fail", 40, "kills:control"),
    "caches": ("damaged caches of compiled code", 12, "caches:run"),
    "examples": ("made-up problems with all options", 10_000, "examples:run"),
    "commands": ("SIGKILL during fit and predict", 200, "commands:kill"),
    "naive": ("the same, written naively, which has to fail", 20, "commands:control"),
    "studies": (
        "SIGKILL during reproduce with one job, two jobs and Dask",
        60,
        "studies:run",
    ),
    "interrupts": ("Ctrl-C during four commands", 120, "commands:interrupt"),
    "phases": ("Ctrl-C as each phase of five commands begins", 99, "commands:phases"),
    "places": (
        "full, read-only and limited disks, and two writers at once",
        18,
        "places:run",
    ),
    "inputs": ("bad inputs, from the lists of the tests", 300, "inputs:run"),
    "prices": ("damaged price lists", 200, "places:price_lists"),
    "manifests": (
        "model files with other manifests, with right checksums",
        200,
        "places:manifests",
    ),
    "opened": ("models predicted from, with what was opened", 99, "opened:run"),
    "bits": ("searches again, with 2 jobs and with Dask", 33, "bits:run"),
}


def run(part, count):
    """Tried, failed, and what they came to."""
    module, _, function = PARTS[part][2].partition(":")
    return getattr(import_module(module), function)(count)


def campaign_table(results):
    """Every part with its command; outcomes of commands and files taken together."""
    lines = ["| command | what | tried | failed | came to |", "|---|---|---|---|---|"]
    for part, (what, _, _) in PARTS.items():
        if part not in results:
            continue
        found, words = results[part], Counter()
        for name, number in found["came_to"].items():
            words[name.rpartition(": ")[2]] += number
        told = ", ".join(f"{number} {name}" for name, number in words.items() if number)
        row = [f"`{COMMAND}campaign.py {part}`", what, found["tried"], found["failed"]]
        lines.append(f"| {' | '.join(map(str, row))} | {told} |")
    return "\n".join(lines) + "\n"


def mutation_table(results):
    """Faults that were put into packages: how many there are, were tried and found."""
    lines = [
        "| command | faults known | tried | found | share | said to be no faults |",
        "|---|---|---|---|---|---|",
    ]
    for name, found in sorted(results.items()):
        package, _, seed = name.partition(", seed ")
        drawn = found["tried"] + found["equivalent"]
        command = f"`{COMMAND}mutation.py {package} --sample {drawn} --seed {seed}`"
        row = [command, found["faults"], found["tried"], found["killed"]]
        share = f"{found['killed'] / found['tried']:.0%}"
        lines.append(
            f"| {' | '.join(map(str, row))} | {share} | {found['equivalent']} |"
        )
    return "\n".join(lines) + "\n"


def with_table(text):
    """The page with its tables made anew, between the comments that name them."""
    for name, path, table in (
        ("reliability", RESULTS, campaign_table),
        ("mutation", MUTATION, mutation_table),
    ):
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
        before, _, rest = text.partition(begin)
        made = table(json.loads(path.read_text()))
        text = f"{before}{begin}\n{made}\n{end}{rest.partition(end)[2]}"
    return text


def _keep(rows, path):
    """Put rows beside those of other parts."""
    known = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(known | rows, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--scale", type=float, default=1.0, help="how many times")
    parser.add_argument("--output", type=Path, help="keeps the rows of other parts")
    parser.add_argument("--table", action="store_true", help="run nothing")
    options = parser.parse_args()
    if options.table:
        PAGE.write_text(with_table(PAGE.read_text()))
        return 0
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"there is no part {min(unknown)}")
    results = {}
    print("| part | what | tried | failed | came to | seconds |")
    print("|---|---|---|---|---|---|")
    for part in options.parts or PARTS:
        what, count, _ = PARTS[part]
        started = time.monotonic()
        tried, failed, tally = run(part, max(int(count * options.scale), 2))
        seconds = round(time.monotonic() - started)
        results[part] = {"tried": tried, "failed": failed, "came_to": tally}
        words = ", ".join(f"{n} {one}" for one, n in tally.items())
        print(f"| `{part}` | {what} | {tried} | {failed} | {words} | {seconds} |")
        if options.output:
            _keep({part: results[part]}, options.output)
    return int(any(one["failed"] for one in results.values()))


if __name__ == "__main__":
    sys.exit(main())
