"""The passes of the solver by themselves, and what they become on other processors.

LLVM compiles for processors that are not here: counts of instructions say what vectors
become there (NEON has four lanes where AVX-512 has sixteen), not how long they take.
"""

import re

import numpy as np
from llvmlite import binding
from numba import njit

PROCESSORS = {
    "znver4": "x86_64-unknown-linux-gnu",
    "znver3": "x86_64-unknown-linux-gnu",
    "skylake": "x86_64-unknown-linux-gnu",
    "x86-64": "x86_64-unknown-linux-gnu",
    "neoverse-n1": "aarch64-unknown-linux-gnu",
    "apple-m1": "aarch64-apple-darwin",
}
_LABEL = re.compile(r"^(\.?L[\w.]*\d+_\d+):")
_VECTOR = re.compile(r"%[xyz]mm|\bv\d+\.|\bq\d+\b")
_HEADER = re.compile(r"^target (triple|datalayout) = .*$", re.MULTILINE)
_COUNTING = re.compile(r"^define[^@]*(@NRT_\w+)\(.*?^}$", re.MULTILINE | re.DOTALL)


def scanning(module):
    """A compiled loop over the pass of a module, as the solver runs it."""
    update = module.update_and_pick

    @njit
    def steps(gradient, rows, barred, falling, times):
        total, unit = 0, np.float32(2.0**-32)
        for k in range(times):
            step = np.float32(1e-3 if k % 2 else -1e-3)
            lowest = np.float32(-4 - k % 2)
            found = update(gradient, rows, 0, 1, step, 2, lowest, barred, falling, unit)
            total += found[0] + found[2]
        return total

    return {"step": steps}


def a_pass(n, rng):
    """A random gradient, three rows, who may not rise and who may fall."""
    rows = -rng.random((3, n)).astype(np.float32)
    gradient = rng.standard_normal(n).astype(np.float32)
    return gradient, rows, *-rng.integers(0, 2, (2, n)).astype(np.int8)


def _assembly(code, processor):
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    triple = PROCESSORS[processor]
    target = binding.Target.from_triple(triple)
    machine = target.create_target_machine(cpu=processor, opt=3)
    # numba counts references with instructions of the host
    code = _COUNTING.sub(r"declare void \1(ptr)", _HEADER.sub("", code))
    module = binding.parse_assembly(code)
    module.triple, module.data_layout = triple, str(machine.target_data)
    return machine.emit_assembly(module)


def _loops(assembly):
    """Instructions of every innermost loop: from a label to a jump back to it."""
    labels, lines = {}, []
    start = 0  # of what may still belong to an innermost loop
    for line in assembly.splitlines():
        found = _LABEL.match(line)
        if found:
            labels[found.group(1)] = len(lines)
        elif line.startswith("\t") and not line.lstrip().startswith("."):
            lines.append(line.strip())
            begin = labels.get(re.split(r"[\s,]+", line.strip())[-1], -1)
            if begin >= start:
                yield lines[begin:]
                start = len(lines)


def per_step(function, processor):
    """Instructions of the shortest loop that is made of vectors, or None."""
    (code,) = function.inspect_llvm().values()
    counts = [
        len(block)
        for block in _loops(_assembly(code, processor))
        if sum(bool(_VECTOR.search(line)) for line in block) > 16
    ]
    return min(counts, default=None)
