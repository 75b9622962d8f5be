"""Documentation and files' first lines name only what is there. That code runs is for doctests."""

from __future__ import annotations

import ast
import re
from functools import reduce
from pathlib import Path

import pytest

import tensorlite as tl
from tests.architecture.source import (
    PACKAGE,
    ROOT,
    SOURCE,
    parsed,
    place,
    python_files,
)

PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
NAME = re.compile(r"\btl((?:\.[A-Za-z_]\w*)+)")
FILE = re.compile(r"`((?:src|tests|examples|docs)/[\w./-]+\.(?:py|md|svg))`")
NAMED = re.compile(r"(?<![\w/])([a-z_0-9/]+\.py)\b")
MADE_UP = {"tl.bump"}
"""Names that a page asks its reader to imagine."""


@pytest.mark.parametrize("page", PAGES, ids=place)
def test_every_name_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    missing = {
        f"tl{path}" for path in NAME.findall(text) if not is_there(path)
    } - MADE_UP
    assert not missing


def is_there(path: str) -> bool:
    """Return whether a dotted path, such as `.nn.relu`, leads somewhere in the package."""
    try:
        reduce(getattr, path[1:].split("."), tl)
    except AttributeError:
        return False
    return True


@pytest.mark.parametrize("page", PAGES, ids=place)
def test_every_file_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    missing = {name for name in FILE.findall(text) if not (ROOT / name).exists()}
    assert not missing


def test_the_layout_names_every_file_on_a_programs_way() -> None:
    layout = (ROOT / "docs/explanation/layout.md").read_text(encoding="utf-8")
    for folder in ("core", "graph", "function", "passes", "runtime"):
        section = layout.partition(f"## {folder}:")[2].partition("\n## ")[0]
        files = {path.name for path in (SOURCE / PACKAGE / folder).glob("[!_]*.py")}
        assert set(re.findall(r"`(\w+\.py)`", section)) == files


def test_files_that_a_file_names_at_its_top_are_there() -> None:
    missing = []
    for path in python_files("src"):
        for name in NAMED.findall(ast.get_docstring(parsed(path)) or ""):
            around = path.parents if "/" in name else path.parents[:3]
            if not any((folder / name).exists() for folder in around):
                missing.append(f"{place(path)} names {name}")
    assert missing == []
