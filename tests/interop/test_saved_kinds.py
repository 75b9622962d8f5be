"""Functions of a SavedModel that take and return what is no plain tensor, and what they hold.

The model was made by TensorFlow 2.21, and the numbers are those that it gives there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
import tensorlite.compat.v2 as tf
from tensorlite.core.errors import GraphDefError
from tensorlite.interop.tensorflow import load_saved_model
from tensorlite.interop.tensorflow.stored.structures import knows, proto_of, value_of

FOLDER = Path(__file__).parent / "data" / "tf2" / "saved_kinds"


@pytest.fixture(name="model", scope="module")
def _model() -> Any:
    return load_saved_model(FOLDER)


def test_ragged_tensors_of_several_axes(model: Any) -> None:
    given = tl.ragged.constant([[[1], [2, 3]], []], dtype=tl.int32)
    same, lengths = model.rows(given)
    assert same.to_list() == [[[1], [2, 3]], []]
    assert lengths.to_list() == [[1, 2], []]


def test_sparse_tensors(model: Any) -> None:
    given = tl.sparse.from_dense([[0.0, 1.0], [2.0, 0.0]])
    doubled, dense = model.doubled(given)
    np.testing.assert_array_equal(tl.sparse.to_dense(doubled), [[0, 2], [4, 0]])
    np.testing.assert_array_equal(dense, [[0, 1], [2, 0]])
    with pytest.raises(ValueError, match="no trace"):
        model.doubled(tl.ones((2, 2)))


def test_slices_and_tuples_with_names(model: Any) -> None:
    slices = model.slices(tl.asarray([3, 1]))
    assert isinstance(slices, tl.IndexedSlices)
    assert slices.indices.tolist() == [3, 1]
    pair = model.pair(tl.asarray(1.0))
    assert type(pair).__name__ == "Pair"
    assert (float(pair.first), float(pair.second["more"])) == (1.0, 2.0)


def test_gradients_that_the_program_gave(model: Any) -> None:
    x = tl.asarray(1.0)
    with tl.GradientTape() as tape:
        tape.watch(x)
        y = model.steep(x)
    assert float(y) == pytest.approx(7.389056)
    assert float(tape.gradient(y, x)) == pytest.approx(206.89357, rel=1e-5)


def test_gradients_that_the_program_gave_read_variables_and_reach_them() -> None:
    model: Any = load_saved_model(FOLDER.with_name("saved_gradients"))
    x = tl.asarray([[1.0, 1.0]])
    with tl.GradientTape() as tape:
        tape.watch(x)
        y = model.steep(x)
    dx, dw = tape.gradient(y, [x, model.w])
    assert y.tolist() == [[10.0]]
    assert dx.tolist() == [[40.0, 60.0]]
    assert dw.tolist() == [[1.0], [1.0]]


def test_tables_and_generators_have_what_they_had() -> None:
    model: Any = load_saved_model(FOLDER)
    assert model.looked_up(["x", "y"]).tolist() == [4, -1]
    wanted = [-0.43640924, -1.9633987, -0.06452483]
    np.testing.assert_allclose(model.drawn(), wanted, rtol=1e-5)
    np.testing.assert_allclose(model.drawn()[0], -0.09147069, rtol=1e-5)


def test_lists_grow_where_writing_asks_for_it(model: Any) -> None:
    assert model.grown([1.0, 2.0, 3.0]).tolist() == [1.0, 4.0, 9.0]


def test_examples_with_ragged_features(model: Any) -> None:
    train: Any = tf.train
    floats = train.Feature(float_list=train.FloatList(value=[1.0, 2.0]))
    whole = train.Feature(int64_list=train.Int64List(value=[5, 6]))
    examples = [
        train.Example(features=train.Features(feature=x)).SerializeToString()
        for x in ({"x": floats}, {"x": floats, "y": whole})
    ]
    found = model.parsed(examples)
    assert found["y"].to_list() == [[], [5, 6]]
    assert found["x"].tolist() == [[1, 2], [1, 2]]
    assert found["s"].values.shape == (0,)


def test_traces_have_tensorflows_attributes() -> None:
    model = tf.saved_model.load(str(FOLDER))
    spec: Any = tf.SparseTensorSpec([None, 2], tf.float32)
    trace = model.doubled.get_concrete_function(spec)
    ((taken,), _) = trace.structured_input_signature
    assert taken.shape.as_list() == [None, 2]
    assert isinstance(taken, tf.SparseTensorSpec)
    assert [x.dtype for x in trace.inputs] == [tf.int64, tf.float32, tf.int64]


@pytest.mark.parametrize(
    "spec",
    [
        tf.RaggedTensorSpec([2, None, None], tf.int32, 2, tf.int32),
        tf.SparseTensorSpec([None, 3], tf.float64),
        tf.IndexedSlicesSpec([None, 2], tf.float32, tf.int32, tf.int64),
    ],
)
def test_specs_are_written_and_read(spec: Any) -> None:
    leaves = tl.nest.flatten(spec)
    read = value_of(proto_of([spec]))[0]
    assert type(read).__name__ == type(spec).__name__
    found = tl.nest.flatten(read)
    assert [(x.dtype, tuple(x.shape)) for x in found] == [
        (x.dtype, tuple(x.shape)) for x in leaves
    ]


def test_specs_that_are_not_known_are_refused() -> None:
    proto = proto_of([tf.SparseTensorSpec([2], tf.float32)])
    proto.list_value.values[0].type_spec_value.type_spec_class = 5
    proto.list_value.values[0].type_spec_value.type_spec_class_name = "DatasetSpec"
    assert not knows(proto)
    assert knows(proto_of((1, {"x": [tf.SparseTensorSpec([2], tf.float32)]})))
    with pytest.raises(GraphDefError, match="DatasetSpec"):
        value_of(proto)
