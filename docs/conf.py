"""How the documentation is built: `make docs`."""

import re
from importlib.metadata import version as version_of
from typing import Any

project = "tensorlite"
copyright = "the tensorlite authors"
release = version_of("tensorlite")
version = release

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_type_aliases = {
    name: name
    for name in ("Array", "Axis", "DTypeLike", "Rate", "Shape", "TensorLike", "Xp")
}
add_module_names = False

html_theme = "furo"
html_title = f"tensorlite {release}"
html_copy_source = False

CODE = re.compile(r"(`[^`]+`)")
ALIAS = re.compile(r"TypeAliasForwardRef\('(\w+)'\)")
MARKUP = re.compile(r"[*|\\]|_\b")


def as_restructured(line: str) -> str:
    """Return a docstring's line, in which `code` is as in Markdown, for Sphinx to read."""
    parts = CODE.split(line)
    parts[::2] = [MARKUP.sub(r"\\\g<0>", part) for part in parts[::2]]
    parts[1::2] = [f"`{part}`\\ " for part in parts[1::2]]
    return "".join(parts).replace("`\\  ", "` ")


def process(*given: Any) -> None:
    """Make code in a docstring code on the page, and nothing else markup; examples stay."""
    in_example, lines = False, given[-1]
    for i, line in enumerate(lines):
        in_example = line.lstrip().startswith(">>>") or (
            in_example and bool(line.strip())
        )
        if not in_example:
            lines[i] = as_restructured(line)


def with_aliases(*given: Any) -> tuple[str | None, str | None]:
    """Return a signature and a result's type with the names of type aliases in them as they are."""
    signature, result = [text and ALIAS.sub(r"\1", text) for text in given[-2:]]
    return signature, result


def setup(app: Any) -> None:
    """Let docstrings be processed before Sphinx reads them."""
    app.connect("autodoc-process-docstring", process, priority=400)
    app.connect("autodoc-process-signature", with_aliases)
