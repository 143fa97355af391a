"""Solvers for support vector machines, compiled by numba: kernels, SMO and paths."""
