"""Operators on ragged tensors in GraphDefs, and the gradient of pooling that says where."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import GraphDefError
from tests.interop.graphdefs import Program

SPLITS = np.array([0, 2, 2, 5], np.int64)
FLOATS: dict[str, Any] = {"T": tl.float32}


def rows() -> Program:
    """Return a program with three rows of two, no and three numbers."""
    made = Program()
    made.const("splits", SPLITS)
    made.floats("values", 1.0, 2.0, 3.0, 4.0, 5.0)
    return made


def listed(made: Program, *names: str) -> list[Any]:
    """Return values as lists."""
    return [x.tolist() for x in made.session().run(list(names))]


def test_rows_are_gathered() -> None:
    made = rows()
    made.const("at", np.array([2, 0], np.int32))
    ranks: dict[str, Any] = {"PARAMS_RAGGED_RANK": 1, "OUTPUT_RAGGED_RANK": 1}
    kinds: dict[str, Any] = {
        "Tvalues": tl.float32,
        "Tindices": tl.int32,
        "Tsplits": tl.int64,
    }
    made.node("RaggedGather", "y", "splits", "values", "at", **ranks, **kinds)
    assert listed(made, "y:0", "y:1") == [[0, 3, 5], [3, 4, 5, 1, 2]]


def test_rows_are_counted() -> None:
    made = Program()
    for name, numbers in (("a", [0, 9, 5]), ("b", [6, 3, 5]), ("c", [2, -2, 1])):
        made.const(name, np.array(numbers, np.int32))
    made.node("RaggedRange", "y", "a", "b", "c", T=tl.int32, Tsplits=tl.int64)
    assert listed(made, "y:0", "y:1") == [[0, 3, 6, 6], [0, 2, 4, 9, 7, 5]]


def test_rows_become_a_sparse_tensor() -> None:
    made = rows()
    kept = {"RAGGED_RANK": 1, "Tsplits": tl.int64, **FLOATS}
    made.node("RaggedTensorToSparse", "y", "splits", "values", **kept)
    places, values, sizes = listed(made, "y:0", "y:1", "y:2")
    assert places == [[0, 0], [0, 1], [2, 0], [2, 1], [2, 2]]
    assert (values, sizes) == ([1, 2, 3, 4, 5], [3, 3])


def dense(kinds: tuple[str, ...], *partitions: str) -> Program:
    """Return a program that fills rows up with -1."""
    made = rows()
    made.const("ids", np.array([0, 0, 2, 2, 2], np.int64))
    made.const("count", np.array(3, np.int64))
    made.const("shape", np.array([-1, 2], np.int32))
    made.const("filler", np.array(-1, np.float32))
    made.node(
        *("RaggedTensorToTensor", "y", "shape", "values", "filler", *partitions),
        Tindex=tl.int64,
        Tshape=tl.int32,
        row_partition_types=kinds,
        num_row_partition_tensors=len(partitions),
        **FLOATS,
    )
    return made


@pytest.mark.parametrize(
    "made",
    [
        (("ROW_SPLITS",), "splits"),
        (("FIRST_DIM_SIZE", "VALUE_ROWIDS"), "count", "ids"),
    ],
)
def test_rows_are_filled_up(made: tuple[tuple[str, ...], ...]) -> None:
    kinds, *partitions = made
    found = listed(dense(kinds, *map(str, partitions)), "y:0")
    assert found == [[[1, 2], [-1, -1], [3, 4]]]


def test_other_partitions_are_refused() -> None:
    with pytest.raises(GraphDefError, match="VALUE_ROWIDS"):
        dense(("VALUE_ROWIDS",), "ids").session()


def test_what_flows_goes_back_to_the_greatest() -> None:
    made = Program()
    made.const("x", np.arange(4, dtype=np.float32).reshape(1, 2, 2, 1))
    made.const("dy", np.full((1, 1, 1, 1), 5, np.float32))
    made.const("at", np.full((1, 1, 1, 1), 3, np.int64))
    made.node(
        *("MaxPoolGradWithArgmax", "dx", "x", "dy", "at"),
        ksize=(1, 2, 2, 1),
        strides=(1, 2, 2, 1),
        padding="SAME",
        Targmax=tl.int64,
        **FLOATS,
    )
    assert made.session().run("dx:0").ravel().tolist() == [0, 0, 0, 5]


@pytest.mark.parametrize(("by_rows", "inner"), [(True, 0), (False, 1), (True, -1)])
def test_ragged_tensors_are_elements(by_rows: bool, inner: int) -> None:
    made = rows()
    kinds: dict[str, Any] = {"Tvalues": tl.float32, "Tsplits": tl.int64}
    made.node(
        *("RaggedTensorToVariant", "e", "splits", "values"),
        RAGGED_RANK=1,
        batched_input=by_rows,
        **kinds,
    )
    made.node(
        *("RaggedTensorFromVariant", "y", "e"),
        input_ragged_rank=inner,
        output_ragged_rank=1,
        **kinds,
    )
    assert listed(made, "y:0", "y:1") == [[0, 2, 2, 5], [1, 2, 3, 4, 5]]


def test_axes_of_elements_become_outer_rows() -> None:
    made = Program()
    made.const("splits", np.array([0, 2, 3, 3, 4], np.int64))
    made.floats("values", 1.0, 2.0, 3.0, 4.0)
    made.const("shape", np.array([2, 2], np.int32))
    kinds: dict[str, Any] = {"Tvalues": tl.float32, "Tsplits": tl.int64}
    made.node(
        *("RaggedTensorToVariant", "e", "splits", "values"),
        RAGGED_RANK=1,
        batched_input=True,
        **kinds,
    )
    made.node("Reshape", "m", "e", "shape", T=tl.variant, Tshape=tl.int32)
    made.node(
        *("RaggedTensorFromVariant", "y", "m"),
        input_ragged_rank=-1,
        output_ragged_rank=2,
        **kinds,
    )
    outer, inner, values = listed(made, "y:0", "y:1", "y:2")
    assert (outer, inner) == ([0, 2, 4], [0, 2, 3, 3, 4])
    assert values == [1, 2, 3, 4]


def test_bounds_that_do_not_fit_the_values_are_refused() -> None:
    made = rows()
    made.const("wrong", np.array([0, 9], np.int64))
    made.node(
        *("RaggedTensorToVariant", "e", "wrong", "values"),
        RAGGED_RANK=1,
        batched_input=True,
        Tvalues=tl.float32,
        Tsplits=tl.int64,
    )
    made.node(
        *("RaggedTensorFromVariant", "y", "e"),
        input_ragged_rank=0,
        output_ragged_rank=1,
        Tvalues=tl.float32,
        Tsplits=tl.int64,
    )
    with pytest.raises(tl.errors.InvalidArgumentError, match="must rise from 0 to 5"):
        made.session().run("y:0")


def test_empty_rows_are_filled() -> None:
    made = Program()
    made.const("rows", np.array([0, 2, 2], np.int64))
    made.floats("values", 1.0, 2.0, 3.0)
    made.const("count", np.array(4, np.int64))
    made.const("filler", np.array(-1, np.float32))
    made.node(
        "RaggedFillEmptyRows", "y", "rows", "values", "count", "filler", **FLOATS
    )
    assert listed(made, "y:0", "y:1", "y:2", "y:3") == [
        [0, 1, 2, 2, 3],
        [1, -1, 2, 3, -1],
        [False, True, False, True],
        [0, 2, 3],
    ]


@pytest.mark.parametrize("hashed", [False, True])
def test_rows_are_crossed(hashed: bool) -> None:
    made = Program()
    made.const("values", np.array([b"a", b"b", b"c"], object))
    made.const("splits", np.array([0, 2, 3], np.int64))
    made.const("dense", np.array([[b"x"], [b"y"]], object))
    made.node(
        *("RaggedCross", "y", "values", "splits", "dense"),
        Nsparse=0,
        input_order="RD",
        hashed_output=hashed,
        num_buckets=100,
        hash_key=0xDECAFCAFFE,
        ragged_values_types=(tl.string,),
        ragged_splits_types=(tl.int64,),
        sparse_values_types=(),
        dense_types=(tl.string,),
        out_values_type=tl.int64 if hashed else tl.string,
        out_row_splits_type=tl.int64,
    )
    words = [b"a_X_x", b"b_X_x", b"c_X_y"]
    numbers = [92, 4, 60]
    assert listed(made, "y:0", "y:1") == [numbers if hashed else words, [0, 2, 3]]
