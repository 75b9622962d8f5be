"""Edges of creation, and questions about dtypes: dtypes, copies, devices, errors."""

from __future__ import annotations

import array
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.trace import trace
from tests.checks import run_graph


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (True, tl.bool),
        (1, tl.int32),
        (2**40, tl.int64),
        (2**63, tl.uint64),
        (1.0, tl.float32),
        (1j, tl.complex64),
        ([[1, 2.5]], tl.float32),
        (np.float64(1), tl.float64),
        ([np.float64(1)], tl.float64),
        (np.arange(3, dtype=np.int16), tl.int16),
        (array.array("d", [1.0]), tl.float64),
        (memoryview(b"ab"), tl.uint8),
        ("text", tl.string),
        ([], tl.float32),
    ],
)
def test_dtypes_of_values(value: Any, dtype: tl.DType) -> None:
    assert tl.asarray(value).dtype is dtype


def test_arrays_are_copied_unless_asked_not_to() -> None:
    source = np.zeros(2)
    copied, shared = tl.asarray(source), tl.asarray(source, copy=False)
    source[0] = 1
    assert copied.tolist() == [0.0, 0.0]
    assert shared.tolist() == [1.0, 0.0]


def test_copy_false_refuses_what_must_be_copied() -> None:
    with pytest.raises(
        InvalidArgumentError, match=r"copy=False: list must be copied"
    ):
        tl.asarray([1.0], copy=False)
    with pytest.raises(
        InvalidArgumentError, match="copy=False: ndarray must be copied"
    ):
        tl.asarray(np.ones(2), dtype=tl.float32, copy=False)
    with pytest.raises(InvalidArgumentError, match="copy=False"):
        tl.asarray(tl.ones(2), dtype=tl.float64, copy=False)


def test_a_copy_is_another_tensor() -> None:
    x = tl.ones(2)
    assert tl.asarray(x) is x
    assert tl.asarray(x, copy=True) is not x


def test_numbers_that_do_not_fit() -> None:
    with pytest.raises(InvalidArgumentError, match=r"300 does not fit tl\.int8"):
        tl.full(2, 300, dtype=tl.int8)


def test_dlpack_shares_memory_both_ways() -> None:
    source = np.arange(3.0)
    x = tl.from_dlpack(source)
    assert np.shares_memory(x.numpy(), source)
    assert np.shares_memory(np.from_dlpack(x), source)
    assert not np.shares_memory(tl.from_dlpack(source, copy=True).numpy(), source)


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ((3,), [0, 1, 2]),
        ((5, 0, -2), [5, 3, 1]),
        ((2, 2), []),
        ((3, 1), []),
        ((0, 7, 3), [0, 3, 6]),
    ],
)
def test_ranges_of_integers(ends: tuple[int, ...], expected: list[int]) -> None:
    assert tl.arange(*ends).tolist() == expected
    assert tl.arange(*ends, dtype=tl.uint8).dtype is tl.uint8


def test_ranges_of_floats_and_errors() -> None:
    np.testing.assert_allclose(
        tl.arange(0, 1, 0.1).numpy(), np.arange(0, 1, 0.1), rtol=1e-6
    )
    assert tl.arange(1.5).dtype is tl.float32
    with pytest.raises(InvalidArgumentError, match="step=0 leads nowhere"):
        tl.arange(0, 3, 0)
    with pytest.raises(InvalidArgumentError, match=r"num=-1; allowed are 0 and more"):
        tl.linspace(0, 1, -1)


def test_shapes_may_be_tensors_in_a_trace() -> None:
    def function(n: Any) -> list[Any]:
        return [tl.zeros((n, 2)), tl.arange(n), tl.eye(n), tl.fill((n,), 7)]

    traced = trace(function, [TensorSpec((), tl.int32)])
    found = run_graph(traced.graph, [np.asarray(3, np.int32)])
    assert [x.shape for x in found] == [(3, 2), (3,), (3, 3), (3,)]
    np.testing.assert_array_equal(found[2], np.eye(3))


def test_vectors_have_no_triangle() -> None:
    with pytest.raises(InvalidArgumentError, match=r"Tril takes matrices.*\[3\]"):
        tl.tril(tl.ones(3))


def test_grids_say_how_they_may_be_indexed() -> None:
    with pytest.raises(InvalidArgumentError, match="allowed: 'xy', 'ij'"):
        tl.meshgrid(tl.ones(2), indexing="yx")  # type: ignore[arg-type]
    assert tl.meshgrid() == ()


def test_limits_of_dtypes() -> None:
    assert tl.finfo(tl.complex128).dtype is tl.float64
    assert tl.iinfo(tl.int64).min == -(2**63)
    with pytest.raises(DTypeError, match="finfo takes floating-point"):
        tl.finfo(tl.int8)
    with pytest.raises(DTypeError, match="iinfo takes integer"):
        tl.iinfo(tl.float32)


def test_kinds_of_dtypes() -> None:
    assert tl.isdtype(tl.bfloat16, "real floating")
    assert not tl.isdtype(tl.bool, "numeric")
    with pytest.raises(InvalidArgumentError, match="'float' is no kind of dtype"):
        tl.isdtype(tl.int8, "float")


def test_result_types() -> None:
    assert tl.result_type(tl.ones(2), 1) is tl.float32
    assert tl.result_type(tl.int8, tl.uint8, 2.0) is tl.float32
    assert tl.result_type(1, 2.0) is tl.float32
    with pytest.raises(DTypeError, match="no dtype holds both"):
        tl.result_type(tl.bool, tl.int8)


def test_namespace_describes_itself() -> None:
    info = tl.ones(1).__array_namespace__().__array_namespace_info__()
    assert info.default_dtypes()["indexing"] is tl.int64
    assert set(info.dtypes(kind="real floating")) == {"float32", "float64"}
    assert info.default_device() in info.devices()


def test_numpys_functions_answer_for_tensors() -> None:
    x = tl.asarray([[1.0, 4.0], [9.0, 16.0]])
    assert isinstance(np.sqrt(x), tl.asarray(0).__class__)
    assert np.sum(x, 0).tolist() == [10.0, 20.0]
    assert np.concatenate([x, x], axis=1).shape == (2, 4)
    assert (np.ones(2, np.float32) + x).tolist() == [[2.0, 5.0], [10.0, 17.0]]
    assert np.where(x > 3, x, np.float32(0)).tolist() == [[0.0, 4.0], [9.0, 16.0]]


def test_numpys_other_functions_are_refused_by_name() -> None:
    x = tl.ones(2)
    with pytest.raises(DTypeError, match=r"np.add on tensors is tl.add.*'out'"):
        np.add(x, x, out=np.ones(2))
    with pytest.raises(DTypeError, match=r"np.interp does not take tensors"):
        np.interp(x, x, x)
    with pytest.raises(DTypeError, match=r"np.add.reduce does not take tensors"):
        np.add.reduce(x)


class Column:
    """A column of a table, of a library that this one does not know."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.values, dtype)


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([1, 2], tl.int64),
        ([1.0, 2.0], tl.float64),
        (np.asarray([1, 2], np.uint8), tl.uint8),
        (np.asarray(["a", "bc"], object), tl.string),
    ],
)
def test_whatever_is_an_array_keeps_its_dtype(values: Any, dtype: Any) -> None:
    column: Any = Column(values)
    found = tl.constant(column)
    assert found.dtype is dtype
    assert tl.expand_dims(column, 0).shape == (1, 2)
    assert found.tolist() == tl.constant(np.asarray(values)).tolist()


def test_traced_functions_take_arrays_of_other_libraries_as_tensors() -> None:
    @tl.function
    def doubled(x: Any) -> Any:
        return x * 2

    assert doubled(Column([1, 2])).tolist() == [2, 4]
    assert doubled(Column([3, 4])).tolist() == [6, 8]
    assert doubled.trace_count == 1
