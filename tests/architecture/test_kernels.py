"""Kernels that graphs replace by a function of NumPy's are that function and nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.source import parsed, place, python_files


def replaceable() -> Iterator[tuple[Path, ast.ClassDef, str]]:
    """Yield the operators that name a function of NumPy's."""
    for path in python_files("src"):
        for made in ast.walk(parsed(path)):
            if isinstance(made, ast.ClassDef):
                for line in made.body:
                    match line:
                        case ast.Assign([ast.Name("ufunc")], ast.Constant(str(name))):
                            yield path, made, name


def kernel_of(made: ast.ClassDef) -> list[ast.stmt]:
    """Return the kernel's lines, without its docstring."""
    found = [
        x for x in made.body if isinstance(x, ast.FunctionDef) and x.name == "kernel"
    ]
    return found[0].body[1:] if found else []


def test_kernels_are_the_function_they_name() -> None:
    several = list(replaceable())
    assert len(several) > 40
    others = []
    for path, made, name in several:
        lines = [ast.unparse(x) for x in kernel_of(made)]
        if lines not in ([f"return xp.{name}(x)"], [f"return xp.{name}(x, y)"]):
            others.append(f"{place(path, made.lineno)} {made.name}: {lines}")
    assert not others
