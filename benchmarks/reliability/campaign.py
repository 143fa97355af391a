"""Attacks on files, caches and stores: one command, one table.

    python benchmarks/reliability/campaign.py [PART ...] [--scale 1.0] [--output F.json]

Every part counts what it tried and what failed; the exit code is 1 where anything did.
"""

import argparse
import json
import sys
import time
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

# Part: what is tried, how often, and the module and function.
PARTS = {
    "damaged": ("damaged model files", 2000, "models:damaged_files"),
    "crafted": (
        "crafted model files, with right checksums",
        600,
        "models:crafted_files",
    ),
    "stores": ("damaged stores", 200, "stores:run"),
    "kills": ("SIGKILL while a file is written", 200, "kills:run"),
    "control": ("the same, written naively, which has to fail", 40, "kills:control"),
    "caches": ("damaged caches of compiled code", 12, "caches:run"),
    "examples": ("made-up problems with all options", 10_000, "examples:run"),
    "commands": ("SIGKILL during fit and predict", 200, "commands:kill"),
    "naive": ("the same, written naively, which has to fail", 20, "commands:control"),
    "interrupts": ("Ctrl-C during four commands", 120, "commands:interrupt"),
    "bits": ("searches again, with 2 jobs and with Dask", 33, "bits:run"),
}


def run(part, count):
    """Tried, failed, and what they came to."""
    module, _, function = PARTS[part][2].partition(":")
    return getattr(import_module(module), function)(count)


def _keep(rows, path):
    """Put rows beside those of other parts."""
    known = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(known | rows, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--scale", type=float, default=1.0, help="how many times")
    parser.add_argument("--output", type=Path, help="keeps the rows of other parts")
    options = parser.parse_args()
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
