"""Threads that build one graph of TensorFlow 1 while others build, write and run it.

What one thread sees of its own graphs and sessions stands in test_found_by_programs.py.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from threading import Event, Thread
from typing import Any

import pytest

from tensorlite.compat import v1 as tf

SHORT = 0.2
"""Seconds that a thread is given to get in between."""


@pytest.fixture
def switching() -> Iterator[None]:
    """Have threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def _adding(graph: Any) -> Thread:
    """Return a thread, started, that makes a node called "beside" in a graph."""

    def add() -> None:
        with graph.as_default():
            tf.constant(7.0, name="beside")

    thread = Thread(target=add)
    thread.start()
    thread.join(SHORT)
    return thread


def test_taking_back_leaves_what_another_thread_made() -> None:
    with tf.Graph().as_default() as graph:
        tf.constant(1.0, name="first")
        threads: list[Thread] = []

        def fail() -> None:
            with graph.undoing():
                tf.constant(2.0, name="taken_back")
                threads.append(_adding(graph))
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            fail()
        threads[0].join()
    assert [x.name for x in graph.get_operations()] == ["first", "beside"]


def test_what_a_thread_makes_meanwhile_is_no_part_of_gradients() -> None:
    threads: list[Thread] = []

    @tf.custom_gradient
    def doubled(x: Any) -> tuple[Any, Callable[[Any], Any]]:
        def grad(dy: Any) -> Any:
            threads.append(_adding(graph))
            return 2.0 * dy

        return x * 2.0, grad

    with tf.Graph().as_default() as graph:
        x = tf.constant(3.0)
        (dx,) = tf.gradients(doubled(x), x)
        threads[0].join()
        names = [node.name for node in graph.get_operations()]
        with tf.Session() as session:
            assert session.run([dx, "beside:0"]) == [2.0, 7.0]
    assert names[-1] == "beside"


def _built() -> None:
    """Build loops and gradients in the default graph, write it, and import what was written."""
    graph: Any = tf.get_default_graph()
    for _ in range(2):
        x, y = tf.placeholder(tf.float32, ()), tf.placeholder(tf.float32, ())
        z = tf.while_loop(
            lambda x, _: x < 10.0, lambda x, y: (x + 1.0, x * y), [x, y]
        )
        tf.gradients(z, [x, y])
        graph.as_graph_def()
    tf.import_graph_def(graph.as_graph_def(), name="import")


@pytest.mark.usefixtures("switching")
@pytest.mark.filterwarnings("ignore::tensorlite.core.errors.GraphGrowthWarning")
def test_threads_build_loops_while_others_run() -> None:
    errors: list[Exception] = []
    stop = Event()

    def started(run: Callable[[], None]) -> Thread:
        def kept() -> None:
            try:
                run()
            except Exception as error:  # noqa: BLE001  told below, whatever it is
                errors.append(error)

        thread = Thread(target=kept)
        thread.start()
        return thread

    with tf.Graph().as_default() as graph, tf.Session() as session:
        five = tf.constant(5.0)

        def build() -> None:
            with graph.as_default():
                _built()

        def run() -> None:
            while not stop.wait(0.01):
                assert session.run(five) == 5.0

        running = [started(run) for _ in range(2)]
        for thread in [started(build) for _ in range(3)]:
            thread.join()
        stop.set()
        for thread in running:
            thread.join()
        assert not errors
        names = [node.name for node in graph.get_operations()]
    assert len(names) == len(set(names))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("nested", [False, True])
def test_bodies_may_wait_for_threads_that_build_the_same_graph(nested: bool) -> None:
    made: list[Any] = []

    def beside() -> None:
        with graph.as_default():
            made.append(tf.constant(3.0, name="beside") + 1.0)

    def join(x: Any) -> Any:
        thread = Thread(target=beside)
        thread.start()
        thread.join()
        return x + 1.0

    def body(i: Any, x: Any) -> tuple[Any, Any]:
        if nested:
            return i + 1, tf.cond(x > 0.0, lambda: join(x), lambda: x)
        return i + 1, join(x)

    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, ())
        found = tf.while_loop(lambda i, _: i < 3, body, [0, x])
        assert session.run(found[1], {x: 1.0}) == 4.0
        assert session.run(made[0]) == 4.0
        mapped = tf.map_fn(join, tf.constant([1.0, 2.0]))
        assert session.run(mapped).tolist() == [2.0, 3.0]
        assert made[0].op.name == "add"
        assert made[0].op.inputs[0].name == "beside:0"
