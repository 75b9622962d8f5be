"""Indexing against NumPy over drawn shapes and keys, its errors, and what inference sees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as extra

import tensorlite as tl
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    PlaceError,
    ShapeError,
)
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.graph.tape import GradientTape
from tensorlite.graph.trace import trace
from tests.checks import run_graph

FEW = settings(max_examples=60, deadline=None)
SHAPES = extra.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


@st.composite
def keyed(draw: st.DrawFn) -> tuple[np.ndarray[Any, Any], Any]:
    """Draw an array and a key of any kind that fits it."""
    shape = draw(SHAPES)
    x = np.arange(np.prod(shape, dtype=int), dtype=np.int64).reshape(shape)
    basic = extra.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True)
    return x, draw(st.one_of(basic, mixed(shape), extra.arrays(np.bool_, shape)))


@st.composite
def mixed(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Draw a key with ints, slices, new axes, index arrays that broadcast, and masks."""
    together = draw(st.sampled_from([(), (1,), (3,), (2, 3), (0,)]))
    key: list[Any] = []
    for size in shape[: draw(st.integers(0, len(shape)))]:
        kinds: list[st.SearchStrategy[Any]] = [st.slices(size)]
        if size:
            indices = st.integers(-size, size - 1)
            kinds += [indices, extra.arrays(np.int64, together, elements=indices)]
            if together in ((), (1,)):
                kinds.append(st.just(np.arange(size) == size - 1))
        key.append(draw(st.one_of(*kinds)))
        if draw(st.integers(0, 5)) == 0:
            key.append(None)
    if draw(st.booleans()):
        key.append(...)
    return tuple(key)


def graph_value(function: Any, specs: list[TensorSpec], *operands: Any) -> Any:
    traced = trace(function, specs)
    given_values = [*map(tl.asarray, operands), *traced.captured]
    return np.asarray(run_graph(traced.graph, given_values)[0])


def specs_of(x: np.ndarray[Any, Any]) -> list[TensorSpec]:
    return [TensorSpec(x.shape, tl.int64), TensorSpec((None,) * x.ndim, tl.int64)]


def assert_same(found: Any, wanted: Any) -> None:
    array = np.asarray(found)
    assert array.dtype == np.asarray(wanted).dtype
    np.testing.assert_array_equal(array, wanted, strict=True)


@FEW
@given(keyed())
def test_getitem_is_numpys(drawn: tuple[np.ndarray[Any, Any], Any]) -> None:
    x, key = drawn
    wanted = np.asarray(x[key])
    assert_same(tl.asarray(x)[key].numpy(), wanted)
    with GradientTape():
        assert_same(tl.asarray(x)[key].numpy(), wanted)


@FEW
@given(keyed())
def test_traced_getitem_is_numpys(drawn: tuple[np.ndarray[Any, Any], Any]) -> None:
    x, key = drawn
    for spec in specs_of(x):
        assert_same(graph_value(lambda y: [y[key]], [spec], x), np.asarray(x[key]))


@FEW
@given(keyed(), st.data())
def test_setitem_is_numpys(
    drawn: tuple[np.ndarray[Any, Any], Any], data: st.DataObject
) -> None:
    x, key = drawn
    part = np.asarray(x[key]).shape
    shape = data.draw(st.sampled_from([(), part, part[1:], (1,) * len(part)]))
    value = -np.arange(1, np.prod(shape, dtype=int) + 1, dtype=np.int64).reshape(
        shape
    )
    wanted = x.copy()
    wanted[key] = value
    changed = tl.asarray(x)
    changed[key] = value
    assert_same(changed.numpy(), wanted)
    for spec in specs_of(x):
        found = graph_value(lambda y: [tl.set_item(y, key, value)], [spec], x)
        assert_same(found, wanted)


@pytest.mark.parametrize(
    "key", [(0, slice(1, None)), ([1, 0], 2), np.array([True, False])]
)
def test_items_may_be_tensors(key: Any) -> None:
    x = np.arange(6).reshape(2, 3)
    items = key if isinstance(key, tuple) else (key,)
    tensors = tuple(i if isinstance(i, slice) else tl.asarray(i) for i in items)
    assert_same(tl.asarray(x)[tensors].numpy(), x[key])


@pytest.mark.parametrize("i", [0, 1, -1])
def test_traced_indices_and_bounds(i: int) -> None:
    x = np.arange(12).reshape(3, 4)

    def function(y: Tensor, n: Tensor) -> list[Tensor]:
        return [
            tl.concat(
                [y[n], y[n, n:], y[:n, 0], y[::-1, n], y[n : n + 1, None, ...][0, 0]]
            )
        ]

    wanted = np.concatenate([x[i], x[i, i:], x[:i, 0], x[::-1, i], x[[i]][0]])
    specs = [TensorSpec((None, 4), tl.int64), TensorSpec((), tl.int32)]
    if i != -1:
        assert_same(graph_value(function, specs, x, np.int32(i)), wanted)
    else:
        assert_same(graph_value(lambda y, n: [y[n]], specs, x, np.int32(i)), x[i])


def test_traced_index_arrays_may_count_from_the_end() -> None:
    x = np.arange(12).reshape(3, 4)
    specs = [TensorSpec((None, None), tl.int64), TensorSpec((None,), tl.int64)]
    places = np.array([-1, 0, -3])
    assert_same(graph_value(lambda y, i: [y[i]], specs, x, places), x[places])
    assert_same(
        graph_value(lambda y, i: [y[i, i]], specs, x, places), x[places, places]
    )
    assert_same(graph_value(lambda y, i: [y[:, i]], specs, x, places), x[:, places])


@pytest.mark.parametrize(
    ("key", "error", "words"),
    [
        (
            2,
            PlaceError,
            "index 2 is out of range for axis 0 of size 2; allowed are -2 to 1",
        ),
        ((0, -4), PlaceError, "index -4 is out of range for axis 1 of size 3"),
        ([0, 2], PlaceError, "index 2 is out of range for axis 0 of size 2"),
        (
            (slice(None), [-4]),
            PlaceError,
            "index -4 is out of range for axis 1 of size 3",
        ),
        ((0, 0, 0), PlaceError, "3 indices for .*2, 3"),
        ((..., 0, ...), PlaceError, "at most one ellipsis"),
        (slice(None, None, 0), InvalidArgumentError, "step is 0"),
        (0.5, DTypeError, "float 0.5; allowed are ints, slices"),
        ("name", DTypeError, "str 'name'"),
        ([0.5], DTypeError, "is no index"),
        (slice(0.5), DTypeError, "float"),
        (([0, 1], [0, 1, 2]), ShapeError, "do not broadcast"),
        (np.array([True, False, True]), ShapeError, "mask of shape"),
    ],
)
def test_keys_that_do_not_fit(key: Any, error: type[Exception], words: str) -> None:
    x = tl.zeros((2, 3))
    with pytest.raises(error, match=words):
        x[key]
    with pytest.raises(error, match=words):
        trace(lambda y: [y[key]], [TensorSpec((2, 3))])


def test_an_index_out_of_range_ends_iteration_as_python_wants() -> None:
    assert [int(x) for x in tl.asarray([1, 2, 3])] == [1, 2, 3]
    with pytest.raises(IndexError):
        tl.asarray([1, 2, 3])[3]


def test_a_traced_index_out_of_range_is_told_when_the_graph_runs() -> None:
    specs = [TensorSpec((3,), tl.int64), TensorSpec((), tl.int64)]
    with pytest.raises(
        PlaceError, match="index 3 is out of range for axis 0 of size 3"
    ):
        graph_value(lambda y, i: [y[i]], specs, np.arange(3), np.int64(3))


def test_strings_may_be_indexed() -> None:
    words = tl.asarray(["a", "b", "c"])
    assert words[1].dtype is tl.string
    assert words[1].tolist() == "b"
    assert words[[2, 0]].tolist() == ["c", "a"]


@pytest.mark.parametrize(
    ("key", "known"),
    [
        (0, None),
        (1, 3),
        (-1, 5),
        (slice(1, None), (3, 5)),
        (slice(None, None, -1), (5, 3, None)),
        ([2, 0], (5, None)),
    ],
)
def test_inference_sees_through_parts_of_shapes(key: Any, known: Any) -> None:
    seen: list[Any] = []

    def function(x: Tensor) -> list[Tensor]:
        part = tl.shape(x)[key]
        seen.append(part.spec.known)
        return [part]

    trace(function, [TensorSpec((None, 3, 5))])
    assert seen == [known]


def test_shapes_computed_from_shapes_are_known() -> None:
    def function(x: Tensor) -> list[Tensor]:
        sizes = tl.shape(x)
        return [tl.reshape(x, tl.stack([sizes[0], sizes[1] * sizes[2]]))]

    traced = trace(function, [TensorSpec((None, 3, 5))])
    assert traced.graph.outputs[0].spec.shape is not None
    assert len(traced.graph.outputs[0].spec.shape) == 2


def test_take_wants_an_axis_unless_there_is_one_only() -> None:
    with pytest.raises(InvalidArgumentError, match="needs axis="):
        tl.take([[1, 2]], [0])
    assert tl.take([1, 2], []).shape == (0,)


def test_take_along_axis_wants_equal_ranks() -> None:
    with pytest.raises(ShapeError, match="ranks differ"):
        tl.take_along_axis([[1, 2]], [0])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: tl.gather([1, 2], [2]),
            PlaceError,
            r"GatherV2: indices\[0\] = 2 is",
        ),
        (lambda: tl.gather([1, 2], [-1]), PlaceError, r"indices\[0\] = -1 is not in"),
        (lambda: tl.gather([1, 2], [0.0]), DTypeError, "allowed are integers"),
        (lambda: tl.gather_nd([[1]], [[0, 0, 0]]), ShapeError, "3 coordinates"),
        (lambda: tl.scatter_nd([[4]], [1], (3,)), PlaceError, "index 4"),
        (
            lambda: tl.scatter_nd([[0]], [1, 2], (3,)),
            ShapeError,
            r"updates have shape \[2\]",
        ),
        (
            lambda: tl.scatter_nd([[0], [1]], [[1], [2]], (3, 2)),
            ShapeError,
            r"need \[2, 2\]",
        ),
        (
            lambda: tl.unsorted_segment_sum([[1, 2]], [[0], [1]], 2),
            ShapeError,
            "must start",
        ),
        (
            lambda: tl.tensor_scatter_add([1.0], [[0]], tl.asarray([1])),
            DTypeError,
            "cast them",
        ),
        (lambda: tl.one_hot([0.5], 2), DTypeError, "OneHot: indices are float32"),
        (
            lambda: tl.segment_sum([1, 2], [1, 0]),
            InvalidArgumentError,
            "unsorted_segment_sum",
        ),
        (lambda: tl.segment_sum([1, 2], [0]), ShapeError, "must start"),
        (lambda: tl.unsorted_segment_sum([1], [3], 3), PlaceError, "index 3"),
        (lambda: tl.dynamic_partition([1], [2], 2), PlaceError, "index 2"),
        (lambda: tl.dynamic_partition([1], [0], 0), InvalidArgumentError, "below 1"),
        (
            lambda: tl.dynamic_stitch([[0]], []),
            InvalidArgumentError,
            "1 tensors of indices",
        ),
        (lambda: tl.boolean_mask([1], [1]), DTypeError, "a mask holds bools"),
    ],
)
def test_errors_say_what_came_and_what_is_allowed(
    call: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        call()


def test_extremes_of_no_slices_are_the_outermost_numbers() -> None:
    nothing = tl.zeros((0,), dtype=tl.int32)
    for dtype in (tl.int32, tl.float32, tl.bfloat16):
        low = tl.unsorted_segment_max(tl.zeros((0, 2), dtype=dtype), nothing, 1)
        high = tl.unsorted_segment_min(tl.zeros((0, 2), dtype=dtype), nothing, 1)
        assert low.shape == (1, 2)
        assert low.dtype is high.dtype is dtype
        assert float(low[0, 0]) < -1e9 < 1e9 < float(high[0, 0])


@pytest.mark.parametrize(
    "name", ["int8", "uint8", "int64", "uint64", "float16", "bfloat16"]
)
def test_sums_at_places_of_every_width(name: str) -> None:
    dtype = tl.as_dtype(name) if hasattr(tl, "as_dtype") else getattr(tl, name)
    values = tl.astype(tl.asarray([100, 27, 3]), dtype)
    total = tl.unsorted_segment_sum(values, [1, 1, 0], 2)
    assert total.dtype is dtype
    assert [int(v) for v in total] == [3, 127]
    largest = tl.tensor_scatter_nd_max(
        values, [[0], [2]], tl.astype(tl.asarray([7, 7]), dtype)
    )
    assert [int(v) for v in largest] == [100, 27, 7]


def test_the_order_of_negative_numbers_is_kept_at_places() -> None:
    values = tl.asarray(np.array([-5, -7, 2], np.int64))
    assert tl.unsorted_segment_max(values, [0, 0, 1], 2).tolist() == [-5, 2]
    assert tl.unsorted_segment_min(values, [0, 0, 0], 1).tolist() == [-7]


def test_gradients_of_products_with_zeros() -> None:
    x = tl.asarray([0.0, 2.0, 3.0, 0.0, 0.0, 4.0])
    with GradientTape() as tape:
        tape.watch(x)
        y = tl.sum(tl.unsorted_segment_prod(x, [0, 0, 0, 1, 1, 1], 2))
    assert tape.gradient(y, x).tolist() == [6, 0, 0, 0, 0, 0]


def test_gradients_of_extremes_are_shared_by_equals() -> None:
    x = tl.asarray([2.0, 2.0, 1.0])
    with GradientTape() as tape:
        tape.watch(x)
        y = tl.sum(tl.segment_max(x, [0, 0, 0]))
    assert tape.gradient(y, x).tolist() == [0.5, 0.5, 0]
