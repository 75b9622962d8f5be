"""The source tree as the tests of this folder see it: files, modules, parsed code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
PACKAGE = "tensorlite"


def python_files(*folders: str) -> list[Path]:
    """Return the Python files under `folders`, which are relative to the repository's root."""
    return sorted(
        path for folder in folders for path in (ROOT / folder).rglob("*.py")
    )


def place(path: Path, line: int | None = None) -> str:
    """Return where that is, as editors and terminals understand it."""
    where = path.relative_to(ROOT).as_posix()
    return where if line is None else f"{where}:{line}"


@cache
def parsed(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@cache
def modules() -> dict[str, Path]:
    """Return the files of the package by the names of their modules."""
    found = {}
    for path in python_files("src"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function and method in `tree`, nested ones too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
