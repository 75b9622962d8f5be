"""Who may import whom: every import of the package, held against one table."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

from tests.architecture.source import PACKAGE, modules, parsed, place

ROOT = "the root"  # tensorlite/__init__.py and the modules beside it

# Each layer is a folder; it may import itself and what stands here.
LAYERS: dict[str, set[str]] = {
    "core": set(),
    "graph": {"core"},
    "ops": {"core", "graph"},
    "passes": {"core", "graph", "ops"},
    "runtime": {"core", "graph"},
    "function": {"core", "graph", "ops", "passes", "runtime"},
    "train": {"core", "graph", "ops", "function"},
    "data": {"core", "graph", "ops", "function"},
    "graph_mode": {"core", "graph", "ops", "function", "train", "data"},
}
LAYERS["distributed"] = set(LAYERS)
LAYERS["interop"] = set(LAYERS) - {"distributed"}
LAYERS["compat"] = {*LAYERS, ROOT}
LAYERS[ROOT] = set(LAYERS)

# Packages that may be imported when a module is; all others are imported at first use.
OUTSIDE = {"numpy", "ml_dtypes", "safetensors"}

# A module of the package imported by name at run time, and why it has to be.
LATE = {
    (
        "tensorlite.core.tensor",
        "tensorlite",
    ): "a tensor's __array_namespace__ is the whole package",
    (
        "tensorlite.ops.numpy_names",
        "tensorlite",
    ): "np.sum(x) is whatever the package calls sum",
}


class Import(NamedTuple):
    """One imported module, and where and how it is imported."""

    module: str
    target: str
    line: int
    in_function: bool
    for_types: bool

    def __str__(self) -> str:
        return f"{place(modules()[self.module], self.line)}: imports {self.target}"


def layer_of(module: str) -> str:
    _, _, inner = module.partition(".")
    folder = inner.partition(".")[0]
    return folder if folder in LAYERS else ROOT


def targets(module: str, node: ast.AST) -> Iterator[str]:
    """Yield the modules that an import statement names."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            is_package = modules()[module].name == "__init__.py"
            above = module.split(".")[
                : len(module.split(".")) - node.level + is_package
            ]
            base = ".".join([*above, *base.split(".")]).rstrip(".")
        inner = {f"{base}.{alias.name}" for alias in node.names}
        yield from sorted(inner & modules().keys()) or [base]
        if inner - modules().keys() and inner & modules().keys():
            yield base


def imports_of(module: str) -> Iterator[Import]:
    """Yield every import in a module, wherever it stands."""

    def visit(node: ast.AST, in_function: bool, for_types: bool) -> Iterator[Import]:
        for target in targets(module, node):
            line = getattr(node, "lineno", 0)
            yield Import(module, target, line, in_function, for_types)
        in_function |= isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
        )
        guarded: list[ast.stmt] = []
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith(
            "TYPE_CHECKING"
        ):
            guarded = node.body
        for child in ast.iter_child_nodes(node):
            yield from visit(child, in_function, for_types or child in guarded)

    yield from visit(parsed(modules()[module]), in_function=False, for_types=False)


def imports_by_name(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield what is imported at run time by a name that stands there, and the line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
            "import_module"
        ):
            for argument in node.args[:1]:
                if isinstance(argument, ast.Constant) and isinstance(
                    argument.value, str
                ):
                    yield argument.value, node.lineno


def imports() -> list[Import]:
    return [found for module in modules() for found in imports_of(module)]


def is_own(module: str) -> bool:
    return module.partition(".")[0] == PACKAGE


def test_every_folder_is_a_layer() -> None:
    folders = {module.split(".")[1] for module in modules() if module.count(".") > 1}
    assert folders <= LAYERS.keys(), (
        "a new folder needs a line in LAYERS and in CONTRIBUTING.md"
    )


def test_layers_import_only_what_they_may() -> None:
    wrong = [
        f"{found}, but {here} may import only {sorted(LAYERS[here]) or 'itself'}"
        for found in imports()
        if is_own(found.target)
        for here, there in [(layer_of(found.module), layer_of(found.target))]
        if there not in {here, *LAYERS[here]}
    ]
    assert not wrong, "\n".join(wrong)


def test_optional_packages_are_imported_at_first_use() -> None:
    allowed = {PACKAGE, *OUTSIDE, *sys.stdlib_module_names}
    wrong = [
        str(found)
        for found in imports()
        if not found.for_types and found.target.partition(".")[0] not in allowed
    ]
    assert not wrong, "use importlib.import_module where it is needed:\n" + "\n".join(
        wrong
    )


def test_no_import_inside_a_function() -> None:
    wrong = [str(found) for found in imports() if found.in_function]
    assert not wrong, "\n".join(wrong)


def test_own_modules_are_not_imported_by_name() -> None:
    wrong = [
        f"{place(path, line)}: imports {target} by name"
        for module, path in modules().items()
        for target, line in imports_by_name(parsed(path))
        if is_own(target)
        and layer_of(module) != ROOT
        and (module, target) not in LATE
    ]
    assert not wrong, "\n".join(wrong)


def test_no_cycle() -> None:
    needs: dict[str, set[str]] = {module: set() for module in modules()}
    for found in imports():
        if (
            is_own(found.target)
            and not found.for_types
            and found.target != found.module
        ):
            needs[found.module].add(found.target)
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        raise AssertionError(" is imported by ".join(error.args[1])) from None
