"""Fourier transforms are written with the length that TensorFlow takes: of the signal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf


def lengths(transform: Any, shape: list[int | None], x: Any) -> list[int]:
    """Return what the node of a transform is given as the length, when it is run."""
    with tf.Graph().as_default() as graph:
        given = tf.placeholder(x.dtype, shape, name="given")
        transform(given, name="made")
    whole = graph.as_graph_def()
    (length,) = [x.input[1] for x in whole.node if x.name == "made"]
    cut = tf.graph_util.extract_sub_graph(whole, [length])
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(cut, name="")
        feed = {"given:0": x} if None in shape else {}
        found: list[int] = session.run(f"{length}:0", feed).tolist()
    return found


@pytest.mark.parametrize("shape", [[2, 3, 4], [None, None, None]])
@pytest.mark.parametrize(
    ("transform", "expected"),
    [
        (tf.signal.rfft, [4]),
        (tf.signal.rfft2d, [3, 4]),
        (tf.signal.irfft, [6]),
        (tf.signal.irfft2d, [3, 6]),
        (tf.signal.irfft3d, [2, 3, 6]),
    ],
)
def test_the_length_is_that_of_the_signal(
    transform: Any, shape: list[int | None], expected: list[int]
) -> None:
    is_real = transform in (tf.signal.rfft, tf.signal.rfft2d)
    x = np.ones([2, 3, 4], np.float32 if is_real else np.complex64)
    assert lengths(transform, shape, x) == expected


def test_a_length_that_is_given_is_written() -> None:
    x = np.ones([2, 3, 4], np.float32)

    def longer(given: Any, name: str) -> Any:
        return tf.signal.rfft(given, [7], name=name)

    assert lengths(longer, [2, 3, 4], x) == [7]
