"""tf.test: TestCase and what tests ask of the machine and of gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unittest import mock

import numpy as np

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.built import (
    assert_equal_graph_def,
    is_built_with_gpu_support,
    is_built_with_rocm,
    is_built_with_xla,
)
from tensorlite.compat.shared.testing import cases as testing
from tensorlite.compat.shared.testing.benchmarks import Benchmark
from tensorlite.compat.shared.testing.cases import (
    get_temp_dir,
    gpu_device_name,
    is_built_with_cuda,
    is_gpu_available,
    main,
    test_src_dir_path,
)
from tensorlite.compat.shared.testing.jacobians import jacobian_of, numeric_jacobian
from tensorlite.compat.v1.graphs.framework import (
    Session,
    convert_to_tensor,
    gradients,
    placeholder,
)
from tensorlite.compat.v1.training.placing import create_local_cluster
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph_mode.sessions import chosen_session

__all__ = [
    "Benchmark",
    "TestCase",
    "assert_equal_graph_def",
    "compute_gradient",
    "compute_gradient_error",
    "create_local_cluster",
    "get_temp_dir",
    "gpu_device_name",
    "is_built_with_cuda",
    "is_built_with_gpu_support",
    "is_built_with_rocm",
    "is_built_with_xla",
    "is_gpu_available",
    "main",
    "mock",
    "test_src_dir_path",
]


class TestCase(testing.TestCase):
    """A test whose sessions are TensorFlow 1's."""

    session_class = Session
    __test__ = False


def compute_gradient(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Any = None,
) -> Any:
    """Return the Jacobian by gradients and that by differences, or a pair for each of `x`."""
    session = chosen_session(None, "compute_gradient")
    for target in _listed(init_targets):
        session.run(target)
    if isinstance(x, (list, tuple)):
        starts = x_init_value or [None] * len(x)
        triples = zip(x, x_shape, starts, strict=True)
        return [
            _jacobians(session, a, shape, y, y_shape, start, delta, extra_feed_dict)
            for a, shape, start in triples
        ]
    return _jacobians(
        session, x, x_shape, y, y_shape, x_init_value, delta, extra_feed_dict
    )


def _listed(value: Any) -> Sequence[Any]:
    if value is None:
        return ()
    return value if isinstance(value, (list, tuple)) else (value,)


def _jacobians(
    session: Any,
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Any,
    start: Any,
    delta: float,
    others: Any,
) -> tuple[Any, Any]:
    at = _start(x, x_shape, start)
    with x.graph.as_default():
        dy = placeholder(y.dtype, _declared(y, y_shape))
        (dx,) = gradients(y, x, grad_ys=dy)
    if isinstance(dx, IndexedSlices):
        dx = convert_to_tensor(dx)
    fed = dict(others or {})

    def value(moved: Any) -> Any:
        return session.run(y, {**fed, x: moved})

    def vjp(one: Any) -> Any:
        return None if dx is None else session.run(dx, {**fed, x: at, dy: one})

    y_now = np.asarray(value(at))
    # TensorFlow's Jacobians have x's elements as rows.
    return jacobian_of(vjp, y_now, at).T, numeric_jacobian(value, at, delta).T


def _start(x: Any, shape: Any, given: Any) -> Any:
    """Return where a function is differentiated: what is given, or random numbers."""
    if given is not None:
        return np.asarray(given, x.dtype.numpy)
    sample = np.random.random_sample  # TensorFlow's tests seed this one
    drawn = sample(tuple(shape))
    if x.dtype.is_complex:
        drawn = drawn + 1j * sample(tuple(shape))
    return np.asarray(drawn, x.dtype.numpy)


def _declared(y: Any, shape: Any) -> Any:
    """Return the shape of a gradient of y: y's own, or what it is said to be."""
    own = y.get_shape()
    return own if own.is_fully_defined() else tuple(shape)


def compute_gradient_error(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Any = None,
) -> float:
    """Return the largest difference between gradients computed and by finite differences."""
    found = compute_gradient(
        x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict
    )
    pairs = found if isinstance(found, list) else [found]
    return max((float(np.abs(a - b).max()) for a, b in pairs if a.size), default=0.0)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say what there is instead of a name that is not there."""
    raise attribute_error(__name__, name, globals())
