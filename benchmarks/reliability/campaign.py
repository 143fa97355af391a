"""Attacks on files, caches and stores: one command, one table.

    python benchmarks/reliability/campaign.py [PART ...] [--scale 1.0] [--output F.json]

Every part counts what it tried and what failed; the exit code is 1 where anything did.
"""

import argparse
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

# Part: what is tried, how often, and the function.
PARTS = {
    "damaged": ("damaged model files", 2000),
    "crafted": ("crafted model files, with right checksums", 600),
    "stores": ("damaged stores", 200),
    "kills": ("SIGKILL while a file is written", 200),
    "control": ("the same, written naively, which has to fail", 40),
    "caches": ("damaged caches of compiled code", 12),
}


def run(part, count):
    """Tried, failed, and what they came to."""
    if part in ("damaged", "crafted"):
        import models

        return models.run(part, count)
    if part == "stores":
        import stores

        return stores.run(count)
    if part == "caches":
        import caches

        return caches.run(count)
    import kills

    return (kills.control if part == "control" else kills.run)(count)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--scale", type=float, default=1.0, help="how many times")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"there is no part {min(unknown)}")
    results = {}
    print("| part | what | tried | failed | came to | seconds |")
    print("|---|---|---|---|---|---|")
    for part in options.parts or PARTS:
        what, count = PARTS[part]
        started = time.monotonic()
        tried, failed, tally = run(part, max(int(count * options.scale), 2))
        seconds = round(time.monotonic() - started)
        results[part] = {"tried": tried, "failed": failed, "came_to": tally}
        words = ", ".join(f"{n} {one}" for one, n in tally.items())
        print(f"| `{part}` | {what} | {tried} | {failed} | {words} | {seconds} |")
    if options.output:
        options.output.write_text(json.dumps(results, indent=1) + "\n")
    return int(any(one["failed"] for one in results.values()))


if __name__ == "__main__":
    sys.exit(main())
