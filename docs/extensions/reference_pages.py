"""Writes the pages of the reference from what the packages call public.

Nothing is listed by hand: a name in ``__all__`` of a package is in the reference, and a
command of the command line is, too. Only constants need a sentence here, since a
constant has no docstring of its own.
"""

import importlib
import inspect
from pathlib import Path
from typing import Any

import click

CONSTANTS = {
    "softcost.costs.KDD99_COSTS": (
        "Prices of the KDD Cup 1999 on network intrusions: a DataFrame of five "
        "classes, rows true, columns predicted."
    ),
    "softcost.costs.NO_ACTIONS": "No answers beyond the classes: an empty array.",
    "softcost.costs.SERS_COSTS": (
        "Prices of taking one species of bacteria for another, as physicians set them "
        "for the paper: a DataFrame of ten classes, rows true, columns predicted."
    ),
    "softcost.metrics.MEASURES": (
        "Every measure that `measure` computes, by name: a dict of `Measure`."
    ),
    "softcost.paper.TARGETS": (
        "The tables and figures of the paper that `reproduce` knows, by name."
    ),
    "softcost.reductions.CATALOGUE": (
        "Every reduction by its short name on the command line: a dict of `Entry`."
    ),
    "softcost.search.CRITERIA": (
        "The words that stand for a rule in ``criterion``: a dict of `Criterion`."
    ),
    "softcost.tables.KINDS": "What a column can hold, by name, and how it is read.",
}

PACKAGES = {
    "softcost.search": "Search and selection",
    "softcost.reductions": "Reductions",
    "softcost.costs": "Costs",
    "softcost.metrics": "Metrics",
    "softcost.tables": "Tables",
    "softcost.workflow": "Workflow",
    "softcost.svm": "Kernel machines",
    "softcost.linear": "Linear machines",
    "softcost.report": "Displays and the explorer",
    "softcost.persistence": "Saved models",
    "softcost.onnx": "Export to ONNX",
    "softcost.mlflow": "MLflow",
    "softcost.datasets": "Data sets",
    "softcost.learners": "Learners",
    "softcost.testing": "Checks",
    "softcost.paper": "The paper",
}


def public_packages() -> list[str]:
    """The packages that the top-level package offers."""
    import softcost

    found = (getattr(softcost, name) for name in softcost.__all__)
    return [value.__name__ for value in found if inspect.ismodule(value)]


def public_names(package: str) -> list[str]:
    """Full names of all that a package offers."""
    module = importlib.import_module(package)
    return [f"{package}.{name}" for name in module.__all__]


def public_object(full_name: str) -> Any:
    package, _, name = full_name.rpartition(".")
    return getattr(importlib.import_module(package), name)


def is_constant(full_name: str) -> bool:
    value = public_object(full_name)
    return not (inspect.isclass(value) or inspect.isroutine(value))


def heading(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}\n"


def table(names: list[str], toctree: bool = True) -> str:
    option = "   :toctree: generated\n" if toctree else ""
    rows = "\n".join(f"   {name}" for name in names)
    return f".. autosummary::\n{option}\n{rows}\n"


def package_page(package: str) -> str:
    """A page with a table of classes, one of functions, and the constants."""
    module = importlib.import_module(package)
    names = public_names(package)
    constants = [name for name in names if is_constant(name)]
    classes = [name for name in names if inspect.isclass(public_object(name))]
    functions = [name for name in names if name not in constants + classes]
    parts = [
        heading(f"{PACKAGES[package]}: ``{package}``", "="),
        inspect.cleandoc(module.__doc__ or "") + "\n",
        f".. currentmodule:: {package}\n",
    ]
    for title, members in (("Classes", classes), ("Functions", functions)):
        if members:
            short = [name.rpartition(".")[2] for name in members]
            parts += [heading(title, "-"), table(short)]
    if constants:
        parts.append(heading("Constants", "-"))
        for name in constants:
            parts.append(f".. py:data:: {name}\n\n   {CONSTANTS.get(name, '')}\n")
    return "\n".join(parts)


def index_page() -> str:
    """What ``from softcost import ...`` offers, and a list of the packages."""
    import softcost

    offered = []
    for name in softcost.__all__:
        value = getattr(softcost, name)
        if inspect.isclass(value) or inspect.isroutine(value):
            offered.append(f"{home_of(name)}.{name}")
    pages = "\n".join(f"   {package}" for package in PACKAGES)
    return "\n".join(
        [
            heading("Reference", "="),
            "Everything public, generated from its docstrings.\n",
            heading("The command line", "-"),
            ":doc:`commands` has every command with its options.\n",
            heading("Directly from ``softcost``", "-"),
            "``from softcost import`` any of these; each is described in its package. "
            "``softcost.__version__`` is the version.\n",
            table(offered, toctree=False),
            heading("By package", "-"),
            f".. toctree::\n   :maxdepth: 1\n\n{pages}\n   commands\n",
        ]
    )


def home_of(name: str) -> str:
    """The package whose page describes what the top-level package offers."""
    import softcost

    value = getattr(softcost, name)
    for package in PACKAGES:
        module = importlib.import_module(package)
        if name in module.__all__ and getattr(module, name) is value:
            return package
    raise LookupError(f"no package offers softcost.{name}")


def commands(command: click.Command, name: str) -> list[tuple[str, click.Context]]:
    """Every command with its context, groups before what is in them."""
    context = click.Context(command, info_name=name, **command.context_settings)
    found = [(name, context)]
    if isinstance(command, click.Group):
        for word in command.list_commands(context):
            member = command.get_command(context, word)
            assert member is not None
            found += commands(member, f"{name} {word}")
    return found


def commands_page() -> str:
    """What ``--help`` says of every command."""
    from softcost.cli import main

    parts = [
        heading("The command line", "="),
        "What ``--help`` says of every command, generated from the commands. The guide "
        "shows them at work: :doc:`/guide/start`.\n",
    ]
    for name, context in commands(main, "softcost"):
        context.terminal_width = context.max_content_width = 84
        text = click.unstyle(context.get_help())
        body = "\n".join(f"   {line}".rstrip() for line in text.splitlines())
        parts += [heading(name, "-"), f".. code-block:: text\n\n{body}\n"]
    return "\n".join(parts)


def write_pages(directory: Path) -> None:
    pages = {package: package_page(package) for package in PACKAGES}
    pages |= {"index": index_page(), "commands": commands_page()}
    directory.mkdir(exist_ok=True)
    for name, text in pages.items():
        path = directory / f"{name}.rst"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def from_elsewhere(
    app: Any, what: str, name: str, member: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out members that other packages describe."""
    home = getattr(member, "__module__", None) or getattr(
        getattr(member, "fget", None), "__module__", ""
    )
    routed = name.startswith("set_") and name.endswith("_request")
    if what == "class" and (routed or not home.startswith("softcost")):
        return None if home == "" and not routed else True
    return None


def formulas_as_written(
    app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]
) -> None:
    """Set indented formulas of a docstring's text as they are written.

    They stand in the text before the first section, after an empty line; a line with
    two colons in front makes them a literal block.
    """
    rules = [row for row, line in enumerate(lines) if line and not line.strip("-")]
    end = rules[0] - 1 if rules else len(lines)
    for row in reversed(range(1, end)):
        begins = lines[row].startswith("    ") and not lines[row - 1]
        above = next((line for line in lines[row - 1 :: -1] if line), "")
        inside = above.startswith(" ") or above.lstrip().startswith(("-", ".. "))
        if begins and not inside and not above.endswith("::"):
            lines[row:row] = ["::", ""]


def setup(app: Any) -> dict[str, bool]:
    write_pages(Path(app.srcdir) / "reference")
    app.connect("autodoc-skip-member", from_elsewhere)
    app.connect("autodoc-process-docstring", formulas_as_written, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
