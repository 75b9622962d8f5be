"""Runs through datasets in functions are written: calls of functions that make and read iterators.

Such a function makes the dataset of TensorFlow's operators, of the tensors that the program's was
made with. How datasets themselves are written is in adapters/datasets.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.core import nest
from tensorlite.core.dispatch import call, calls, constant
from tensorlite.core.errors import MissingOperatorError
from tensorlite.core.op import Op
from tensorlite.core.scope import control_dependencies
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.data.encoding import is_composite
from tensorlite.data.iterator_ops import IteratorV2, MakeIterator
from tensorlite.data.iterators import (
    DatasetToSingleElement,
    IteratorAdvance,
    IteratorGetNext,
    IteratorGetNextAsOptional,
    NewIterator,
    present,
)
from tensorlite.data.reducing import DatasetReduction, ReduceDataset
from tensorlite.data.variants import (
    as_tensor,
    element_given,
    leaf_specs,
    leaves_of,
    tensors_of,
)
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph.trace import outermost, standing, trace
from tensorlite.interop.tensorflow.writers.counting import shapes_of
from tensorlite.interop.tensorflow.writers.parts import Spelled
from tensorlite.ops.arrays.create import zeros
from tensorlite.ops.arrays.identity import identity
from tensorlite.ops.control.assertions import Assert
from tensorlite.ops.control.branches import cond
from tensorlite.ops.control.bundles import OptionalHasValue, unbundle
from tensorlite.ops.math.compare import logical_not


def _called(
    node: Node, function: Callable[..., Sequence[Tensor]], places: Sequence[int] = ()
) -> tuple[Spelled, ...]:
    """Return a call of a function of some inputs, and of those that it captures.

    Datasets know what they were made with by its id, whatever stands for it where they are used.
    """
    specs = [node.inputs[i].spec.without_value() for i in places]
    names: tuple[int, ...] = getattr(node.op, "keys", ())
    known = dict(zip(names, node.inputs, strict=False))
    token = standing.set(lambda x: known.get(id(x)))
    try:
        made = trace(function, specs, f"run_{node.op.name}", node.graph)
    finally:
        standing.reset(token)
    own = {(x.node, x.index): i for i, x in enumerate(node.inputs)}
    inputs = list(places)
    for x in made.captured:
        inner = known.get(id(x), x)
        key = (inner.node, inner.index) if isinstance(inner, SymbolicTensor) else None
        if key not in own:
            raise MissingOperatorError(
                f"{node.name}: its dataset uses {x!r}, which is not among what the function has; "
                "make the dataset in the function, of its arguments"
            )
        inputs.append(own[key])
    given = {"f": made.graph, "_output_shapes": shapes_of(node)}
    return (Spelled("StatefulPartitionedCall", given, tuple(inputs)),)


def _iterator(op: Op, node: Node) -> tuple[Spelled, ...]:
    assert isinstance(op, NewIterator)

    def made() -> list[Tensor]:
        dataset = _in_parts(op.dataset)
        handle = call(IteratorV2(leaf_specs(dataset.element_spec)))
        calls(MakeIterator(), as_tensor(dataset), handle)
        tracing = outermost()
        assert tracing is not None
        # Whoever reads it waits for its beginning.
        with control_dependencies([tracing.last]):
            return [identity(handle)]

    return _called(node, made)


def _in_parts(dataset: Any) -> Any:
    """Return a dataset whose elements are what functions here take them as: each tensor alone."""
    if not any(map(is_composite, leaves_of(dataset.element_spec))):
        return dataset
    return dataset.map(lambda *element: present(element))


def _advance(op: Op, node: Node) -> tuple[Spelled, ...]:
    assert isinstance(op, IteratorAdvance)
    specs = op.output_types

    def following(handle: Tensor) -> list[Tensor]:
        bundle = call(IteratorGetNextAsOptional(specs), handle)
        more = call(OptionalHasValue(), bundle)
        found: Any = cond(
            more, lambda: unbundle(bundle, specs), lambda: _zeros(specs)
        )
        return [more, *nest.flatten(found)]

    return _called(node, following, (0,))


def _zeros(specs: Sequence[TensorSpec]) -> tuple[Tensor, ...]:
    shapes = [() if x.shape is None else [n or 0 for n in x.shape] for x in specs]
    return tuple(
        [zeros(shape, dtype=x.dtype) for shape, x in zip(shapes, specs, strict=True)]
    )


def _reduced(op: Op, node: Node) -> tuple[Spelled, ...]:
    assert isinstance(op, DatasetReduction)
    dataset, ready, like = op.reduction
    if ready.compiled is None:
        raise MissingOperatorError(
            f"{node.name}: the function that reduces was not traced; reduce in a tl.function"
        )
    states = range(len(op.keys), len(node.inputs))
    wanted = nest.pack_like(like, list(op.output_types))
    specs = leaf_specs(wanted)
    fold = ReduceDataset(ready.compiled, len(specs), specs)

    def folded(*state: Tensor) -> Sequence[Tensor]:
        first = tensors_of(nest.pack_like(like, list(state)))
        found = calls(fold, as_tensor(dataset), *first, *ready.given)
        return nest.flatten(element_given(wanted, found))

    return _called(node, folded, states)


def _single(op: Op, node: Node) -> tuple[Spelled, ...]:
    assert isinstance(op, DatasetToSingleElement)
    specs = op.output_types

    def only(handle: Tensor) -> Sequence[Tensor]:
        found = calls(IteratorGetNext(specs), handle)
        bundle = call(IteratorGetNextAsOptional(specs), handle)
        is_last = logical_not(call(OptionalHasValue(), bundle))
        calls(Assert(), is_last, constant("Dataset had more than one element"))
        return found

    return _called(node, only, (0,))


ITERATED: dict[str, Callable[[Op, Node], tuple[Spelled, ...]]] = {
    "DatasetToSingleElement": _single,
    "IteratorAdvance": _advance,
    "NewIterator": _iterator,
    "DatasetReduction": _reduced,
}
"""How what runs through datasets in functions is written."""
