"""What is done to every entry of a block of outputs, in one pass over it."""

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])

_OPTIONS = {"nogil": True, "error_model": "numpy", "boundscheck": False}


def jit(function: Function) -> Function:
    """Compile for plain arrays, cached on disk where there is a place for it."""
    try:
        return numba.njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:  # numba: "no locator available", nowhere to cache
        return numba.njit(**_OPTIONS)(function)


@jit
def squared_slopes(outputs, kind, weight, sign, shift, scale, one_sided, sizes):
    """Derivatives of ``scale / 2 * u^2`` by the outputs, in their place.

    ``u = sign * output - shift``, and where one-sided its positive part. The sizes of
    the derivatives are added to ``sizes`` (m,).

    Parameters
    ----------
    outputs : array of shape (n, m)
    kind, weight : arrays of shape (n,)
    sign, shift, scale : arrays of shape (n_kinds, m)
    """
    zero = outputs.dtype.type(0)
    for i in range(outputs.shape[0]):
        row, signs, shifts = outputs[i], sign[kind[i]], shift[kind[i]]
        scales, own = scale[kind[i]], weight[i]
        for j in range(outputs.shape[1]):
            u = signs[j] * row[j] - shifts[j]
            if one_sided:
                u = u if u > zero else zero
            slope = own * scales[j] * u
            sizes[j] += abs(slope)
            row[j] = signs[j] * slope


@jit
def squared_curvatures(outputs, kind, weight, sign, shift, scale, one_sided):
    """Second derivatives of the same, in the place of the outputs."""
    zero = outputs.dtype.type(0)
    for i in range(outputs.shape[0]):
        row, signs, shifts = outputs[i], sign[kind[i]], shift[kind[i]]
        scales, own = scale[kind[i]], weight[i]
        for j in range(outputs.shape[1]):
            u = signs[j] * row[j] - shifts[j]
            inside = one_sided and not u > zero
            row[j] = zero if inside else own * scales[j]


@jit
def logistic_slopes(outputs, kind, weight, sign, scale, sizes):
    """Derivatives of ``scale * log(1 + exp(sign * output))``, in their place."""
    one = outputs.dtype.type(1)
    for i in range(outputs.shape[0]):
        row, signs, scales = outputs[i], sign[kind[i]], scale[kind[i]]
        own = weight[i]
        for j in range(outputs.shape[1]):
            slope = own * scales[j] * (one / (one + math.exp(-signs[j] * row[j])))
            sizes[j] += slope
            row[j] = signs[j] * slope


@jit
def logistic_curvatures(outputs, kind, weight, sign, scale):
    """Second derivatives of the same, in the place of the outputs."""
    one = outputs.dtype.type(1)
    for i in range(outputs.shape[0]):
        row, signs, scales = outputs[i], sign[kind[i]], scale[kind[i]]
        own = weight[i]
        for j in range(outputs.shape[1]):
            chance = one / (one + math.exp(-signs[j] * row[j]))
            row[j] = own * scales[j] * chance * (one - chance)
