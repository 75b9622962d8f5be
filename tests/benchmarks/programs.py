"""Training as TensorFlow's programs write it, beside TensorFlow: `-m tests.benchmarks.programs`.

The same lines run on both, in turns, in processes of their own; the processor's time of a step
counts. TENSORLITE_BENCH_TF names a Python that has TensorFlow.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
TURNS, ROUNDS = 2, 4
LIBRARIES = {"tensorlite": "tensorlite.compat.v2", "tensorflow": "tensorflow"}


def drawn(*shape: int) -> Any:
    """Return numbers to train on."""
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def digits(layers: Any) -> tuple[list[Any], Any]:
    """Return two convolutions, a pool and two dense layers, and what they are given."""
    conv = [layers.Conv2D(size, 3, activation="relu") for size in (32, 64)]
    dense = [layers.Flatten(), layers.Dense(128, activation="relu")]
    return [*conv, layers.MaxPooling2D(2), *dense], drawn(256, 28, 28, 1)


def normalised(layers: Any) -> tuple[list[Any], Any]:
    """Return convolutions of three sizes with batch normalisation."""
    parts = []
    for size, step in ((16, 1), (32, 2), (64, 2)):
        conv = layers.Conv2D(size, 3, step, "same", use_bias=False)
        parts += [conv, layers.BatchNormalization(), layers.ReLU()]
    return [*parts, layers.GlobalAveragePooling2D()], drawn(256, 32, 32, 3)


def depthwise(layers: Any) -> tuple[list[Any], Any]:
    """Return depthwise convolutions, each before one of size 1."""
    parts = [layers.Conv2D(16, 3, padding="same")]
    for size, step in ((32, 2), (64, 2), (64, 1)):
        parts += [layers.DepthwiseConv2D(3, step, "same"), layers.ReLU(6.0)]
        parts += [layers.Conv2D(size, 1), layers.BatchNormalization()]
    return [*parts, layers.GlobalAveragePooling2D()], drawn(256, 32, 32, 3)


def recurrent(layers: Any) -> tuple[list[Any], Any]:
    """Return an LSTM."""
    return [layers.LSTM(64)], drawn(256, 30, 32)


def dense(layers: Any) -> tuple[list[Any], Any]:
    """Return two dense layers."""
    parts = [layers.Dense(256, activation="relu") for _ in range(2)]
    return parts, drawn(2048, 784)


def small(layers: Any) -> tuple[list[Any], Any]:
    """Return a layer so small that what is around it counts."""
    return [layers.Dense(8, activation="relu")], drawn(1024, 8)


PROGRAMS = {
    "digits": digits,
    "batch normalisation": normalised,
    "depthwise": depthwise,
    "LSTM": recurrent,
    "dense": dense,
    "small": small,
}


def fitting(
    tf: Any, program: Callable[[Any], tuple[list[Any], Any]]
) -> tuple[Any, int]:
    """Return a function that fits a model for an epoch with Adam, and the epoch's steps."""
    keras = tf.keras
    layers, x = program(keras.layers)
    model = keras.Sequential(
        [keras.layers.Input(x.shape[1:]), *layers, keras.layers.Dense(10)]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss=loss)
    y = np.arange(len(x), dtype=np.int32) % 10
    return lambda: model.fit(x, y, batch_size=64, verbose=0), -(-len(x) // 64)


def measured(library: str) -> dict[str, float]:
    """Return the least milliseconds that the processor takes for a step of each program."""
    tf, found = import_module(LIBRARIES[library]), {}
    if library == "tensorflow":
        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(1)
    for name, program in PROGRAMS.items():
        epoch, steps = fitting(tf, program)
        epoch()
        times = []
        for _ in range(ROUNDS):
            start = time.process_time()
            epoch()
            times.append(time.process_time() - start)
        found[name] = 1000 * min(times) / steps
    return found


def report() -> list[str]:
    """Return the lines of a table of both libraries, each the least of some turns."""
    pythons = {
        "tensorlite": sys.executable,
        "tensorflow": os.environ.get("TENSORLITE_BENCH_TF", sys.executable),
    }
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    best: dict[str, dict[str, float]] = {name: {} for name in pythons}
    for _ in range(TURNS):
        for library, python in pythons.items():
            command = [python, "-m", "tests.benchmarks.programs", library]
            ran = subprocess.run(
                command,
                cwd=ROOT,
                env={**os.environ, **threads},
                capture_output=True,
                text=True,
                check=True,
            )
            for name, took in json.loads(ran.stdout.splitlines()[-1]).items():
                best[library][name] = min(best[library].get(name, took), took)
    lines = [f"{'ms a step':<24} {'tensorlite':>10} {'TensorFlow':>10} {'ratio':>6}"]
    for name in PROGRAMS:
        ours, theirs = (best[library][name] for library in pythons)
        lines.append(f"{name:<24} {ours:10.2f} {theirs:10.2f} {ours / theirs:6.2f}")
    return lines


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measured(sys.argv[1])))
    else:
        print("\n".join(report()))
