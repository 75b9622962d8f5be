"""TestCase: tests as TensorFlow's programs write them, with graphs, sessions and folders.

What is asserted of arrays stands in assertions.py.
"""

from __future__ import annotations

import atexit
import os
import random
import shutil
import sys
import tempfile
import unittest
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np

from tensorlite.compat.shared.testing import benchmarks
from tensorlite.compat.shared.testing.assertions import Assertions
from tensorlite.compat.views import plain
from tensorlite.core import nest
from tensorlite.core.dispatch import tracer
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.xp import gpu_count
from tensorlite.graph_mode.graph import (
    Graph,
    active_graph,
    get_default_graph,
    reset_default_graph,
    stack,
)
from tensorlite.graph_mode.sessions import PARTS_AS, Session, get_default_session
from tensorlite.graph_mode.streams import global_seed

SEED = 87654321


class TestCase(Assertions):
    """A test that begins with a new default graph and the same random numbers."""

    session_class: Any = Session
    __test__ = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Let runners find the program's tests, though this class is none."""
        super().__init_subclass__(**kwargs)
        cls.__test__ = "__test__" not in vars(cls) or bool(vars(cls)["__test__"])

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)
        self._cached: Any = None
        self._entered = ExitStack()

    def setUp(self) -> None:
        """Begin anew, also where a class's own tearDown has not asked this one's."""
        self._forget_session()
        super().setUp()
        random.seed(SEED)
        np.random.seed(SEED)  # noqa: NPY002  what the tests draw from
        if not stack.graphs:
            reset_default_graph()
        if active_graph() is None:
            global_seed.set(SEED)
        else:
            get_default_graph().seed = SEED

    def tearDown(self) -> None:
        """End what is open."""
        self._forget_session()
        super().tearDown()

    def _forget_session(self) -> None:
        self._entered.close()
        self._cached = None

    def get_temp_dir(self) -> str:
        """Return a folder of this test."""
        known: str | None = self.__dict__.get("_folder")
        if known is None:
            held = tempfile.TemporaryDirectory()
            self.addCleanup(held.cleanup)
            known = self.__dict__["_folder"] = held.name
        return known

    def create_tempfile(self, file_path: str = "file", content: Any = "") -> Any:
        """Return a new file with a content."""
        path = Path(self.get_temp_dir()) / file_path
        path.write_text(content)
        return path

    @contextmanager
    def session(
        self,
        graph: Any = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Any]:
        """Yield a new session, which is the default one in the block; eagerly, what evaluates."""
        if active_graph() is None:
            yield EvaluatingSession(self)
            return
        with self._made(graph, config) as made:
            yield made

    @contextmanager
    def cached_session(
        self,
        graph: Any = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Any]:
        """Yield the session of this test, the same every time it is asked for."""
        if active_graph() is None:
            yield EvaluatingSession(self)
            return
        if self._cached is None:
            self._cached = self._made(graph, config)
            self._entered.callback(self._cached.close)
        with self._cached.graph.as_default(), self._cached.as_default():
            yield self._cached

    def test_session(
        self,
        graph: Any = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> AbstractContextManager[Any]:
        """Return the cached session, or a new one where a graph is given."""
        if self.id().endswith(".test_session"):
            self.skipTest("what opens sessions, and no test")
        if graph is None:
            return self.cached_session(graph, config, use_gpu, force_gpu)
        return self.session(graph, config, use_gpu, force_gpu)

    def _made(self, graph: Graph | None, config: Any) -> Any:
        if config is None:
            return self.session_class(graph=graph)
        return self.session_class(graph=graph, config=config)

    def evaluate(self, tensors: Any) -> Any:
        """Return tensors and structures of them as arrays, run by the session if there is one."""
        if tracer() is None and active_graph() is None:
            return _values(tensors)
        found = get_default_session() or self._cached
        if found is None:
            with self.cached_session() as made:
                return made.run(tensors)
        return found.run(tensors)

    @contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[Captured]:
        """Yield what has been written to a stream of the system's in the block, as it comes."""
        path = Path(self.get_temp_dir()) / "captured"
        stream.flush()
        before = os.dup(stream.fileno())
        try:
            with path.open("wb") as file:
                os.dup2(file.fileno(), stream.fileno())
            yield Captured(stream, path)
        finally:
            stream.flush()
            os.dup2(before, stream.fileno())
            os.close(before)

    def checkedThread(
        self, target: Callable[..., Any], args: Any = None, kwargs: Any = None
    ) -> CheckedThread:
        """Return a thread whose error the test has when it joins it."""
        return CheckedThread(self, target, args or (), kwargs or {})


TensorFlowTestCase = TestCase
"""The class by the name that it has in TensorFlow's inside."""


class EvaluatingSession:
    """What tests are given for a session where operators run at once."""

    def __init__(self, case: TestCase) -> None:
        self._case = case

    @property
    def graph(self) -> Any:
        """The graph that would be built."""
        return get_default_graph()

    def run(self, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the values; InvalidArgumentError for feeds, which nothing takes here."""
        if kwargs.get("feed_dict") or args:
            raise InvalidArgumentError(
                "session.run: operators run at once, and nothing takes feed_dict"
            )
        return self._case.evaluate(fetches)


class Captured:
    """What was written to a stream since it was turned to a file."""

    def __init__(self, stream: Any, path: Path) -> None:
        self._stream, self._path = stream, path

    def contents(self) -> str:
        """Return it as text."""
        self._stream.flush()
        return self._path.read_text()


class CheckedThread:
    """A thread that hands on what it raises."""

    def __init__(
        self,
        test: unittest.TestCase,
        target: Callable[..., Any],
        args: Any,
        kwargs: Any,
    ) -> None:
        self._test = test
        self._error: BaseException | None = None

        def work() -> None:
            try:
                target(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001  told by `join`
                self._error = error

        self._thread = Thread(target=work, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def join(self) -> None:
        """Wait for the end; the test fails if there was an error."""
        self._thread.join()
        if self._error is not None:
            self._test.fail(f"Error in checkedThread: {self._error!r}")

    def is_alive(self) -> bool:
        """Return whether it still runs."""
        return self._thread.is_alive()


def _values(x: Any) -> Any:
    """Return tensors and structures of them as arrays, composites as sessions give them."""
    if not nest.is_nested(x):
        return _value(x)
    if type(x) in PARTS_AS:
        parts = PARTS_AS[type(x)](*nest.children(x))
    else:
        parts = x.__fetch__() if hasattr(x, "__fetch__") else x
    return nest.rebuild(parts, [_values(y) for y in nest.children(parts)])


def _value(x: Any) -> Any:
    found = plain(x)
    if not isinstance(found, Operand):
        return _values(found()) if callable(found) else found
    array: Any = found.__tensor__().numpy()
    is_scalar = isinstance(array, np.ndarray) and not array.ndim
    return array[()] if is_scalar else array


def main(argv: list[str] | None = None) -> None:
    """Run the tests of the program, or its benchmarks if the command asks for some."""
    given = argv or sys.argv
    pattern = benchmarks.asked_for(given)
    if pattern is None:
        unittest.main(argv=given)
    else:
        benchmarks.run(pattern)


@cache
def get_temp_dir() -> str:
    """Return the folder for what a program's tests write, which goes when it ends."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def test_src_dir_path(relative_path: str) -> str:
    """Return a path below that of the program."""
    return str(Path(sys.argv[0]).resolve().parent / relative_path)


_no_test: Any = test_src_dir_path
_no_test.__test__ = False


def is_gpu_available(
    cuda_only: bool = False, min_cuda_compute_capability: Any = None
) -> bool:
    """Return whether there is a GPU that tensorlite can use."""
    return gpu_count() > 0


def gpu_device_name() -> str:
    """Return the name of the first GPU, or nothing."""
    return "/device:GPU:0" if gpu_count() else ""


def is_built_with_cuda() -> bool:
    """Return whether GPUs of NVIDIA can be used: whether there is one, and CuPy."""
    return is_gpu_available()
