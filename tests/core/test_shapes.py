"""Shapes: tuples where the standard of arrays asks for them, TensorFlow's where results are its."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import ShapeError
from tensorlite.core.shapes import TensorShape, TupleShape


@pytest.fixture
def tensorflow_results() -> Iterator[None]:
    before = tl.config.get_tensorflow_results()
    tl.config.set_tensorflow_results(True)
    yield
    tl.config.set_tensorflow_results(before)


@pytest.fixture
def own_results() -> Iterator[None]:
    before = tl.config.get_tensorflow_results()
    tl.config.set_tensorflow_results(False)
    yield
    tl.config.set_tensorflow_results(before)


@pytest.mark.usefixtures("own_results")
def test_tensors_have_tuples() -> None:
    shape = tl.ones((2, 3)).shape
    assert type(shape) is TupleShape
    assert isinstance(shape, tuple)
    assert shape == (2, 3) == tuple(shape)
    assert shape[1:] == (3,)


@pytest.mark.usefixtures("tensorflow_results")
def test_where_results_are_tensorflows_a_shape_is_no_sequence() -> None:
    shape: Any = tl.ones((2, 3)).shape
    assert type(shape) is TensorShape
    assert not isinstance(shape, (tuple, Sequence))
    assert shape == (2, 3) == tuple(shape)
    assert tl.Variable([1.0, 2.0]).shape == (2,)
    assert bool(tl.ones(()).shape)


@pytest.mark.parametrize("kind", [TupleShape((2, 3)), TensorShape((2, 3))])
def test_both_kinds_serve_where_sizes_are_wanted(kind: Any) -> None:
    assert np.zeros(kind).shape == (2, 3)
    assert tl.reshape(tl.arange(6), kind).shape == (2, 3)
    assert tl.zeros(kind).shape == (2, 3)
    assert kind.concatenate([4]).as_list() == [2, *kind[1:], 4]
    assert (kind.rank, kind.num_elements(), kind[-1], kind[:1]) == (2, 6, 3, (2,))
    assert hash(kind) == hash((2, 3))
    assert {(2, 3): "found"}[kind] == "found"
    assert copy.deepcopy(kind) == copy.copy(kind) == kind
    assert TensorShape((2, 3)) == kind == TupleShape((2, 3))
    assert kind != (2, 4)


def test_a_shape_becomes_a_tensor_of_integers() -> None:
    for sizes in ([2, 3], []):
        shape: Any = TensorShape(sizes)
        made = tl.extend.to_tensor(shape)
        assert made.dtype is tl.int32
        assert made.numpy().tolist() == sizes
    for given in ([None, 2], None):
        unknown: Any = TensorShape(given)
        with pytest.raises(ShapeError, match="not all"):
            tl.extend.to_tensor(unknown)


def test_of_unknown_rank_nothing_is_known() -> None:
    shape = TensorShape(None)
    assert (shape.rank, shape.dims, shape[0], bool(shape)) == (
        None,
        None,
        None,
        False,
    )
    assert shape[1:] == TensorShape(None)
    assert shape.merge_with([2]).as_list() == [2]
    assert shape.concatenate([2]).rank is None
    for ask in (len, list, TensorShape.as_list):
        with pytest.raises(ShapeError, match="not known"):
            ask(shape)


def test_what_is_no_shape_equals_none() -> None:
    for other in ("ab", object(), {}, [2.5], None):
        assert TensorShape([2, 3]) != other


def test_reshapes_that_do_not_fit_say_how_many_values_there_are() -> None:
    x = tl.ones((2, 4))
    for shape, message in (
        ((3, 4), r"tensor with 8 values, but the requested shape has 12: \[2, 4\]"),
        ((3, -1), r"requires a multiple of 3"),
        ((4, -2), r"size 1 must be non-negative, not -2"),
    ):
        with pytest.raises(ShapeError, match=message):
            tl.reshape(x, shape)


@pytest.mark.usefixtures("tensorflow_results")
def test_tensorflows_numbers_name_dtypes_where_results_are_its() -> None:
    assert tl.as_dtype(1) is tl.float32
    assert tl.as_dtype(tl.int64.as_datatype_enum) is tl.int64
    tl.config.set_tensorflow_results(False)
    with pytest.raises(TypeError, match="no dtype"):
        tl.as_dtype(1)


def test_without_elements_the_other_sizes_decide_what_is_left() -> None:
    empty = tl.zeros((0, 6))
    assert tl.reshape(empty, (0, -1, 3)).shape == (0, 2, 3)
    assert tl.reshape(empty, tl.constant([-1, 0])).shape == (6, 0)
    later = tl.function(lambda sizes: tl.reshape(empty, sizes))
    assert later(tl.constant([0, -1, 3])).shape == (0, 2, 3)
    with pytest.raises(ShapeError, match="no multiple of 4"):
        tl.reshape(empty, (0, -1, 4))
