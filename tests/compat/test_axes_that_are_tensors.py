"""Reductions of graphs along lists of axes in which tensors stand, which TensorFlow packs.

What is expected is what TensorFlow 1.15 gives and names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1

tf: Any = v1
X = np.arange(24.0).reshape(2, 3, 4)


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as made:
        yield made


def value(x: Any) -> Any:
    with tf.Session() as session:
        return session.run(x)


def log_of_sum(x: Any, axis: Any) -> Any:
    return np.log(np.sum(np.exp(x), axis))


REDUCTIONS: list[tuple[str, Callable[..., Any]]] = [
    ("reduce_sum", np.sum),
    ("reduce_mean", np.mean),
    ("reduce_prod", np.prod),
    ("reduce_max", np.max),
    ("reduce_min", np.min),
    ("reduce_logsumexp", log_of_sum),
    ("count_nonzero", np.count_nonzero),
]


@pytest.mark.parametrize(("name", "expected"), REDUCTIONS)
def test_tensors_among_axes(name: str, expected: Callable[..., Any]) -> None:
    reduce, one = getattr(tf, name), tf.constant(1)
    np.testing.assert_allclose(value(reduce(X, [one])), expected(X, 1))
    np.testing.assert_allclose(value(reduce(X, [one, 0])), expected(X, (0, 1)))
    np.testing.assert_allclose(value(reduce(X, (one, one + 1))), expected(X, (1, 2)))


@pytest.mark.parametrize(("name", "expected"), [("all", np.all), ("any", np.any)])
def test_tensors_among_axes_of_truths(
    name: str, expected: Callable[..., Any]
) -> None:
    found = getattr(tf, f"reduce_{name}")(X > 5.0, [tf.constant(1)])
    assert value(found).tolist() == expected(X > 5.0, 1).tolist()


def test_axes_are_known_when_it_runs() -> None:
    axis = tf.placeholder_with_default(1, [])
    found = tf.reduce_sum(X, [axis])
    with tf.Session() as session:
        assert session.run(found).shape == (2, 4)
        assert session.run(found, {axis: 2}).shape == (2, 3)


def test_axes_are_packed_under_the_name_of_the_reduction() -> None:
    axis = tf.constant(1)
    assert tf.reduce_max(X, [axis, 0], name="m").op.inputs[1].op.type == "Pack"
    packed = tf.reduce_sum(X, [axis]).op.inputs[1].op
    assert (packed.name, packed.type) == ("Sum/reduction_indices", "Pack")
    assert [x.name for x in packed.inputs] == ["Const:0"]


def test_an_axis_is_put_in_at_a_tensor_in_a_list() -> None:
    axis = tf.placeholder_with_default(1, [])
    made = [tf.expand_dims(X, [axis]), tf.expand_dims(X, (axis - 2,))]
    assert made[0].op.inputs[1].op.name == "ExpandDims/dim"
    assert [x.shape for x in value(made)] == [(2, 1, 3, 4), (2, 3, 4, 1)]
