"""Numba on plain arrays: one canonical support vector problem, kernels and paths."""
