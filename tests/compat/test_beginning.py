"""What importing a version of TensorFlow's names decides, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.architecture.source import SOURCE


def said(program: str) -> str:
    """Return what a program prints."""
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout.strip()


@pytest.mark.parametrize(
    ("imports", "eager"),
    [("v1", False), ("v2", True), ("v1, v2", False), ("v2, v1", True)],
)
def test_the_version_imported_first_says_whether_programs_run_at_once(
    imports: str, eager: bool
) -> None:
    program = f"""
from tensorlite.compat import {imports}
print({imports[:2]}.executing_eagerly())"""
    assert said(program) == str(eager)


def test_under_tensorflow_2_arrays_take_the_dtype_of_the_tensor_beside_them() -> None:
    program = """
import numpy as np
import tensorlite.compat.v2 as tf
print((tf.ones(2) + np.ones(2)).dtype == tf.float32)"""
    assert said(program) == "True"


def test_importing_tensorlite_imports_nothing_of_it() -> None:
    program = """
import sys, tensorlite
print([x for x in sys.modules if x.startswith("tensorlite.compat.")])"""
    assert said(program) == "[]"


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_optional_packages_are_imported_when_they_are_used(version: str) -> None:
    program = f"""
import sys, tensorlite.compat.{version}
optional = {{"absl", "PIL", "google", "tensorboard", "sklearn", "ray", "onnx", "cupy"}}
print(sorted(optional & {{x.partition(".")[0] for x in sys.modules}}))"""
    assert said(program) == "[]"


def test_optimizers_write_into_the_graph_that_is_there_from_the_beginning() -> None:
    program = """
import tensorlite.compat.v1 as tf
w = tf.Variable(2.0)
loss, train = tf.square(w - 1.0), tf.train
rates = (train.GradientDescentOptimizer(0.1), train.AdamOptimizer(0.1),
         train.MomentumOptimizer(0.1, 0.9), train.RMSPropOptimizer(0.1))
steps = [x.minimize(loss) for x in rates]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in steps:
        session.run(step)
    print(session.run(w) < 2.0)"""
    assert said(program) == "True"
