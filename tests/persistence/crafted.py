"""Files that somebody made on purpose: right checksums, wrong contents.

Also run, in thousands, by ``benchmarks/reliability``. Every file is tried in a process
of its own with limited memory: it is refused in one sentence, or it is a model that
predicts.
"""

import atexit
import copy
import hashlib
import io
import json
import os
import resource
import signal
import subprocess
import sys
import traceback
from contextlib import contextmanager, suppress
from functools import cache

import numpy as np

from softcost.persistence import ModelFileError
from softcost.persistence.archive import Refused, archive, unarchive

REFUSED, PREDICTS, RAISES, WRONG = 10, 11, 12, 13
ROOM = 200 * 2**20  # beside five times the size of the file


def opened(content):
    """The manifest and the members of a file."""
    members = unarchive(content, "model")
    return members.manifest, {name: members.take(name) for name in members.names}


def signed(manifest, members):
    """A file whose checksums are right, whatever it holds."""
    sums = {
        name: hashlib.sha256(content).hexdigest() for name, content in members.items()
    }
    return archive(manifest | {"checksums": sums}, members)


def npy(values, header=None):
    """An array as ``.npy``, with a header of one's own."""
    file = io.BytesIO()
    np.lib.format.write_array(file, values, (1, 0), allow_pickle=False)
    content = file.getvalue()
    if header is not None:
        text = repr(header).encode().ljust(len(content[10:128]) - 1) + b"\n"
        content = content[:8] + len(text).to_bytes(2, "little") + text + content[128:]
    return content


def places(node, path=()):
    """Every place of a JSON value, as paths of keys."""
    yield path
    if isinstance(node, dict):
        for key in node:
            yield from places(node[key], (*path, key))
    elif isinstance(node, list):
        for key in range(len(node)):
            yield from places(node[key], (*path, key))


def at(node, path):
    for key in path:
        node = node[key]
    return node


ODD = [
    None, True, False, 0, 1, -1, 2, 7, 10**6, 2**31, 2**53, 2**63, 10**400, -(10**9),
    0.5, -0.5, 1e308, "", "nan", "inf", "x" * 300, "precomputed", "linear", [], {},
    [[]], {"array": 0}, {"array": -1}, {"array": 10**9}, {"skops": 0}, {"dict": []},
    {"tuple": [1]}, {"type": "Tree", "params": {}, "fitted": {}}, {"float": "nan"},
    {"objects": ["a"], "shape": [1]}, {"frame": [], "names": [], "index": 10**12},
]  # fmt: skip


def mutated_structure(structure, rng):
    """Another value somewhere: odd, from elsewhere in the file, missing or added."""
    structure = copy.deepcopy(structure)
    every = [path for path in places(structure) if path]
    path = every[rng.integers(len(every))]
    holder, key = at(structure, path[:-1]), path[-1]
    how = rng.integers(5)
    if how == 0:
        holder[key] = copy.deepcopy(at(structure, every[rng.integers(len(every))]))
    elif how == 1:
        del holder[key]
    elif how == 2 and isinstance(holder, dict):
        holder["extra"] = 1
    elif how == 3 and isinstance(holder[key], int) and holder[key] is not True:
        holder[key] += int(rng.choice([-1, 1, 1000, -1000, 2**31]))
    else:
        holder[key] = copy.deepcopy(ODD[rng.integers(len(ODD))])
    return structure


def mutated_array(content, rng):
    """Other numbers, another type, another shape, a header that lies."""
    values = np.load(io.BytesIO(content)).copy()
    how = rng.integers(7)
    if how == 0 and values.size and values.dtype.kind in "iuf":
        odd = [-1, 0, 1, 100, 10**6, 2**31 - 1, -(2**31), 2**62]
        if values.dtype.kind == "f":
            odd += [np.nan, np.inf, -np.inf, 1e308, 5e-324]
        with np.errstate(all="ignore"):
            pick = np.array(odd)[rng.integers(len(odd))].astype(values.dtype)
        values.flat[rng.integers(values.size)] = pick
    elif how == 1 and values.dtype.kind in "biuf":
        kinds = ["f8", "f4", "i8", "i4", "u1", "b1", "u8", "c16", "f2"]
        with np.errstate(all="ignore"):
            values = values.astype(kinds[rng.integers(len(kinds))])
    elif how == 2:
        values = np.concatenate([values, values]) if values.ndim else values[None]
    elif how == 3:
        values = values[: len(values) // 2] if values.ndim else values[None]
    elif how == 4:
        values = values.T.copy() if values.ndim > 1 else values.reshape(1, -1)
    elif how == 5:
        shape = (int(rng.choice([0, 2**20, 2**40, 2**62])), *values.shape[1:])
        header = {"descr": values.dtype.str, "fortran_order": False, "shape": shape}
        return npy(values, header)
    else:
        raw = bytearray(content)
        raw[rng.integers(len(raw))] = rng.integers(256)
        return bytes(raw)
    return npy(np.ascontiguousarray(values))


def crafted(content, seed):
    """A file made of a good one, with one to three things changed."""
    rng = np.random.default_rng(seed)
    manifest, members = opened(content)
    for _ in range(rng.integers(1, 4)):
        arrays = [name for name in members if name.endswith(".npy")]
        if arrays and rng.random() < 0.5:
            name = arrays[rng.integers(len(arrays))]
            try:
                members[name] = mutated_array(members[name], rng)
            except (ValueError, MemoryError):  # was changed before
                continue
        else:
            structure = json.loads(members["structure.json"])
            changed = mutated_structure(structure, rng)
            members["structure.json"] = json.dumps(changed).encode()
    return signed(manifest, members)


@contextmanager
def refuses(why, error=Refused):
    """Expect an error; ``why`` tells readers what is wrong, messages may differ."""
    try:
        yield
    except error:
        return
    raise AssertionError(f"accepted, in spite of: {why}")


def outcomes(paths, X):
    """What loading and predicting come to, each in a process of its own.

    The processes are forks of one that has only imported softcost, and which serves all
    tests of this process: importing takes seconds.

    Returns
    -------
    list of str
        "refused", "predicts", "raises" (an ordinary exception of Python's, when
        it predicts), or what went wrong.
    """
    folder = os.path.dirname(os.path.abspath(paths[0]))
    rows = os.path.join(folder, "rows.npy")
    np.save(rows, X)
    server = _server()
    server.stdin.write(json.dumps([rows, *map(str, paths)]) + "\n")
    server.stdin.flush()
    results = [server.stdout.readline().rstrip("\n") for _ in paths]
    os.unlink(rows)
    assert all(results), f"the server ended: {server.poll()}"
    return results


@cache
def _server():
    """A process that tries the files of every line on its standard input."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    server = subprocess.Popen([sys.executable, __file__], text=True, **pipes)
    atexit.register(_stop, server)
    return server


def _stop(server):
    server.stdin.close()
    server.stdout.close()
    server.wait()


def outcome(path, X):
    """What loading and predicting one file comes to."""
    return outcomes([path], X)[0]


def _in_a_fork(path, X, seconds=600):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    child = os.fork()
    if child == 0:
        code = WRONG
        os.dup2(2, 1)  # some libraries complain on standard output
        try:
            # Of processor time: only an endless loop gets there, on any machine.
            signal.setitimer(signal.ITIMER_PROF, seconds)
            signal.alarm(10 * seconds)
            code = _try(path, X, 5 * os.path.getsize(path) + ROOM)
        finally:
            os._exit(code)
    _, status, usage = os.wait4(child, 0)
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}"
    taken = usage.ru_maxrss * 1024 - before
    if taken > 5 * os.path.getsize(path) + ROOM:
        return f"{taken // 2**20} MB"
    names = {REFUSED: "refused", PREDICTS: "predicts", RAISES: "raises"}
    return names.get(os.WEXITSTATUS(status), f"exit {os.WEXITSTATUS(status)}")


def _try(path, X, room):
    import softcost

    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[0])
    most = pages * resource.getpagesize() + room + 2**30
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    try:
        model = softcost.load(path)
    except ModelFileError as error:
        return REFUSED if "\n" not in str(error) else WRONG
    except BaseException:
        traceback.print_exc()
        return WRONG
    try:
        model.predict(X)
    except (ValueError, TypeError, IndexError, AttributeError, KeyError):
        return RAISES  # in Python, with a message
    except BaseException:
        traceback.print_exc()
        return WRONG
    return PREDICTS


def _imports():
    """Everything that a model may need, before the forks."""
    import lightgbm  # noqa: F401
    import sklearn.ensemble._hist_gradient_boosting.gradient_boosting  # noqa: F401
    import skops.io  # noqa: F401

    from softcost.persistence.codec import registry

    for schema in registry().values():
        with suppress(ModuleNotFoundError):  # of a library that is not installed
            schema.load()


if __name__ == "__main__":
    _imports()
    for line in sys.stdin:
        rows_file, *files = json.loads(line)
        table = np.load(rows_file)
        for name in files:
            print(_in_a_fork(name, table), flush=True)
