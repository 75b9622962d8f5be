"""Decoders of sequences: loops that take each step's input from the one before.

What the next input is, helpers say (decoding_helpers.py); search among several is beam_search.py.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared.arrays import fill
from tensorlite.compat.shared.elementwise import logical_not, logical_or
from tensorlite.compat.shared.tensor_arrays import TensorArray
from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.v1.functions.arrays import shape, where, zeros_like
from tensorlite.compat.v1.functions.control_flow import while_loop
from tensorlite.compat.v1.functions.numbers import reduce_all
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.layer_kinds.base import Layer
from tensorlite.compat.v1.recurrent.decoding_helpers import Helper
from tensorlite.compat.v1.recurrent.rnn import check_cell, time_first
from tensorlite.compat.v1.recurrent.zero_states import sizes_of_state
from tensorlite.core import nest
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import DTypeError, InvalidArgumentError

BasicDecoderOutput = namedtuple(  # noqa: PYI024  programs make it so
    "BasicDecoderOutput", ("rnn_output", "sample_id")
)
"""What a step gives: the cell's output, and the symbol chosen."""


def mapped(function: Callable[..., Any], *structures: Any) -> Any:
    """Return results for leaves that correspond; arrays of tensors and shapes are leaves."""
    first = structures[0]
    if isinstance(first, (TensorArray, TensorShape)) or not nest.is_nested(first):
        return function(*structures)
    columns = zip(*map(nest.children, structures), strict=True)
    return nest.rebuild(first, [mapped(function, *column) for column in columns])


class Decoder:
    """What dynamic_decode takes: how to begin, and how to take a step."""

    @property
    def batch_size(self) -> Any:
        """How many sequences there are; subclasses say it."""
        raise NotImplementedError

    @property
    def output_size(self) -> Any:
        """Sizes of a step's outputs, without the batch; subclasses say them."""
        raise NotImplementedError

    @property
    def output_dtype(self) -> Any:
        """Dtypes of a step's outputs; subclasses say them."""
        raise NotImplementedError

    def initialize(self, name: str | None = None) -> Any:
        """Return (finished, first inputs, first state), before any step; subclasses say how."""
        raise NotImplementedError

    def step(
        self, time: Any, inputs: Any, state: Any, name: str | None = None
    ) -> Any:
        """Return (outputs, state, next inputs, finished) of a step; subclasses say how."""
        raise NotImplementedError

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """Return (outputs, state) after all steps; subclasses may say how.

        Where they do not, NotImplementedError tells dynamic_decode to keep what the steps gave.
        """
        raise NotImplementedError

    @property
    def tracks_own_finished(self) -> bool:
        """Whether the decoder itself remembers which sequences ended."""
        return False


def checked_layer(output_layer: Any) -> Any:
    """Return what is applied to a cell's output: a layer, or None."""
    if output_layer is None or isinstance(output_layer, Layer):
        return output_layer
    if hasattr(output_layer, "compute_output_shape"):
        return output_layer
    raise DTypeError(f"output_layer must be a Layer, received: {type(output_layer)}")


def output_size_of(cell: Any, output_layer: Any) -> Any:
    """Return the size of a cell's output, behind a layer where there is one."""
    if output_layer is None:
        return cell.output_size

    def behind(size: Any) -> Any:
        sizes = size.as_list() if isinstance(size, TensorShape) else [size]
        found = output_layer.compute_output_shape(TensorShape([None, *sizes]))
        return TensorShape(found.as_list()[1:])

    return mapped(behind, cell.output_size)


class BasicDecoder(Decoder):
    """Takes steps of a cell, with inputs and symbols as its helper says.

    output_layer, where given, makes logits of the cell's outputs.
    """

    def __init__(
        self, cell: Any, helper: Any, initial_state: Any, output_layer: Any = None
    ) -> None:
        check_cell(cell)
        if not isinstance(helper, Helper):
            raise DTypeError(f"helper must be a Helper, received: {type(helper)}")
        self._cell, self._helper = cell, helper
        self._initial_state = initial_state
        self._output_layer = checked_layer(output_layer)

    @property
    def batch_size(self) -> Any:
        """How many sequences there are: the helper's."""
        return self._helper.batch_size

    @property
    def output_size(self) -> Any:
        """A BasicDecoderOutput of the sizes of the cell's outputs and of sample ids."""
        size = output_size_of(self._cell, self._output_layer)
        return BasicDecoderOutput(size, self._helper.sample_ids_shape)

    @property
    def output_dtype(self) -> Any:
        """A BasicDecoderOutput of the dtypes of the cell's outputs and of sample ids."""
        dtype = nest.flatten(self._initial_state)[0].dtype
        size = output_size_of(self._cell, self._output_layer)
        return BasicDecoderOutput(
            mapped(lambda _: dtype, size), self._helper.sample_ids_dtype
        )

    def initialize(self, name: str | None = None) -> Any:
        """Return (finished, first inputs, first state), before any step."""
        return (*self._helper.initialize(), self._initial_state)

    def step(
        self, time: Any, inputs: Any, state: Any, name: str | None = None
    ) -> Any:
        """Return (BasicDecoderOutput, state, next inputs, finished) of a step."""
        with framework.name_scope(name, "BasicDecoderStep"):
            outputs, cell_state = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            ids = self._helper.sample(time=time, outputs=outputs, state=cell_state)
            finished, following, next_state = self._helper.next_inputs(
                time=time, outputs=outputs, state=cell_state, sample_ids=ids
            )
        return BasicDecoderOutput(outputs, ids), next_state, following, finished


def _sizes(size: Any) -> list[Any]:
    return list(size.as_list()) if isinstance(size, TensorShape) else [size]


def _array(dtype: Any, size: Any, known: int | None) -> TensorArray:
    return TensorArray(
        dtype, 0, dynamic_size=True, element_shape=[known, *_sizes(size)]
    )


def _limit(maximum_iterations: Any) -> Any:
    if maximum_iterations is None:
        return None
    limit = framework.convert_to_tensor(
        maximum_iterations, int32, name="maximum_iterations"
    )
    if limit.get_shape().rank != 0:
        raise InvalidArgumentError("maximum_iterations must be a scalar")
    return limit


def dynamic_decode(
    decoder: Any,
    output_time_major: bool = False,
    impute_finished: bool = False,
    maximum_iterations: Any = None,
    parallel_iterations: int = 32,
    swap_memory: bool = False,
    scope: Any = None,
    **kwargs: Any,
) -> Any:
    """Return (outputs, state, lengths) of a decoder's steps, taken until all sequences ended.

    Outputs are [batch, time, ...], or [time, batch, ...] if output_time_major. impute_finished
    writes 0 behind a sequence's end and keeps its state; maximum_iterations bounds the steps. What
    is no Decoder raises DTypeError.
    """
    if not isinstance(decoder, Decoder):
        raise DTypeError(
            f"Expected decoder to be type Decoder, but saw: {type(decoder)}"
        )
    with scopes.variable_scope(scope, "decoder"):
        limit = _limit(maximum_iterations)
        finished, inputs, state = decoder.initialize()
        sizes, dtypes = decoder.output_size, decoder.output_dtype
        known = get_static_value(decoder.batch_size)
        known = None if known is None else int(known)
        none = mapped(
            lambda s, d: sizes_of_state(s, decoder.batch_size, d), sizes, dtypes
        )
        if limit is not None:
            finished = logical_or(finished, limit <= 0)
        found = while_loop(
            lambda _time, _written, _state, _inputs, ended, _lengths: logical_not(
                reduce_all(ended)
            ),
            _turn(decoder, none if impute_finished else None),
            (
                framework.constant(0, int32),
                mapped(lambda s, d: _array(d, s, known), sizes, dtypes),
                mapped(_tensor, state),
                inputs,
                finished,
                zeros_like(finished, dtype=int32),
            ),
            parallel_iterations=parallel_iterations,
            swap_memory=swap_memory,
            maximum_iterations=limit,
        )
        return _ended(decoder, found, output_time_major)


def _tensor(x: Any) -> Any:
    return x if isinstance(x, TensorArray) else framework.convert_to_tensor(x)


def _ended(decoder: Any, found: Any, output_time_major: bool) -> Any:
    """Return outputs, state and lengths as they are behind the loop."""
    outputs, state, lengths = (
        mapped(lambda x: x.stack(), found[1]),
        found[2],
        found[5],
    )
    try:
        outputs, state = decoder.finalize(outputs, state, lengths)
    except NotImplementedError:
        return mapped(_axes(output_time_major), outputs), state, lengths
    return mapped(_axes(output_time_major), outputs), state, lengths


def _axes(output_time_major: bool) -> Callable[[Any], Any]:
    return (lambda x: x) if output_time_major else time_first


def _turn(decoder: Any, none: Any) -> Callable[..., Any]:
    """Return the body of the loop; `none` is what ended sequences give, where they are masked."""

    def body(
        time: Any, written: Any, state: Any, inputs: Any, ended: Any, lengths: Any
    ) -> Any:
        outputs, following, next_inputs, now = decoder.step(time, inputs, state)
        if not decoder.tracks_own_finished:
            now = logical_or(now, ended)
        longer = fill(shape(lengths), time + 1)
        next_lengths = where(logical_not(ended), longer, lengths)
        if none is not None:
            outputs = mapped(lambda x, zero: where(ended, zero, x), outputs, none)
            following = mapped(
                lambda new, old: _kept(ended, new, old), following, state
            )
        after = mapped(lambda a, x: a.write(time, x), written, outputs)
        return time + 1, after, following, next_inputs, now, next_lengths

    return body


def _kept(ended: Any, new: Any, old: Any) -> Any:
    """Return the state of sequences that go on, and the old one of those that have ended."""
    if isinstance(old, TensorArray):
        return new
    new.set_shape(old.get_shape())
    return new if new.get_shape().rank == 0 else where(ended, old, new)
