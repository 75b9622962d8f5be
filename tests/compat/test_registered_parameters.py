"""Parameters of distributions that programs register as tensors: what TensorFlow 1.15 takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tensorlite.compat import conversions, v1

tf: Any = v1
ds: Any = tf.contrib.distributions


class Held:
    """Stands for a tensor, as random variables of libraries do."""

    def __init__(self, value: Any) -> None:
        self.tensor = tf.constant(value)


def _tensor_of(
    value: Any, dtype: Any = None, name: Any = None, as_ref: Any = 0
) -> Any:
    return value.tensor


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    before = list(conversions._known)
    with tf.Graph().as_default():
        tf.register_tensor_conversion_function(Held, _tensor_of)
        yield
    conversions._known[:] = before


def test_distributions_take_them() -> None:
    normal = ds.Normal(Held(1.0), Held(2.0))
    means = [normal, ds.Gamma(Held(6.0), Held(2.0)), ds.Uniform(Held(1.0), Held(4.0))]
    with tf.Session() as session:
        assert session.run([x.mean() for x in means]) == [1.0, 3.0, 2.5]
        assert session.run(normal.log_prob(Held(1.0))) == pytest.approx(-1.6120857)


def test_divergences_are_of_them() -> None:
    found = ds.kl_divergence(ds.Normal(Held(1.0), 1.0), ds.Normal(0.0, Held(1.0)))
    with tf.Session() as session:
        assert session.run(found) == pytest.approx(0.5)
