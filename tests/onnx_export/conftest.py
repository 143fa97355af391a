"""The combinations of `benchmarks/onnx_agreement.py`."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def agreement():
    pytest.importorskip("onnx", reason="export needs its extra")
    pytest.importorskip("onnxruntime", reason="export needs its extra")
    if not (ROOT / "benchmarks").is_dir():
        pytest.skip("the benchmarks are not in this copy")
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        import onnx_agreement
    finally:
        sys.path.pop(0)
    return onnx_agreement
