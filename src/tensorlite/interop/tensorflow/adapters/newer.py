"""Operators that came with later versions of TensorFlow, or that its optimiser makes of others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tensorlite.core.constant import Const
from tensorlite.core.dispatch import calls, constant
from tensorlite.core.errors import GraphDefError
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import MOST, Adapter, Plain
from tensorlite.ops.arrays.arrange import moveaxis
from tensorlite.ops.arrays.join import concat, split
from tensorlite.ops.arrays.search import top_k
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.control.dataflow import Switch
from tensorlite.ops.control.list_runs import TensorListConcatV2
from tensorlite.ops.control.lists import element_shape
from tensorlite.ops.linear.spectral import eigh
from tensorlite.ops.math.arithmetic import negative
from tensorlite.ops.math.compare import Equal
from tensorlite.ops.math.isotonic import isotonic_regression
from tensorlite.ops.nn.block_lstm import BlockLSTM, BlockLSTMGrad
from tensorlite.ops.strings.decoding import DecodeRaw


def _greatest(given: Given) -> Values:
    """Return the greatest or least elements, all of them right, and where they are."""
    for name in (
        "recall_target",
        "reduction_input_size_override",
        "aggregate_to_topk",
    ):
        given.attribute(name)
    count, axis = [given.typed(name, int) for name in ("k", "reduction_dimension")]
    is_max = given.typed("is_max_k", bool)

    def greatest(x: Tensor) -> tuple[Tensor, Tensor]:
        last = moveaxis(x, axis, -1)
        values, places = top_k(last if is_max else negative(last), count)
        found = values if is_max else negative(values)
        return moveaxis(found, -1, axis), moveaxis(places, -1, axis)

    return given.composed(greatest, *given.tensors)


def _falling(given: Given) -> Values:
    dtype = given.dtype("output_dtype")

    def falling(x: Tensor) -> tuple[Tensor, Tensor]:
        found, runs = isotonic_regression(x)
        return astype(found, dtype), runs

    return given.composed(falling, *given.tensors)


def _raw(given: Given) -> Values:
    """Return the bytes of strings, each cut or filled up to a length, as numbers."""
    length = int(given.constant(1))
    dtype = given.dtype("out_type")
    if length < 1 or length % dtype.itemsize:
        raise GraphDefError(
            f"{given.record}: fixed_length is {length}; allowed are multiples of "
            f"{dtype.itemsize}, the bytes of {dtype.name}"
        )
    op = DecodeRaw(dtype, given.typed("little_endian", bool), length)
    return given.made(op, given.tensor(0))


def _steps(given: Given) -> Values:
    """Run a cell whose gates stand in another order than in the first version."""
    peeps = given.typed("use_peephole", bool)
    op = BlockLSTM(0.0, given.typed("cell_clip", float), peeps)

    def steps(*inputs: Tensor) -> tuple[Tensor, ...]:
        *first, w, wci, wcf, wco, b = inputs
        return calls(op, *first, _turned(w), wci, wcf, wco, _turned(b))

    return given.composed(steps, *given.tensors)


def _steps_back(given: Given) -> Values:
    op = BlockLSTMGrad(given.typed("use_peephole", bool))

    def back(*inputs: Tensor) -> tuple[Tensor, ...]:
        *first, w, wci, wcf, wco, b = inputs[:9]
        given_to = (*first, _turned(w), wci, wcf, wco, _turned(b))
        *grads, dw, dwci, dwcf, dwco, db = calls(op, *given_to, *inputs[9:])
        return (*grads, _turned(dw), dwci, dwcf, dwco, _turned(db))

    return given.composed(back, *given.tensors)


def _turned(x: Tensor) -> Tensor:
    """Return columns in four parts of which the middle ones change places."""
    first, second, third, last = split(x, 4, axis=-1)
    return concat([first, third, second, last], axis=-1)


def _device(given: Given) -> Values:
    """Return the place of the CPU among the names of devices; behind the last one if none is it."""
    names = given.listed("device_names", str)
    place = names.index("CPU") if "CPU" in names else len(names)
    given.check_attributes()
    return given.node(Const(np.asarray(place, np.int32))).outputs


def _joined(given: Given) -> Values:
    """Join the elements of a list whose shape an attribute tells."""
    op = TensorListConcatV2(given.dtype("element_dtype"))
    shape = given.shape("element_shape")

    def joined(list_: Tensor) -> tuple[Tensor, ...]:
        sizes = constant(np.zeros(0, np.int64))
        return calls(op, list_, element_shape(shape), sizes)

    return given.composed(joined, *given.tensors)


def _one_of_many(given: Given) -> Values:
    """Pass a value on to the side of a number, or to the last one, by a chain of two sides each."""
    count = given.typed("num_outs", int)
    if not 0 < count <= MOST:
        raise GraphDefError(
            f"{given.record}: num_outs is {count}; allowed are 1 to {MOST}"
        )
    given.check_attributes()
    rest, number = given.tensors
    if count == 1:
        return given.give([rest])
    taken = []
    for i in range(count - 1):
        side = given.helper(Const(np.asarray(i, np.int32))).outputs[0]
        is_it = given.helper(Equal(), number, side).outputs[0]
        made = given.helper if i < count - 2 else given.node
        rest, chosen = made(Switch(), rest, is_it).outputs
        taken.append(chosen)
    return [*taken, rest]


def _values_and_vectors(x: Tensor) -> Tensor:
    values, vectors = eigh(x)
    return concat([values[..., None, :], vectors], axis=-2)


def _composed(function: Callable[..., Tensor]) -> Adapter:
    return lambda given: given.composed(function, *given.tensors)


NEWER: dict[str, Adapter] = {
    "ApproxTopK": _greatest,
    "BatchSelfAdjointEig": _composed(_values_and_vectors),
    "BlockLSTMGradV2": _steps_back,
    "BlockLSTMV2": _steps,
    "CheckNumericsV2": Plain("CheckNumerics"),
    "DebugGradientIdentity": Plain("Identity"),
    "DecodePaddedRaw": _raw,
    "DeviceIndex": _device,
    "IsotonicRegression": _falling,
    "SelfAdjointEig": _composed(_values_and_vectors),
    "TensorListConcat": _joined,
    "_SwitchN": _one_of_many,
}
