"""map_fn, scan, foldl, foldr: functions applied along the first axis, in a trace as loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.core import nest, operand
from tensorlite.core.check import a_function
from tensorlite.core.constant import array_of
from tensorlite.core.dispatch import to_tensor, tracer
from tensorlite.core.dtypes import of_numpy
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.spec import TensorSpec, merge
from tensorlite.core.tensor import Tensor
from tensorlite.graph.trace import Tracer
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.control.branches import trace_leaves
from tensorlite.ops.control.loops import while_loop
from tensorlite.ops.control.tensor_array import TensorArray

__all__ = ["fold", "foldl", "foldr", "map_fn", "scan"]


class _Rows:
    """The rows of a structure of tensors that agree in their first size."""

    def __init__(self, elems: Any, what: str) -> None:
        self.elems = elems
        tensors = [to_tensor(leaf) for leaf in nest.flatten(elems)]
        if not tensors:
            raise InvalidArgumentError(f"{what}: elems holds no tensor")
        known: tuple[int | None, ...] | None = (None,)
        for x in tensors:
            if x.spec.shape == ():
                raise ShapeError(
                    f"{what}: a 0-d tensor has no first axis to go along"
                )
            try:
                known = merge(
                    known, None if x.spec.shape is None else x.spec.shape[:1]
                )
            except ShapeError as error:
                raise ShapeError(f"{what}: first sizes differ: {error}") from None
        self.static = (known or (None,))[0]
        """The number of rows, where it is known."""
        self.number: Any = (
            self.static if self.static is not None else shape_of(tensors[0])[0]
        )
        self.arrays = [TensorArray(x.dtype).unstack(x) for x in tensors]

    def at(self, index: Any) -> Any:
        """Return the structure of rows at `index`."""
        return nest.pack_like(
            self.elems, [array.read(index) for array in self.arrays]
        )


def _collected(values: Any, number: Any) -> list[TensorArray]:
    return [
        TensorArray(to_tensor(leaf).dtype, size=number)
        for leaf in nest.flatten(values)
    ]


def _array_like(leaf: Any, number: Any) -> TensorArray:
    """Return an array for results like `leaf`, a tensor of a trace or a Python number."""
    spec = leaf.spec if isinstance(leaf, Tensor) else _number_spec(leaf)
    return TensorArray(spec.dtype, size=number, element_shape=spec.shape)


def _number_spec(number: Any) -> TensorSpec:
    """Return the spec of the tensor that a Python number becomes."""
    return TensorSpec((), of_numpy(array_of(number).dtype))


def _written(arrays: list[TensorArray], index: Any, values: Any) -> list[TensorArray]:
    leaves = nest.flatten(values)
    return [
        array.write(index, leaf) for array, leaf in zip(arrays, leaves, strict=True)
    ]


def _stacked(arrays: list[TensorArray], like: Any, static: int | None) -> Any:
    size = -1 if static is None else static
    return nest.pack_like(like, [array.stack(size) for array in arrays])


def map_fn(
    fn: Callable[[Any], Any], elems: Any, parallel_iterations: int = 10
) -> Any:
    """Return the results of `fn` on each row of `elems`, stacked.

    `elems` is a tensor or a structure of tensors that agree in their first size; `fn` takes and
    returns structures.

    >>> print(tl.map_fn(lambda x: x * x, tl.asarray([1.0, 2.0, 3.0])))
    [1. 4. 9.]
    """
    a_function(fn, "map_fn: fn")
    rows = _Rows(elems, "map_fn")
    if tracer() is None and rows.static:
        first, start = fn(rows.at(0)), 1
        arrays = _written(_collected(first, rows.number), 0, first)
    else:
        probe = trace_leaves(Tracer("map_fn"), lambda: fn(rows.at(0)), ())
        first, start = probe.result, 0
        arrays = [_array_like(leaf, rows.number) for leaf in probe.leaves]

    def body(
        i: Tensor, arrays: list[TensorArray]
    ) -> tuple[Tensor, list[TensorArray]]:
        return i + 1, _written(arrays, i, fn(rows.at(i)))

    def more(i: Tensor, _: Any) -> Tensor:
        return operand.operators.less(i, rows.number)

    _, arrays = while_loop(more, body, (start, arrays), None, parallel_iterations)
    return _stacked(arrays, first, rows.static)


def scan(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    reverse: bool = False,
    parallel_iterations: int = 10,
) -> Any:
    """Return all values of the running `state = fn(state, row)`, stacked in the rows' order.

    Without an `initializer` the first row is the first state, and the first value. With `reverse`
    the last row comes first.

    >>> print(tl.scan(lambda total, x: total + x, tl.asarray([1.0, 2.0, 3.0])))
    [1. 3. 6.]
    """
    rows = _Rows(elems, "scan")
    walk = _Walk(fn, rows, initializer, reverse)
    arrays = _collected(walk.state, rows.number)
    if walk.start:
        arrays = _written(arrays, walk.place(0), walk.state)

    def body(i: Tensor, state: Any, arrays: list[TensorArray]) -> Any:
        after = walk.step(i, state)
        return i + 1, after, _written(arrays, walk.place(i), after)

    def more(i: Tensor, *_: Any) -> Tensor:
        return operand.operators.less(i, rows.number)

    variables = (walk.start, walk.state, arrays)
    *_, arrays = while_loop(more, body, variables, None, parallel_iterations)
    return _stacked(arrays, walk.state, rows.static)


class _Walk:
    """A function going along rows with a state."""

    def __init__(
        self,
        fn: Callable[[Any, Any], Any],
        rows: _Rows,
        initializer: Any,
        reverse: bool,
    ) -> None:
        self.fn = fn
        self.rows = rows
        self.reverse = reverse
        self.start = 1 if initializer is None else 0
        """The turn to begin with; the first row may have become the state already."""
        given = rows.at(self.place(0)) if initializer is None else initializer
        self.state = nest.map_structure(to_tensor, given)

    def place(self, i: Any) -> Any:
        """Return the row of turn `i`."""
        return self.rows.number - 1 - i if self.reverse else i

    def step(self, i: Any, state: Any) -> Any:
        """Return the state after turn `i`."""
        return self.fn(state, self.rows.at(self.place(i)))

    def whole(self, parallel_iterations: int) -> Any:
        """Return the last state."""

        def body(i: Tensor, state: Any) -> Any:
            return i + 1, self.step(i, state)

        def more(i: Tensor, _: Any) -> Tensor:
            return operand.operators.less(i, self.rows.number)

        return while_loop(
            more, body, (self.start, self.state), None, parallel_iterations
        )[1]


def foldl(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
) -> Any:
    """Return the last `state = fn(state, row)` over the rows, first to last.

    >>> print(tl.foldl(lambda total, x: total * 10 + x, tl.asarray([1, 2, 3])))
    123
    """
    return _Walk(fn, _Rows(elems, "foldl"), initializer, False).whole(
        parallel_iterations
    )


fold = foldl


def foldr(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
) -> Any:
    """Return the last `state = fn(state, row)` over the rows, last to first.

    >>> print(tl.foldr(lambda total, x: total * 10 + x, tl.asarray([1, 2, 3])))
    321
    """
    return _Walk(fn, _Rows(elems, "foldr"), initializer, True).whole(
        parallel_iterations
    )
