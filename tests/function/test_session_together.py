"""Sessions beside each other: many threads over one graph, and graphs over several devices."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.xp import cpu_count


@pytest.fixture
def restless() -> Iterator[None]:
    """Let threads take turns as often as Python can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.fixture
def two_devices() -> Iterator[None]:
    before = cpu_count()
    tl.config.set_logical_devices("CPU", 2)
    yield
    tl.config.set_logical_devices("CPU", before)


def in_threads(number: int, work: Callable[[int], None]) -> None:
    """Run `work` in some threads, and raise the first error of them."""
    errors: list[BaseException] = []

    def guarded(place: int) -> None:
        try:
            work(place)
        except BaseException as error:  # noqa: BLE001  raised below
            errors.append(error)

    threads = [
        threading.Thread(target=guarded, args=(place,)) for place in range(number)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@pytest.mark.usefixtures("restless")
def test_threads_run_one_graph_at_once() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.float32, ())
        _, total = tl.while_loop(
            lambda i, t: i < 5, lambda i, t: (i + 1, t + x), (0, tl.constant(0.0))
        )
    session = tl.Session(graph)

    def work(place: int) -> None:
        for _ in range(50):
            assert session.run(total, {x: float(place)}) == 5.0 * place
            assert session.run([total, x], {x: float(place)})[1] == place

    in_threads(8, work)


@pytest.mark.usefixtures("restless")
def test_no_write_of_many_threads_is_lost() -> None:
    count, rows = tl.Variable(0.0), tl.Variable(np.zeros(3, np.float32))
    w = tl.Variable(0.0)
    slot = tl.optimizers.SGD(1.0, momentum=0.5)
    graph = tl.Graph()
    with graph.as_default():
        one = tl.IndexedSlices(tl.ones(1), tl.asarray([1]), (3,))
        more = [count.assign_add(1.0), rows.scatter_add(one)]
        steps = slot.apply_gradients([(tl.constant(0.0), w)])
    sessions = [tl.Session(graph) for _ in range(2)]

    def work(place: int) -> None:
        for _ in range(300):
            sessions[place % 2].run([more, steps])

    in_threads(6, work)
    assert count.item() == 1800.0
    assert rows.numpy().tolist() == [0, 1800, 0]
    assert slot.iterations.item() == 1800


@pytest.mark.usefixtures("two_devices")
def test_a_graph_over_two_devices_gives_what_one_does() -> None:
    def built(places: tuple[str, str]) -> list[object]:
        graph = tl.Graph()
        with graph.as_default():
            x = tl.placeholder(tl.float32, (None,))
            with tl.device(places[0]):
                v = tl.Variable(2.0)
                a = x * v
                with tl.control_dependencies([a]):
                    write = v.assign_add(1.0)
            with tl.device(places[1]):
                w = tl.Variable(3.0)
                _, b = tl.while_loop(
                    lambda i, b: i < 4, lambda i, b: (i + 1, b * w), (0, a)
                )
                found = tl.gradients(b, [x, v, w])
                train = tl.optimizers.Adam(0.1).minimize(tl.sum(b), [v, w])
        session, feeds = tl.Session(graph), {x: [1.0, 2.0]}
        step = session.partial_run_setup([a, b], [x])
        return [
            *session.run([b, *found, write, v], feeds),
            *session.run([v, w, train], feeds),
            session.partial_run(step, a, feeds),
            session.partial_run(step, b),
        ]

    one, two = built(("/cpu:0", "/cpu:0")), built(("/cpu:0", "/cpu:1"))
    for x, y in zip(one, two, strict=True):
        np.testing.assert_array_equal(x, y)
