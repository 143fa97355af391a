"""How the documentation site is built; `docs/make` builds it."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "extensions"))

os.environ.setdefault("MPLBACKEND", "agg")

from softcost import __version__  # noqa: E402

project = "softcost"
author = "softcost developers"
copyright = "softcost developers"
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "reference_pages",
    "root_pages",
    "result_tables",
]
exclude_patterns = ["_build", "extensions", "results/figures"]
templates_path = ["templates"]
default_role = "py:obj"

autodoc_typehints = "none"  # docstrings name types and shapes in words
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
autosummary_generate = True
autosummary_imported_members = False
numpydoc_show_class_members = False
numpydoc_validation_checks: set[str] = set()

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "substitution"]
myst_heading_anchors = 3
suppress_warnings = ["myst.header"]  # pages of results begin as the report writes them

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py",
    "copyfile_regex": r".*\.rst",
    "doc_module": ("softcost",),
    "reference_url": {"softcost": None},
    "backreferences_dir": "reference/backreferences",
    "within_subsection_order": "FileNameSortKey",
    "remove_config_comments": True,
    "show_memory": False,
    "min_reported_time": 1e6,  # times say nothing about another machine
    "write_computation_times": False,
    "download_all_examples": False,
    "show_signature": False,
    "plot_gallery": True,
    "abort_on_example_error": False,
}

html_theme = "pydata_sphinx_theme"
html_title = f"softcost {version}"
html_static_path = ["static"]
html_css_files = ["style.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": html_title},
    "navbar_align": "left",
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": []}
html_context = {"default_mode": "auto"}
