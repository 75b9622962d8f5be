"""Second gradients in TensorFlow 1's graphs, through loops whose gradients are written anew.

First ones, and how they are written, stand in test_gradients_in_graphs.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat import v1 as tf

MATRIX = np.array([[0.1, 0.2], [0.3, 0.4]])
STEP = 1e-5


def test_of_exponentials_of_matrices_of_unknown_sizes() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float64, (None, None))
        (first,) = tf.gradients(tf.linalg.expm(x), x)
        (second,) = tf.gradients(first, x)

        def total(at: Any) -> float:
            return float(session.run(first, {x: at}).sum())

        found = session.run(second, {x: MATRIX})
        for place in np.ndindex(2, 2):
            step = np.zeros((2, 2))
            step[place] = STEP
            slope = (total(MATRIX + step) - total(MATRIX - step)) / (2.0 * STEP)
            np.testing.assert_allclose(found[place], slope, rtol=1e-7)
