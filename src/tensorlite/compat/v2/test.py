"""tf.test: TestCase and what tests ask of the machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from tensorlite.compat.shared.testing.benchmarks import Benchmark
from tensorlite.compat.shared.testing.cases import (
    gpu_device_name,
    is_built_with_cuda,
    is_gpu_available,
    main,
)
from tensorlite.compat.shared.testing.jacobians import compute_gradient_v2, step_of
from tensorlite.compat.v1 import test as v1_test
from tensorlite.compat.v1.graphs.framework import convert_to_tensor
from tensorlite.compat.v1.test import TestCase
from tensorlite.compat.views import GraphTensor
from tensorlite.graph_mode.sessions import chosen_session, get_default_session

__all__ = [
    "Benchmark",
    "TestCase",
    "assert_equal_graph_def",
    "compute_gradient",
    "gpu_device_name",
    "is_built_with_cuda",
    "is_built_with_gpu_support",
    "is_built_with_rocm",
    "is_built_with_xla",
    "is_gpu_available",
    "main",
    "max_error",
    "mock",
]


def compute_gradient(
    f: Callable[..., Any], x: Sequence[Any], delta: float | None = None
) -> tuple[list[Any], list[Any]]:
    """Return a function's Jacobians by each argument: (derived, by differences).

    delta is how far arguments are moved. In graphs it is computed in the default session.
    """
    if get_default_session() is None and not any(
        isinstance(one, GraphTensor) for one in x
    ):
        return compute_gradient_v2(f, x, delta)
    session = chosen_session(None, "compute_gradient")
    xs = [convert_to_tensor(one) for one in x]
    y = f(*xs)
    at = session.run(xs)
    found = [
        v1_test.compute_gradient(one, a.shape, y, y.shape, a, delta or step_of(a))
        for one, a in zip(xs, map(np.asarray, at), strict=True)
    ]
    # TensorFlow 1's have x's elements as rows, and TensorFlow 2's as columns.
    theoretical, numerical = zip(*[(a.T, b.T) for a, b in found], strict=True)
    return list(theoretical), list(numerical)


def max_error(grad1: Any, grad2: Any) -> float:
    """Return the greatest difference between two lists of arrays, 0 for none."""
    pairs = zip(grad1, grad2, strict=True)
    return max(
        (float(np.abs(a - b).max()) for a, b in pairs if np.size(a)), default=0.0
    )


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say what there is instead of a name that is not there."""
    raise attribute_error(__name__, name, globals())
