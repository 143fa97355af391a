"""Nothing public is missing from the reference, the guide and the examples."""

import importlib.util
import re
from pathlib import Path

import click
import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def extension(name):
    path = DOCS / "extensions" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


reference = extension("reference_pages")
PACKAGES = reference.public_packages()


def words(paths):
    """All words of some files, and so all names that they mention."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    return set(re.findall(r"\w+", text))


def test_every_package_has_a_page():
    assert set(PACKAGES) == set(reference.PACKAGES)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_is_on_its_page(package):
    page = reference.package_page(package)
    entries = set(re.findall(r"^(?:   |\.\. py:data:: [\w.]*\.)(\w+)$", page, re.M))
    names = {name.rpartition(".")[2] for name in reference.public_names(package)}
    assert names <= entries


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_is_in_the_guide_or_an_example(package):
    told = words([*(DOCS / "guide").glob("*.md"), *(ROOT / "examples").glob("*.py")])
    names = {name.rpartition(".")[2] for name in reference.public_names(package)}
    missing = names - told
    assert not missing, f"on no page of docs/guide and in no example: {missing}"


def test_every_name_has_a_docstring():
    for package in PACKAGES:
        for name in reference.public_names(package):
            if reference.is_constant(name):
                assert name in reference.CONSTANTS
            else:
                assert reference.public_object(name).__doc__, name


def test_top_level_names_are_in_the_index():
    import softcost

    page = reference.index_page()
    for name in softcost.__all__:
        assert re.search(rf"\b{name}\b", page), name


def test_every_command_and_option_is_in_the_reference():
    from softcost.cli import main

    page = reference.commands_page()
    for name, context in reference.commands(main, "softcost"):
        assert f"\n{name}\n---" in page
        for parameter in context.command.params:
            hidden = getattr(parameter, "hidden", False)
            if isinstance(parameter, click.Option) and not hidden:
                assert parameter.opts[0] in page, (name, parameter.opts)
