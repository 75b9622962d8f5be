"""How the documentation is built: `make docs`."""

from importlib.metadata import version as version_of

project = "tensorlite"
copyright = "the tensorlite authors"
release = version_of("tensorlite")
version = release

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_format = "short"
add_module_names = False

html_theme = "furo"
html_title = f"tensorlite {release}"
html_copy_source = False
