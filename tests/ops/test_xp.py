"""Kernels name only what NumPy and CuPy both have: every case runs through a recording NumPy."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.dispatch import Interpreter, Tensors
from tensorlite.core.op import Op
from tensorlite.core.opaque import Opaque
from tensorlite.core.tensor import EagerTensor, Tensor
from tests.cases import CASES
from tests.cases.base import OpCase
from tests.checks import eager, outputs_of, pullback
from tests.ops.test_contract import one_draw

cupy = pytest.importorskip("cupy")


class Watched:
    """NumPy, or something in it, that notes the names it is asked for and how they are called."""

    def __init__(self, of: Any, path: str, seen: dict[str, set[str]]) -> None:
        self._of, self._path, self._seen = of, path, seen

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._of, name)
        path = f"{self._path}.{name}".lstrip(".")
        self._seen.setdefault(path, set())
        if isinstance(found, type) or not (
            callable(found) or isinstance(found, ModuleType)
        ):
            return found
        return Watched(found, path, self._seen)

    def __call__(self, *args: Any, **options: Any) -> Any:
        self._seen[self._path].update(options)
        return self._of(*args, **options)


class Watching(Interpreter):
    """Runs every kernel on a watched NumPy."""

    def __init__(self) -> None:
        self.seen: dict[str, set[str]] = {}

    def apply(self, op: Op, inputs: Tensors) -> Tensors:
        result = op.kernel(Watched(np, "", self.seen), *[x.array for x in inputs])
        outputs = result if type(result) is tuple else (result,)
        return tuple(eager_of(y) for y in outputs)


def eager_of(y: Any) -> Tensor:
    return EagerTensor(y if isinstance(y, Opaque) else np.asarray(y))


def lacking(seen: dict[str, set[str]]) -> list[str]:
    """Return what CuPy does not have of the names and keyword arguments that were used."""
    missing = []
    for path, options in sorted(seen.items()):
        found: Any = cupy
        for name in path.split("."):
            found = getattr(found, name, None)
        if found is None:
            missing.append(path)
        elif options and inspect.isfunction(found):
            accepted = inspect.signature(found).parameters
            if not any(p.kind is p.VAR_KEYWORD for p in accepted.values()):
                missing.extend(
                    f"{path}({name}=)" for name in options if name not in accepted
                )
    return missing


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_kernels_use_what_both_modules_have(case: OpCase) -> None:
    with Watching() as watching:
        for dtype in case.dtypes:
            operands = [eager(x) for x in one_draw(case, dtype)]
            ys = outputs_of(case.fn(*operands))
            if case.differentiable and dtype.is_differentiable:
                flows = [
                    tl.ones_like(y) if y.dtype.is_differentiable else None for y in ys
                ]
                pullback(case.fn, operands, flows)
    assert lacking(watching.seen) == []


def test_a_name_that_only_numpy_has_is_found() -> None:
    seen: dict[str, set[str]] = {}
    watched = Watched(np, "", seen)
    watched.asarray([1.0])
    watched.linalg.norm(np.ones(3))
    assert lacking(seen) == []
    assert watched.errstate is np.errstate
    watched.sum(np.ones(3), where=True)
    assert lacking(seen) == ["errstate", "sum(where=)"]
