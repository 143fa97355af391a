"""What `softcost demo` finds, kept for the README: a test compares its words."""

import argparse
import json
import subprocess
import sys
import tempfile

from common import write_json


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", help="JSON file for the results")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "softcost", "demo", "--json", "--quiet"],
            cwd=folder,
            stdout=subprocess.PIPE,
            check=True,
        )
    found = json.loads(done.stdout)
    del found["page"]
    print(json.dumps(found, indent=1))
    if args.output:
        write_json(args.output, ["softcost", "numpy", "numba", "scikit-learn"], [found])


if __name__ == "__main__":
    main()
