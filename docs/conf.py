"""The site's configuration: sphinx-build -W docs docs/_build/html, or nox -s docs."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import gathernd

project = "gathernd"
author = project_copyright = "The gathernd developers"
version = release = gathernd.__version__

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.intersphinx",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_build"]
nitpicky = True
nitpick_ignore_regex = [
    # Words for types in docstrings, and other packages' types: their pages may be out of reach.
    ("py:.*", r"(?!gathernd\.).*"),
]

html_theme = "pydata_sphinx_theme"
html_title = "gathernd"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/icon.svg"
html_context = {"default_mode": "auto"}
alone = ["install", "quickstart", "semantics", "devices", "performance", "changes"]
html_sidebars: dict[str, list[str]] = {page: [] for page in alone}  # others have a list of pages
html_theme_options = {
    "github_url": "https://github.com/gathernd/gathernd",
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_show_sourcelink = False

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True
nb_render_markdown_format = "myst"
os.environ["MATPLOTLIBRC"] = str(Path(__file__).parent)  # of the notebooks

autodoc_member_order = "bysource"
# To describe the functions for other libraries, these need not be there.
torch_parts = (f"gathernd.torch.{name}" for name in ("_arrays", "_gradients", "_ops"))
autodoc_mock_imports = ["dask", "torch", *torch_parts]
autodoc_typehints = "none"  # numpydoc's sections name the types
numpydoc_show_class_members = False
copybutton_exclude = ".linenos, .gp, .go"


def reachable(url: str) -> bool:
    """Whether the index of another project's pages can be had: a build works without network."""
    try:
        with urlopen(f"{url}/objects.inv", timeout=5) as answer:
            return bool(answer.read(1))
    except (URLError, TimeoutError, ConnectionError):
        return False


others = {
    "python": "https://docs.python.org/3",
    "numpy": "https://numpy.org/doc/stable",
}
intersphinx_mapping = {name: (url, None) for name, url in others.items() if reachable(url)}
