"""map_fn, scan, foldl, foldr: functions along the first axis, which TensorFlow 1 and 2 have alike.

In graphs they are composed of TensorFlow's arrays and loops, in its order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.shared.arrays import shape
from tensorlite.compat.shared.control_flow import cut, inside, while_loop
from tensorlite.compat.shared.tensor_arrays import TensorArray
from tensorlite.compat.views import plain, shown
from tensorlite.core import nest
from tensorlite.core.check import a_function
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.operand import Operand
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.trace import Tracer
from tensorlite.graph_mode.counting import Start, operations, settle
from tensorlite.graph_mode.graph import active_graph, built, name_scope
from tensorlite.ops.control import functional
from tensorlite.ops.control.branches import trace_leaves


def map_fn(
    fn: Callable[..., Any],
    elems: Any,
    parallel_iterations: int = 10,
    name: str | None = None,
    back_prop: bool = True,
) -> Any:
    """Return what a function makes of each element, structured like those or something else."""
    if active_graph() is None:
        made = functional.map_fn(inside(fn), _taken(elems), parallel_iterations)
        return cut(made, back_prop)
    with name_scope(name, "map"):
        a_function(fn, "map_fn: fn")
        rows = _Rows(elems, "map_fn")
        like, specs, again = _made_of(fn, rows)
        start = shown(tl.constant(0))
        arrays = [_array(spec, rows.number, spec.shape) for spec in specs]

        def step(i: Any, arrays: Any) -> Any:
            return _written_behind(fn(rows.at(i)), arrays, i)

        def more(i: Any, _: Any) -> Any:
            return i < rows.number

        with again:
            found = _loop(
                more, step, [start, arrays], rows, (parallel_iterations, back_prop)
            )
        return nest.pack_like(like, _stacked(found[1], rows))


def _written_behind(values: Any, arrays: Sequence[TensorArray], i: Any) -> Any:
    """Return the next turn, and arrays with what this one made."""
    after = _written(arrays, i, values)
    return i + 1, after


def vectorized_map(
    fn: Callable[..., Any],
    elems: Any,
    fallback_to_while_loop: bool = True,
    warn: bool = True,
) -> Any:
    """Return the same; what has one element goes with each of the others.

    The last arguments have no effect.
    """
    xs = [converted(x) for x in nest.flatten(plain(elems))]
    lengths = {x.spec.dims[0] for x in xs if x.spec.rank}
    if len(lengths) == 2 and 1 in lengths:
        count = next(x for x in xs if x.spec.dims[0] != 1)
        xs = [_with_length(x, tl.shape(count)[0]) for x in xs]
    return map_fn(fn, nest.pack_like(elems, xs))


def pfor(
    loop_fn: Callable[[Any], Any],
    iters: Any,
    fallback_to_while_loop: bool = True,
    parallel_iterations: int | None = None,
    warn: bool = False,
) -> Any:
    """Return a function's results for the numbers below iters, stacked, computed all at once.

    The last arguments have no effect.
    """
    return vectorized_map(loop_fn, tl.arange(converted(iters)))


def _with_length(x: Any, count: Any) -> Any:
    is_one = x.spec.dims[0] == 1
    return tl.repeat(x, count, axis=0) if is_one else x


def foldl(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    name: str | None = None,
    back_prop: bool = True,
) -> Any:
    """Return what is left of fn(accumulated, element) over the first axis, from its begin.

    Without an initializer it begins with the first element.
    """
    if active_graph() is None:
        made = functional.foldl(
            inside(fn), _taken(elems), initializer, parallel_iterations
        )
        return cut(made, back_prop)
    with name_scope(name, "foldl"):
        a_function(fn, "foldl: fn")
        rows = _Rows(elems, "foldl")
        first = rows.at(0) if initializer is None else initializer
        start = shown(tl.constant(int(initializer is None)))

        def step(i: Any, state: Any) -> Any:
            after = fn(state, rows.at(i))
            return i + 1, after

        def more(i: Any, _: Any) -> Any:
            return i < rows.number

        return _loop(
            more, step, [start, first], rows, (parallel_iterations, back_prop)
        )[1]


def foldr(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    name: str | None = None,
    back_prop: bool = True,
) -> Any:
    """Return what is left of fn(accumulated, element) over the first axis, from its end.

    Without an initializer it begins with the last element.
    """
    if active_graph() is None:
        made = functional.foldr(
            inside(fn), _taken(elems), initializer, parallel_iterations
        )
        return cut(made, back_prop)
    with name_scope(name, "foldr"):
        a_function(fn, "foldr: fn")
        rows = _Rows(elems, "foldr")
        start = rows.number if initializer is not None else rows.number - 1
        first = rows.at(start) if initializer is None else initializer

        def step(i: Any, state: Any) -> Any:
            place = i - 1
            return place, fn(state, rows.at(place))

        def more(i: Any, _: Any) -> Any:
            return i > 0

        return _loop(
            more, step, [start, first], rows, (parallel_iterations, back_prop)
        )[1]


def scan(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    reverse: bool = False,
    name: str | None = None,
    back_prop: bool = True,
) -> Any:
    """Return all values of fn(accumulated, element) over the first axis, along a new one.

    Without an initializer the first value is the first element. reverse=True goes from the end.
    """
    if active_graph() is None:
        made = functional.scan(
            inside(fn), _taken(elems), initializer, reverse, parallel_iterations
        )
        return cut(made, back_prop)
    with name_scope(name, "scan"):
        return _scanned(
            fn, elems, initializer, (parallel_iterations, back_prop), reverse
        )


def _scanned(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any,
    options: tuple[int, bool],
    reverse: bool,
) -> Any:
    a_function(fn, "scan: fn")
    rows = _Rows(elems, "scan")
    number, is_begun = rows.number, initializer is None
    if is_begun:
        first = rows.at(number - 1 if reverse else 0)
    else:
        first = nest.map_structure(_shown_tensor, plain(initializer))
    specs = [plain(x).spec for x in nest.flatten(first)]
    arrays = [_array(spec, number, spec.shape) for spec in specs]
    if is_begun:
        arrays = _written(arrays, number - 1 if reverse else 0, first)
    start = number - 1 - int(is_begun) if reverse else int(is_begun)

    def step(i: Any, state: Any, arrays: Any) -> Any:
        after = fn(state, rows.at(i))
        written = _written(arrays, i, after)
        return (i - 1 if reverse else i + 1), after, written

    def more(i: Any, *_: Any) -> Any:
        return i >= 0 if reverse else i < number

    *_, arrays = _loop(more, step, [start, first, arrays], rows, options)
    return nest.pack_like(first, _stacked(arrays, rows))


class _Rows:
    """The rows of a structure of tensors that agree in their first size, in arrays."""

    def __init__(self, elems: Any, what: str) -> None:
        given = plain(elems)
        is_one = isinstance(given, list) and not _has_arrays(given)
        self.elems = [given] if is_one else given
        self.is_one = is_one
        leaves = [given] if is_one else nest.flatten(given)
        tensors = [_shown_tensor(x, "elem") for x in leaves]
        if not tensors:
            raise InvalidArgumentError(f"{what}: elems holds no tensor")
        sizes = [plain(x).spec.shape for x in tensors]
        if () in sizes:
            raise ShapeError(f"{what}: a 0-d tensor has no first axis to go along")
        known = {x[0] for x in sizes if x is not None and x[0] is not None}
        if len(known) > 1:
            raise ShapeError(f"{what}: first sizes differ: {sorted(known)}")
        self.static: int | None = next(iter(known), None)
        """The number of rows, where it is known."""
        self.number: Any = self.static or shape(tensors[0])[0]
        self.arrays = [self._of(x) for x in tensors]

    def _of(self, x: Any) -> TensorArray:
        sizes = plain(x).spec.shape
        own = None if sizes is None else sizes[1:]
        return _array(plain(x).spec, self.number, own).unstack(x)

    def at(self, index: Any) -> Any:
        """Return the structure of rows at an index."""
        found = [array.read(index) for array in self.arrays]
        return found[0] if self.is_one else nest.pack_like(self.elems, found)


def _array(spec: TensorSpec, number: Any, sizes: Any) -> TensorArray:
    known = sizes if sizes is not None and None not in sizes else None
    return TensorArray(spec.dtype, number, element_shape=known)


def _shown_tensor(x: Any, name: str = "Const") -> Any:
    return shown(x if isinstance(x, Operand) else converted(x, None, name))


def _taken(elems: Any) -> Any:
    """Return elements as tensors; a list of numbers makes one."""
    is_one = isinstance(elems, list) and not _has_arrays(elems)
    return converted(elems) if is_one else nest.map_structure(converted, elems)


def _has_arrays(elems: list[Any]) -> bool:
    """Return whether a list is one of tensors or arrays; else, as of numbers, it makes one."""
    return any(isinstance(x, (Operand, np.ndarray)) for x in nest.flatten(elems))


def _made_of(
    fn: Callable[..., Any], rows: _Rows
) -> tuple[Any, list[TensorSpec], AbstractContextManager[None]]:
    """Return what a function makes of a row, and the specs of that, which counts as not called.

    In the block that comes last it is called again, and finds the variables that it made.
    """
    graph = active_graph()
    assert graph is not None
    before = operations(graph)
    start = Start.of(graph, before)
    row = inside(lambda: fn(rows.at(0)))
    with built(graph):
        probe = trace_leaves(Tracer("map_fn"), row, ())
    settle(graph, before)
    specs = [plain(converted(x)).spec for x in probe.leaves]
    return probe.result, specs, start.again(graph)


def _written(
    arrays: Sequence[TensorArray], index: Any, values: Any
) -> list[TensorArray]:
    pairs = zip(arrays, nest.flatten(values), strict=True)
    return [array.write(index, x) for array, x in pairs]


def _stacked(arrays: Sequence[TensorArray], rows: _Rows) -> list[Any]:
    """Return what was written, of as many rows as there are known to be."""
    found = [array.stack() for array in arrays]
    for x in found:
        sizes = plain(x).spec.shape
        if sizes is not None:
            x.set_shape([rows.static, *sizes[1:]])
    return found


def _loop(
    more: Callable[..., Any],
    step: Callable[..., Any],
    variables: list[Any],
    rows: _Rows,
    options: tuple[int, bool],
) -> Any:
    return while_loop(
        more,
        step,
        variables,
        parallel_iterations=options[0],
        back_prop=options[1],
        maximum_iterations=rows.number,
    )
