"""tensorflow.python.framework.test_util: the modes in which a test runs, said by decorators.

What programs' own tests ask of it stands here; TestCase and what it asserts in shared/testing.
"""

from __future__ import annotations

import functools
import unittest
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from tensorlite.compat.shared.arrays import transpose
from tensorlite.compat.shared.testing.cases import is_gpu_available
from tensorlite.compat.v1.graphs.behaviour import eager_mode, graph_mode
from tensorlite.compat.v1.test import TestCase, create_local_cluster
from tensorlite.core.scope import device as placed
from tensorlite.graph_mode.graph import mode

__all__ = ["TensorFlowTestCase", "create_local_cluster"]

Test = Callable[..., Any]
TensorFlowTestCase = TestCase


def _optional(
    decorate: Callable[[Test], Test],
) -> Callable[[Test | None], Any]:
    """Return a decorator that may be written with or without parentheses."""

    def called(func: Test | None = None) -> Any:
        return decorate if func is None else decorate(func)

    return called


def run_in_graph_and_eager_modes(
    func: Test | None = None,
    config: Any = None,
    use_gpu: bool = True,
    reset_test: bool = True,
    assert_no_eager_garbage: bool = False,
) -> Any:
    """Return the test, run in a graph with a session, and then once more where all runs at once."""

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def decorated(self: Any, *args: Any, **kwargs: Any) -> None:
            try:
                with graph_mode(), self.test_session(use_gpu=use_gpu, config=config):
                    test(self, *args, **kwargs)
            except unittest.SkipTest:
                pass
            if reset_test:
                self.tearDown()
            with mode.kind().as_default(), eager_mode():
                if reset_test:
                    self.setUp()
                test(self, *args, **kwargs)

        return decorated

    return decorate if func is None else decorate(func)


@_optional
def deprecated_graph_mode_only(test: Any) -> Any:
    """Return the test, or all tests of a class, run in a graph whatever the mode is."""
    if isinstance(test, type):
        return for_all_test_methods(deprecated_graph_mode_only)(test)

    @functools.wraps(test)
    def decorated(self: Any, *args: Any, **kwargs: Any) -> Any:
        if mode.eager is False:
            return test(self, *args, **kwargs)
        with graph_mode():
            return test(self, *args, **kwargs)

    return decorated


run_deprecated_v1 = deprecated_graph_mode_only


def for_all_test_methods(
    decorator: Callable[..., Any], *args: Any, **kwargs: Any
) -> Callable[[type], type]:
    """Return what decorates each test of a class."""

    def decorate(cls: type) -> type:
        for name in dir(cls):
            value = getattr(cls, name)
            is_test = name.startswith("test") and name != "test_session"
            if is_test and callable(value):
                setattr(cls, name, decorator(*args, **kwargs)(value))
        return cls

    return decorate


def run_all_in_graph_and_eager_modes(cls: type) -> type:
    """Return the class, whose tests run in both modes but for those named testSkipEager."""

    def decorate(test: Any) -> Any:
        in_graph_only = test.__name__.startswith(("testSkipEager", "test_skip_eager"))
        return test if in_graph_only else run_in_graph_and_eager_modes(test)

    return for_all_test_methods(lambda: decorate)(cls)


run_all_in_deprecated_graph_mode_only = deprecated_graph_mode_only


def _unless(skips: Callable[[], bool], reason: str) -> Callable[[Any], Any]:
    """Return what skips a test, or all of a class, where `skips` says so as they run."""

    def decorate(test: Any) -> Any:
        if isinstance(test, type):
            return for_all_test_methods(_unless, skips, reason)(test)

        @functools.wraps(test)
        def decorated(self: Any, *args: Any, **kwargs: Any) -> Any:
            if skips():
                self.skipTest(reason)
            return test(self, *args, **kwargs)

        return decorated

    return decorate


def _runs_version_2() -> bool:
    return mode.is_second()


def run_v1_only(reason: str, func: Test | None = None) -> Any:
    """Return a test that is skipped where programs are of TensorFlow 2."""
    decorate = _unless(_runs_version_2, reason)
    return decorate if func is None else decorate(func)


run_v2_only = _optional(
    _unless(lambda: not _runs_version_2(), "for TensorFlow 2 alone")
)
run_gpu_only = run_cuda_only = _optional(
    _unless(lambda: not is_gpu_available(), "there is no GPU")
)


def skip_if(condition: Any) -> Callable[[Test], Test]:
    """Return what skips a test where a condition, or the function that tells it, is true."""

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def decorated(*args: Any, **kwargs: Any) -> Any:
            skips = condition() if callable(condition) else condition
            return None if skips else test(*args, **kwargs)

        return decorated

    return decorate


def build_as_function_and_v1_graph(func: Test) -> Test:
    """Return the test, run in a graph, which is how functions are traced, too."""
    return deprecated_graph_mode_only(func)  # type: ignore[no-any-return]


def _unchanged(test: Any = None, *args: Any, **kwargs: Any) -> Any:
    """Return the test as it is: what is asked for does not exist here, or is so anyway.

    Written with parentheses it is given no test, and is what the test is then given to.
    """
    return _unchanged if test is None else test


def _changing_nothing(reason: Any = None, *args: Any, **kwargs: Any) -> Any:
    """Return a decorator that gives the test as it is."""
    return _unchanged


also_run_as_tf_function = assert_no_garbage_created = assert_no_new_tensors = (
    _unchanged
)
assert_no_new_pyobjects_executing_eagerly = enable_control_flow_v2 = _unchanged
enable_output_all_intermediates = with_control_flow_v2 = disable_cudnn_autotune = (
    _unchanged
)
disable_control_flow_v2 = disable_xla = no_xla_auto_jit = _changing_nothing
xla_allow_fallback = run_without_tensor_float_32 = _changing_nothing
run_all_without_tensor_float_32 = disable_all_xla = _changing_nothing
disable_tfrt = enable_tf_xla_constant_folding = _changing_nothing
disable_eager_op_as_function = _changing_nothing
enable_eager_op_as_function = with_eager_op_as_function = _unchanged


def device(use_gpu: bool) -> AbstractContextManager[Any]:
    """Return a block whose operators run on the GPU, if there is one and it is wanted."""
    on_gpu = use_gpu and is_gpu_available()
    return placed("/device:GPU:0" if on_gpu else "/device:CPU:0")


def use_gpu() -> AbstractContextManager[Any]:
    """Return a block whose operators run on the GPU, if there is one."""
    return device(use_gpu=True)


def force_gpu() -> AbstractContextManager[Any]:
    """Return a block whose operators run on the GPU."""
    return placed("/device:GPU:0")


def force_cpu() -> AbstractContextManager[Any]:
    """Return a block whose operators run on the CPU."""
    return placed("/device:CPU:0")


def InstallStackTraceHandler() -> None:
    """Do nothing: Python tells its stack where a program ends by a signal."""


def is_xla_enabled() -> bool:
    """Return False: what XLA compiles is nothing here."""
    return False


IsMklEnabled = IsBuiltWithROCm = is_xla_enabled
IsGoogleCudaEnabled = GpuSupportsHalfMatMulAndConv = is_gpu_available


def NHWCToNCHW(input_tensor: Any) -> Any:
    """Return images, or their shape, with channels behind the batch, of 4 or 5 axes."""
    return _with_axes(input_tensor, {4: (0, 3, 1, 2), 5: (0, 4, 1, 2, 3)})


def NCHWToNHWC(input_tensor: Any) -> Any:
    """Return images, or their shape, with channels last, of 4 or 5 axes."""
    return _with_axes(input_tensor, {4: (0, 2, 3, 1), 5: (0, 2, 3, 4, 1)})


def _with_axes(x: Any, orders: dict[int, tuple[int, ...]]) -> Any:
    if isinstance(x, Sequence):
        return [x[i] for i in orders[len(x)]]
    return transpose(x, orders[len(x.shape)])


def assert_ops_in_graph(expected_ops: dict[str, str], graph: Any) -> dict[str, Any]:
    """Return a graph's nodes by name; ValueError where expected ones, of a type, are not."""
    found = {node.name: node for node in graph.as_graph_def().node}
    for name, kind in expected_ops.items():
        if name not in found or found[name].op != kind:
            raise ValueError(f"no node {name!r} of {kind} in the graph")
    return found


def get_node_def_from_graph(node_name: str, graph_def: Any) -> Any:
    """Return a GraphDef's node of a name, or None."""
    return next((node for node in graph_def.node if node.name == node_name), None)


@contextmanager
def set_producer_version(graph: Any, producer_version: int) -> Iterator[None]:
    """Do nothing: nodes that are built have the meaning of one version."""
    yield
