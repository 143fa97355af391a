"""What the processor that numba builds for can do, by asking the compiler itself.

The name of a processor says little (numba may be told to build for less, see
``NUMBA_CPU_NAME``), and LLVM does not list what a name implies. So a multiply-add of
sixteen lanes is compiled to assembly, which takes milliseconds, and read.
"""

from llvmlite import binding
from numba.core.registry import cpu_target

_PROBE = """
target triple = "{triple}"
declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)
define <16 x float> @probe(<16 x float> %a, <16 x float> %b) {{
  %c = call <16 x float> @llvm.fma.v16f32(
    <16 x float> %a, <16 x float> %b, <16 x float> %b)
  ret <16 x float> %c
}}
"""


def assembly(code: str, triple: str, cpu: str, features: str) -> str:
    """LLVM's text ``code`` as assembly for a processor."""
    target = binding.Target.from_triple(triple)
    machine = target.create_target_machine(cpu=cpu, features=features, opt=3)
    return machine.emit_assembly(binding.parse_assembly(code))


def _probe() -> str:
    triple, cpu, features = cpu_target.target_context.codegen().magic_tuple()
    return assembly(_PROBE.format(triple=triple), triple, cpu, features)


_PROBED = _probe()

# Whether sixteen lanes are one register; they are two or four of them otherwise.
WIDE = "zmm" in _PROBED

# Whether there is an instruction that multiplies and adds; without one, LLVM would
# call a function of the C library for each lane.
FUSED = "fmaf" not in _PROBED
