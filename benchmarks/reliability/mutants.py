"""Small faults that can be put into a program: one change each, in a fixed order."""

import ast
import copy
from collections.abc import Iterator
from typing import NamedTuple

_COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_COMPUTED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult, ast.Mod: ast.Mult, ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr, ast.MatMult: ast.Mult,
}  # fmt: skip
_NAMES = {
    "min": "max", "max": "min", "any": "all", "all": "any", "argmin": "argmax",
    "argmax": "argmin", "minimum": "maximum", "maximum": "minimum", "sum": "max",
    "mean": "max", "floor": "ceil", "ceil": "floor", "isfinite": "isnan",
}  # fmt: skip
# Not what a program does: texts, types, names.
_LEFT_OUT = {"annotation", "returns", "decorator_list"}


class Mutant(NamedTuple):
    """One fault.

    Attributes
    ----------
    line, column : int
        Where.
    what : str
        The old and the new code, in short.
    code : str
        The program with the fault.
    """

    line: int
    column: int
    what: str
    code: str


def mutants(source: str) -> list[Mutant]:
    """All faults that can be put into a program, from its first line to its last."""
    tree = ast.parse(source)
    found = []
    for path in _places(tree):
        node = _at(tree, path)
        for new in _changes(node):
            changed = copy.deepcopy(tree)
            _put(changed, path, new)
            what = f"{_short(node)} -> {_short(new)}"
            code = ast.unparse(ast.fix_missing_locations(changed))
            found.append(Mutant(node.lineno, node.col_offset, what, code))
    return sorted(found, key=lambda one: (one.line, one.column, one.what))


def _short(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())[:80]


def _places(node: ast.AST, path: tuple = ()) -> Iterator[tuple]:
    """Paths to all statements and expressions that say what a program does."""
    if isinstance(node, ast.stmt | ast.expr) and path:
        yield path
    if isinstance(node, ast.JoinedStr | ast.Raise) or _is_list_of_names(node):
        return
    for name, value in ast.iter_fields(node):
        if name in _LEFT_OUT:
            continue
        if isinstance(value, ast.AST):
            yield from _places(value, (*path, (name, None)))
        elif isinstance(value, list):
            for number, one in enumerate(value):
                if isinstance(one, ast.AST):
                    yield from _places(one, (*path, (name, number)))


def _is_list_of_names(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and any(
        isinstance(one, ast.Name) and one.id == "__all__" for one in node.targets
    )


def _at(node, path):
    for name, number in path:
        node = getattr(node, name)
        node = node if number is None else node[number]
    return node


def _put(tree, path, new):
    holder = _at(tree, path[:-1])
    name, number = path[-1]
    if number is None:
        setattr(holder, name, new)
    else:
        getattr(holder, name)[number] = new


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in the place of a node."""
    if isinstance(node, ast.stmt):
        yield from _other_statements(node)
    elif isinstance(node, ast.Compare):
        for number, one in enumerate(node.ops):
            ops = list(node.ops)
            ops[number] = _COMPARED[type(one)]()
            yield ast.Compare(node.left, ops, node.comparators)
    elif isinstance(node, ast.BinOp):
        if type(node.op) in _COMPUTED and not _is_text(node.left, node.right):
            yield ast.BinOp(node.left, _COMPUTED[type(node.op)](), node.right)
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield ast.BoolOp(other, node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield node.operand
    elif isinstance(node, ast.Constant):
        yield from _other_constants(node.value)
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, ast.Name) and node.id in _NAMES:
        yield ast.Name(_NAMES[node.id], node.ctx)
    elif isinstance(node, ast.Attribute) and node.attr in _NAMES:
        yield ast.Attribute(node.value, _NAMES[node.attr], node.ctx)


def _other_statements(node: ast.stmt) -> Iterator[ast.AST]:
    if isinstance(node, ast.Raise) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield ast.Pass()
    elif isinstance(node, ast.Return) and not _is_none(node.value):
        yield ast.Return(ast.Constant(None))
    elif isinstance(node, ast.AugAssign) and type(node.op) in _COMPUTED:
        yield ast.AugAssign(node.target, _COMPUTED[type(node.op)](), node.value)
    elif isinstance(node, ast.Continue):
        yield ast.Break()
    elif isinstance(node, ast.If | ast.While) and not isinstance(
        node.test, ast.Compare | ast.BoolOp | ast.UnaryOp
    ):
        yield type(node)(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)


def _other_constants(value) -> Iterator[ast.AST]:
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield ast.Constant(value + 1)
    elif isinstance(value, float):
        yield ast.Constant(2 * value + 1 if abs(value) < 1e100 else value / 1e9)


def _is_none(node) -> bool:
    return node is None or (isinstance(node, ast.Constant) and node.value is None)


def _is_text(*nodes) -> bool:
    return any(
        isinstance(one, ast.JoinedStr)
        or (isinstance(one, ast.Constant) and isinstance(one.value, str))
        for one in nodes
    )
