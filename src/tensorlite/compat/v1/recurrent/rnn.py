"""Recurrent networks of cells in loops: dynamic_rnn, raw_rnn. Those written out: static_rnn.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared.arrays import (
    concat,
    range as numbers_from,
    rank as rank_of,
    shape,
    transpose,
)
from tensorlite.compat.shared.cutting import reverse as backwards
from tensorlite.compat.shared.elementwise import (
    logical_not,
    logical_or,
    maximum,
    minimum,
)
from tensorlite.compat.shared.tensor_arrays import TensorArray
from tensorlite.compat.v1.functions.arrays import reverse_sequence
from tensorlite.compat.v1.functions.control_flow import while_loop
from tensorlite.compat.v1.functions.lengths import (
    as_lengths,
    checked,
    kept_if,
    least_and_most,
)
from tensorlite.compat.v1.functions.numbers import reduce_all
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.recurrent.zero_states import batched_zeros
from tensorlite.core import nest
from tensorlite.core.dtypes import as_dtype, int32
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.graph_mode.graph import active_graph

Turn = Callable[[], tuple[Any, Any]]


def check_cell(cell: Any) -> None:
    """Raise DTypeError for what is no cell."""
    missing = [x for x in ("output_size", "state_size") if not hasattr(type(cell), x)]
    if missing or not callable(cell):
        raise DTypeError(
            f"The argument 'cell' ({cell!r}) is not an RNNCell: it has no "
            f"{' nor '.join(missing) or '__call__'}."
        )


def time_first(x: Any) -> Any:
    """Return [batch, time, ...] as [time, batch, ...], or the reverse; of no rank as it is."""
    sizes = x.get_shape()
    if sizes.rank is None:
        return x
    if active_graph() is None:
        return transpose(x, [1, 0, *range(2, sizes.rank)])
    made = transpose(x, concat([[1, 0], numbers_from(2, rank_of(x))], 0))
    first, second, *others = sizes.as_list()
    made.set_shape([second, first, *others])
    return made


def _is_sizes(size: Any) -> bool:
    return isinstance(size, TensorShape)


def flat_sizes(sizes: Any) -> list[list[Any]]:
    """Return the sizes in a nest, each as a list."""
    if _is_sizes(sizes) or not nest.is_nested(sizes):
        return [list(TensorShape(sizes).as_list())]
    return [x for child in nest.children(sizes) for x in flat_sizes(child)]


def _batch(x: Any) -> Any:
    """Return how many sequences there are."""
    known = x.get_shape().as_list()[1] if x.get_shape().rank else None
    return known if known is not None else shape(x)[1]


def first_state(
    cell: Any, initial_state: Any, inputs: Any, batch: Any, dtype: Any
) -> Any:
    """Return the state that a cell begins with: the one given, or its own for dtype.

    Without both InvalidArgumentError is raised.
    """
    if initial_state is not None:
        return initial_state
    if dtype is None:
        raise InvalidArgumentError(
            "If there is no initial_state, you must give a dtype."
        )
    if hasattr(cell, "get_initial_state"):
        return cell.get_initial_state(inputs=None, batch_size=batch, dtype=dtype)
    return cell.zero_state(batch, dtype)


def dynamic_rnn(
    cell: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> Any:
    """Return (outputs, last state) of a cell over sequences, as a loop in the graph.

    Inputs and outputs are [batch, time, ...], or [time, batch, ...] if time_major. Behind
    sequence_length outputs are 0 and the state stays. Without initial_state dtype is needed.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.nn.rnn_cell.BasicRNNCell(4)
    ...     outputs, state = tf.nn.dynamic_rnn(cell, tf.zeros([2, 5, 3]), dtype=tf.float32)
    ...     outputs.get_shape().as_list(), state.get_shape().as_list()
    ([2, 5, 4], [2, 4])
    """
    check_cell(cell)
    with scopes.variable_scope(scope or "rnn"):
        flat = [framework.convert_to_tensor(x) for x in nest.flatten(inputs)]
        flat = flat if time_major else [time_first(x) for x in flat]
        lengths = as_lengths(sequence_length)
        batch = _batch(flat[0])
        state = first_state(cell, initial_state, flat[0], batch, dtype)
        state = nest.map_structure(framework.convert_to_tensor, state)
        outputs, last = _loop(
            cell,
            nest.pack_like(inputs, flat),
            state,
            checked(lengths, batch),
            (parallel_iterations or 32, swap_memory),
            dtype,
        )
        if not time_major:
            outputs = nest.map_structure(time_first, outputs)
        return outputs, last


def _loop(
    cell: Any,
    inputs: Any,
    state: Any,
    lengths: Any,
    options: tuple[int, bool],
    dtype: Any = None,
) -> tuple[Any, Any]:
    flat, sizes = nest.flatten(inputs), flat_sizes(cell.output_size)
    steps = shape(flat[0])[0]
    kind = _kind(dtype, state)
    batch = _batch(flat[0])
    known = batch if isinstance(batch, int) else None
    none = [batched_zeros(batch, size, kind) for size in sizes]
    most = steps if lengths is None else least_and_most(lengths)[1]
    time = framework.constant(0, int32, name="time")
    prefix = _prefix()
    arrays = [
        _array(steps, kind, [known, *size], f"{prefix}output_{i}")
        for i, size in enumerate(sizes)
    ]
    sources = [_source(steps, x, f"{prefix}input_{i}") for i, x in enumerate(flat)]

    def body(time: Any, written: Any, state: Any) -> Any:
        parts = [source.read(time) for source in sources]
        for part, x in zip(parts, flat, strict=True):
            part.set_shape(x.get_shape().as_list()[1:])
        ended = None if lengths is None else time >= lengths
        output, following = cell(nest.pack_like(inputs, parts), state)
        made = nest.flatten(output)
        if ended is not None:
            pairs = zip(none, made, strict=True)
            made = [kept_if(ended, old, new) for old, new in pairs]
            following = nest.map_structure(
                lambda o, n: kept_if(ended, o, n), state, following
            )
        after = [a.write(time, x) for a, x in zip(written, made, strict=True)]
        return time + 1, after, following

    bound = minimum(steps, maximum(1, most))
    _, written, last = while_loop(
        lambda time, *_: time < bound,
        body,
        (time, arrays, state),
        parallel_iterations=options[0],
        maximum_iterations=steps,
        swap_memory=options[1],
    )
    leading = [flat[0].get_shape().as_list()[0], known]
    return packed(cell.output_size, _gathered(written, leading, sizes)), last


def _prefix() -> str:
    """Return what the names of arrays begin with."""
    with framework.name_scope("dynamic_rnn") as title:
        return title or ""


def _kind(dtype: Any, state: Any) -> Any:
    """Return the dtype of what a cell gives: the one asked for, or that of its state."""
    return nest.flatten(state)[0].dtype if dtype is None else as_dtype(dtype)


def _gathered(
    written: list[Any], leading: list[Any], sizes: list[list[Any]]
) -> list[Any]:
    """Return what was written in all steps."""
    made = [array.stack() for array in written]
    return [_sized(x, leading, size) for x, size in zip(made, sizes, strict=True)]


def _sized(x: Any, leading: list[Any], size: Sequence[int]) -> Any:
    """Return a tensor whose sizes are known, which TensorFlow finds by constants."""
    if active_graph() is not None:
        if None not in leading:
            framework.constant(leading, int32)
        framework.constant(list(size), int32)
    x.set_shape([*leading, *size])
    return x


def _source(steps: Any, x: Any, name: str) -> Any:
    """Return what the steps of a sequence are read from."""
    return _array(steps, x.dtype, x.get_shape().as_list()[1:], name).unstack(x)


def _array(size: Any, dtype: Any, element_shape: Any, name: str) -> TensorArray:
    return TensorArray(
        dtype=dtype, size=size, element_shape=element_shape, tensor_array_name=name
    )


def packed(sizes: Any, leaves: list[Any]) -> Any:
    """Return leaves in the structure that sizes are in."""
    if _is_sizes(sizes) or not nest.is_nested(sizes):
        return leaves[0]
    members, rest = [], list(leaves)
    for child in nest.children(sizes):
        count = len(flat_sizes(child))
        members.append(packed(child, rest[:count]))
        rest = rest[count:]
    return nest.rebuild(sizes, members)


def bidirectional_dynamic_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> Any:
    """Return ((outputs forward, backward), (states)) of two cells over sequences.

    Outputs of both stand at the times of their inputs; sequences are reversed up to
    sequence_length.
    """
    check_cell(cell_fw)
    check_cell(cell_bw)
    axes = (0, 1) if time_major else (1, 0)

    def reverse(x: Any) -> Any:
        if sequence_length is None:
            return backwards(x, [axes[0]])
        return reverse_sequence(
            x, sequence_length, seq_axis=axes[0], batch_axis=axes[1]
        )

    common = {
        "sequence_length": sequence_length,
        "dtype": dtype,
        "parallel_iterations": parallel_iterations,
        "swap_memory": swap_memory,
        "time_major": time_major,
    }
    with scopes.variable_scope(scope or "bidirectional_rnn"):
        with scopes.variable_scope("fw") as forward:
            output_fw, state_fw = dynamic_rnn(
                cell_fw,
                inputs,
                initial_state=initial_state_fw,
                scope=forward,
                **common,
            )
        with scopes.variable_scope("bw") as backward:
            turned = nest.map_structure(reverse, inputs)
            output_bw, state_bw = dynamic_rnn(
                cell_bw,
                turned,
                initial_state=initial_state_bw,
                scope=backward,
                **common,
            )
    return (output_fw, nest.map_structure(reverse, output_bw)), (state_fw, state_bw)


def raw_rnn(
    cell: Any,
    loop_fn: Any,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    scope: Any = None,
) -> Any:
    """Return (arrays of outputs, last state, last loop state) of a loop that loop_fn steers.

    loop_fn(time, output, state, loop_state) gives (finished, next input, next state, what is
    emitted, next loop state); at first the last three are None. What cannot be called raises
    DTypeError.
    """
    check_cell(cell)
    if not callable(loop_fn):
        raise DTypeError("loop_fn must be a callable")
    with scopes.variable_scope(scope or "rnn"):
        time = framework.constant(0, int32)
        finished, following, state, emitted, loop_state = loop_fn(
            time, None, None, None
        )
        flat = nest.flatten(following)
        known = flat[0].get_shape().as_list()[0]
        batch = known if known is not None else shape(flat[0])[0]
        state = nest.map_structure(framework.convert_to_tensor, state)
        own_state = framework.constant(0, int32) if loop_state is None else loop_state
        specs = _emitted_specs(cell, emitted, state)
        arrays = _growing(specs, known)
        none = [batched_zeros(batch, sizes, dtype) for sizes, dtype in specs]
        body = _raw_body(cell, loop_fn, none)
        found = while_loop(
            lambda _, ended, *__: logical_not(reduce_all(ended)),
            body,
            [time, finished, following, arrays, state, own_state],
            parallel_iterations=parallel_iterations or 32,
            swap_memory=swap_memory,
        )
        written, last, last_loop_state = found[3:]
        kept = None if loop_state is None else last_loop_state
        if emitted is None:
            return packed(cell.output_size, list(written)), last, kept
        return nest.pack_like(emitted, list(written)), last, kept


def _emitted_specs(
    cell: Any, emitted: Any, state: Any
) -> list[tuple[list[Any], Any]]:
    """Return sizes and dtype of each tensor that a step emits: what it says, or the cell's."""
    if emitted is None:
        dtype = nest.flatten(state)[0].dtype
        return [(sizes, dtype) for sizes in flat_sizes(cell.output_size)]
    return [(x.get_shape().as_list(), x.dtype) for x in nest.flatten(emitted)]


def _growing(specs: list[tuple[list[Any], Any]], batch: int | None) -> list[Any]:
    """Return arrays that the outputs of steps are written to."""
    return [
        TensorArray(
            dtype,
            0,
            dynamic_size=True,
            element_shape=[batch, *sizes],
            name=f"rnn_output_{i}",
        )
        for i, (sizes, dtype) in enumerate(specs)
    ]


def _raw_body(cell: Any, loop_fn: Any, none: list[Any]) -> Callable[..., Any]:
    """Return the body of a raw recurrent loop."""

    def body(
        time: Any, ended: Any, current: Any, arrays: Any, state: Any, loop_state: Any
    ) -> Any:
        output, cell_state = cell(current, state)
        after = time + 1
        now, following, next_state, emitted, next_loop = loop_fn(
            after, output, cell_state, loop_state
        )
        made = [
            kept_if(ended, old, x)
            for old, x in zip(none, nest.flatten(emitted), strict=True)
        ]
        next_state = nest.map_structure(
            lambda o, n: kept_if(ended, o, n), state, next_state
        )
        written = [a.write(time, x) for a, x in zip(arrays, made, strict=True)]
        kept = loop_state if next_loop is None else next_loop
        return after, logical_or(ended, now), following, written, next_state, kept

    return body
