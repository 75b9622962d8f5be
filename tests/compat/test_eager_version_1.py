"""TensorFlow 1's programs that run at once: what they print, the sizes of shapes, their metrics.

What is expected is what TensorFlow 1.15 gives after `tf.enable_eager_execution()`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.core.errors import DTypeError, FailedPreconditionError, ShapeError
from tensorlite.graph_mode.graph import mode

tf: Any = v1
metrics = tf.contrib.eager.metrics


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = mode.eager, mode.plain_sizes, mode.graph, mode.older
    mode.eager, mode.plain_sizes, mode.graph = False, False, None
    yield
    mode.eager, mode.plain_sizes, mode.graph, mode.older = before


@pytest.fixture
def _at_once() -> None:
    tf.enable_eager_execution()


@pytest.mark.usefixtures("_at_once")
def test_values_print_and_leave_as_tensorflows() -> None:
    assert tf.executing_eagerly()
    assert str(tf.constant(2.5)) == "tf.Tensor(2.5, shape=(), dtype=float32)"
    assert tf.constant("hi").numpy() == b"hi"
    assert (tf.constant(7) / 2).numpy() == 3.5
    assert tf.constant([1.0]).numpy().dtype == "float32"


@pytest.mark.usefixtures("_at_once")
def test_sizes_of_shapes_have_a_value() -> None:
    x = tf.ones((2, 3))
    assert [size.value for size in x.shape] == [2, 3]
    assert x.get_shape()[1].value * 2 == 6
    assert x.shape.as_list() == [2, 3]
    assert str(x.shape) == "(2, 3)"
    assert (x @ tf.ones((x.shape[1], 4))).shape == (2, 4)


def test_sizes_of_version_2_are_numbers() -> None:
    tf.enable_v2_behavior()
    assert type(tf.ones((2, 3)).shape[1]) is int
    tf.disable_v2_tensorshape()
    assert tf.ones((2, 3)).shape[1].value == 3


def test_behaviour_of_version_2_has_resources() -> None:
    tf.enable_v2_behavior()
    with tf.Graph().as_default():
        assert tf.Variable(1.0).op.type == "VarHandleOp"
    tf.disable_v2_behavior()
    with tf.Graph().as_default():
        assert tf.Variable(1.0).op.type == "VariableV2"


def test_it_is_decided_before_there_is_a_graph() -> None:
    tf.placeholder(tf.float32)
    with pytest.raises(FailedPreconditionError, match="at program startup"):
        tf.enable_eager_execution()
    with pytest.raises(FailedPreconditionError, match="at program startup"):
        tf.enable_v2_behavior()
    assert not tf.executing_eagerly()
    assert not tf.resource_variables_enabled()


@pytest.mark.usefixtures("_at_once")
def test_a_mean_of_batches() -> None:
    mean = metrics.Mean("loss")
    assert mean(1.0).numpy() == 1.0
    values, weights = mean([2.0, 3.0], weights=[1.0, 0.0])
    assert (values.numpy().tolist(), weights.numpy().tolist()) == ([2, 3], [1, 0])
    assert mean.result().numpy() == 1.5
    assert [x.name for x in mean.variables] == ["loss/numer:0", "loss/denom:0"]
    mean.init_variables()
    mean([5.0])
    assert mean.value()().numpy() == 5.0
    other = metrics.Mean("loss")
    other(7.0)
    mean.aggregate([other])
    assert mean.result().numpy() == 6.0


@pytest.mark.usefixtures("_at_once")
@pytest.mark.parametrize(
    ("make", "labels", "predictions", "share"),
    [
        (metrics.Accuracy, [1, 2, 3], [1, 2, 0], 2 / 3),
        (
            metrics.CategoricalAccuracy,
            [[0, 1], [1, 0]],
            [[0.1, 0.9], [0.2, 0.8]],
            1 / 2,
        ),
        (lambda: metrics.BinaryAccuracy(0.5), [0, 1, 1], [0.2, 0.7, 0.3], 2 / 3),
        (metrics.SparseAccuracy, [1, 0], [[0.1, 0.9], [0.2, 0.8]], 1 / 2),
    ],
)
def test_shares_of_what_is_right(
    make: Callable[[], Any], labels: Any, predictions: Any, share: float
) -> None:
    metric = make()
    metric(labels, predictions)
    assert metric.result().numpy() == pytest.approx(share)
    metric(labels, predictions, weights=[0.0] * len(labels))
    assert metric.result().numpy() == pytest.approx(share)


def test_in_a_graph_a_metric_is_run() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None])
        mean = metrics.Mean()
        taken, result = mean(x), mean.result()
        assert mean.variables == tf.local_variables()
        with tf.Session() as session:
            session.run(mean.init_variables())
            for values in ([1.0, 2.0], [6.0]):
                session.run(taken, {x: values})
            assert session.run(result) == 3.0


@pytest.mark.usefixtures("_at_once")
def test_what_a_metric_refuses_changes_nothing() -> None:
    accuracy = metrics.Accuracy()
    accuracy([1, 2], [1, 0])
    with pytest.raises(ShapeError):
        accuracy([1, 2], [1, 2, 3])
    with pytest.raises(DTypeError, match="same type"):
        accuracy.aggregate([metrics.Mean()])
    with pytest.raises(DTypeError, match="write_summary"):
        accuracy.result(5)
    with pytest.raises(FailedPreconditionError, match=r"except in build"):
        accuracy.add_variable("more")
    assert accuracy.result().numpy() == 0.5


@pytest.mark.usefixtures("_at_once")
def test_keras_is_that_of_version_1() -> None:
    tf.keras.backend.reset_uids()
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", "binary_crossentropy", metrics=["accuracy"])
    assert [x.name for x in model.weights] == ["dense/kernel:0", "dense/bias:0"]
    assert model.input_names == ["dense_input"]
    history = model.fit(tf.ones((4, 2)), tf.ones((4, 1)), verbose=0).history
    assert list(history) == ["loss", "acc"]


@pytest.mark.usefixtures("_at_once")
def test_layers_take_sizes_that_models_do_not_know_yet() -> None:
    layers, given = tf.keras.layers, tf.keras.Input((4, 3))
    square = layers.Reshape((4, 3, 1))(layers.Cropping1D((0, 0))(given))
    wide = layers.Conv2DTranspose(2, 2, kernel_initializer="ones")(square)
    rows = layers.TimeDistributed(layers.Lambda(lambda x: x * x.shape[1].value))(wide)
    model = tf.keras.Model(given, layers.Reshape((-1,))(rows))
    found = model.predict(tf.ones((2, 4, 3)))
    assert found.shape == (2, 40)
    assert found.sum() == 2 * 4 * (4 * 3 * 4 * 2)


@pytest.mark.usefixtures("_at_once")
def test_descriptions_of_models_have_plain_sizes() -> None:
    given = tf.keras.Input((3,))
    assert given.shape.as_list() == [None, 3]
    assert tf.keras.backend.int_shape(given) == (None, 3)
    model = tf.keras.Model(given, tf.keras.layers.Dense(2)(given))
    again = tf.keras.models.model_from_json(model.to_json())
    assert again.count_params() == 8
    late = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    late(tf.ones((2, 3)))
    assert tf.keras.Sequential.from_config(late.get_config()).count_params() == 4


def test_devices_and_modes_of_tests_have_contribs_names() -> None:
    tfe: Any = import_module("tensorlite.compat.v1").contrib.eager
    assert "/job:localhost/replica:0/task:0/device:CPU:0" in tfe.list_devices()
    assert len(tfe.list_devices()) == 1 + tfe.num_gpus()
    modes = import_module("tensorlite.compat.v1.test_modes")
    assert tfe.run_test_in_graph_and_eager_modes is modes.run_in_graph_and_eager_modes
    assert callable(tfe.make_template("scope", lambda: 1))


@pytest.mark.usefixtures("_at_once")
def test_gradients_of_functions_are_by_names_or_places_of_arguments() -> None:
    eager = tf.contrib.eager

    def f(x: Any, y: Any) -> Any:
        return x * x * y

    def found(made: Any) -> list[float]:
        return [float(one) for one in made(3.0, 2.0)]

    assert found(eager.gradients_function(f, params=["y"])) == [9.0]
    assert found(eager.gradients_function(f, params=["y", "x"])) == [9.0, 12.0]
    assert found(eager.gradients_function(f, params=[0])) == [12.0]
    scaled = eager.gradients_function(f)(3.0, 2.0, dy=10.0)
    assert [float(x) for x in scaled] == [120.0, 90.0]
    assert eager.gradients_function(lambda x: x + x)(tf.constant(1)) == [None]
    with pytest.raises(ValueError, match="all strings or all integers"):
        eager.gradients_function(f, params=["x", 1])(3.0, 2.0)
    with pytest.raises(ValueError, match="returns None"):
        eager.gradients_function(lambda x: None)(3.0)


@pytest.mark.usefixtures("_at_once")
def test_a_function_of_gradients_is_called_with_several() -> None:
    backprop = import_module("tensorlite.compat.v1.python.eager.backprop")
    value, gradients = backprop.make_vjp(lambda x, y: (x * y, x))(3.0, 2.0)
    assert [float(x) for x in value] == [6.0, 3.0]
    assert [float(x) for x in gradients()] == [3.0, 3.0]
    assert [float(x) for x in gradients([1.0, 10.0])] == [12.0, 3.0]
    v = tf.contrib.eager.Variable(3.0)
    ((gradient, variable),) = backprop.implicit_grad(lambda: v * v)()
    assert variable is v
    assert float(gradient) == 6.0


def _layer_and_count(x: Any) -> Any:
    calls = tf.get_variable("calls", [], initializer=tf.zeros_initializer())
    calls.assign_add(1.0)
    tf.get_variable("w", [1], trainable=False)
    return tf.layers.dense(x, 2) * 0.0 + calls


def _names(variables: list[Any]) -> list[str]:
    return [v.name for v in variables]


@pytest.mark.usefixtures("_at_once")
def test_a_template_keeps_its_variables() -> None:
    one, other = (tf.make_template("t", _layer_and_count) for _ in range(2))
    x = tf.ones((1, 2))
    assert [float(t(x)[0, 0]) for t in (one, one, other, one)] == [1.0, 2.0, 1.0, 3.0]
    trained = ["t/calls:0", "t/dense/bias:0", "t/dense/kernel:0"]
    assert _names(one.trainable_variables) == trained
    assert _names(one.non_trainable_variables) == ["t/w:0"]
    assert _names(one.variables) == [*trained, "t/w:0"]
    assert _names(other.global_variables)[0] == "t_1/calls:0"
    assert one.variable_scope_name == "t/"
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(one(x))
    found = tape.gradient(loss, one.trainable_variables)
    assert [g.shape.as_list() for g in found] == [[], [2], [2, 2]]


@pytest.mark.usefixtures("_at_once")
def test_templates_are_nested_and_refuse_new_variables() -> None:
    def outer(x: Any) -> Any:
        return tf.make_template("inner", _layer_and_count)(x)

    made = tf.make_template("o", outer, create_scope_now_=True)
    assert made.variable_scope_name == "o/"
    assert [float(made(tf.ones((1, 2)))[0, 0]) for _ in range(2)] == [1.0, 2.0]
    assert _names(made.variables)[-1] == "o/inner/w:0"
    assert len(made.variables) == 4
    names = iter("ab")
    grows = tf.make_template("g", lambda: tf.get_variable(next(names), [1]))
    grows()
    with pytest.raises(ValueError, match="when calling a template after the first"):
        grows()
    with pytest.raises(ValueError, match="unique_name_ cannot be used"):
        tf.make_template("t", outer, unique_name_="u")


@pytest.mark.usefixtures("_at_once")
def test_a_store_finds_variables_again_in_all_its_blocks() -> None:
    store = tf.contrib.eager.EagerVariableStore()
    for _ in range(2):
        with store.as_default():
            made = tf.layers.dense(tf.ones((2, 3)), 4, name="l1")
            tf.layers.dense(made, 1)
            with tf.variable_scope("s"):
                tf.get_variable("w", [2], trainable=False)
    layers = [f"{x}/{y}:0" for x in ("dense", "dense_1", "l1") for y in _BIAS_KERNEL]
    assert _names(store.variables()) == [*layers, "s/w:0"]
    assert _names(store.trainable_variables()) == layers
    assert _names(store.non_trainable_variables()) == ["s/w:0"]
    copied = store.copy()
    assert _names(copied.variables()) == _names(store.variables())
    bias, other = store.variables()[0], copied.variables()[0]
    other.assign([5.0])
    assert (bias.numpy().tolist(), other.numpy().tolist()) == ([0.0], [5.0])


_BIAS_KERNEL = ("bias", "kernel")


@pytest.mark.usefixtures("_at_once")
def test_chains_without_a_shape_have_their_name_before_their_layers() -> None:
    """Those that are built, or given a shape, have not."""
    keras = tf.keras
    keras.backend.clear_session()
    chain = keras.Sequential([keras.layers.Dense(2)], name="q")
    chain(tf.ones([2, 3]))
    assert chain.weights[0].name == "q/dense/kernel:0"
    inner = keras.Sequential([keras.layers.Dense(2)], name="inner")
    outer = keras.Sequential([inner, keras.layers.Dense(1)], name="outer")
    outer(tf.ones([2, 3]))
    names = [x.name for x in outer.weights]
    assert names[0] == "outer/inner/dense_1/kernel:0"
    assert names[2] == "outer/dense_2/kernel:0"
    built = keras.Sequential([keras.layers.Dense(2)])
    built.build((None, 3))
    assert built.weights[0].name == "dense_3/kernel:0"


@pytest.mark.usefixtures("_at_once")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "nadam",
            ["Nadam/iter:0", "Nadam/momentum_cache:0", "Nadam/first/kernel/m:0"],
        ),
        (
            "ftrl",
            [
                "Ftrl/iter:0",
                "Ftrl/first/kernel/accumulator:0",
                "Ftrl/first/kernel/linear:0",
            ],
        ),
    ],
)
def test_variables_of_optimizers_bear_tensorflow_s_names(
    name: str, expected: list[str]
) -> None:
    first = tf.keras.layers.Dense(1, input_shape=(2,), name="first")
    model = tf.keras.Sequential([first])
    model.compile(name, "mse")
    model.train_on_batch(np.ones((2, 2)), np.ones((2, 1)))
    assert [x.name for x in model.optimizer.weights][:3] == expected


@pytest.mark.usefixtures("_at_once")
def test_tensors_equal_themselves_alone() -> None:
    x = tf.constant([1, 2])
    assert (x == x) is True  # noqa: PLR0124
    assert (x != tf.constant([1, 2])) is True
    assert (x == 1) is False
    assert tf.constant(1) not in [tf.constant(1), tf.constant(2)]
    assert tf.constant(1 << 31, tf.int32).numpy() == -(1 << 31)
    assert tf.equal(x, tf.constant([1, 3])).numpy().tolist() == [True, False]


@pytest.mark.usefixtures("_at_once")
def test_equality_of_elements_can_be_asked_for() -> None:
    x = tf.constant([1, 2])
    try:
        tf.enable_tensor_equality()
        assert (x == tf.constant([1, 3])).numpy().tolist() == [True, False]
        tf.disable_tensor_equality()
        assert (x == tf.constant([1, 3])) is False
    finally:
        mode.equality = None


@pytest.mark.usefixtures("_at_once")
@pytest.mark.parametrize("name", ["op", "name", "graph", "value_index"])
def test_what_graphs_have_is_meaningless(name: str) -> None:
    told = f"Tensor.{name} is meaningless when eager execution is enabled."
    with pytest.raises(AttributeError, match=f"^{told}$"):
        getattr(tf.constant(1), name)
