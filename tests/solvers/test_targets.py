"""The solver's bits on lesser processors: numba is told to build for them here."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest
from llvmlite import binding

pytestmark = pytest.mark.slow  # each target is compiled from scratch
SCRIPT = Path(__file__).with_name("twins.py")
TARGETS = {"native": None, "AVX2": "x86-64-v3", "SSE": "x86-64"}
HERE = binding.get_host_cpu_features()


def runs_here(target):
    if TARGETS[target] is None:
        return True
    intel = platform.machine().lower() in ("x86_64", "amd64")
    return intel and (target == "SSE" or (HERE.get("avx2") and HERE.get("fma")))


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """``f(target)``: what the script prints when numba builds for a target."""
    kept = {}

    def run(target):
        if not runs_here(target):
            pytest.skip(f"this processor does not run {target}")
        if target not in kept:
            # another cache for each: numba's has no room for two targets at a time
            cache = str(tmp_path_factory.mktemp(target))
            surroundings = {**os.environ, "NUMBA_CACHE_DIR": cache}
            if TARGETS[target] is not None:
                surroundings["NUMBA_CPU_NAME"] = TARGETS[target]
                surroundings["NUMBA_CPU_FEATURES"] = ""
            done = subprocess.run(
                [sys.executable, str(SCRIPT), "1000", "6"],
                env=surroundings,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            kept[target] = done.stdout.split()[-2:]
        return kept[target]

    return run


@pytest.mark.parametrize("target", TARGETS)
def test_vector_and_plain_passes_have_the_same_bits(target, found):
    assert len(found(target)[-1]) == 64


def test_processors_that_fuse_have_the_same_bits(found):
    ours, lesser = found("native"), found("AVX2")
    if ours[0] == "fused":
        assert ours == lesser


def test_builds_for_less_say_so(found):
    assert found("SSE")[0] != "fused"
