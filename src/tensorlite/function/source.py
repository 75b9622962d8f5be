"""The syntax tree of a function, found by its code object in a file, a cell or the prompt.

What is done with the tree is in convert.py.
"""

from __future__ import annotations

import ast
import linecache
import os
from collections.abc import Iterator
from functools import lru_cache
from threading import Lock
from types import CodeType, FunctionType
from typing import NamedTuple, TypeAlias

from tensorlite.core.provenance import PACKAGE
from tensorlite.core.spec import all_known

Definition: TypeAlias = "ast.FunctionDef | ast.Lambda"
Span: TypeAlias = "tuple[int, int, int, int]"


class Found(NamedTuple):
    """A function's definition, and the class it stands in, if any."""

    node: Definition
    owner: str | None


parsing = Lock()
"""Held while syntax trees are made or compiled: Python 3.11 counts their depth for all threads."""
_PYTHON = os.__file__.rpartition("os")[0]
_INSTALLED = "site-packages" + os.sep
_WITHOUT_TENSORS = {
    "_pytest",
    "IPython",
    "PIL",
    "absl",
    "cupy",
    "google",
    "h5py",
    "jax",
    "keras",
    "matplotlib",
    "ml_dtypes",
    "mock",
    "numpy",
    "onnx",
    "onnxruntime",
    "pandas",
    "pkg_resources",
    "pluggy",
    "psutil",
    "pytest",
    "ray",
    "scipy",
    "sklearn",
    "tensorflow",
    "tensorflow_probability",
    "tf_keras",
    "torch",
    "tqdm",
}


@lru_cache(maxsize=4096)
def may_hold_tensors(file: str) -> bool:
    """Return whether a file's code may be written for this library's tensors.

    It is neither this library's nor Python's own, nor of a package that knows nothing of it, or
    that says by itself, as tensorflow_probability does, what becomes part of a graph.
    """
    if file.startswith((PACKAGE, "<frozen")):
        return False
    if _INSTALLED in file:
        package = file.rpartition(_INSTALLED)[2].partition(os.sep)[0]
        return package.removesuffix(".py") not in _WITHOUT_TENSORS
    return not file.startswith(_PYTHON)


def find(function: FunctionType) -> Found | None:
    """Return where `function` is defined, or None when its source cannot be had."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines:
        return None
    candidates = _definitions("".join(lines)).get(
        (code.co_name, code.co_firstlineno), []
    )
    fitting = [found for found in candidates if _fits(found.node, code)]
    if len(fitting) > 1:
        fitting = [found for found in fitting if _span(found.node) == _returned(code)]
    return fitting[0] if len(fitting) == 1 else None


@lru_cache(maxsize=64)
def _definitions(text: str) -> dict[tuple[str, int], list[Found]]:
    """Return all definitions of a source text by name and first line."""
    try:
        with parsing:
            tree = ast.parse(text)
    except SyntaxError:
        return {}
    table: dict[tuple[str, int], list[Found]] = {}
    for found in _walk(tree, None):
        node = found.node
        if isinstance(node, ast.Lambda):
            key = "<lambda>", node.lineno
        else:
            first = node.decorator_list[0] if node.decorator_list else node
            key = node.name, first.lineno
        table.setdefault(key, []).append(found)
    return table


def _walk(node: ast.AST, owner: str | None) -> Iterator[Found]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.Lambda)):
            yield Found(child, owner)
        yield from _walk(
            child, child.name if isinstance(child, ast.ClassDef) else owner
        )


def _fits(node: Definition, code: CodeType) -> bool:
    """Return whether a definition still is the one that `code` was compiled from."""
    arguments = node.args
    names = [
        a.arg
        for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    ]
    names += [a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None]
    last = max(
        (line for _, _, line in code.co_lines() if line is not None), default=0
    )
    return list(code.co_varnames[: len(names)]) == names and last <= (
        node.end_lineno or 0
    )


def _span(node: Definition) -> Span | None:
    body = node.body
    if not isinstance(body, ast.expr):
        return None
    return (
        body.lineno,
        body.end_lineno or 0,
        body.col_offset,
        body.end_col_offset or 0,
    )


def _returned(code: CodeType) -> Span | None:
    """Return the span of what a lambda returns: its last instruction's."""
    last: Span | None = None
    for position in code.co_positions():
        if all_known(position):
            line, end_line, column, end_column = position
            last = line, end_line, column, end_column
    return last
