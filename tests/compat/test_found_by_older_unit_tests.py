"""What TensorFlow 1.15's own unit tests found, as 1.15 has it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def test_parts_of_structures_that_never_vary_are_fetched_with_them() -> None:
    rows = tf.ragged.constant([["a", "b"], ["c"]])
    found = tf.gather(rows, tf.ragged.constant([[1], [0, 1]]))
    with tf.Session() as session:
        value = session.run(found)
    assert value.to_list() == [[[b"c"]], [[b"a", b"b"], [b"c"]]]


def test_negative_numbers_are_not_counted() -> None:
    with (
        tf.Session() as session,
        pytest.raises(tf.errors.InvalidArgumentError, match="must be non-negative"),
    ):
        session.run(tf.bincount([-1, 2]))


def test_what_programs_write_into_their_arrays_later_is_not_seen() -> None:
    first, second = np.ones(3), np.ones(3)
    one, other = tf.Variable(first), tf.get_variable("other", initializer=second)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        first[0], second[1] = 5.0, 7.0
        np.testing.assert_array_equal(session.run(one), np.ones(3))
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(other), np.ones(3))


def test_averages_move_half_precision() -> None:
    x = tf.Variable(np.asarray([1.0, 2.0], np.float16))
    averages = tf.train.ExponentialMovingAverage(0.5)
    update = averages.apply([x])
    moved = x.assign([3.0, 4.0])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(moved)
        session.run(update)
        assert session.run(averages.average(x)).tolist() == [2.0, 3.0]


def test_cases_without_a_default_ask_for_one_that_holds() -> None:
    x = tf.placeholder(tf.int32, [])
    pairs = [(tf.equal(x, i), lambda i=i: tf.constant(2 * i)) for i in (1, 2)]
    alone, first = tf.case(pairs), tf.case(pairs[:1])
    twice = tf.case([*pairs, (tf.equal(x, 2), lambda: 6)], lambda: 8, exclusive=True)
    with tf.Session() as session:
        found = [session.run(twice, {x: i}) for i in (1, 3)]
        assert (found, session.run([alone, first], {x: 1})) == ([2, 8], [2, 2])
        for wrong, given in ((alone, 4), (first, 2), (twice, 2)):
            with pytest.raises(tf.errors.InvalidArgumentError, match="Input error:"):
                session.run(wrong, {x: given})


@pytest.mark.parametrize(
    ("index", "branches", "kind", "message"),
    [
        (1, {0: float}, TypeError, "branch_index must be a Tensor"),
        (None, {0: float, 2: float}, ValueError, "must form contiguous"),
        (None, [(0, float), (0, float)], ValueError, "must form contiguous"),
        (None, [("0", float)], TypeError, "must be a Python `int`"),
    ],
)
def test_branches_have_the_numbers_from_nought_on(
    index: Any, branches: Any, kind: type[Exception], message: str
) -> None:
    given = tf.constant(0) if index is None else index
    with pytest.raises(kind, match=message):
        tf.switch_case(given, branches)


def test_loops_give_the_only_tensor_of_what_they_carry() -> None:
    found = tf.while_loop(
        lambda i, _: i < 10, lambda i, _: [i + 1, []], [tf.constant(0), []]
    )
    with tf.Session() as session:
        assert session.run(found) == 10


def test_what_gradients_refuse() -> None:
    x = tf.constant(1.0)
    with pytest.raises(ValueError, match="Unknown value for unconnected_gradients"):
        tf.gradients(x, x, unconnected_gradients="nonsense")
    y = tf.square(tf.constant(7 + 3j))
    with pytest.raises(
        TypeError, match="Gradients of complex tensors must set grad_ys"
    ):
        tf.gradients(y, y)


def test_products_that_are_nought_have_a_slope_where_a_factor_is_nought() -> None:
    x, y = tf.constant([0.0, 1.0, np.inf]), tf.zeros([3])
    by_x, by_y = tf.gradients(tf.math.multiply_no_nan(x, y), [x, y])
    following = tf.gradients(tf.math.nextafter(x, y), [x, y])
    with tf.Session() as session:
        assert session.run(by_x).tolist() == [0.0, 0.0, 0.0]
        assert session.run(by_y).tolist() == [0.0, 1.0, np.inf]
        assert session.run(following[1]).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("count", [1, 2])
def test_variables_of_values_are_cut_into_parts(count: int) -> None:
    value = np.arange(4, dtype=np.float32)
    whole = tf.get_variable(
        "w",
        partitioner=tf.fixed_size_partitioner(count),
        initializer=tf.constant(value),
    )
    assert [part.name for part in whole] == [f"w/part_{i}:0" for i in range(count)]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(np.concatenate(session.run(list(whole))), value)


def test_what_sessions_are_not_made_of() -> None:
    with pytest.raises(TypeError, match="target must be a string"):
        tf.Session(37)
    with pytest.raises(TypeError, match=r"config must be a tf\.ConfigProto"):
        tf.Session(config=37)
    with pytest.raises(TypeError, match=r"graph must be a tf\.Graph"):
        tf.Session(graph=37)
    with pytest.raises(
        tf.errors.NotFoundError, match="No session factory registered"
    ):
        tf.Session("INVALID_TARGET")


def test_classes_of_attrs_are_fetched() -> None:
    attr = pytest.importorskip("attr")
    sample = attr.make_class("Sample", ["one", "other"])
    given = sample(tf.constant([1.0, 2.0]), [tf.constant(3)])
    with tf.Session() as session:
        found = session.run(given, {given.one: [5.0, 6.0]})
    assert isinstance(found, sample)
    assert (found.one.tolist(), found.other) == ([5.0, 6.0], [3])


def test_rows_written_behind_split_ones_are_no_rows_of_the_split_tensor() -> None:
    x = tf.constant(np.arange(10.0).reshape(5, 2))
    array = tf.TensorArray(tf.float64, 2, dynamic_size=True, infer_shape=False)
    array = array.split(x, [2, 3]).write(2, tf.constant([[9.0, 9.0]], tf.float64))
    joined = array.concat()
    (slope,) = tf.gradients(joined * joined, x)
    with tf.Session() as session:
        whole, found = session.run([joined, slope])
    assert whole.shape == (6, 2)
    np.testing.assert_array_equal(found, 2.0 * np.arange(10.0).reshape(5, 2))


@pytest.mark.parametrize("change", ["assign", "assign_add", "assign_sub"])
def test_variables_are_assigned_tensors_of_their_dtype(change: str) -> None:
    x = tf.Variable([1.0, 2.0])
    with pytest.raises(TypeError, match=r"cast the value to the variable's dtype"):
        getattr(tf, change)(x, tf.constant([1, 2]))
    changed = getattr(tf, change)(x, np.asarray([0, 0], np.int64))
    with tf.Session() as session:
        session.run(x.initializer)
        assert session.run(changed).dtype == np.float32


def test_operations_of_critical_sections_are_fetched() -> None:
    x = tf.get_variable("x", initializer=1.0, use_resource=True)
    made = tf.CriticalSection().execute(lambda: x.assign_add(1.0).op)
    assert isinstance(made, tf.Operation)
    with tf.Session() as session:
        session.run(x.initializer)
        assert session.run(made) is None
        assert session.run(x) == 2.0


def test_variables_are_made_by_the_inner_module_of_scopes() -> None:
    made = tf.python.ops.variable_scope.variable(
        [1, 2], trainable=False, dtype=tf.float32, name="made"
    )
    assert (made.name, made.dtype.base_dtype) == ("made:0", tf.float32)
    assert made not in tf.trainable_variables()


def test_device_functions_ask_for_attributes() -> None:
    seen = []

    def device(op: Any) -> str:
        seen.append((op.type, op.get_attr("T" if op.inputs else "dtype")))
        return "/cpu:0"

    with tf.device(device):
        _ = tf.constant(1.0) + tf.placeholder(tf.float32, [2])
    kinds = ["Const", "Placeholder", "AddV2"]
    assert seen == [(kind, tf.float32) for kind in kinds]


def test_numbers_are_quantized_to_quantized_dtypes() -> None:
    with pytest.raises(TypeError, match="allowed are qint8, quint8"):
        tf.quantization.quantize([0.0, 1.0], 0.0, 1.0, tf.uint8)


def test_summaries_of_many_numbers_fail_when_they_run() -> None:
    made = tf.summary.scalar("x", tf.constant([1.0, 2.0]))
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError):
        session.run(made)


def test_staging_areas_are_made_by_the_inner_module_of_queues() -> None:
    area = tf.python.ops.data_flow_ops.StagingArea([tf.float32], shapes=[[]])
    put, got = area.put([tf.constant(2.0)]), area.get()
    with tf.Session() as session:
        session.run(put)
        size, (value,) = session.run([area.size(), got])
    assert value == 2.0
    assert size in {0, 1}


def test_gradients_by_ragged_tensors_are_ragged() -> None:
    rows = tf.RaggedTensor.from_row_lengths(tf.constant([1.0, 2.0, 3.0]), [1, 2])
    (slope,) = tf.gradients(tf.reduce_sum(rows * rows), rows)
    both = tf.gradients(tf.reduce_sum(rows), [rows, tf.constant(1.0)])
    with tf.Session() as session:
        found, ones = session.run([slope, both[0]])
    assert found.to_list() == [[2.0], [4.0, 6.0]]
    assert ones.to_list() == [[1.0], [1.0, 1.0]]
    assert both[1] is None


def test_sizes_that_are_whole_though_fractions() -> None:
    assert tf.zeros([4 / 2, 3]).shape.as_list() == [2, 3]
    assert tf.ones(np.array([2.0, 3.0])).shape.as_list() == [2, 3]
    with pytest.raises(ValueError, match="Ambiguous dimension"):
        tf.zeros([2.5])
    for cell, rows in ((8 / 2, 2), (4, 4 / 2)):
        state = tf.nn.rnn_cell.LSTMCell(cell).zero_state(rows, tf.float32)
        assert state.c.shape.as_list() == [2, 4]


def test_layers_with_specs_of_keras() -> None:
    class Own(tf.layers.Layer):  # type: ignore[misc]
        def build(self, _: Any) -> None:
            self.input_spec = tf.keras.layers.InputSpec(ndim=2, dtype="float32")
            self.built = True

        def call(self, inputs: Any) -> Any:
            return inputs

    layer = Own()
    assert layer.apply(tf.zeros([2, 3])).shape.as_list() == [2, 3]
    with pytest.raises(ValueError, match="expected ndim=2, found ndim=1"):
        layer.apply(tf.zeros([3]))


def test_checkpoints_written_have_no_counter(tmp_path: Path) -> None:
    variable = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=variable)
    with tf.Session() as session:
        session.run(variable.initializer)
        path = checkpoint.write(str(tmp_path / "written"))
    names = [name for name, _ in tf.train.list_variables(path)]
    assert names == [
        "_CHECKPOINTABLE_OBJECT_GRAPH",
        "v/.ATTRIBUTES/VARIABLE_VALUE",
    ]


def test_divergences_of_correlated_vectors_from_independent_ones() -> None:
    ds = tf.contrib.distributions
    low = ds.MultivariateNormalDiagPlusLowRank(
        loc=[1.0, 2.0], scale_diag=[1.0, 2.0], scale_perturb_factor=[[0.1], [0.2]]
    )
    diagonal = ds.MultivariateNormalDiag(loc=[0.0, 0.0], scale_diag=[1.0, 1.0])
    both = [low.kl_divergence(diagonal), ds.kl_divergence(diagonal, low)]
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(both), [3.3685436, 1.2759272], 1e-6)


def test_older_hashes_of_crosses() -> None:
    inside = import_module(
        "tensorlite.compat.v1.contrib.layers.python.ops.sparse_feature_cross_op"
    )

    def crossed(*values: Any) -> Any:
        inputs = [tf.SparseTensor([[0, 0]], [x], [1, 1]) for x in values]
        return inside.sparse_feature_cross(inputs, hashed_output=True).values

    words = [f"batch1-FC{i}-F1" for i in (1, 2, 3)]
    with tf.Session() as session:
        assert session.run(crossed(*words)).tolist() == [3735511728867393167]
        assert session.run(crossed(1, 2)).tolist() == [2148546192418819503]


def test_gradients_of_tapes_in_graphs_flow_from_numbers() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.switch_case(
            tf.placeholder_with_default(1, []), [lambda: x, lambda: x**2.0]
        )
    found = tape.gradient(y, x, output_gradients=3.0)
    with tf.Session() as session:
        assert session.run(found) == 12.0
