"""Cells of tf.contrib.rnn that go along frequencies, too: over pieces of the inputs, and in grids.

Kalchbrenner, Danihelka, Graves 2015, "Grid long short-term memory"; Sainath, Li 2016.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

from tensorlite.compat.shared.arrays import concat, shape, split, zeros
from tensorlite.compat.shared.elementwise import clip_by_value
from tensorlite.compat.shared.linear.matrices import matmul
from tensorlite.compat.shared.nn import bias_add, sigmoid, tanh
from tensorlite.compat.shared.padding import pad
from tensorlite.compat.v1.functions import init_ops
from tensorlite.compat.v1.graphs import scopes
from tensorlite.compat.v1.recurrent.cells import RNNCell
from tensorlite.core.errors import InvalidArgumentError


def _matrix(name: str, sizes: list[int], dtype: Any, shards: int) -> Any:
    """Return a matrix of variables, each of some rows."""
    if shards > sizes[0]:
        raise InvalidArgumentError(
            f"Too many shards: shape={sizes}, num_shards={shards}"
        )
    least, more = divmod(sizes[0], shards)
    parts = [
        scopes.get_variable(f"{name}_{i}", [least + (i < more), *sizes[1:]], dtype)
        for i in range(shards)
    ]
    return parts[0] if len(parts) == 1 else concat(parts, 0, name=f"{name}/concat")


def _bias(name: str, size: int, dtype: Any) -> Any:
    return scopes.get_variable(name, [size], dtype, init_ops.Zeros())


def _width(inputs: Any) -> int:
    size: int | None = inputs.get_shape().with_rank(2).as_list()[-1]
    if size is None:
        raise InvalidArgumentError(
            "Cannot infer input_size from static shape inference."
        )
    return size


def _rows(inputs: Any) -> Any:
    known: int | None = inputs.get_shape().as_list()[0]
    return shape(inputs)[0] if known is None else known


class _Gates:
    """How gates are made of what a matrix gives, what cells hold, and weights of that."""

    def __init__(self, forget_bias: float, coupled: bool, clip: float | None) -> None:
        self.forget_bias, self.coupled, self.clip = forget_bias, coupled, clip

    def cell(self, parts: list[Any], before: Any, seen: dict[str, Any]) -> Any:
        """Return what a cell holds next, of its gates and what they see of cells."""
        i = sigmoid(parts[0] + seen["I"]) if "I" in seen else sigmoid(parts[0])
        if self.coupled:
            f = 1.0 - i
        else:
            open_gate = parts[2] + self.forget_bias
            f = sigmoid(open_gate + seen["F"] if "F" in seen else open_gate)
        c = f * before + i * tanh(parts[1])
        return c if self.clip is None else clip_by_value(c, -self.clip, self.clip)


class TimeFreqLSTMCell(RNNCell):
    """An LSTM over pieces of its inputs, feature_size wide and frequency_skip apart.

    Each piece sees its own state of the step before, and the output of the piece before.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: Any = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: int | None = None,
        frequency_skip: int = 1,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units, self._peeks = num_units, use_peepholes
        self._gates = _Gates(forget_bias, coupled=False, clip=cell_clip)
        self._shards, self._feature_size = num_unit_shards, feature_size or 0
        self._skip = frequency_skip

    @property
    def state_size(self) -> Any:
        """Size of c and h of one piece beside each other."""
        return 2 * self._num_units

    @property
    def output_size(self) -> Any:
        """Size of the output of one piece."""
        return self._num_units

    def call(self, inputs: Any, state: Any) -> Any:
        units, kind, width = self._num_units, inputs.dtype, self._feature_size
        count = int((_width(inputs) - width) / self._skip) + 1
        w = _matrix("W", [width + 2 * units, 4 * units], kind, self._shards)
        b = _bias("B", 4 * units, kind)
        weights = [
            scopes.get_variable(f"W_{gate}_diag", [units], kind)
            for gate in ("FIO" if self._peeks else "")
        ]
        last = zeros([_rows(inputs), units], kind)
        outputs, states = [], []
        for k in range(count):
            piece = inputs[:, k * self._skip : k * self._skip + width]
            c, h = [
                state[:, (2 * k + j) * units : (2 * k + j + 1) * units]
                for j in (0, 1)
            ]
            gates = split(bias_add(matmul(concat([piece, h, last], 1), w), b), 4, 1)
            seen = {g: x * c for g, x in zip("FI", weights, strict=False)}
            c = self._gates.cell(gates, c, seen)
            opened = gates[3] + weights[2] * c if self._peeks else gates[3]
            last = sigmoid(opened) * tanh(c)
            outputs.append(last)
            states += [c, last]
        return concat(outputs, 1), concat(states, 1)


class GridLSTMCell(RNNCell):
    """Two LSTMs over pieces of the inputs, one along time and one along the pieces.

    Pieces are feature_size wide and frequency_skip apart, in blocks of num_frequency_blocks pieces
    between the places that start_freqindex_list and end_freqindex_list say.
    """

    _ways: Sequence[str] = ("",)
    """What the names of the states begin with, for each direction."""
    _title = "GridLSTMStateTuple"

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        share_time_frequency_weights: bool = False,
        cell_clip: float | None = None,
        initializer: Any = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: int | None = None,
        frequency_skip: int | None = None,
        num_frequency_blocks: Sequence[int] | None = None,
        start_freqindex_list: Sequence[int] | None = None,
        end_freqindex_list: Sequence[int] | None = None,
        couple_input_forget_gates: bool = False,
        state_is_tuple: bool = True,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        if num_frequency_blocks is None:
            raise InvalidArgumentError("Must specify num_frequency_blocks")
        self._num_units, self._peeks = num_units, use_peepholes
        self._shared, self._coupled = (
            share_time_frequency_weights,
            couple_input_forget_gates,
        )
        self._gates = _Gates(forget_bias, couple_input_forget_gates, cell_clip)
        self._shards, self._state_is_tuple = num_unit_shards, state_is_tuple
        self._feature_size, self._skip = feature_size or 0, frequency_skip or 1
        self._blocks = [int(x) for x in num_frequency_blocks]
        self._starts, self._ends = start_freqindex_list, end_freqindex_list
        names = [
            f"{way}state_f{k:02d}_b{block:02d}_{part}"
            for way in self._ways
            for block, count in enumerate(self._blocks)
            for k in range(count)
            for part in "cm"
        ]
        made: Any = namedtuple(self._title, names)  # type: ignore[misc]  # noqa: PYI024
        self._tuple = made
        self._count = len(names)

    @property
    def state_size(self) -> Any:
        """Sizes of c and m of each piece, a tuple by name, or their sum."""
        sizes = [self._num_units] * self._count
        return self._tuple(*sizes) if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """Size of the outputs of all pieces."""
        return self._num_units * self._count

    @property
    def state_tuple_type(self) -> Any:
        """The class of states, None if they are tensors."""
        return self._tuple if self._state_is_tuple else None

    def call(self, inputs: Any, state: Any) -> Any:
        outputs, states = self._over(self._pieces(inputs), state, "state")
        whole = self._tuple(*states) if self._state_is_tuple else concat(states, 1)
        return concat(outputs, 1), whole

    def _over(self, blocks: list[list[Any]], state: Any, prefix: str) -> Any:
        outputs, states = [], []
        for block, pieces in enumerate(blocks):
            made, held = self._block(pieces, block, state, prefix)
            outputs += made
            states += held
        return outputs, states

    def _weights(self, block: int, width: int, kind: Any) -> Any:
        """Return (matrix, bias, {gate: weights}) for frequencies and for time."""
        units, count = self._num_units, 3 if self._coupled else 4
        ways = ["f"] if self._shared else ["f", "t"]
        made = [
            (
                _matrix(
                    f"W_{way}_{block}",
                    [width + 2 * units, count * units],
                    kind,
                    self._shards,
                ),
                _bias(f"B_{way}_{block}", count * units, kind),
            )
            for way in ways
        ]
        gates = "" if not self._peeks else "IO" if self._coupled else "FIO"
        seen = [
            {
                gate: [
                    scopes.get_variable(
                        f"W_{gate}_diag_{way}{x}_{block}", [units], kind
                    )
                    for x in "ft"
                ]
                for gate in gates
            }
            for way in ("freq", "time")[: len(ways)]
        ]
        found = [(*pair, own) for pair, own in zip(made, seen, strict=True)]
        return found * 2 if self._shared else found

    def _block(self, pieces: list[Any], block: int, state: Any, prefix: str) -> Any:
        units, kind = self._num_units, pieces[0].dtype
        width = pieces[0].get_shape().as_list()[1]
        both = self._weights(block, width, kind)
        begin = zeros([_rows(pieces[0]), units], kind)
        m_freq = c_freq = begin
        outputs, states = [], []
        for k, piece in enumerate(pieces):
            c_time, m_time = self._held(state, k, block, prefix)
            given = concat([piece, m_time, m_freq], 1)
            parts = self._parts(given, both)
            cells = [
                self._gates.cell(own, before, _seen(weights[2], c_freq, c_time))
                for own, before, weights in zip(
                    parts, (c_freq, c_time), both, strict=True
                )
            ]
            c_freq, c_time = cells
            m_freq, m_time = [
                _opened(own[-1], c, weights[2], c_freq, c_time)
                for own, c, weights in zip(parts, cells, both, strict=True)
            ]
            outputs += [m_time, m_freq]
            states += [c_time, m_time]
        return outputs, states

    def _parts(self, given: Any, both: Any) -> list[list[Any]]:
        count = 3 if self._coupled else 4
        ways = both[:1] if self._shared else both
        made = [split(bias_add(matmul(given, w), b), count, 1) for w, b, _ in ways]
        return made * 2 if self._shared else made

    def _held(self, state: Any, k: int, block: int, prefix: str) -> list[Any]:
        if self._state_is_tuple:
            name = f"{prefix}_f{k:02d}_b{block:02d}"
            return [getattr(state, f"{name}_{part}") for part in "cm"]
        units = self._num_units
        return [
            state[:, (2 * k + j) * units : (2 * k + j + 1) * units] for j in (0, 1)
        ]

    def _pieces(self, inputs: Any, offset: int = 0) -> list[list[Any]]:
        """Return the pieces of each block; InvalidArgumentError for another number of them."""
        size = _width(inputs)
        if offset:
            inputs = pad(inputs, [[0, 0], [max(-offset, 0), max(offset, 0)]])
        starts, ends = self._starts or [0], self._ends or [size]
        if not len(starts) == len(ends) == len(self._blocks):
            raise InvalidArgumentError(
                f"num_frequency_blocks has {len(self._blocks)} blocks, start_freqindex_list "
                f"{len(starts)} and end_freqindex_list {len(ends)}; they have as many"
            )
        found, width = [], self._feature_size
        for start, end, wanted in zip(starts, ends, self._blocks, strict=True):
            count = int((end - start - width) / self._skip) + 1
            if count != wanted:
                raise InvalidArgumentError(
                    f"Invalid num_frequency_blocks, requires {wanted} but gets {count}, please "
                    "check the input size and filter config are correct."
                )
            first = [start + max(offset, 0) + k * self._skip for k in range(count)]
            found.append([inputs[:, at : at + width] for at in first])
        return found


def _seen(weights: dict[str, Any], c_freq: Any, c_time: Any) -> dict[str, Any]:
    return {gate: w[0] * c_freq + w[1] * c_time for gate, w in weights.items()}


def _opened(
    gate: Any, c: Any, weights: dict[str, Any], c_freq: Any, c_time: Any
) -> Any:
    """Return what a cell gives, of its output gate and what that sees of the new cells."""
    if "O" in weights:
        gate = gate + weights["O"][0] * c_freq + weights["O"][1] * c_time
    return sigmoid(gate) * tanh(c)


class BidirectionalGridLSTMCell(GridLSTMCell):
    """Grids that go along the pieces of the inputs both ways, with variables of their own.

    The pieces of the way back begin backward_slice_offset further.
    """

    _ways = ("fwd_", "bwd_")
    _title = "BidirectionalGridLSTMStateTuple"

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        share_time_frequency_weights: bool = False,
        cell_clip: float | None = None,
        initializer: Any = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: int | None = None,
        frequency_skip: int | None = None,
        num_frequency_blocks: Sequence[int] | None = None,
        start_freqindex_list: Sequence[int] | None = None,
        end_freqindex_list: Sequence[int] | None = None,
        couple_input_forget_gates: bool = False,
        backward_slice_offset: int = 0,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(
            num_units,
            use_peepholes,
            share_time_frequency_weights,
            cell_clip,
            initializer,
            num_unit_shards,
            forget_bias,
            feature_size,
            frequency_skip,
            num_frequency_blocks,
            start_freqindex_list,
            end_freqindex_list,
            couple_input_forget_gates,
            True,
            reuse,
        )
        self._offset = int(backward_slice_offset)

    def call(self, inputs: Any, state: Any) -> Any:
        forward = self._pieces(inputs)
        backward = self._pieces(inputs, self._offset) if self._offset else forward
        outputs, states = [], []
        for way, blocks in (("fwd", forward), ("bwd", [x[::-1] for x in backward])):
            with scopes.variable_scope(way):
                made, held = self._over(blocks, state, f"{way}_state")
            outputs += made
            states += held
        return concat(outputs, 1), self._tuple(*states)
