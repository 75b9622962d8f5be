"""Models of version 1 are trained by nodes of their graph: numbers are those of TensorFlow 1.15."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
from tensorlite.core.errors import InvalidArgumentError

keras: Any = tf.keras
layers, backend, Constant = keras.layers, keras.backend, keras.initializers.Constant
X = (np.arange(24).reshape(8, 3) % 7 / 7.0).astype(np.float32)
Y = (X.sum(1, keepdims=True) > 1.2).astype(np.float32)
QUIET = {"shuffle": False, "verbose": 0}


@pytest.fixture(autouse=True)
def _graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def dense(units: int, activation: Any = None, share: float = 0.2, **told: Any) -> Any:
    filled = Constant(share)
    return layers.Dense(units, activation, kernel_initializer=filled, **told)


def chain() -> Any:
    first = dense(4, "relu", 0.3, input_shape=(3,))
    return keras.Sequential([first, dense(1, "sigmoid")])


def close(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(found, wanted, atol=6e-5)


def test_batches_tell_their_loss_and_epochs_the_mean_of_it() -> None:
    seen = []

    class Losses(keras.callbacks.Callback):  # type: ignore[misc]
        def on_batch_end(self, batch: int, logs: Any = None) -> None:
            seen.append(logs["loss"])

    model = chain()
    model.compile(keras.optimizers.SGD(0.5), "mse")
    told = model.fit(X, Y, 3, callbacks=[Losses()], **QUIET)
    close(seen, [0.2495, 0.22, 0.2038])
    close(told.history["loss"], [(3 * 0.2495 + 3 * 0.22 + 2 * 0.2038) / 8])


def test_masked_steps_count_nothing_and_are_counted() -> None:
    """The mean is over all steps; in later versions it is over those that are not masked."""
    words = layers.Embedding(5, 3, Constant(0.3), mask_zero=True)
    cell = layers.LSTM(
        2,
        return_sequences=True,
        kernel_initializer=Constant(0.2),
        recurrent_initializer=Constant(0.2),
    )
    top = layers.TimeDistributed(dense(1, share=0.3))
    model = keras.Sequential([words, cell, top])
    model.compile("sgd", "mse", metrics=["mae"])
    told = model.fit([[1, 2, 0], [3, 0, 0]], np.ones((2, 3, 1)), epochs=2, verbose=0)
    close(told.history["loss"], [0.4615, 0.4519])
    close(told.history["mean_absolute_error"], [0.9606, 0.9506])


def test_noise_is_drawn_as_in_graphs() -> None:
    tf.set_random_seed(3)
    first = dense(4, share=0.3, input_shape=(3,))
    model = keras.Sequential([first, layers.Dropout(0.5, seed=1), dense(1)])
    model.compile("sgd", "mse")
    told = model.fit(X, Y, 4, 2, **QUIET)
    close(told.history["loss"], [0.2792, 0.2211])


def test_weights_of_examples_make_a_loss_of_their_own() -> None:
    model = chain()
    model.compile(keras.optimizers.SGD(0.5), "mse")
    assert model.sample_weights == [None]
    told = model.fit(X, Y, 3, 2, sample_weight=np.arange(8.0), **QUIET)
    assert [x.op.name for x in model.sample_weights] == ["dense_1_sample_weights"]
    assert model.total_loss.op.name == "loss_1/mul"
    close(told.history["loss"], [0.7746, 0.674])
    classes = {0: 1.0, 1: 3.0}
    told = model.fit(X, Y, 3, 2, class_weight=classes, **QUIET)
    close(told.history["loss"], [0.2813, 0.2311])


def test_states_go_on_from_batch_to_batch() -> None:
    filled = {
        "kernel_initializer": Constant(0.3),
        "recurrent_initializer": Constant(0.2),
    }
    cell = layers.LSTM(2, stateful=True, batch_input_shape=(4, 3, 1), **filled)
    model = keras.Sequential([cell, dense(1)])
    model.compile("sgd", "mse")
    x = X[:, :, None]
    told = model.fit(x, Y, 4, 2, **QUIET)
    close(told.history["loss"], [0.4425, 0.4031])
    close(model.evaluate(x, Y, 4, verbose=0), 0.3837)
    close(model.predict(x, 4)[:3, 0], [0.0935, 0.1478, 0.1391])
    assert len(model.state_updates) == 2


def test_losses_name_other_tensors_of_the_model() -> None:
    given = layers.Input((3,))
    hidden = dense(2, share=0.3)(given)
    inner = dense(1)(hidden)
    model = keras.Model(given, dense(3)(inner))

    def loss(true: Any, made: Any) -> Any:
        beside = tf.reduce_sum(tf.square(inner), -1)
        return tf.reduce_mean(tf.square(true - made), -1) + 0.1 * beside

    model.compile("sgd", loss)
    told = model.fit(X, X, 4, 2, **QUIET)
    close(told.history["loss"], [0.2114, 0.2074])


def test_what_is_added_to_a_model_is_in_its_graph() -> None:
    given = layers.Input((3,))
    hidden = dense(2, share=0.3)(given)
    made = dense(3)(hidden)
    model = keras.Model(given, made)
    model.add_loss(tf.reduce_mean(tf.square(made - given)))
    model.add_metric(tf.reduce_mean(hidden), name="act", aggregation="mean")
    model.compile("sgd")
    told = model.fit(X, batch_size=4, epochs=2, **QUIET)
    close(told.history["loss"], [0.1229, 0.1199])
    close(told.history["act"], [0.3543, 0.3574])


def test_programs_run_what_a_step_is_made_of() -> None:
    model = chain()
    model.compile("rmsprop", "mse", metrics=["mae"])
    wanted = model.optimizer.get_gradients(model.total_loss, model.trainable_weights)
    feeds = model._feed_inputs + model._feed_targets + model._feed_sample_weights
    found = backend.function(feeds, wanted)([X, Y])
    assert [x.shape for x in found] == [(3, 4), (4,), (4, 1), (1,)]
    close(found[0][0], [-0.0026] * 4)
    model._make_test_function()
    loss, error = model.test_function([X, Y, 0])
    close([loss, error], model.evaluate(X, Y, verbose=0))
    assert [x.op.name for x in model.metrics_tensors] == [
        "metrics/mean_absolute_error/Identity"
    ]


def test_optimizers_of_train_keep_their_slots_in_the_graph() -> None:
    model = chain()
    model.layers[0].trainable = False
    model.compile(tf.train.AdamOptimizer(0.1), "mse")
    model.fit(X, Y, 4, 2, **QUIET)
    names = [x.op.name for x in tf.global_variables()]
    assert names[4:] == [
        "TFOptimizer/iterations",
        "training/beta1_power",
        "training/beta2_power",
        *(f"dense_1/{x}/Adam{i}" for x in ("kernel", "bias") for i in ("", "_1")),
    ]


def test_weights_of_optimizers_are_listed_slot_by_slot() -> None:
    model = chain()
    model.compile("adam", "mse")
    model.fit(X, Y, **QUIET)
    parts = [f"dense{i}/{x}" for i in ("", "_1") for x in ("kernel", "bias")]
    slots = [f"training/Adam/{x}/{slot}:0" for slot in "mv" for x in parts]
    found = [x.name for x in model.optimizer.weights]
    assert found == ["training/Adam/iter:0", *slots]


class Own(keras.Model):  # type: ignore[misc]
    """A model that only its call says what it is."""

    def __init__(self) -> None:
        super().__init__()
        self.first = dense(2, share=0.3)
        self.noise = layers.Dropout(0.5, seed=1)
        self.last = dense(1, name="out")

    def call(self, x: Any, training: Any = None) -> Any:
        return self.last(self.noise(self.first(x), training=training))


def deferred() -> Any:
    return keras.Sequential([dense(2, share=0.3), dense(1)])


@pytest.mark.parametrize(
    ("make", "owner", "ends"),
    [
        (deferred, "sequential", "sequential/dense_1/BiasAdd:0"),
        (Own, "own", "own/out/BiasAdd:0"),
    ],
)
def test_first_batches_say_what_models_are_given(
    make: Callable[[], Any], owner: str, ends: str
) -> None:
    model = make()
    model.compile("sgd", "mse")
    model.fit(X, Y, **QUIET)
    assert [x.name for x in model.inputs] == ["input_1:0"]
    assert [x.name for x in model.outputs] == [ends]
    assert list(model.output_names) == ["output_1"]
    assert model.weights[0].name == f"{owner}/dense/kernel:0"
    assert [x.name for x in model.targets] == ["output_1_target:0"]


def test_noise_in_models_of_classes_is_drawn_in_training_only() -> None:
    tf.set_random_seed(3)
    model = Own()
    model.compile("adam", "mse", metrics=["mae"])
    told = model.fit(X, Y, 4, 2, validation_data=(X, Y), **QUIET)
    assert told.history["loss"] != told.history["val_loss"]
    close(model.evaluate(X, Y, verbose=0)[0], told.history["val_loss"][-1])


def test_models_that_are_built_have_no_name_before_their_weights() -> None:
    model = Own()
    model.build((None, 3))
    assert [x.name for x in model.weights] == [
        *("dense/kernel:0", "dense/bias:0", "out/kernel:0", "out/bias:0"),
    ]


def test_batches_of_tensors_are_computed_for_each_step() -> None:
    model = chain()
    model.compile("sgd", "mse")
    told = model.fit(
        tf.constant(X), tf.constant(Y), steps_per_epoch=2, epochs=2, verbose=0
    )
    close(told.history["loss"], [0.2267, 0.2266])
    with pytest.raises(InvalidArgumentError, match="`steps_per_epoch`"):
        model.fit(tf.constant(X), tf.constant(Y), verbose=0)


def test_learning_rates_are_told_by_their_older_name() -> None:
    model = chain()
    model.compile("sgd", "mse")
    lower = keras.callbacks.ReduceLROnPlateau("loss", 0.5, 0, min_delta=10.0)
    told = model.fit(X, Y, epochs=3, callbacks=[lower], **QUIET)
    close(told.history["lr"], [0.01, 0.01, 0.005])


def test_names_are_looked_up_in_the_version_of_the_program() -> None:
    """An optimizer's rows add up, and likeness of directions counts as such."""
    assert type(keras.optimizers.get("adam")) is keras.optimizers.Adam
    loss = keras.losses.get("cosine_similarity")
    assert loss is keras.losses.cosine_similarity


@pytest.mark.parametrize(
    ("loss", "kind"),
    [
        ("binary_crossentropy", "BinaryAccuracy"),
        ("sparse_categorical_crossentropy", "SparseCategoricalAccuracy"),
        ("categorical_crossentropy", "CategoricalAccuracy"),
        ("mse", "CategoricalAccuracy"),
    ],
)
def test_losses_say_what_accuracy_is(loss: str, kind: str) -> None:
    model = keras.Sequential([dense(2, "softmax", input_shape=(3,))])
    model.compile("sgd", loss, metrics=["accuracy"])
    assert [type(x).__name__ for x in model.metrics] == [kind]
    assert model.metrics_names == ["loss", "acc"]


@pytest.mark.parametrize(
    ("x", "y", "said"),
    [
        (
            X,
            np.ones((8, 2)),
            r"\(8, 2\) was passed for an output of shape \(None, 1\)",
        ),
        (np.ones((8, 5)), Y, r"expected dense_input to have shape \(3,\)"),
        ([X, X], Y, "Expected to see 1"),
        (X, [Y, Y], "Expected to see 1"),
        (X, Y[:5], "ambiguous"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(x: Any, y: Any, said: str) -> None:
    model = chain()
    model.compile("sgd", "mse")
    before = model.get_weights()
    with pytest.raises(InvalidArgumentError, match=said):
        model.fit(x, y, verbose=0)
    for one, other in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_models_that_are_traced_have_no_nodes_to_tell() -> None:
    class Traced(keras.Model):  # type: ignore[misc]
        def train_step(self, data: Any) -> Any:
            return super().train_step(data)

    given = layers.Input((3,))
    model = Traced(given, dense(1)(given))
    model.compile("sgd", "mse")
    model.fit(X, Y, verbose=0)
    with pytest.raises(AttributeError, match="compiled in a graph"):
        _ = model.total_loss


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
def test_momenta_of_nadam_are_multiplied_in_any_dtype(dtype: Any) -> None:
    weights = tf.get_variable("w", [2], dtype, use_resource=True)
    optimizer = keras.optimizers.Nadam(0.1)
    step = optimizer.apply_gradients([(tf.ones([2], dtype), weights)])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(step)
        shares = [0.9 * (1 - 0.5 * 0.96 ** (0.004 * i)) for i in (1, 2, 3)]
        found = session.run(optimizer.weights[1])
    np.testing.assert_allclose(found, np.prod(shares), rtol=1e-6)


@pytest.mark.parametrize("rate", [lambda: tf.constant(3.0), lambda: lambda: 3.0])
def test_rates_are_tensors_and_functions(rate: Callable[[], Any]) -> None:
    weights = tf.get_variable(
        "w", [2], use_resource=True, initializer=tf.ones_initializer()
    )
    step = keras.optimizers.SGD(rate()).apply_gradients(
        [(tf.constant([1.0, 2.0]), weights)]
    )
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        close(session.run(weights), [-2.0, -5.0])


def test_training_ends_where_a_dataset_ends() -> None:
    model = chain()
    model.compile("sgd", "mse")
    batches = tf.data.Dataset.from_tensor_slices((X, Y)).batch(4)
    with pytest.warns(UserWarning, match="ran out of data"):
        told = model.fit(batches, epochs=3, steps_per_epoch=5, verbose=0)
    assert len(told.history["loss"]) == 1
    with pytest.raises(InvalidArgumentError, match="`batch_size` argument"):
        model.fit(batches, batch_size=4, verbose=0)


def test_all_that_a_model_costs_is_among_its_losses() -> None:
    given = [layers.Input((3,)) for _ in range(2)]
    shared = dense(2, kernel_regularizer="l2", activity_regularizer="l1")
    first, second = map(shared, given)
    model = keras.Model(given, layers.average([first, second]))
    model.add_loss(tf.reduce_mean(second))
    model.add_loss(tf.reduce_sum(first))
    model.compile("sgd", "mse")
    assert len(model.losses) == 5
