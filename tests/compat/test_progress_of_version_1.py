"""What Keras of TensorFlow 1 prints as it trains, and what it tells callbacks.

Expected texts are what TensorFlow 1.15 prints, but for times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
from tensorlite.graph_mode.graph import mode

keras: Any = tf.keras
X = np.linspace(0, 1, 30).reshape(10, 3).astype("float32")
Y = np.zeros((10, 1), "float32")
BAR = "[==============================]"


@pytest.fixture(autouse=True)
def graph() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    try:
        with tf.Graph().as_default():
            yield
    finally:
        mode.eager = before


@pytest.fixture(name="model")
def _model() -> Any:
    dense = keras.layers.Dense
    first = dense(2, input_shape=(3,), kernel_initializer="ones")
    made = keras.Sequential([first, dense(1, kernel_initializer="ones")])
    made.compile("sgd", "mse", metrics=["mae"])
    return made


def _batches() -> Any:
    while True:
        yield X[:4], Y[:4]


def _printed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the lines that were printed, without times."""
    out = re.sub(r"\d+(us|ms|s)/", "T/", capsys.readouterr().out)
    return re.sub(r"- \d+s", "- Ts", out).splitlines()


def test_lines_count_samples(model: Any, capsys: pytest.CaptureFixture[str]) -> None:
    model.fit(X, Y, batch_size=4, epochs=2, verbose=2, shuffle=False)
    assert _printed(capsys) == [
        "Train on 10 samples",
        "Epoch 1/2",
        "10/10 - Ts - loss: 9.2599 - mean_absolute_error: 2.6840",
        "Epoch 2/2",
        "10/10 - Ts - loss: 2.3666 - mean_absolute_error: 1.2913",
    ]


def test_bars_tell_of_validation(
    model: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    model.fit(X, Y, batch_size=4, validation_split=0.2, shuffle=False)
    out = capsys.readouterr().out
    assert out.startswith("Train on 8 samples, validate on 2 samples\n\r4/8 [====")
    first = r"=>\.+\] - ETA: \d+s - loss: 1\.77\d\d - mean_absolute_error: 1\.13\d\d"
    assert re.search(first, out)
    last = re.sub(r"\d+(us|ms|s)", "T", out.rsplit("\r", 1)[-1])
    assert last.rstrip() == (
        f"8/8 {BAR} - T T/sample - loss: 7.1304 - mean_absolute_error: 2.3028 - "
        "val_loss: 17.7778 - val_mean_absolute_error: 4.2088"
    )
    assert out.endswith("\n")


def test_lines_of_batches_count_steps(
    model: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = tf.data.Dataset.from_tensor_slices((X, Y)).batch(5)
    model.evaluate(rows, verbose=2)
    model.fit(rows, validation_data=rows, verbose=2)
    model.fit_generator(_batches(), steps_per_epoch=3, verbose=2)
    model.predict(X, batch_size=4, verbose=2)
    model.predict(X)
    found = [re.sub(r"-?\d+\.\d{4}(e-\d+)?", "", x) for x in _printed(capsys)]
    measured = "loss:  - mean_absolute_error: "
    whole = f"2/2 - Ts - {measured}"
    assert found == [
        whole,
        "Train on 2 steps, validate on 2 steps",
        f"{whole} - val_loss:  - val_mean_absolute_error: ",
        f"3/3 - Ts - {measured}",
        "10/10 - Ts",
    ]


class _Noting(keras.callbacks.Callback):  # type: ignore[misc]
    """Notes what it is told of batches."""

    def __init__(self) -> None:
        super().__init__()
        self.noted: list[Any] = []

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.noted.append(logs)

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        self.noted.append({key: logs[key] for key in ("batch", "size")})

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        self.noted.append((logs["size"], [x.shape for x in logs["outputs"]]))


def test_callbacks_are_told_of_samples(model: Any) -> None:
    noting = _Noting()
    history = model.fit(
        X, Y, 4, verbose=0, validation_split=0.2, callbacks=[noting], shuffle=False
    )
    names = ["loss", "mean_absolute_error"]
    assert history.params == {
        "batch_size": 4,
        "do_validation": True,
        "epochs": 1,
        "metrics": [*names, "val_loss", "val_mean_absolute_error"],
        "samples": 8,
        "steps": None,
        "verbose": 0,
    }
    assert noting.noted == [
        {"batch": 0, "size": 4},
        {"batch": 1, "size": 4},
        {"batch": 0, "size": 2},
    ]
    model.predict(X, batch_size=6, callbacks=[noting])
    assert noting.noted[3:] == [(6, [(6, 1)]), (4, [(4, 1)])]
    rows = tf.data.Dataset.from_tensor_slices((X, Y)).batch(5)
    history = model.fit(rows, verbose=0, callbacks=[noting])
    assert history.params["samples"] == history.params["steps"] == 2
    assert noting.noted[5:] == [{"batch": 0, "size": 1}, {"batch": 1, "size": 1}]


def test_bars_of_programs(capsys: pytest.CaptureFixture[str]) -> None:
    bar = keras.utils.Progbar(4, width=8, stateful_metrics=["b"], interval=0)
    bar.update(1, [("a", 1.0), ("b", 5.0)])
    bar.add(3, [("a", 3.0), ("b", 7.0)])
    lines = capsys.readouterr().out.replace("\b", "").split("\r")
    assert lines[1] == "1/4 [=>......] - ETA: 0s - a: 1.0000 - b: 5.0000"
    assert re.sub(r"\d+(us|ms|s)", "T", lines[2]).strip() == (
        "4/4 [========] - T T/step - a: 2.5000 - b: 7.0000"
    )
    bar = keras.utils.Progbar(None)
    bar.update(3, [("a", 0.0001)])
    line = re.sub(r"\d+(us|ms|s)", "T", capsys.readouterr().out)
    assert line == "\r      3/Unknown - T T/step - a: 1.0000e-04"
