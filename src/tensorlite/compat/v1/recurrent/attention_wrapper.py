"""AttentionWrapper: a cell that looks at a memory at each step, where attention.py says."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared.arrays import concat, identity, zeros
from tensorlite.compat.shared.linear.matrices import matmul
from tensorlite.compat.shared.tensor_arrays import TensorArray
from tensorlite.compat.v1.functions.arrays import expand_dims, squeeze
from tensorlite.compat.v1.functions.checks import assert_equal
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.layer_kinds.core import Dense
from tensorlite.compat.v1.recurrent.attention import AttentionMechanism, known_or
from tensorlite.compat.v1.recurrent.cells import RNNCell
from tensorlite.compat.v1.recurrent.decoding import mapped
from tensorlite.compat.v1.recurrent.rnn import check_cell
from tensorlite.compat.v1.recurrent.zero_states import sizes_of_state
from tensorlite.core import nest
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import DTypeError, InvalidArgumentError

_State = namedtuple(  # noqa: PYI024  programs make it so
    "_State",
    (
        "cell_state",
        "attention",
        "time",
        "alignments",
        "alignment_history",
        "attention_state",
    ),
)


class AttentionWrapperState(_State):
    """The state of the cell inside, and where it looked."""

    def clone(self, **kwargs: Any) -> AttentionWrapperState:
        """Return a state with other members, which are of the shapes of these."""

        def alike(old: Any, new: Any) -> Any:
            if not (hasattr(old, "set_shape") and hasattr(new, "set_shape")):
                return new
            new.set_shape(old.get_shape())
            return new

        found: AttentionWrapperState = mapped(alike, self, self._replace(**kwargs))
        return found


def _looked(mechanism: Any, cell_output: Any, state: Any, layer: Any) -> Any:
    """Return what is seen of a memory, where that is, and the mechanism's next state."""
    alignments, following = mechanism(cell_output, state=state)
    seen = squeeze(matmul(expand_dims(alignments, 1), mechanism.values), [1])
    if layer is not None:
        seen = layer(concat([cell_output, seen], 1))
    return seen, alignments, following


def _tuple(given: Any) -> tuple[Any, ...]:
    return tuple(given) if isinstance(given, (list, tuple)) else (given,)


def _width(x: Any) -> int:
    return int(x.get_shape().as_list()[-1])


_TILE = (
    "You may need to tile your {} via the tf.contrib.seq2seq.tile_batch function with argument "
    "multiple=beam_width."
)


class AttentionWrapper(RNNCell):
    """A cell that is given what attention read, and whose output attention reads by.

    attention_mechanism is one or a list. With attention_layer_size a dense layer joins output and
    context; output_attention chooses it as the output.
    """

    def __init__(
        self,
        cell: Any,
        attention_mechanism: Any,
        attention_layer_size: Any = None,
        alignment_history: bool = False,
        cell_input_fn: Any = None,
        output_attention: bool = True,
        initial_cell_state: Any = None,
        name: str | None = None,
        attention_layer: Any = None,
        attention_fn: Callable[..., Any] | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        check_cell(cell)
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        self._attention_mechanisms = _checked(_tuple(attention_mechanism))
        if cell_input_fn is not None and not callable(cell_input_fn):
            raise DTypeError(
                f"cell_input_fn must be callable, saw type: {type(cell_input_fn).__name__}"
            )
        self._cell = cell
        self._cell_input_fn = cell_input_fn or (
            lambda inputs, attention: concat([inputs, attention], -1)
        )
        self._set_layers(attention_layer_size, attention_layer)
        self._attention_fn = attention_fn or _looked
        self._output_attention = output_attention
        self._alignment_history = alignment_history
        with framework.name_scope(name, "AttentionWrapperInit"):
            self._initial_cell_state = self._first(initial_cell_state)

    def _set_layers(self, sizes: Any, layers: Any) -> None:
        """Make the layers that join what is seen with the cell's output, if there are any."""
        if sizes is not None and layers is not None:
            raise InvalidArgumentError(
                "Only one of attention_layer_size and attention_layer should be set"
            )
        mechanisms = self._attention_mechanisms
        self._attention_layers: tuple[Any, ...] | None = None
        if sizes is not None:
            sizes = _as_many("attention_layer_size", _tuple(sizes), mechanisms)
            self._attention_layers = tuple(
                Dense(n, name="attention_layer", use_bias=False, dtype=m.dtype)
                for n, m in zip(sizes, mechanisms, strict=True)
            )
            self._attention_layer_size = sum(sizes)
        elif layers is not None:
            self._attention_layers = _as_many(
                "attention_layer", _tuple(layers), mechanisms
            )
            self._attention_layer_size = sum(
                self._made_by(x, m)
                for x, m in zip(self._attention_layers, mechanisms, strict=True)
            )
        else:
            self._attention_layer_size = sum(_width(m.values) for m in mechanisms)

    def _made_by(self, layer: Any, mechanism: Any) -> int:
        size = self._cell.output_size + _width(mechanism.values)
        return int(
            layer.compute_output_shape(TensorShape([None, size])).as_list()[-1]
        )

    def _first(self, state: Any) -> Any:
        if state is None:
            return None
        found = known_or(nest.flatten(state)[-1], 0)
        message = (
            f"When constructing AttentionWrapper {self._base_name}: Non-matching batch sizes "
            "between the memory (encoder output) and initial_cell_state.  Are you using the "
            f"BeamSearchDecoder?  {_TILE.format('initial state')}"
        )
        return self._behind_checks(found, message, state, "check_initial_cell_state")

    def _behind_checks(
        self, batch_size: Any, message: str, values: Any, name: str
    ) -> Any:
        checks = [
            assert_equal(batch_size, x.batch_size, message=message)
            for x in self._attention_mechanisms
        ]
        with framework.control_dependencies([x for x in checks if x is not None]):
            return mapped(lambda s: identity(s, name=name), values)

    def _item_or_tuple(self, found: Iterable[Any]) -> Any:
        members = tuple(found)
        return members if self._is_multi else members[0]

    @property
    def output_size(self) -> Any:
        """Size of the attention layer's output if output_attention is set, else the cell's."""
        if self._output_attention:
            return self._attention_layer_size
        return self._cell.output_size

    @property
    def state_size(self) -> Any:
        """An AttentionWrapperState of the sizes of all that the state holds."""
        mechanisms, kept = self._attention_mechanisms, self._alignment_history
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            time=TensorShape([]),
            attention=self._attention_layer_size,
            alignments=self._item_or_tuple(a.alignments_size for a in mechanisms),
            attention_state=self._item_or_tuple(a.state_size for a in mechanisms),
            alignment_history=self._item_or_tuple(
                a.alignments_size if kept else () for a in mechanisms
            ),
        )

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Return the AttentionWrapperState before the first step, for batch_size sequences.

        Zeros, but for initial_cell_state where that was given. Running it raises an error if
        batch_size is not that of the memory (tile_batch the memory for beam search).
        """
        with framework.name_scope(f"{type(self).__name__}ZeroState"):
            state = self._initial_cell_state
            if state is None:
                state = _begun(self._cell, batch_size, dtype)
            message = (
                f"When calling zero_state of AttentionWrapper {self._base_name}: Non-matching "
                "batch sizes between the memory (encoder output) and the requested batch size.  "
                "Are you using the BeamSearchDecoder?  If so, make sure your encoder output has "
                "been tiled to beam_width via tf.contrib.seq2seq.tile_batch, and the batch_size= "
                "argument passed to zero_state is batch_size * beam_width."
            )
            state = self._behind_checks(
                batch_size, message, state, "checked_cell_state"
            )
            mechanisms = self._attention_mechanisms
            alignments = [a.initial_alignments(batch_size, dtype) for a in mechanisms]
            time = zeros([], int32)
            attention = sizes_of_state(self._attention_layer_size, batch_size, dtype)
            return AttentionWrapperState(
                cell_state=state,
                time=time,
                attention=attention,
                alignments=self._item_or_tuple(alignments),
                attention_state=self._item_or_tuple(
                    a.initial_state(batch_size, dtype) for a in mechanisms
                ),
                alignment_history=self._item_or_tuple(
                    self._history(dtype, x) for x in alignments
                ),
            )

    def _history(self, dtype: Any, alignments: Any) -> Any:
        if not self._alignment_history:
            return ()
        sizes = alignments.get_shape().as_list()
        return TensorArray(dtype, 0, dynamic_size=True, element_shape=sizes)

    def call(self, inputs: Any, state: Any) -> Any:
        if not isinstance(state, AttentionWrapperState):
            raise DTypeError(
                "Expected state to be instance of AttentionWrapperState. Received type "
                f"{type(state)} instead."
            )
        given = self._cell_input_fn(inputs, state.attention)
        output, cell_state = self._cell(given, state.cell_state)
        message = (
            f"When applying AttentionWrapper {self.name}: Non-matching batch sizes between the "
            "memory (encoder output) and the query (decoder output).  Are you using the "
            f"BeamSearchDecoder?  {_TILE.format('memory input')}"
        )
        output = self._behind_checks(
            known_or(output, 0), message, output, "checked_cell_output"
        )
        seen, alignments, following, histories = self._look(output, state)
        attention = concat(seen, 1)
        after = AttentionWrapperState(
            time=state.time + 1,
            cell_state=cell_state,
            attention=attention,
            attention_state=self._item_or_tuple(following),
            alignments=self._item_or_tuple(alignments),
            alignment_history=self._item_or_tuple(histories),
        )
        return attention if self._output_attention else output, after

    def _look(
        self, output: Any, state: AttentionWrapperState
    ) -> tuple[list[Any], ...]:
        """Return for each mechanism what is seen, where, its next state and its history."""
        before, past = state.attention_state, state.alignment_history
        if not self._is_multi:
            before, past = [before], [past]
        found: tuple[list[Any], ...] = ([], [], [], [])
        for i, mechanism in enumerate(self._attention_mechanisms):
            layer = self._attention_layers[i] if self._attention_layers else None
            seen, alignments, following = self._attention_fn(
                mechanism, output, before[i], layer
            )
            history = (
                past[i].write(state.time, alignments)
                if self._alignment_history
                else ()
            )
            for kept, x in zip(
                found, (seen, alignments, following, history), strict=True
            ):
                kept.append(x)
        return found


def _begun(cell: Any, batch_size: Any, dtype: Any) -> Any:
    if hasattr(cell, "get_initial_state"):
        return cell.get_initial_state(batch_size=batch_size, dtype=dtype)
    return cell.zero_state(batch_size, dtype)


def _checked(mechanisms: tuple[Any, ...]) -> tuple[Any, ...]:
    for x in mechanisms:
        if not isinstance(x, AttentionMechanism):
            raise DTypeError(
                "attention_mechanism must be an AttentionMechanism or list of multiple "
                f"AttentionMechanism instances, saw type: {type(x).__name__}"
            )
    return mechanisms


def _as_many(
    what: str, given: tuple[Any, ...], wanted: Sequence[Any]
) -> tuple[Any, ...]:
    if len(given) != len(wanted):
        raise InvalidArgumentError(
            f"If provided, {what} must contain exactly one member per attention_mechanism, saw: "
            f"{len(given)} vs {len(wanted)}"
        )
    return given
