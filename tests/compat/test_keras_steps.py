"""tf.keras: which batches epochs have, and what callbacks see of them; values TensorFlow 2.21's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf


@pytest.mark.filterwarnings("ignore:Your input ran out of data")
@pytest.mark.parametrize(
    ("steps", "count", "want"),
    [
        (7, 15, [14.4024, 10.9913, 8.3882]),
        (3, 8, [15.1728, 13.2468, 11.5793]),
        (None, 15, [14.4024, 10.9913, 8.3882]),
    ],
)
@pytest.mark.parametrize("as_dataset", [False, True])
def test_epochs_of_some_steps_end_where_the_data_does(
    as_dataset: bool, steps: Any, count: int, want: list[float]
) -> None:
    keras = tf.keras
    dense = keras.layers.Dense(3, use_bias=False, kernel_initializer="ones")
    model = keras.Sequential([keras.Input((4,)), dense])
    model.compile("sgd", "mse")
    x, y = np.ones((100, 4)), np.zeros((100, 3))
    data = (
        (tf.data.Dataset.from_tensor_slices((x, y)).batch(20),)
        if as_dataset
        else (x, y, 20)
    )
    history = model.fit(*data, steps_per_epoch=steps, epochs=3, verbose=0)
    np.testing.assert_allclose(history.history["loss"], want, atol=1e-3)
    assert int(model.optimizer.iterations) == count


class _Watcher(tf.keras.callbacks.Callback):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.seen.append(batch)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.seen.append(-batch)

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        self.model.stop_evaluating = True

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        self.model.stop_predicting = True
        self.seen.append(tuple(logs["outputs"].shape))


def test_callbacks_see_steps_in_groups_and_may_stop_them() -> None:
    keras = tf.keras
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse", steps_per_execution=3)
    x, y = np.ones((16, 2)), np.ones((16, 1))
    watcher = _Watcher()
    model.fit(x, y, 2, verbose=0, callbacks=[watcher])
    assert watcher.seen == [0, -2, 3, -5, 6, -8]
    assert int(model.optimizer.iterations) == 8
    made = model.predict(x, 2, verbose=0, callbacks=[watcher])
    assert made.shape == (6, 1)
    assert watcher.seen[-1] == (6, 1)
    x[6:] = 100.0  # which evaluation does not come to
    want = float(np.square(model.predict_on_batch(x[:6]) - y[:6]).mean())
    found = model.evaluate(x, y, 2, verbose=0, callbacks=[watcher])
    np.testing.assert_allclose(found, want, rtol=1e-5)


def test_numbered_batches_may_have_no_end() -> None:
    class Endless(tf.keras.utils.PyDataset):
        num_batches = None

        def __getitem__(self, index: int) -> Any:
            return np.ones((2, 2)), np.zeros((2, 1))

    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(Endless(), steps_per_epoch=3, epochs=2, verbose=0)
    assert int(model.optimizer.iterations) == 6
