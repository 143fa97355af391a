"""Score rows: trees, linear outputs and softmax, each as a sum in a fixed order.

A matrix product of BLAS rounds a row differently in another batch. These functions
compute every row alone, so its scores are equal to the bit whatever stands beside it.
They start no threads.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softcost.solvers.compilation import internal, jit

MISSING_LEFT, IN_SET, INVERTED = 1, 2, 4  # flags of a node
_BLOCK = 64  # rows that pass through a tree while it is in cache
_STEPS = 4  # down a tree before it is checked whether all rows have reached a leaf


class Trees(NamedTuple):
    """Decision trees in flat arrays, with siblings side by side.

    A row goes left at a node if its feature is at most the threshold, or if it is NaN
    and the node has the flag `MISSING_LEFT`. At a node with the flag `IN_SET`, it goes
    left if its feature, a whole number, is in the node's set of bits; `INVERTED`
    reverses this. NaN and negative numbers are in no set. A leaf is its own left child
    and has an infinite threshold.

    Attributes
    ----------
    roots, depths : arrays of int32 of shape (n_trees,)
        First node of each tree, and the number of splits on its longest path.
    feature : array of int32 of shape (n_nodes,)
    threshold : array of shape (n_nodes,)
    left : array of int32 of shape (n_nodes,)
        Left child; the right child is the next node.
    flag : array of uint8 of shape (n_nodes,)
    bounds : array of int32 of shape (2 * n_nodes,)
        Where a node's set begins and ends in ``sets``; empty without sets.
    sets : array of uint32
        Words of 32 bits.
    value : array of shape (n_nodes, width)
        A single value belongs to output ``tree % n_outputs``; several are those of all
        outputs.
    """

    roots: NDArray[np.int32]
    depths: NDArray[np.int32]
    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    left: NDArray[np.int32]
    flag: NDArray[np.uint8]
    bounds: NDArray[np.int32]
    sets: NDArray[np.uint32]
    value: NDArray[np.float64]


def add_tree_values(
    X: NDArray[np.float64], trees: Trees, out: NDArray[np.float64]
) -> None:
    """Add the values of the leaves of all trees to the outputs, tree by tree.

    Parameters
    ----------
    X : array of shape (n, n_features)
        C-contiguous.
    trees : Trees
    out : array of shape (n, n_outputs)
    """
    plain = len(trees.sets) == 0 and not np.isnan(X).any()
    _add_tree_values(X, *trees, plain, out)


@internal
def _is_in_set(x, node, bounds, sets):
    if not (x > -1.0 and x < 2147483648.0):  # truncated as in C, and not NaN
        return False
    code = np.int64(x)
    word = bounds[2 * node] + (code >> 5)
    return word < bounds[2 * node + 1] and ((sets[word] >> (code & 31)) & 1) == 1


@internal
def _goes_right(x, node, threshold, flag, bounds, sets):
    kind = flag[node]
    if kind & IN_SET:
        return _is_in_set(x, node, bounds, sets) == (kind & INVERTED != 0)
    return (x > threshold[node]) | ((x != x) & (kind & MISSING_LEFT == 0))


@internal
def _next(x, node, feature, threshold, left, flag, bounds, sets, plain):
    """The node to which a row goes from another one; from a leaf, the leaf."""
    if plain:
        return left[node] + (x[feature[node]] > threshold[node])
    return left[node] + _goes_right(
        x[feature[node]], node, threshold, flag, bounds, sets
    )


@internal
def _add(value, leaf, tree, out):
    if value.shape[1] == 1:
        out[tree % out.size] += value[leaf, 0]
    else:
        for k in range(out.size):
            out[k] += value[leaf, k]


@internal
def _add_eight(X, i, root, depth, tree, nodes, value, out):
    """Rows i to i + 7: their steps do not wait for each other."""
    left = nodes[2]
    a = b = c = d = e = f = g = h = root
    while depth > 0:
        for _ in range(min(depth, _STEPS)):
            a = _next(X[i], a, *nodes)
            b = _next(X[i + 1], b, *nodes)
            c = _next(X[i + 2], c, *nodes)
            d = _next(X[i + 3], d, *nodes)
            e = _next(X[i + 4], e, *nodes)
            f = _next(X[i + 5], f, *nodes)
            g = _next(X[i + 6], g, *nodes)
            h = _next(X[i + 7], h, *nodes)
        depth -= _STEPS
        if depth > 0:
            ahead = (left[a] ^ a) | (left[b] ^ b) | (left[c] ^ c) | (left[d] ^ d)
            ahead |= (left[e] ^ e) | (left[f] ^ f) | (left[g] ^ g) | (left[h] ^ h)
            if ahead == 0:
                break
    _add(value, a, tree, out[i])
    _add(value, b, tree, out[i + 1])
    _add(value, c, tree, out[i + 2])
    _add(value, d, tree, out[i + 3])
    _add(value, e, tree, out[i + 4])
    _add(value, f, tree, out[i + 5])
    _add(value, g, tree, out[i + 6])
    _add(value, h, tree, out[i + 7])


@jit
def _add_tree_values(
    X, roots, depths, feature, threshold, left, flag, bounds, sets, value, plain, out
):
    n = X.shape[0]
    nodes = (feature, threshold, left, flag, bounds, sets, plain)
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        eights = stop - (stop - start) % 8
        for tree in range(roots.size):
            root, depth = roots[tree], depths[tree]
            for i in range(start, eights, 8):
                _add_eight(X, i, root, depth, tree, nodes, value, out)
            for i in range(eights, stop):
                node = root
                for _ in range(depth):
                    node = _next(X[i], node, *nodes)
                _add(value, node, tree, out[i])


@jit
def linear_outputs(X, coef, intercept, out):
    """``out = X @ coef + intercept``, feature by feature.

    ``X`` is (n, d), ``coef`` (d, m) and ``out`` (n, m), in double precision.
    """
    for i in range(X.shape[0]):
        for k in range(out.shape[1]):
            out[i, k] = 0.0
        for j in range(X.shape[1]):
            x = X[i, j]
            for k in range(out.shape[1]):
                out[i, k] += x * coef[j, k]
        for k in range(out.shape[1]):
            out[i, k] += intercept[k]


@jit
def softmax_rows(scores, factor):
    """Replace scores (n, K) by ``softmax(factor * scores)``."""
    for i in range(scores.shape[0]):
        largest = -np.inf
        for k in range(scores.shape[1]):
            scores[i, k] *= factor
            largest = max(largest, scores[i, k])
        total = 0.0
        for k in range(scores.shape[1]):
            scores[i, k] = math.exp(scores[i, k] - largest)
            total += scores[i, k]
        for k in range(scores.shape[1]):
            scores[i, k] /= total


@jit
def sigmoid_rows(scores, out):
    """Probabilities (n, 2) of two classes, from scores (n, 1) of the second."""
    for i in range(scores.shape[0]):
        p = 1.0 / (1.0 + math.exp(-scores[i, 0]))
        out[i, 0] = 1.0 - p
        out[i, 1] = p


@jit
def blend_rows(members, weights, shares, inverse_temperature, out):
    """Weighted, tempered and smoothed averages, see `BlendedClassifier`.

    ``members`` is (n_members, n, K), ``weights`` and ``shares`` (n_members,), and
    ``out`` (n, K).
    """
    rest = 1.0
    for m in range(shares.size):
        rest -= shares[m]
    for i in range(out.shape[0]):
        largest = 0.0
        for k in range(out.shape[1]):
            average = 0.0
            for m in range(members.shape[0]):
                average += weights[m] * members[m, i, k]
            out[i, k] = average
            largest = max(largest, average)
        if inverse_temperature != 1.0:
            total = 0.0
            for k in range(out.shape[1]):
                out[i, k] = (out[i, k] / largest) ** inverse_temperature
                total += out[i, k]
            for k in range(out.shape[1]):
                out[i, k] /= total
        for k in range(out.shape[1]):
            smoothed = 0.0
            for m in range(members.shape[0]):
                smoothed += shares[m] * members[m, i, k]
            out[i, k] = rest * out[i, k] + smoothed
