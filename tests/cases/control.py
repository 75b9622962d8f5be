"""Cases of lists, bundles and custom gradients; branches and loops are in test_control.py."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite import debugging
from tensorlite.core.dispatch import call
from tensorlite.ops.control.bundles import bundled, unbundle
from tensorlite.ops.control.effects import Print
from tensorlite.ops.control.list_rows import gather_list, scatter_list
from tensorlite.ops.control.list_runs import split_list
from tensorlite.ops.control.lists import element_shape, empty, pop, push, reserve
from tests.cases.base import OpCase, arrays


def pushed(x: Any, y: Any) -> Any:
    """Return what is popped of a list: an element, and the sum of it and the one below."""
    list_ = push(push(empty(element_shape((3,)), x.dtype), x * y), y)
    list_, top = pop(list_, element_shape((3,)), x.dtype)
    return top, top + pop(list_, element_shape((3,)), x.dtype)[1]


def array_of_rows(x: Any, y: Any) -> Any:
    """Return rows written, read and overwritten."""
    array = tl.TensorArray(x.dtype, size=2).unstack(x).write(0, y)
    return array.write(1, array.read(0) * array.read(1)).stack(2)


def joined(x: Any, y: Any) -> Any:
    """Return parts of different lengths, joined."""
    return (
        tl.TensorArray(x.dtype, size=1, dynamic_size=True)
        .write(0, x)
        .write(1, y)
        .concat()
    )


def rows_at_places(x: Any) -> Any:
    """Return rows put into a list, and some of them read, one twice."""
    shape = element_shape((3,))
    list_ = scatter_list(reserve(shape, 3, x.dtype), x, tl.constant([2, 0, 1]))
    return gather_list(list_, tl.constant([1, 1, 0]), shape)


def runs(x: Any) -> Any:
    """Return runs of rows put into a list, and these joined, with one of them."""
    lengths = tl.constant(np.array([1, 2], np.int64))
    list_ = split_list(reserve(element_shape((None, 3)), 2, x.dtype), x, lengths)
    array = tl.TensorArray(flow=list_)
    return array.concat() * array.read(0)


def shorter_run(x: Any) -> Any:
    """Return the shorter of two runs of rows, by which the other has no gradient."""
    lengths = tl.constant(np.array([2, 1], np.int64))
    list_ = split_list(reserve(element_shape((None, 3)), 2, x.dtype), x, lengths)
    return tl.TensorArray(flow=list_).read(1)


def bundle(x: Any, y: Any) -> Any:
    """Return members of a bundle."""
    first, second = unbundle(bundled([x * y, y]), [x.spec, y.spec])
    return first * second


@tl.custom_gradient
def square(x: Any) -> Any:
    """Return the square, with its gradient by hand."""
    return x * x, lambda dy: 2.0 * x * dy


@tl.recompute_grad
def recomputed(x: Any) -> Any:
    """Return a product whose parts are not kept."""
    return tl.exp(x) * x


CASES = (
    OpCase("list_push_pop", pushed, lambda x, y: (y, y + x * y), arrays((3,), (3,))),
    OpCase(
        "tensor_array",
        array_of_rows,
        lambda x, y: np.stack([y, y * x[1]]),
        arrays((2, 3), (3,)),
    ),
    OpCase(
        "tensor_array_concat",
        joined,
        lambda x, y: np.concatenate([x, y]),
        arrays((2, 3), (1, 3)),
        data_dependent=True,
        ops=("TensorListSplit",),
    ),
    OpCase(
        "list_rows",
        rows_at_places,
        lambda x: x[[2, 2, 1]],
        arrays((3, 3)),
        ops=("TensorListGather", "TensorListScatterIntoExistingList"),
    ),
    OpCase(
        "list_runs",
        runs,
        lambda x: x * x[:1],
        arrays((3, 3)),
        data_dependent=True,
        ops=("TensorListSplitIntoExistingList",),
    ),
    OpCase(
        "list_run", shorter_run, lambda x: x[2:], arrays((3, 3)), data_dependent=True
    ),
    OpCase("bundle", bundle, lambda x, y: x * y * y, arrays((3,), (3,))),
    OpCase(
        "print_and_pass_on",
        lambda x, y: call(Print("never", first_n=0), x * y, y),
        lambda x, y: x * y,
        arrays((3,), (3,)),
    ),
    OpCase("custom_gradient", square, np.square, arrays((3,))),
    OpCase(
        "recompute_grad",
        recomputed,
        lambda x: np.exp(x) * x,
        arrays((3,)),
        ops=("Recompute",),
    ),
    OpCase("check_numerics", debugging.check_numerics, lambda x: x, arrays((2, 3))),
)
