"""TensorFlow 2's core names: variables, functions, tapes, modules, devices, checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
import tensorlite.compat.v1 as tf1
import tensorlite.compat.v2 as tf


def test_arrays_of_tensors_are_copies() -> None:
    """Which a program may write to."""
    x, v = tf.constant([1.0, 2.0]), tf.Variable([3.0, 4.0])
    for value, rest in ((x, [2.0]), (v, [4.0])):
        array = value.numpy()
        array[0] = 9.0
        assert value.numpy().tolist()[1:] == rest
        assert value.numpy()[0] != 9.0


def test_variables_have_names_and_return_what_they_are() -> None:
    with tf.name_scope("a"):
        w = tf.Variable([1.0, 2.0], name="w")
    assert w.name == "a/w:0"
    written = w.assign_add([1.0, 1.0])
    assert isinstance(written, tf.Variable)
    assert written.handle is w.handle
    assert w.numpy().tolist() == [2.0, 3.0]
    assert w.ref().deref() is w
    assert w.shape.as_list() == [2]


def test_functions_tell_of_their_traces() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])  # type: ignore[untyped-decorator]
    def double(x: Any) -> Any:
        return x + x

    assert double(tf.constant([1, 2])).numpy().tolist() == [2, 4]
    assert double.experimental_get_tracing_count() == 1
    assert "tf.int32" in double.pretty_printed_concrete_signatures()
    concrete = double.get_concrete_function()
    assert concrete(tf.constant([3])).numpy().tolist() == [6]
    assert concrete.structured_input_signature[0][0].dtype is tf.int32
    with pytest.raises(TypeError):
        double(tf.constant([[1, 2]]))


def test_strings_are_added_end_to_end() -> None:
    f = tf.function(lambda a: a + a)
    assert f(tf.constant("ab")).numpy() == b"abab"


def test_a_tape_leaves_whole_numbers_out() -> None:
    x = tf.constant(10)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x) is None


def test_unconnected_gradients_may_be_zeros() -> None:
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        z = y**2
    kind = tf.UnconnectedGradients.ZERO
    assert float(tape.gradient(z, x, unconnected_gradients=kind)) == 0.0


def test_a_python_function_may_be_decorated() -> None:
    @tf.py_function(Tout=tf.float32)  # type: ignore[untyped-decorator]
    def plus(x: Any, y: Any) -> Any:
        return x + y

    f = tf.function(plus)
    assert float(f(tf.constant(1.0), tf.constant(2.0))) == 3.0


def test_devices_that_are_not_there_give_way() -> None:
    with tf.device("GPU:63"):
        x = tf.ones(2)
    assert x.numpy().tolist() == [1.0, 1.0]
    assert tf.config.list_physical_devices("CPU")
    (cpu,) = tf.config.list_physical_devices("CPU")
    split = [tf.config.LogicalDeviceConfiguration()] * 2
    try:
        tf.config.set_logical_device_configuration(cpu, split)
        assert len(tf.config.list_logical_devices("CPU")) == 2
    finally:
        tl.config.set_logical_devices("CPU", 1)


def test_numpys_functions_take_tensors() -> None:
    assert np.allclose(tf.ones(2), np.ones(2))
    assert (tf.ones(2) + np.ones(2)).dtype is tf.float32


def test_checkpoints_of_objects_come_back(tmp_path: Path) -> None:
    saved = {"a": tf.Variable(1.0), "b": [tf.Variable([2.0])]}
    path = tf.train.Checkpoint(model=saved).save(str(tmp_path / "ckpt"))
    assert path.endswith("ckpt-1")
    assert tf.train.latest_checkpoint(str(tmp_path)) == path
    other = {"a": tf.Variable(0.0), "b": [tf.Variable([0.0])]}
    tf.train.Checkpoint(model=other).restore(path).assert_consumed()
    assert float(np.asarray(other["a"])) == 1.0
    missing = tf.train.Checkpoint(model={"c": tf.Variable(0.0)}).restore(path)
    with pytest.raises(AssertionError):
        missing.assert_existing_objects_matched()


def test_strategies_have_one_replica() -> None:
    strategy = tf.distribute.MirroredStrategy()
    with strategy.scope():
        w = tf.Variable(2.0)
    result = strategy.run(lambda x: w * x, args=(tf.constant(3.0),))
    assert (
        float(strategy.reduce(tf.distribute.ReduceOp.SUM, result, axis=None)) == 6.0
    )


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        (
            lambda: tf.nn.conv2d(
                tf.ones((1, 4, 4, 1)), tf.ones((2, 2, 1, 1)), 1, "VALID"
            ),
            4.0,
        ),
        (lambda: tf.nn.max_pool(tf.ones((1, 4, 4, 1)), 2, 2, "VALID"), 1.0),
        (
            lambda: tf.nn.softmax_cross_entropy_with_logits(
                [[0.0, 1.0]], [[0.0, 0.0]]
            ),
            0.693147,
        ),
        (lambda: tf.nn.moments(tf.constant([1.0, 3.0]), [0])[1], 1.0),
        (lambda: tf.nn.dropout(tf.ones(3), rate=0.0), 1.0),
        (lambda: tf.nn.l2_normalize(tf.constant([3.0])), 1.0),
    ],
)
def test_nn_has_the_order_of_arguments_of_tensorflow_2(
    call: Any, wanted: float
) -> None:
    np.testing.assert_allclose(np.unique(call().numpy()), wanted, rtol=1e-5)


def test_placements_are_logged_on_request() -> None:
    assert not tf.debugging.get_log_device_placement()
    tf.debugging.set_log_device_placement(True)
    try:
        assert tf.debugging.get_log_device_placement()
    finally:
        tf.debugging.set_log_device_placement(False)


def test_a_reference_stands_for_the_tensor_itself() -> None:
    x, y = tf.ones(2), tf.ones(2)
    seen = {x.ref(): "x", y.ref(): "y"}
    assert seen[y.ref()] == "y"
    assert x.ref().deref() is x
    assert sorted([x.ref(), y.ref()]) == sorted([y.ref(), x.ref()])

    @tf.function
    def counted(x: Any) -> int:
        return len({x.ref(), (x + 1).ref(), x.ref()})

    assert int(counted(x)) == 2


def test_derivatives_along_a_direction_of_version_2() -> None:
    x = tf.constant(1.1, tf.float64)

    def powers(x: Any) -> Any:
        found = tf.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, a * x), (0, x))
        return found[1]

    with tf.autodiff.ForwardAccumulator(x, tf.constant(2.0, tf.float64)) as along:
        y = tf.function(powers)(x)
    np.testing.assert_allclose(along.jvp(y).numpy(), 2 * 4 * 1.1**3)
    zeros = along.jvp(tf.constant([1.0]), tf.UnconnectedGradients.ZERO)
    np.testing.assert_array_equal(zeros.numpy(), [0.0])


def test_special_functions_have_their_names() -> None:
    x = tf.constant([0.5, 1.0])
    assert tf.math.special.bessel_j0(x).numpy() == pytest.approx([0.938470, 0.765198])
    assert tf.raw_ops.BesselK0(x=x).numpy() == pytest.approx([0.924419, 0.421024])
    assert tf.raw_ops.Spence(x=x).numpy() == pytest.approx([0.582241, 0.0], abs=1e-6)


def test_nothing_takes_the_dtype_that_is_hinted_at() -> None:
    assert tf.convert_to_tensor([], dtype_hint=tf.int32).dtype is tf.int32
    with tf.Graph().as_default():
        made = tf.convert_to_tensor([[], []], dtype_hint=tf.int64)
    assert made.dtype is tf.int64
    assert tf.convert_to_tensor([], dtype=tf.string).dtype is tf.string


def test_no_seed_begins_anew_each_time() -> None:
    tf.random.set_seed(3)
    first = tf.random.uniform([8]).numpy().tolist()
    tf.random.set_seed(None)
    other = tf.random.uniform([8]).numpy().tolist()
    tf.random.set_seed(3)
    assert tf.random.uniform([8]).numpy().tolist() == first != other


def test_tensors_name_their_operators_for_classes_that_stand_for_them() -> None:
    names = tf.Tensor.OVERLOADABLE_OPERATORS
    assert {"__add__", "__radd__", "__getitem__", "__matmul__", "__invert__"} <= names
    assert not {"__hash__", "__init__", "__array_ufunc__", "__bool__"} & names
    assert all(hasattr(tf.constant(1), name) for name in names)


def test_dtypes_tell_whether_arrays_hold_them() -> None:
    assert tf.float32.is_numpy_compatible
    assert tf.string.is_numpy_compatible
    assert not tf.variant.is_numpy_compatible
    assert not tf.resource.is_numpy_compatible


def test_sparse_tensors_have_shapes_as_tensors_have() -> None:
    x = tf.SparseTensor([[0, 1]], [1.0], [2, 3])
    assert x.get_shape().as_list() == [2, 3]
    assert tf.function(lambda y: y.get_shape().rank)(x) == 2


def test_traces_need_not_be_added_to_graphs() -> None:
    double = tf.function(lambda x: x + x)
    trace = double.get_concrete_function(tf.TensorSpec([], tf.float32))
    trace.add_to_graph()
    trace.add_gradient_functions_to_graph()
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = trace(x)
    assert (float(y), float(tape.gradient(y, x))) == (4.0, 2.0)


def test_sparse_and_ragged_tensors_and_slices_are_tensors_too() -> None:
    rows, parts = tf.constant([0]), tf.ones([1, 2])
    sparse = tf.SparseTensor([[0]], [1.0], [2])
    ragged = tf.ragged.constant([[1], [2, 3]])
    for x in (ragged, sparse, tf.IndexedSlices(parts, rows), parts, tf.Variable(1.0)):
        assert tf.is_tensor(x)
        assert tf.keras.ops.is_tensor(x)
    for other in (np.ones(2), 3, tf.TensorSpec([]), tf.data.Dataset.range(2)):
        assert not tf.is_tensor(other)


def test_versions_are_told_beside_the_names() -> None:
    assert tf.__git_version__ == tf.version.GIT_VERSION
    assert tf.compat.v1.__git_version__ == tf.compat.v1.version.GIT_VERSION
    assert tf.__compiler_version__ == tf.version.COMPILER_VERSION


def test_arrays_of_tensors_and_extension_types_are_leaves_of_structures() -> None:
    class Pair(tf.experimental.ExtensionType):
        first: tf.Tensor
        second: tf.Tensor

    array = tf.TensorArray(tf.float32, 2).unstack([[1.0], [2.0]])
    pair = Pair(tf.ones(2), tf.ones(3))
    assert len(tf.nest.flatten([array, pair, 3])) == 3
    assert len(tf.nest.flatten(pair, expand_composites=True)) == 2
    read = tf.nest.map_structure(lambda x: x.read(1), {"a": array})
    assert read["a"].numpy().tolist() == [2.0]


def test_constants_do_not_see_what_is_written_into_their_arrays() -> None:
    given = np.ones(2)
    made = tf.constant(given)
    given[0] = 5.0
    np.testing.assert_array_equal(made.numpy(), [1.0, 1.0])


def test_tapes_watch_variables_of_graphs_as_they_are_read() -> None:
    with tf.Graph().as_default():
        v = tf.Variable([2.0, 3.0])
        with tf.GradientTape() as outer:
            with tf.GradientTape() as tape:
                y = v * v * v + v[:1]
            slope = tape.gradient(y, v)
            z = tf.reduce_sum(slope * v)
        with tf.GradientTape(watch_accessed_variables=False) as blind:
            y = v * v
        assert blind.gradient(y, v) is None
        with tf1.Session() as session:
            session.run(v.initializer)
            found, second = session.run([slope, outer.gradient(z, v)])
    # 3 v^2, and 1 for each element that gets v[0]; 9 v^2, and the same
    assert found.tolist() == [12.0 + 2.0, 27.0]
    assert second.tolist() == [36.0 + 2.0, 81.0]


def test_tensors_of_shapes_that_do_not_meet_are_unequal_as_a_whole() -> None:
    x = tf.constant([1, 2])
    for other in (tf.constant([1, 2, 3]), [1, 2, 3], tf.ones([3, 1, 5], tf.int32)):
        same, differs = x == other, x != other
        assert (same.shape.rank, bool(same), bool(differs)) == (0, False, True)
    traced = tf.function(lambda y: tf.identity(y) == x)
    assert not traced(tf.constant([1, 2, 3])).numpy()
    with pytest.raises(tl.errors.ShapeError, match="Incompatible shapes"):
        tf.equal(x, [1, 2, 3])
