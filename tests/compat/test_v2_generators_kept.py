"""Generators of random numbers in SavedModels and in strategies; numbers are TensorFlow 2.21's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
import tensorlite.compat.v2 as tf


class Drawing(tf.Module):
    """Draws from its generator."""

    def __init__(self) -> None:
        super().__init__()
        self.g = tf.random.Generator.from_seed(1)
        self.draw = tf.function(lambda: self.g.normal([2]), input_signature=[])


def test_generators_are_saved_with_their_state(tmp_path: Path) -> None:
    module = Drawing()
    np.testing.assert_allclose(module.draw(), [0.438423, -0.534398], rtol=1e-5)
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    for one in (loaded, module):
        np.testing.assert_allclose(one.draw(), [1.630718, 0.007848], rtol=1e-4)
    names = dict(tf.train.list_variables(f"{tmp_path}/variables/variables"))
    assert "g/_state_var/.ATTRIBUTES/VARIABLE_VALUE" in names


@pytest.fixture
def strategy() -> Iterator[Any]:
    tl.config.set_logical_devices("CPU", 2)
    yield tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"])
    tl.config.set_logical_devices("CPU", 1)


def test_replicas_draw_numbers_of_their_own(strategy: Any, tmp_path: Path) -> None:
    with strategy.scope():
        module = Drawing()
    first = strategy.run(lambda: module.g.normal([2]))
    second = strategy.run(module.draw)
    np.testing.assert_allclose(
        [x.numpy() for x in strategy.experimental_local_results(first)],
        [[-0.879304, 1.468079], [0.020662, 1.947335]],
        rtol=1e-4,
    )
    np.testing.assert_allclose(
        [x.numpy() for x in strategy.experimental_local_results(second)],
        [[-0.503970, -0.173008], [0.125184, -0.254140]],
        rtol=1e-4,
    )
    assert module.g.state.numpy().tolist() == [1025, 0, 0]
    tf.saved_model.save(module, str(tmp_path))
    assert tf.saved_model.load(str(tmp_path)).draw().shape == (2,)
