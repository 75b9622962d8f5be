"""Sparse and ragged elements of datasets in graphs: written, read, and run again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.compat import v1
from tensorlite.core.dtypes import float32, int64, string, variant
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.graph_mode.graph import mode, reset_default_graph
from tensorlite.ops.records.sparse_values import DeserializeSparse

tf: Any = v1
Dataset: Any = tf.data.Dataset


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before
    reset_default_graph()


def sparse() -> Any:
    return tf.SparseTensor([[0, 0], [1, 2]], [1, 2], [3, 4])


def deep() -> Any:
    return tf.ragged.constant([[[1.0, 2.0], [5.0]], [[3.0]]])


def doubled(x: Any) -> Any:
    return tf.SparseTensor(x.indices, x.values * 2, x.dense_shape)


MADE: dict[str, tuple[Callable[[], Any], list[Any]]] = {
    # What TensorFlow 1.15 gives of the first elements: parts of sparse tensors in their order,
    # of ragged ones the values and then the bounds.
    "whole": (
        lambda: Dataset.from_tensors(sparse()),
        [[[0, 0], [1, 2]], [1, 2], [3, 4]],
    ),
    "rows": (lambda: Dataset.from_tensor_slices(sparse()), [[[0]], [1], [4]]),
    "batches": (
        lambda: Dataset.from_tensor_slices(sparse()).batch(2),
        [[[0, 0], [1, 2]], [1, 2], [2, 4]],
    ),
    "mapped": (
        lambda: Dataset.from_tensors(sparse()).map(doubled),
        [[[0, 0], [1, 2]], [2, 4], [3, 4]],
    ),
    "filtered": (
        lambda: Dataset.from_tensor_slices(sparse()).filter(
            lambda x: tf.reduce_any(x.values > 1)
        ),
        [[[2]], [2], [4]],
    ),
    "ragged": (
        lambda: Dataset.from_tensors(deep()),
        [[1.0, 2.0, 5.0, 3.0], [0, 2, 3], [0, 2, 3, 4]],
    ),
    "ragged rows": (
        lambda: Dataset.from_tensor_slices(deep()).map(lambda x: x * 2.0),
        [[2.0, 4.0, 10.0], [0, 2, 3]],
    ),
    "ragged batches": (
        lambda: Dataset.from_tensor_slices(deep()).batch(2),
        [[1.0, 2.0, 5.0, 3.0], [0, 2, 3], [0, 2, 3, 4]],
    ),
}


@pytest.mark.parametrize("name", MADE)
def test_elements_are_the_same_where_graphs_are_written_and_read(name: str) -> None:
    make, wanted = MADE[name]
    with tf.Graph().as_default() as graph:
        iterator = make().make_initializable_iterator()
        parts = tl.nest.flatten(iterator.get_next())
        names = [x.name for x in parts]
        begin = iterator.initializer.name
        with tf.Session() as session:
            session.run(iterator.initializer)
            assert [x.tolist() for x in session.run(parts)] == wanted
        definition = graph.as_graph_def()
    assert "GeneratorDataset" not in {node.op for node in definition.node}
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(definition, name="")
        with tf.Session() as session:
            session.run(graph.get_operation_by_name(begin))
            assert [x.tolist() for x in session.run(names)] == wanted


def test_states_and_reductions_hold_sparse_tensors() -> None:
    with tf.Graph().as_default():
        rows = Dataset.from_tensor_slices(sparse())
        total = rows.reduce(sparse(), lambda state, row: doubled(state))
        with tf.Session() as session:
            assert session.run(total).values.tolist() == [8, 16]


def test_loops_over_sparse_elements_are_written() -> None:
    rows = tl.data.Dataset.from_tensor_slices(
        tl.sparse.SparseTensor([[0, 0], [1, 2]], [1.0, 2.0], (3, 4))
    )

    @tl.function
    def total(x: Any) -> Any:
        for row in rows:
            x = x + tl.sum(row.values)
        return x

    definition = tl.interop.tensorflow.to_graphdef(
        total.get_concrete_function(tl.ones(())).graph
    )
    assert "DeserializeSparse" in str(definition)
    assert float(total(tl.ones(()))) == 4.0


def test_sparse_tensors_stand_along_any_axes() -> None:
    x = tl.sparse.SparseTensor([[0, 1], [2, 0]], [5.0, 6.0], (3, 2))
    for out_type in (string, variant):
        one = tl.io.serialize_sparse(x, out_type)
        op = DeserializeSparse(float32, out_type)
        values = np.stack([one.array, one.array]).reshape(2, 1, 3)
        indices, held, sizes = op.kernel(np, values)
        assert indices.tolist() == [
            [0, 0, 0, 1],
            [0, 0, 2, 0],
            [1, 0, 0, 1],
            [1, 0, 2, 0],
        ]
        assert held.tolist() == [5.0, 6.0, 5.0, 6.0]
        assert sizes.tolist() == [2, 1, 3, 2]
        assert [p.tolist() for p in op.kernel(np, one.array)] == [
            [[0, 1], [2, 0]],
            [5.0, 6.0],
            [3, 2],
        ]


def test_what_is_no_sparse_tensor_is_refused() -> None:
    x = tl.sparse.SparseTensor([[0, 1]], [5.0], (3, 2))
    one = tl.io.serialize_sparse(x, variant).array
    with pytest.raises(InvalidArgumentError, match="float32; asked for is int64"):
        DeserializeSparse(int64, variant).kernel(np, one)
    with pytest.raises(InvalidArgumentError, match="last axis must be of size 3"):
        DeserializeSparse(float32, variant).kernel(np, one[:2])
    with pytest.raises(DTypeError, match="allowed are string and variant"):
        tl.io.serialize_sparse(x, float32)
