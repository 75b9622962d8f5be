"""tf.test: TestCase and what tests ask of the machine."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.shared.benchmarks import Benchmark
from tensorlite.compat.shared.built import (
    assert_equal_graph_def,
    is_built_with_gpu_support,
    is_built_with_rocm,
    is_built_with_xla,
)
from tensorlite.compat.shared.jacobians import compute_gradient_v2 as compute_gradient
from tensorlite.compat.shared.testing import (
    TestCase,
    gpu_device_name,
    is_built_with_cuda,
    is_gpu_available,
    main,
)

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


def max_error(grad1: Any, grad2: Any) -> float:
    pairs = zip(grad1, grad2, strict=True)
    return max(
        (float(np.abs(a - b).max()) for a, b in pairs if np.size(a)), default=0.0
    )


def __getattr__(name: str) -> object:
    """Say what there is instead of a name that is not there."""
    raise attribute_error(__name__, name, globals())
