"""What libraries of models ask of TensorFlow's names: specs of values, draws."""

from __future__ import annotations

from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

WIDE: Any = tf.SparseTensorSpec([None, 4], tf.float32)


def sparse(rows: int) -> Any:
    return tf.sparse.SparseTensor([[0, 1], [rows - 1, 3]], [1.0, 2.0], [rows, 4])


def test_a_spec_of_sparse_tensors_knows_its_sizes() -> None:
    assert repr(WIDE) == "SparseTensorSpec(TensorShape([None, 4]), tf.float32)"
    assert (WIDE.shape.as_list(), WIDE.dtype, WIDE.rank) == ([None, 4], tf.float32, 2)
    assert tf.SparseTensorSpec([None, 4], tf.float32) == WIDE
    assert tf.SparseTensorSpec([None, 5], tf.float32) != WIDE
    assert hash(WIDE) == hash(tf.SparseTensorSpec([None, 4]))
    assert WIDE.is_compatible_with(sparse(2))
    assert not WIDE.is_compatible_with(tf.sparse.SparseTensor([[0]], [1.0], [4]))
    assert tf.SparseTensorSpec(None, tf.int32).shape.rank is None
    assert tf.SparseTensorSpec.from_value(sparse(3)).shape.as_list() == [3, 4]
    assert isinstance(WIDE, tf.SparseTensorSpec)
    assert not isinstance(sparse(2), tf.SparseTensorSpec)
    assert tf.SparseTensor is tf.sparse.SparseTensor


def test_a_signature_may_ask_for_sparse_tensors() -> None:
    def added(x: Any) -> Any:
        assert x.shape.as_list() == [None, 4]
        return tf.sparse.reduce_sum(x)

    traced = tf.function(added, input_signature=[WIDE])
    assert [float(traced(sparse(n))) for n in (2, 5)] == [3.0, 3.0]


def test_datasets_say_of_sparse_elements_that_they_are_sparse() -> None:
    rows = tf.data.Dataset.from_tensor_slices(sparse(3))
    assert isinstance(rows.element_spec, tf.SparseTensorSpec)
    one: Any = rows.element_spec
    two: Any = rows.batch(2).element_spec
    assert (one.get_shape().rank, two.get_shape().rank) == (1, 2)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (tf.constant([1.0]), tf.TensorSpec([1], tf.float32)),
        (np.zeros(3), tf.TensorSpec([3], tf.float64)),
        ([1, 2], tf.TensorSpec([2], tf.int32)),
        (sparse(3), tf.SparseTensorSpec([3, 4], tf.float32)),
        (tf.data.Dataset.range(3), tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))),
    ],
)
def test_every_value_has_a_spec(value: Any, expected: Any) -> None:
    found = tf.type_spec_from_value(value)
    assert found == expected
    assert isinstance(found, tf.TypeSpec)
    assert not isinstance(value, tf.TypeSpec)


def test_what_makes_no_tensor_has_no_spec() -> None:
    with pytest.raises(TypeError, match="Could not build a `TypeSpec`"):
        tf.type_spec_from_value(object())


def test_programs_derive_specs() -> None:
    class Pair(tf.TypeSpec):
        value_type = tuple

        def __init__(self, count: int, spec: Any) -> None:
            self.parts = count, spec

        def _serialize(self) -> Any:
            return self.parts

    wide, narrow = (Pair(1, tf.TensorSpec([n, 2])) for n in (None, 3))
    assert wide == Pair(1, tf.TensorSpec([None, 2]))
    assert wide != narrow
    assert hash(wide) == hash(Pair(1, tf.TensorSpec([None, 2])))
    assert wide.is_compatible_with(narrow)
    assert narrow.is_subtype_of(wide)
    assert not wide.is_compatible_with(Pair(2, tf.TensorSpec([3, 2])))
    assert not wide.is_compatible_with(tf.ones([3, 2]))
    assert not isinstance(tf.TensorSpec([1]), Pair)
    assert repr(narrow).startswith("Pair(1, TensorSpec(shape=(3, 2)")


def test_bounded_normal_numbers_stay_between_their_bounds() -> None:
    lows, highs = [-1.0, 0.0, 8.0, -np.inf], [1.0, 9.5, 9.0, -5.0]
    found = tf.random.stateless_parameterized_truncated_normal(
        [500, 4], [1, 2], [0.0, 10.0, 0.0, 0.0], 1.0, lows, highs
    ).numpy()
    assert (found >= lows).all()
    assert (found <= highs).all()
    np.testing.assert_allclose(found.mean(0), [0.0, 8.86, 8.12, -5.19], atol=0.1)


def test_gamma_numbers_move_with_their_distributions() -> None:
    """The gradients that TensorFlow 2.21 gives."""
    alpha = tf.constant([0.5, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(alpha)
        numbers = tf.random.stateless_gamma([2], [1, 2], alpha)
    np.testing.assert_allclose(
        tape.gradient(numbers, alpha), [0.38792405, 1.055094], rtol=1e-5
    )
    found = tf.raw_ops.RandomGammaGrad(
        alpha=[0.01, 0.5, 2.0, 10.0, 200.0, 1.0], sample=[1e-3, 0.3, 1.5, 12, 190, 0]
    )
    wanted = [0.63541383, 1.0098021, 0.93663883, 1.11232948, 0.97538316, 0.0]
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


@pytest.mark.parametrize("k", [0, (-1, 1)])
def test_older_operators_of_diagonals_stand_left(k: Any) -> None:
    matrix = np.arange(12.0).reshape(3, 4)
    arguments = {"input": matrix, "k": k, "padding_value": 9.0}
    found = tf.raw_ops.MatrixDiagPartV2(**arguments)
    wanted = tf.raw_ops.MatrixDiagPartV3(**arguments, align="LEFT_LEFT")
    np.testing.assert_array_equal(found, wanted)
    assert k == 0 or found.numpy().tolist() == [[1, 6, 11], [0, 5, 10], [4, 9, 9]]


def test_operators_tell_their_parameters() -> None:
    assert str(signature(tf.raw_ops.MatrixDiagPartV2)) == (
        "(input, k, padding_value, name=None)"
    )
    assert list(signature(tf.raw_ops.ExpandDims).parameters) == [
        "input",
        "axis",
        "name",
    ]


def test_nothing_makes_no_tensor() -> None:
    with pytest.raises(ValueError, match="None values not supported"):
        tf.convert_to_tensor(None)


@pytest.mark.parametrize("run", [tf.function, lambda f: f])
def test_loops_may_have_arrays_beside_shapes(run: Any) -> None:
    def numbers() -> Any:
        count, rows = (
            tf.constant(0),
            tf.TensorArray(tf.int32, size=0, dynamic_size=True),
        )
        _, rows = tf.while_loop(
            lambda i, _: i < 3,
            lambda i, rows: (i + 1, rows.write(i, i)),
            (count, rows),
            shape_invariants=(count.shape, tf.TensorShape(None)),
        )
        return rows.stack()

    assert run(numbers)().numpy().tolist() == [0, 1, 2]


def test_slices_know_the_shape_of_the_whole() -> None:
    rows: Any = tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 4]))
    assert rows.shape.rank is None
    whole: Any = tf.IndexedSlices(rows.values, rows.indices, tf.constant([5, 3]))
    assert whole.shape == [5, 3]
    table = tf.Variable(tf.ones([5, 3]))
    with tf.GradientTape() as tape:
        found = tf.gather(table, [1, 2])
    assert tape.gradient(found, table).shape == [5, 3]


class Wrapped(tf.keras.layers.Layer):
    """A cell of a program's own around another one."""

    def __init__(self, cell: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.cell, self.state_size = cell, cell.state_size
        self.output_size = cell.output_size

    def call(self, inputs: Any, states: Any) -> Any:
        return self.cell(inputs, states)

    def get_config(self) -> dict[str, Any]:
        return {"cell": tf.keras.layers.serialize(self.cell)}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        return cls(tf.keras.layers.deserialize(config["cell"]))


def test_cells_of_programs_go_both_ways() -> None:
    cells = tf.keras.layers.StackedRNNCells([Wrapped(tf.keras.layers.LSTMCell(3))])
    layer = tf.keras.layers.RNN(cells, return_sequences=True)
    both = tf.keras.layers.Bidirectional(layer)
    assert both(tf.ones([2, 4, 5])).shape == [2, 4, 6]
    assert isinstance(both.backward_layer.cell.cells[0], Wrapped)


@pytest.mark.filterwarnings("ignore:The structure of `inputs` doesn't match")
def test_chains_take_their_input_in_a_list_or_by_its_name() -> None:
    x = tf.keras.Input([2], name="feature")
    model = tf.keras.Sequential([x, tf.keras.layers.Dense(1)])
    rows = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    wanted = model(rows).numpy()
    for given in ([rows], (rows,), {"feature": rows, "label": rows}):
        np.testing.assert_array_equal(model(given).numpy(), wanted)


def test_models_tell_whether_they_are_known_from_inputs_to_outputs() -> None:
    x = tf.keras.Input([2])
    known: Any = tf.keras.Model(x, tf.keras.layers.Dense(1)(x))
    assert known._is_graph_network
    assert not tf.keras.Model()._is_graph_network
    chain: Any = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    assert not chain._is_graph_network
    chain.build((None, 2))
    assert chain._is_graph_network


def test_what_a_model_is_described_with_has_no_static_value() -> None:
    assert tf.get_static_value(tf.keras.Input([2])) is None


def test_signatures_take_lists_of_numbers_inside_structures() -> None:
    signature = [{"a": tf.TensorSpec([None, 2]), "b": [tf.TensorSpec([None])]}]

    both: Any = tf.function(lambda x: (x["a"], x["b"][0]), input_signature=signature)
    a, b = both({"a": [[1, 2], [3, 4]], "b": [[1.0, 2.0]]})
    np.testing.assert_array_equal(a.numpy(), np.array([[1, 2], [3, 4]], np.float32))
    np.testing.assert_array_equal(b.numpy(), np.array([1, 2], np.float32))


def test_signatures_take_lists_and_dicts_that_modules_hold() -> None:
    holder: Any = tf.Module()
    holder.named = {"a": [tf.constant(3.0)]}
    signature = [{"a": [tf.TensorSpec([])]}]
    twice: Any = tf.function(lambda x: x["a"][0] * 2, input_signature=signature)
    assert float(twice(holder.named)) == 6.0


class OfFeatures(tf.keras.Model):
    """A model that takes its input by name."""

    def __init__(self) -> None:
        super().__init__()
        self.last = tf.keras.layers.Dense(1)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        return self.last(inputs["feature"])


def test_models_called_with_dicts_are_saved(tmp_path: Path) -> None:
    model = OfFeatures()
    given = {"feature": tf.constant([[1.0, 2.0], [3.0, 4.0]])}
    wanted = model(given).numpy()
    tf.saved_model.save(model, str(tmp_path))
    made = tf.saved_model.load(str(tmp_path))(given)
    np.testing.assert_allclose(made.numpy(), wanted, rtol=1e-6)
