"""Every operator travels: its graphs, forward and backward, are the same after bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import GraphError
from tensorlite.core.op import REGISTRY
from tensorlite.core.tensor import Tensor
from tensorlite.function.compile import Compiled
from tensorlite.graph.graph import Graph
from tensorlite.graph.kinds import KINDS
from tensorlite.graph.text import to_text
from tensorlite.graph.trace import Traced, trace
from tensorlite.graph.wire import from_bytes, to_bytes
from tensorlite.passes.pipeline import COMPILE, run_passes
from tensorlite.passes.verify import verify
from tensorlite.runtime.build import compile_plan
from tensorlite.runtime.step import run_plan
from tests.cases import CASES
from tests.cases.base import OpCase
from tests.checks import dense, eager, outputs_of, pullback
from tests.ops.test_contract import one_draw, same

STAYS = {"custom_gradient", "recompute_grad"}
"""Cases whose traces hold a Python function, as long as gradients may be asked for."""
PAIRS = [pytest.param(c, d, id=f"{c.name}-{d.name}") for c in CASES for d in c.dtypes]


def traced(case: OpCase, operands: Sequence[Tensor]) -> list[Traced]:
    """Return a trace of a case and, where there is a gradient, one of that beside it."""

    def forward(*xs: Tensor) -> list[Tensor]:
        return outputs_of(case.fn(*xs))

    def both(*xs: Tensor) -> list[Tensor]:
        ys = forward(*xs)
        flows = [tl.ones_like(y) if y.dtype.is_differentiable else None for y in ys]
        return [
            *ys,
            *[dense(g) for g in pullback(case.fn, xs, flows) if g is not None],
        ]

    specs = [x.spec.without_value() for x in operands]
    smooth = case.differentiable and any(x.dtype.is_differentiable for x in operands)
    return [trace(f, specs) for f in ([forward, both] if smooth else [forward])]


def there_and_back(graph: Graph) -> Graph:
    """Return a graph that went through bytes, having held it against the one it was."""
    data = to_bytes(graph)
    found = from_bytes(data, Compiled)
    assert to_text(found) == to_text(graph)
    assert to_bytes(found) == data
    return verify(found)


def ran(graph: Graph, arrays: Sequence[Any]) -> tuple[Any, ...]:
    """Return a graph's outputs for copies of arrays."""
    given = [x.copy() if isinstance(x, np.ndarray) else x for x in arrays]
    return run_plan(compile_plan(graph), given)


@pytest.mark.parametrize(("case", "dtype"), PAIRS)
def test_a_graph_is_the_same_after_bytes(case: OpCase, dtype: tl.DType) -> None:
    operands = [eager(x) for x in one_draw(case, dtype)]
    for made in traced(case, operands):
        arrays = [x.array for x in [*operands, *made.captured]]
        wanted = ran(made.graph, arrays)
        ready = run_passes(made.graph, COMPILE)
        same(ran(there_and_back(ready), arrays), wanted)
        if case.name in STAYS:
            with pytest.raises(GraphError, match="CustomGradient"):
                to_bytes(made.graph)
        else:
            same(ran(there_and_back(made.graph), arrays), wanted)


OBJECTS = {
    "NewIterator.dataset",
    "PrintPieces.stream",
    "PrintV2.output_stream",
    "PythonDataset.dataset",
    "DatasetReduction.reduction",
}
"""Python's, which stay in their process, as functions of datasets do."""


def test_attributes_are_of_types_that_reading_checks() -> None:
    unknown = {
        f"{name}.{field.name}"
        for name, op in REGISTRY.items()
        if op.__module__.startswith("tensorlite") and op.attribute_names()
        for field in fields(op)
        if str(field.type) not in KINDS and not _is_of_datasets(op, str(field.type))
    }
    assert unknown <= OBJECTS


def _is_of_datasets(op: type[tl.Op], written: str) -> bool:
    return op.__module__.startswith("tensorlite.data.") and written == "Compiled"
