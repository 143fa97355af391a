"""Docstrings of all that is public have every section, and say what is so.

Read with numpydoc, as the site does: parameters are those of the signature, what is
returned is said, See Also leads somewhere, and the example can be pasted as it stands.
That examples give what they show is tested where they are, by ``--doctest-modules``.
"""

import ast
import builtins
import doctest
import importlib
import importlib.util
import inspect
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path

import pytest
from numpydoc.docscrape import ClassDoc, FunctionDoc

PATH = Path(__file__).parents[2] / "docs" / "extensions" / "reference_pages.py"
spec = importlib.util.spec_from_file_location("reference_pages", PATH)
reference = importlib.util.module_from_spec(spec)
spec.loader.exec_module(reference)


@cache
def public(package):
    """Functions and classes of a package, by their full names."""
    names = reference.public_names(package)
    return {
        name: reference.public_object(name)
        for name in names
        if not reference.is_constant(name)
    }


@cache
def with_methods(package):
    """The same, and the public methods that softcost itself defines for them."""
    found = dict(public(package))
    for name, value in public(package).items():
        if not inspect.isclass(value):
            continue
        for method, member in inspect.getmembers(value, callable):
            home = getattr(member, "__module__", None) or ""
            routed = method.startswith("set_") and method.endswith("_request")
            if method[0] != "_" and home.startswith("softcost") and not routed:
                found[f"{name}.{method}"] = member
    return found


@cache
def doc_of(value):
    text = inspect.getdoc(value) or ""
    if inspect.isclass(value):
        return ClassDoc(value, doc=text, config={"show_class_members": False})
    return FunctionDoc(value, doc=text)


def documented(entries):
    """Names of parameters; several may share an entry."""
    return {
        name.strip().lstrip("*") for entry in entries for name in entry.name.split(",")
    }


def is_record(value):
    """Whether a class is its fields, which may be described as attributes."""
    return inspect.isclass(value) and (is_dataclass(value) or hasattr(value, "_fields"))


def parameters(value):
    """Names that a caller may give."""
    if getattr(value, "_is_protocol", False):
        return set()  # nobody makes one
    if inspect.isclass(value) and issubclass(value, Exception):
        return set()
    names = inspect.signature(value).parameters
    return {name for name in names if name != "self" and not name.startswith("_")}


def complaints_about_parameters(name, value):
    doc = doc_of(value)
    entries = list(doc["Parameters"])
    told = documented(entries + (doc["Attributes"] if is_record(value) else []))
    for one in sorted(parameters(value) - told):
        yield f"{name}: {one} is not documented"
    for one in sorted(documented(entries) - parameters(value)):
        yield f"{name}: {one} is no parameter"
    for entry in entries:
        if not "".join(entry.desc).strip():
            yield f"{name}: {entry.name} is not described"


def complaints_about_returns(name, value):
    if inspect.isclass(value):
        return
    nothing = inspect.signature(value).return_annotation in (None, "None")
    if not (nothing or doc_of(value)["Returns"] or doc_of(value)["Yields"]):
        yield f"{name} does not say what it returns"


def complaints_about_see_also(name, value):
    entries = [one for line in doc_of(value)["See Also"] for one, _ in line[0]]
    if not entries:
        yield f"{name} has no See Also"
    package = name.rpartition(".")[0]
    for entry in entries:
        own = f"{package}.{entry}"
        if own in with_methods(package):
            continue
        home, _, attribute = entry.rpartition(".")
        if entry.startswith("softcost."):
            known = any(entry in with_methods(one) for one in reference.PACKAGES)
        else:
            known = home and hasattr(importlib.import_module(home), attribute)
        if not known:
            yield f"{name}: see also {entry}, which is nowhere"


def unbound(source):
    """Names that code uses and does not make."""
    used, bound = set(), set(dir(builtins))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler):
            bound.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            bound |= {(one.asname or one.name).split(".")[0] for one in node.names}
    return used - bound


def complaints_about_examples(name, value):
    text = "\n".join(doc_of(value)["Examples"])
    steps = doctest.DocTestParser().get_examples(text)
    if not steps:
        yield f"{name} has no example"
    for one in sorted(unbound("".join(step.source for step in steps))):
        yield f"{name}: the example uses {one} and does not import it"


@pytest.mark.parametrize("package", reference.PACKAGES)
@pytest.mark.parametrize(
    "complain", [complaints_about_parameters, complaints_about_returns]
)
def test_everything_callable_is_described(complain, package):
    found = with_methods(package).items()
    assert [one for name, value in found for one in complain(name, value)] == []


@pytest.mark.parametrize("package", reference.PACKAGES)
@pytest.mark.parametrize(
    "complain", [complaints_about_see_also, complaints_about_examples]
)
def test_everything_public_leads_on_and_is_shown(complain, package):
    found = public(package).items()
    assert [one for name, value in found for one in complain(name, value)] == []


def poor(size, colour="red"):
    """Do something.

    Parameters
    ----------
    size : int
    shape : str
        There is none.

    See Also
    --------
    nowhere : It is not.

    Examples
    --------
    >>> np.ones(size)  # doctest: +SKIP
    """


@pytest.mark.parametrize(
    ("complain", "expected"),
    [
        (
            complaints_about_parameters,
            ["colour is not documented", "shape is no parameter",
             "size is not described"],
        ),
        (complaints_about_returns, ["does not say what it returns"]),
        (complaints_about_see_also, ["see also nowhere, which is nowhere"]),
        (
            complaints_about_examples,
            ["the example uses np and does not import it",
             "the example uses size and does not import it"],
        ),
    ],
)  # fmt: skip
def test_a_poor_docstring_is_complained_about(complain, expected):
    told = list(complain("softcost.costs.poor", poor))
    assert [one.removeprefix("softcost.costs.poor").lstrip(": ") for one in told] == (
        expected
    )
