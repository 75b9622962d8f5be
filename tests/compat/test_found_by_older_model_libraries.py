"""What libraries of models ask of TensorFlow 1's names: draws, older arguments, creators."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf1


def test_draws_of_graphs_have_gradients_by_the_shape_of_gamma() -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        alpha = tf1.constant([2.0, 5.0])
        numbers = tf1.random_gamma([1000], alpha, seed=3)
        (slope,) = tf1.gradients(tf1.reduce_mean(numbers, 0), alpha)
        np.testing.assert_allclose(session.run(slope), [1.0, 1.0], atol=0.1)


def test_older_names_of_arguments_are_taken() -> None:
    x = np.arange(6.0).reshape(2, 3)
    with tf1.Graph().as_default(), tf1.Session() as session:
        _, sums, squares, _ = tf1.nn.sufficient_statistics(x, [1], keep_dims=True)
        found = session.run([sums, squares])
    np.testing.assert_allclose(found[0], x.sum(1, keepdims=True))
    np.testing.assert_allclose(found[1], (x * x).sum(1, keepdims=True))


def test_sets_of_operations_run_first() -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        count = tf1.get_variable("count", initializer=0)
        steps = {count.assign_add(1).op, count.assign_add(1).op}
        with tf1.control_dependencies(steps):
            found = tf1.no_op()
        session.run(tf1.global_variables_initializer())
        session.run(found)
        assert session.run(count) == 2


def test_devices_are_compared_by_what_they_mean() -> None:
    case = tf1.test.TestCase()
    case.assertDeviceEqual("cpu:0", "/device:CPU:0")
    with pytest.raises(AssertionError):
        case.assertDeviceEqual("cpu:0", "/device:CPU:1")


def test_programs_derive_creators_of_sessions() -> None:
    class Creator(tf1.train.SessionCreator):
        def create_session(self) -> Any:
            return tf1.Session()

    with tf1.Graph().as_default():
        tf1.constant(1.0, name="c")
        with tf1.train.MonitoredSession(Creator()) as session:
            assert session.run("c:0") == 1.0
    assert issubclass(tf1.train.ChiefSessionCreator, tf1.train.SessionCreator)


def test_variables_of_graphs_have_no_length() -> None:
    with tf1.Graph().as_default():
        for is_resource in (False, True):
            variable = tf1.get_variable(
                f"v{is_resource}", [3], use_resource=is_resource
            )
            assert not hasattr(variable, "__len__")
            with pytest.raises(TypeError, match=r"no len\(\)"):
                len(variable)


def test_elements_are_mapped_and_joined_by_the_older_function() -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        step = tf1.data.experimental.map_and_batch_with_legacy_function(
            lambda x: x * 2, 3
        )
        made = tf1.data.Dataset.range(4).apply(step)
        found = made.make_one_shot_iterator().get_next()
        assert session.run(found).tolist() == [0, 2, 4]
        assert session.run(found).tolist() == [6]


def test_normal_vectors_have_a_scale() -> None:
    of_vectors: Any = tf1.contrib.distributions
    loc, diagonal = [0.5, -1.0], [2.0, 3.0]
    wide = [[1.0], [2.0]]
    whole = [[4.0, 2.0], [2.0, 5.0]]
    with tf1.Graph().as_default(), tf1.Session() as session:
        made: list[Any] = [
            of_vectors.MultivariateNormalDiag(loc, diagonal),
            of_vectors.MultivariateNormalTriL(loc, [[2.0, 0.0], [1.0, 3.0]]),
            of_vectors.MultivariateNormalFullCovariance(loc, whole),
            of_vectors.MultivariateNormalDiagPlusLowRank(
                loc,
                diagonal,
                scale_perturb_factor=wide,
                scale_perturb_diag=[0.5],
            ),
            of_vectors.VectorLaplaceDiag(loc, diagonal),
        ]
        found = session.run([x.scale.to_dense() for x in made])
        spread = session.run(made[3].covariance())
    np.testing.assert_allclose(found[0], np.diag(diagonal))
    np.testing.assert_allclose(found[1], [[2.0, 0.0], [1.0, 3.0]])
    np.testing.assert_allclose(found[2], [[2.0, 0.0], [1.0, 2.0]], rtol=1e-6)
    np.testing.assert_allclose(found[3], [[2.5, 1.0], [1.0, 5.0]])
    np.testing.assert_allclose(spread, found[3] @ found[3].T, rtol=1e-5)
    np.testing.assert_allclose(found[4], np.diag(diagonal))


def test_shapes_without_elements_take_any_value() -> None:
    with tf1.Graph().as_default():
        for value, dtype, found in (
            (0.0, None, "float32"),
            (5, None, "float32"),
            ([1, 2], tf1.int32, "int32"),
            ("a", tf1.string, "string"),
        ):
            made = tf1.constant(value, dtype, [0, 4])
            assert made.get_shape().as_list() == [0, 4]
            assert made.dtype.name == found
        with pytest.raises(ValueError, match="do not fill"):
            tf1.constant(np.zeros(1, np.float32), shape=[0, 4])
        assert tf1.constant(np.zeros((2, 0)), shape=[0, 4]).shape == [0, 4]


def test_images_are_padded_to_sizes_that_only_the_run_knows() -> None:
    image = np.ones((2, 3, 1), np.float32)
    with tf1.Graph().as_default(), tf1.Session() as session:
        size = tf1.placeholder(tf1.int32, [])
        made = tf1.image.pad_to_bounding_box(image, 0, 1, size, 5)
        found = session.run(made, {size: 4})
    np.testing.assert_array_equal(found, np.pad(image, ((0, 2), (1, 1), (0, 0))))


def test_rows_are_changed_in_place() -> None:
    inplace_ops: Any = importlib.import_module(
        "tensorlite.compat.v1.python.ops.inplace_ops"
    )
    x = np.ones((3, 2), np.float32)
    with tf1.Graph().as_default(), tf1.Session() as session:
        made = [
            inplace_ops.alias_inplace_update(x, 1, [1.0, 2.0]),
            inplace_ops.alias_inplace_add(x, [0, 2], [[1.0, 2.0], [3.0, 4.0]]),
            inplace_ops.inplace_sub(np.ones(2, np.float32), None, [1.0, 3.0]),
            inplace_ops.empty([2], tf1.float32, init=True),
            inplace_ops.empty_like(x),
        ]
        found = session.run(made)
        shapes = [y.get_shape().as_list() for y in made]
    assert found[0].tolist() == [[1.0, 1.0], [1.0, 2.0], [1.0, 1.0]]
    assert found[1].tolist() == [[2.0, 3.0], [1.0, 1.0], [4.0, 5.0]]
    assert found[2].tolist() == [0.0, -2.0]
    assert found[3].tolist() == [0.0, 0.0]
    assert found[4].shape == (3, 2)
    assert shapes[0] == [3, 2]


def test_functions_give_one_result_by_itself() -> None:
    function: Any = importlib.import_module(
        "tensorlite.compat.v1.python.framework.function"
    )
    with tf1.Graph().as_default(), tf1.Session() as session:
        one = function.Defun(tf1.float32)(lambda x: (x + 1.0,))(2.0)
        two = function.Defun(tf1.float32)(lambda x: [x + 1.0, x])(2.0)
        assert one.get_shape().as_list() == []
        assert isinstance(two, tuple)
        assert session.run([one, *two]) == [3.0, 3.0, 2.0]


def test_nothing_is_inside_of_what_xla_compiles() -> None:
    inside: Any = importlib.import_module(
        "tensorlite.compat.v1.python.ops.control_flow_util"
    )
    assert inside.GetContainingXLAContext(None) is None


def test_loops_have_variables_with_nothing_in_them() -> None:
    shape = tf1.TensorShape
    with tf1.Graph().as_default(), tf1.Session() as session:
        _, x, nothing = tf1.while_loop(
            lambda i, x, held: i < 2,
            lambda i, x, held: (i + 1, tf1.concat([x, x], 0), held),
            [tf1.constant(0), tf1.ones([1]), {}],
            shape_invariants=[shape([]), shape([None]), {}],
        )
        assert session.run(x).tolist() == [1.0] * 4
        assert nothing == {}


def test_models_have_their_own_inputs_as_their_first_call() -> None:
    keras: Any = tf1.keras
    with tf1.Graph().as_default():
        first = keras.layers.Dense(3, input_shape=(2,))
        chain = keras.Sequential([first, keras.layers.Dense(1)])
        assert chain.get_input_at(0) is chain.input
        assert chain.get_output_at(0) is chain.output
        assert chain.get_input_shape_at(0) == (None, 2)
        x = keras.Input((2,))
        model = keras.Model(x, keras.layers.Dense(3)(x))
        again = keras.Input((2,))
        made = model(again)
        assert model.get_input_at(0) is x
        assert model.get_input_at(1) is again
        assert model.get_output_at(1) is made
        assert chain.layers[1].inbound_nodes[0].inbound_layers is first
