"""How the memory for kernel values is used: decided before any of it is taken.

Of n points a problem sees m, and it is asked for n_out held-out ones.

1. Where the Gram matrix (4 n^2 bytes) and the parts that folds copy from it fit into
   the memory, they are taken: nothing is faster.
2. Otherwise problems copy single rows from it when they need them, and keep recent
   ones in a quarter of the memory.
3. Where the matrix does not fit into the other three quarters, these keep recent rows,
   and rows are computed when they are needed.

Computing a row takes about d times as long as copying it, so that most of the memory is
for what all problems share. Large problems (see `softcost.solvers.large`) compute rows
in blocks and keep those that they use again: where the matrix does not fit, they have
three quarters of the memory. Results are the same to the bit.
"""

from dataclasses import dataclass

from softcost.solvers.kernels import padded
from softcost.solvers.large import is_large, large_bytes
from softcost.solvers.rows import BLOCK, LEAST

_SHARED = 0.75  # share of the memory for rows over all points
_SHARED_BY_LARGE = 0.25  # the same where there are large problems
NUMBER = 4  # bytes of a number in single precision


def row_bytes(n: int) -> int:
    """Bytes of a row over n points."""
    return NUMBER * padded(n)


def copy_bytes(m: int, n_out: int) -> int:
    """Bytes of the matrix among m points, and of these with held-out ones."""
    return m * (row_bytes(m) + row_bytes(n_out))


@dataclass(frozen=True)
class Needs:
    """What kernel values are for.

    Attributes
    ----------
    n, d : int
        Points and their features.
    m, n_out : int
        Points that the largest problem is posed over, and held-out ones.
    copied : int
        How many parts of the matrix are wanted at the same time.
    threads : int
        How many problems are solved at the same time.
    matrices : int
        How many matrices there are at the same time: more than one where folds have
        kernels of their own.
    """

    n: int
    d: int
    m: int
    n_out: int
    copied: int
    threads: int
    matrices: int = 1


@dataclass(frozen=True)
class Plan:
    """What is kept.

    Attributes
    ----------
    whole : bool
        Whether the matrix is computed as a whole.
    capacity : int
        Otherwise: how many rows over all points are kept.
    copy_bytes : int
        Memory of a fold for its part of the matrix, copied as a whole; 0 where none is.
    problem_bytes : int
        Memory of a problem that is being solved for values of its own.
    n_bytes : int
        All of it together, and the points.
    """

    whole: bool
    capacity: int
    copy_bytes: int
    problem_bytes: int
    n_bytes: int


def _shared(needs: Needs) -> float:
    """Share of the memory for rows over all points."""
    return _SHARED_BY_LARGE if is_large(needs.m, needs.n) else _SHARED


def make_plan(needs: Needs, megabytes: float, remedy: str) -> Plan:
    """Decide what is kept, or refuse where not even the least fits.

    Parameters
    ----------
    needs : Needs
    megabytes : float
        The memory for all of it, infinite where it does not matter.
    remedy : str
        What to do where that is too little.
    """
    row = row_bytes(needs.n)
    whole = needs.matrices * needs.n * row
    points = 2 * NUMBER * needs.n * needs.d  # as rows and as panels
    bound = int(min(megabytes * 2**20, 2**60)) - points
    large = large_bytes(needs.m, needs.n, needs.n_out, needs.d)
    copies = needs.copied * copy_bytes(needs.m, needs.n_out) + needs.threads * large
    if whole + copies <= bound:
        return Plan(
            whole=True,
            capacity=needs.n,
            copy_bytes=(bound - whole - needs.threads * large) // max(needs.copied, 1),
            problem_bytes=(bound - whole - copies) // needs.threads,
            n_bytes=points + whole + copies,
        )
    # A problem also needs room to compute a row, and values for held-out points.
    of_part = row_bytes(needs.m)
    scratch = row + BLOCK * row_bytes(needs.n_out) + NUMBER * needs.n_out * needs.d
    scratch += large
    least_parts = needs.threads * (LEAST * of_part + scratch)
    least = needs.matrices * LEAST * row + least_parts
    if least > bound:
        raise MemoryError(
            f"X has n = {needs.n} distinct rows, for which the kernel needs at least "
            f"{(points + least) / 2**20:.3g} MB, more than cache_size={megabytes:g} of "
            f"the learner: {remedy}"
        )
    most = max(int(_shared(needs) * bound), least - least_parts)
    if is_large(needs.m, needs.n) and whole <= bound - least_parts:
        most = whole
    most = min(most, bound - least_parts)
    capacity = min(most // (needs.matrices * row), needs.n)
    stored = needs.matrices * capacity * row
    part = min((bound - stored) // needs.threads, needs.m * of_part + scratch)
    return Plan(
        whole=capacity == needs.n,
        capacity=capacity,
        copy_bytes=0,
        problem_bytes=part - scratch,
        n_bytes=points + stored + needs.threads * part,
    )
