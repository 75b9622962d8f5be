"""What people do wrong with clusters: it is refused, with what was allowed, and changes nothing."""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.distributed.cluster import Cluster
from tests.distributed.thread_engine import ThreadEngine

WORKER = "/job:worker/task:0"


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with tl.distribute.connect({"ps": 2, "worker": 2}, engine="inprocess") as made:
        yield made


def test_constants_are_where_the_scope_says(cluster: Cluster) -> None:
    with tl.device(WORKER):
        found = [tl.asarray(np.ones(3)), tl.constant([1.0]), tl.asarray(2.0)]
    assert {str(x.device) for x in found} == {f"{WORKER}/device:CPU:0"}
    assert found[0].tolist() == [1, 1, 1]


def test_constants_on_another_cpu_of_a_task() -> None:
    with (
        tl.distribute.connect({"worker": 1}, engine="inprocess", logical_cpus=2),
        tl.device(f"{WORKER}/device:CPU:1"),
    ):
        assert str(tl.asarray([1.0]).device) == f"{WORKER}/device:CPU:1"


def test_session_without_target_returns_values_of_tasks(cluster: Cluster) -> None:
    graph = tl.Graph()
    with graph.as_default(), tl.device(WORKER):
        y = tl.ones(2) * 3.0
    found = tl.Session(graph).run(y)
    assert isinstance(found, np.ndarray)
    assert found.tolist() == [3, 3]


@pytest.mark.parametrize("traced", [False, True])
def test_gradients_are_not_applied_to_one_copy_of_several(
    cluster: Cluster, traced: bool
) -> None:
    strategy = tl.distribute.AllReduce(cluster)
    with strategy.scope():
        w, optimizer = tl.Variable(3.0, name="w"), tl.optimizers.Adam(0.1)

    def step(x: Any) -> Any:
        with tl.GradientTape() as tape:
            loss = tl.mean((w - x) ** 2)
        optimizer.minimize(loss, [w], tape)
        return loss

    with pytest.raises(tl.errors.InvalidArgumentError, match=r"'w'.*strategy\.run"):
        (tl.function(step) if traced else step)(tl.ones(4))
    assert int(optimizer.iterations) == 0
    strategy.run(step, tl.ones(4))
    assert isinstance(w, tl.distribute.MirroredVariable)
    assert len({float(one) for one in w.copies}) == 1


def test_remote_tensors_are_exported_and_copied(cluster: Cluster) -> None:
    with tl.device(WORKER):
        x = tl.ones((200, 200)) * 2.0
        w = tl.Variable(1.0)
    assert np.from_dlpack(x)[0, 0] == 2
    assert copy.deepcopy(x).numpy()[0, 0] == 2
    with pytest.raises(tl.errors.DTypeError, match="is state"):
        copy.deepcopy(w.handle)


def test_none_is_no_number() -> None:
    w = tl.Variable(1.0)
    wrong: Any
    for wrong in (None, [None]):
        with pytest.raises(tl.errors.DTypeError, match="None"):
            w.assign(wrong)
    with pytest.raises(tl.errors.DTypeError, match="None"):
        tl.asarray([1.0, None], dtype=tl.float32)
    assert np.isnan(tl.asarray([1, float("nan")], dtype=tl.bfloat16).numpy()[1])


def test_spec_takes_numbers_of_numpy() -> None:
    one: Any = np.int64(1)
    with tl.distribute.connect({"ps": one}, engine="inprocess") as made:
        assert repr(made) == "<Cluster 'tensorlite': 1 ps>"
    assert repr(made) == "<Cluster 'tensorlite': 1 ps, closed>"


def test_job_alone_names_its_first_task(cluster: Cluster) -> None:
    with tl.device("/job:worker"):
        w = tl.Variable(1.0)
    assert str(w.device) == f"{WORKER}/device:CPU:0"


def test_policies_return_servers(cluster: Cluster) -> None:
    nowhere: Any = lambda spec, servers: None  # noqa: E731
    strategy = tl.distribute.ParameterServer(cluster, policy=nowhere)
    with strategy.scope(), pytest.raises(tl.errors.DTypeError, match="servers"):
        tl.Variable(1.0)


def test_engine_in_use_is_not_ended(cluster: Cluster) -> None:
    with pytest.raises(tl.errors.FailedPreconditionError):
        tl.distribute.connect({"ps": 2, "worker": 2}, engine=cluster.engine)
    with tl.device(WORKER):
        assert tl.ones(2).tolist() == [1, 1]


def test_functions_span_one_cluster(cluster: Cluster) -> None:
    with (
        tl.distribute.connect({"b": 1}, engine="inprocess", name="b"),
        tl.device("/job:b"),
    ):
        there = tl.Variable(2.0)
        with tl.device(WORKER):
            here = tl.Variable(1.0)
        assert float(there + here) == 3
        with pytest.raises(tl.errors.PlacementError, match="two clusters"):
            tl.function(lambda: there + here)()


def test_loops_end_when_their_step_is_given_up() -> None:
    with tl.distribute.connect({"worker": 1}, engine=ThreadEngine()) as made:
        count = tl.function(
            lambda: tl.while_loop(lambda i: i >= 0, lambda i: i + 0, (0,))
        )
        tl.config.set_step_timeout(0.5)
        try:
            with (
                tl.device(WORKER),
                pytest.raises(tl.errors.DeadlineExceededError),
            ):
                count()
        finally:
            tl.config.set_step_timeout(None)
        with tl.device(WORKER):
            assert tl.ones(2).tolist() == [1, 1]
        assert not made.status().waits


def test_connecting_twice_is_refused_at_once(cluster: Cluster) -> None:
    with pytest.raises(tl.errors.FailedPreconditionError, match=r"close\(\)"):
        tl.distribute.connect({"ps": 1})


def test_closed_cluster_is_refused(cluster: Cluster) -> None:
    strategy = tl.distribute.ParameterServer(cluster)
    with strategy.scope():
        w = tl.Variable(1.0)
    strategy.evaluate(lambda x: x * w, tl.ones(4))
    cluster.close()
    calls: list[Callable[[], object]] = [
        lambda: tl.distribute.ParameterServer(cluster),
        lambda: tl.Session(tl.Graph(), target=cluster),
        lambda: strategy.evaluate(lambda x: x * w, tl.ones(4)),
        cluster.status,
        cluster.recover,
    ]
    for call in calls:
        with pytest.raises(
            (tl.errors.FailedPreconditionError, tl.errors.DeviceError)
        ):
            call()


def model() -> tl.layers.Sequential:
    return tl.layers.Sequential([tl.layers.Dense(2), tl.layers.Dense(1)])


def trainer(**options: Any) -> tl.distribute.Trainer:
    given = {"checkpoint": {}, "folder": tempfile.gettempdir(), "progress": False}
    return tl.distribute.Trainer(lambda x: x, [1.0], **{**given, **options})


REFUSED: dict[str, tuple[Callable[[Cluster], object], type[Exception], str]] = {
    "status's timeout": (
        lambda c: c.status("1"),  # type: ignore[arg-type]
        tl.errors.InvalidArgumentError,
        "seconds",
    ),
    "recover's timeout": (
        lambda c: c.recover(-1),
        tl.errors.InvalidArgumentError,
        "seconds",
    ),
    "status of no task": (
        lambda c: c.status()["/job:ps/task:9"],
        tl.errors.NotFoundError,
        "/job:ps/task:1",
    ),
    "devices as a string": (
        lambda c: tl.distribute.Mirrored("/cpu:0"),
        tl.errors.DTypeError,
        "list of device names",
    ),
    "devices as a cluster": (
        lambda c: tl.distribute.Mirrored(cast("Any", c)),
        tl.errors.DTypeError,
        "list of device names",
    ),
    "stage by name": (
        lambda c: tl.distribute.Pipeline(c).stage("a").__enter__(),  # type: ignore[arg-type]
        tl.errors.DTypeError,
        "integers",
    ),
    "stages of functions": (
        lambda c: tl.distribute.Pipeline(c).staged([abs]),  # type: ignore[list-item]
        tl.errors.DTypeError,
        "layers",
    ),
    "no stages": (
        lambda c: tl.distribute.Pipeline(c).staged([]),
        tl.errors.InvalidArgumentError,
        "nothing",
    ),
    "numbers as data": (
        lambda c: tl.distribute.AllReduce(c).distribute([1, 2], batch_size=2),
        tl.errors.DTypeError,
        "no rows",
    ),
    "None as data": (
        lambda c: tl.distribute.AllReduce(c).distribute(None),
        tl.errors.DTypeError,
        "no rows",
    ),
    "short in asynchronous training": (
        lambda c: tl.distribute.ParameterServer(c, mode="async").distribute(
            np.ones(4), batch_size=2, short="stop"
        ),
        tl.errors.InvalidArgumentError,
        "go on",
    ),
    "places as a string": (
        lambda c: tl.distribute.SplitVariable(tl.ones((5, 2)), "/job:ps/task:0"),
        tl.errors.DTypeError,
        "list of devices",
    ),
    "ByRows's least": (
        lambda c: tl.distribute.ByRows(least="x"),  # type: ignore[arg-type]
        tl.errors.DTypeError,
        "integers",
    ),
    "ByRows's rest": (
        lambda c: tl.distribute.ByRows(rest="x"),  # type: ignore[arg-type]
        tl.errors.DTypeError,
        "function",
    ),
    "a model as checkpoint": (
        lambda c: trainer(checkpoint=model()),
        tl.errors.DTypeError,
        "a dict",
    ),
    "no folder": (lambda c: trainer(folder=None), tl.errors.DTypeError, "a path"),
    "a strategy's name": (
        lambda c: trainer(strategy="ps"),
        tl.errors.DTypeError,
        "strategy",
    ),
    "a trainer's timeout": (
        lambda c: trainer(timeout=-1),
        tl.errors.InvalidArgumentError,
        "seconds",
    ),
    "a trainer's on_step": (
        lambda c: trainer(on_step=3),
        tl.errors.DTypeError,
        "function",
    ),
    "half a step": (lambda c: trainer().run(2.5), tl.errors.DTypeError, "integers"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("what", REFUSED)
def test_mistakes_are_told(cluster: Cluster, what: str) -> None:
    call, kind, told = REFUSED[what]
    with pytest.raises(kind, match=told):
        call(cluster)
    with tl.device(WORKER):
        assert float(tl.sum(tl.ones(3))) == 3


def test_sequential_is_staged(cluster: Cluster) -> None:
    strategy = tl.distribute.Pipeline(cluster)
    assert len(strategy.staged(model())) == 2
    assert repr(strategy) == "<Pipeline of 4 replicas>"
