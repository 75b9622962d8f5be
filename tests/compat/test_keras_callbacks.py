"""Keras' callbacks say what they do, and training that was broken off goes on.

Expected numbers and words were printed by TensorFlow 2.21.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
import tensorlite.compat.v1 as tf1
import tensorlite.compat.v2 as tf
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import mode

keras = tf.keras
keras_1: Any = tf1.keras
layers = keras.layers
X = np.linspace(0.0, 1.0, 12, dtype=np.float32).reshape(6, 2)
Y = X.sum(1, keepdims=True)


@pytest.fixture(autouse=True)
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mode, "eager", True)


def model() -> Any:
    made = keras.Sequential([keras.Input((2,)), layers.Dense(1)])
    made.compile(keras.optimizers.SGD(0.1, momentum=0.9), "mse")
    made.set_weights([np.ones((2, 1)), np.zeros(1)])
    return made


class _Broken(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        if epoch == 2:
            raise RuntimeError("broken off")


def test_training_that_was_broken_off_goes_on(tmp_path: Path) -> None:
    whole, other = model(), model()
    options: dict[str, Any] = {"epochs": 4, "verbose": 0, "shuffle": False}
    whole.fit(X, Y + 1, **options)
    kept = keras.callbacks.BackupAndRestore(tmp_path / "kept")
    with pytest.raises(RuntimeError, match="broken off"):
        other.fit(X, Y + 1, callbacks=[kept, _Broken()], **options)
    again = model()
    back = keras.callbacks.BackupAndRestore(tmp_path / "kept")
    history = again.fit(X, Y + 1, callbacks=[back], **options)
    assert history.epoch == [2, 3]
    np.testing.assert_allclose(
        again.get_weights()[0], whole.get_weights()[0], rtol=1e-5
    )
    assert not (tmp_path / "kept").exists()
    with pytest.raises(InvalidArgumentError, match="save_freq"):
        keras.callbacks.BackupAndRestore(tmp_path, save_freq="batch")


def test_callbacks_say_what_they_do(capsys: pytest.CaptureFixture[str]) -> None:
    known = keras.callbacks
    watching: dict[str, Any] = {"monitor": "loss", "min_delta": 10.0, "verbose": 1}
    called = [
        known.LearningRateScheduler(lambda epoch, rate: rate / 2, verbose=1),
        known.ReduceLROnPlateau(factor=0.5, patience=1, **watching),
        known.EarlyStopping(patience=1, restore_best_weights=True, **watching),
    ]
    model().fit(X, Y + 1, epochs=5, verbose=0, callbacks=called, shuffle=False)
    shown = capsys.readouterr().out.splitlines()
    assert "Epoch 1: LearningRateScheduler setting learning rate to 0.05" in shown[1]
    assert "Epoch 2: ReduceLROnPlateau reducing learning rate to 0.0125" in shown[5]
    assert shown[6:] == [
        "Epoch 2: early stopping",
        "Restoring model weights from the end of the best epoch: 1.",
    ]


def test_checkpoints_of_the_best_say_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "best.weights.h5"
    kept = keras.callbacks.ModelCheckpoint(
        path, "loss", verbose=1, save_best_only=True, save_weights_only=True
    )
    model().fit(X, Y + 1, verbose=0, callbacks=[kept], shuffle=False)
    said = f"Epoch 1: loss improved from None to 1.00000, saving model to {path}"
    assert capsys.readouterr().out.splitlines() == ["", said]
    assert path.exists()


def test_metrics_of_one_of_several_outputs_bear_its_name() -> None:
    given = keras.Input((2,))
    outputs = {"a": layers.Dense(1, name="a")(given), "b": layers.Dense(1)(given)}
    made = keras.Model(given, outputs)
    made.compile("sgd", "mse", metrics={"a": [keras.metrics.MeanAbsoluteError()]})
    found = made.fit(X, {"a": Y, "b": Y}, verbose=0).history
    assert "a_mean_absolute_error" in found


def test_what_activities_cost_is_divided_by_the_batch() -> None:
    layer = layers.Dense(
        1, activity_regularizer=keras.regularizers.L1(0.5), kernel_initializer="ones"
    )
    layer(X)
    np.testing.assert_allclose(layer.losses[0].numpy(), 0.5 * Y.sum() / 6, rtol=1e-6)


SUMS = [
    (
        lambda: layers.MultiHeadAttention(2, 3),
        [6.9283, 0, 8.3947, 0, 8.427, 0, 9.7091, 0],
    ),
    (
        lambda: layers.Bidirectional(layers.GRU(3)),
        [11.7128, 7.0343, 0, 11.4137, 7.9672, 0],
    ),
    (lambda: layers.SimpleRNN(3), [4.0162, 4.9153, 0]),
]
"""Sums of magnitudes of the first weights after `set_random_seed(1)`, for 4 features."""


@pytest.mark.parametrize(("make", "sums"), SUMS)
def test_first_weights_are_those_of_keras(make: Any, sums: list[float]) -> None:
    keras.utils.set_random_seed(1)
    layer, x = make(), np.ones((2, 5, 4), np.float32)
    layer(*[x] * (2 if len(sums) == 8 else 1))
    found = [np.abs(w.numpy()).sum() for w in layer.weights]
    np.testing.assert_allclose(found, sums, atol=1e-3)


@pytest.mark.parametrize(
    ("metric", "upward"),
    [("Recall", True), ("F1Score", True), ("MeanSquaredError", False)],
)
def test_metrics_say_which_way_they_get_better(metric: str, upward: bool) -> None:
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=[getattr(keras.metrics, metric)(name="it")])
    x = np.ones((4, 1), np.float32)
    stopping = keras.callbacks.EarlyStopping(monitor="val_it", patience=9)
    model.fit(x, x, validation_data=(x, x), callbacks=[stopping], verbose=0)
    assert stopping.upward is upward
    assert np.isfinite(stopping.best)


def test_rates_are_set_where_they_are_no_schedules() -> None:
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
    schedule = keras.optimizers.schedules.ExponentialDecay(0.1, 1, 0.5)
    model.compile(keras.optimizers.SGD(schedule), "mse")
    x = np.ones((2, 1), np.float32)
    setting = keras.callbacks.LearningRateScheduler(lambda epoch: 0.1)
    with pytest.raises(TypeError, match="not settable"):
        model.fit(x, x, callbacks=[setting], verbose=0)
    model.compile("sgd", "mse")
    wrong = keras.callbacks.LearningRateScheduler(lambda epoch: "slow")
    with pytest.raises(ValueError, match="should be a float"):
        model.fit(x, x, callbacks=[wrong], verbose=0)


def test_a_loss_that_is_no_number_ends_training_by_an_error_if_wanted() -> None:
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    x = np.full((2, 1), np.nan, np.float32)
    ending = keras.callbacks.TerminateOnNaN(raise_error=True)
    with pytest.raises(RuntimeError, match="NaN or Inf loss"):
        model.fit(x, x, callbacks=[ending], verbose=0)


def test_lines_tell_steps_and_times(capsys: Any) -> None:
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=["mae"])
    x = np.ones((6, 1), np.float32)
    model.fit(x, x, batch_size=2, verbose=2)
    model.evaluate(x, x, batch_size=3, verbose=2)
    said = re.sub(r"[\d.]+(?=s|us|ms)|(?<=: )[\d.]+", "N", capsys.readouterr().out)
    said = said.replace("Nus", "Nms").replace("Ns/", "Nms/")
    assert said.splitlines() == [
        "Epoch 1/1",
        "3/3 - Ns - Nms/step - loss: N - mae: N",
        "2/2 - Ns - Nms/step - loss: N - mae: N",
    ]


def summaries(folder: Path) -> set[tuple[str, str, int]]:
    """Return folder, tag and step of what was written for TensorBoard."""
    return {
        (file.parent.name, value.tag, event.step)
        for file in folder.rglob("*tfevents*")
        for event in tl.summary.read_events(str(file))
        for value in event.summary.value
    }


def test_tensorboard_is_told_of_epochs_batches_weights_and_models(
    tmp_path: Path,
) -> None:
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    model.compile("sgd", "mse")
    x, y = np.ones((8, 3), "float32"), np.ones((8, 2), "float32")
    callback = keras.callbacks.TensorBoard(
        tmp_path, histogram_freq=1, write_images=True, update_freq=1
    )
    told: Any = {"batch_size": 4, "callbacks": [callback], "verbose": 0}
    model.fit(x, y, epochs=1, validation_data=(x, y), **told)
    name = model.weights[0].path
    assert summaries(tmp_path) >= {
        ("train", "keras", 0),
        ("train", "batch_loss", 1),
        ("train", "batch_loss", 2),
        ("train", "epoch_loss", 0),
        ("train", "epoch_learning_rate", 0),
        ("train", f"{name}/histogram", 0),
        ("train", f"{name}/image", 0),
        ("validation", "epoch_loss", 0),
        ("validation", "evaluation_loss_vs_iterations", 2),
    }
    model.fit(x, y, epochs=2, initial_epoch=1, **told)
    assert ("train", "epoch_loss", 1) in summaries(tmp_path)
    with pytest.raises(ValueError, match="Unrecognized arguments"):
        keras.callbacks.TensorBoard(tmp_path, writes_graph=True)


def test_averages_take_the_weights_places_outside_of_training() -> None:
    """The numbers are TensorFlow 2.21's."""
    model = keras.Sequential(
        [keras.Input((2,)), keras.layers.Dense(1, kernel_initializer="ones")]
    )
    sgd = keras.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.5)
    model.compile(sgd, "mse")
    x = np.ones((4, 2), "float32")
    seen: list[float] = []
    look = keras.callbacks.LambdaCallback(
        on_epoch_end=lambda epoch, logs: seen.append(
            float(model.get_weights()[0][0, 0])
        )
    )
    swaps = keras.callbacks.SwapEMAWeights(swap_on_epoch=True)
    told: Any = {"verbose": 0, "validation_data": (x, x[:, :1])}
    history = model.fit(
        x, 0 * x[:, :1], epochs=3, callbacks=[swaps, look], **told
    ).history
    np.testing.assert_allclose(seen, [0.6, 0.52, 0.448], rtol=1e-5)
    np.testing.assert_allclose(history["val_loss"], [0.04, 0.1936, 0.43034], 1e-4)
    np.testing.assert_allclose(model.get_weights()[0].ravel(), [0.448] * 2, 1e-5)
    model.compile("sgd", "mse")
    with pytest.raises(ValueError, match="use_ema=True"):
        model.fit(x, x[:, :1], callbacks=[swaps], **told)


def test_files_of_rows_begin_anew_or_go_on(tmp_path: Path) -> None:
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=["mae"])
    x, y = np.ones((4, 2)), np.ones((4, 1))
    path = tmp_path / "log.csv"
    logger = tf.keras.callbacks.CSVLogger(path, ";")
    model.fit(x, y, epochs=2, verbose=0, callbacks=[logger])
    first, *rows = path.read_text().splitlines()
    assert first == "epoch;loss;mae;val_loss;val_mae"
    assert [row.split(";")[3:] for row in rows] == [["NA", "NA"]] * 2
    model.fit(x, y, verbose=0, callbacks=[logger], validation_data=(x, y))
    assert len(path.read_text().splitlines()) == 2
    assert "NA" not in path.read_text()
    path.unlink()
    for _ in range(2):
        adding = tf.keras.callbacks.CSVLogger(path, append=True)
        model.fit(x, y, verbose=0, callbacks=[adding])
    assert len(path.read_text().splitlines()) == 3
    assert path.read_text().count("epoch") == 1


def test_version_1_counts_examples_between_lines_of_tensorboard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [*inspect.signature(keras_1.callbacks.TensorBoard).parameters]
    assert names[2:6] == ["batch_size", "write_graph", "write_grads", "write_images"]
    callback = keras_1.callbacks.TensorBoard(tmp_path, 0, 2, False, update_freq=4)
    found: list[Any] = []
    monkeypatch.setattr(callback, "write_batch", found.append)
    for batch in range(5):
        callback.on_train_batch_end(batch, {"batch": batch, "size": 2, "loss": batch})
    assert found == [{"loss": 1}, {"loss": 3}]
    with pytest.raises(TypeError, match="write_steps_per_second"):
        keras_1.callbacks.TensorBoard(tmp_path, write_steps_per_second=True)


def test_version_1_draws_models_with_its_own_arguments() -> None:
    drawn = inspect.signature(keras_1.utils.plot_model).parameters
    assert [*drawn] == [
        *("model", "to_file", "show_shapes", "show_layer_names", "rankdir"),
        *("expand_nested", "dpi"),
    ]
    assert drawn["show_layer_names"].default
    dotted = inspect.signature(keras_1.utils.model_to_dot).parameters
    assert [*dotted] == [x for x in drawn if x != "to_file"] + ["subgraph"]
