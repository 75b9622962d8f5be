"""Strategies of several devices: values per replica, variables with copies, what is merged.

What is expected was printed by TensorFlow 2.21 with two logical CPUs.
"""

from __future__ import annotations

from typing import Any

import pytest

import tensorlite.compat.v2 as module
from tests.compat.replicas import listed, mirrored, number

tf: Any = module
Strategies = Any


pytestmark = pytest.mark.usefixtures("four_cpus")


def of_aggregation(name: str, when: str = "AUTO") -> Any:
    return tf.Variable(
        1.0,
        aggregation=getattr(tf.VariableAggregation, name),
        synchronization=getattr(tf.VariableSynchronization, when),
    )


def test_functions_are_called_for_each_replica() -> None:
    strategy = mirrored()
    assert strategy.num_replicas_in_sync == 2
    assert strategy.extended.worker_devices == (
        "/job:localhost/replica:0/task:0/device:CPU:0",
        "/job:localhost/replica:0/task:0/device:CPU:1",
    )
    assert listed(strategy.run(number)) == [1.0, 2.0]
    assert listed(tf.function(lambda: strategy.run(number))()) == [1.0, 2.0]
    assert listed(strategy.run(tf.function(number))) == [1.0, 2.0]
    assert strategy.run(lambda: None) is None
    assert strategy.run(lambda: 1) == 1
    made = strategy.run(lambda: {"a": number(), "b": (1, [number()])})
    assert listed(made["a"]) == [1.0, 2.0]
    assert made["b"][0] == 1
    assert listed(made["b"][1][0]) == [1.0, 2.0]
    places = strategy.run(lambda: str((number() * 2.0).device))
    assert [x[-5:] for x in places.values] == ["CPU:0", "CPU:1"]


def test_values_per_replica_are_told_as_tensorflow_does() -> None:
    strategy = mirrored()
    value = strategy.run(number)
    assert str(value) == (
        "PerReplica:{\n  0: tf.Tensor(1.0, shape=(), dtype=float32),\n"
        "  1: tf.Tensor(2.0, shape=(), dtype=float32)\n}"
    )
    with strategy.scope():
        v = tf.Variable([1.0, 2.0], name="v")
        r = tf.Variable(0.0, synchronization=tf.VariableSynchronization.ON_READ)
    whole = "array([1., 2.], dtype=float32)"
    assert repr(v) == (
        f"MirroredVariable:{{\n  0: <tf.Variable 'v:0' shape=(2,) dtype=float32, numpy={whole}>,\n"
        f"  1: <tf.Variable 'v/replica_1:0' shape=(2,) dtype=float32, numpy={whole}>\n}}"
    )
    assert str(r).startswith("SyncOnReadVariable:{\n  0: <tf.Variable 'Variable:0'")
    assert isinstance(v, tf.Variable)
    assert isinstance(v, tf.distribute.DistributedValues)
    assert (v.name, v.trainable, r.trainable) == ("v:0", True, False)
    assert v.synchronization is tf.VariableSynchronization.ON_WRITE
    assert strategy.experimental_local_results(v) == v.values
    assert strategy.experimental_local_results(3) == (3,)
    both = strategy.experimental_local_results({"a": value, "b": 1})
    assert [(float(x["a"]), x["b"]) for x in both] == [(1.0, 1), (2.0, 1)]
    context = tf.distribute.experimental.ValueContext(1, 2)
    assert context.replica_id_in_sync_group == 1


def test_values_are_handed_to_their_replicas() -> None:
    strategy = mirrored()
    own = strategy.experimental_distribute_values_from_function(
        lambda c: tf.constant(c.replica_id_in_sync_group) + c.num_replicas_in_sync
    )
    assert listed(own) == [2, 3]
    made = strategy.run(lambda a, b: a + b, args=(own,), kwargs={"b": 10})
    assert listed(made) == [12, 13]
    traced = tf.function(lambda x: strategy.run(lambda a: a[0] * 2, args=([x],)))
    assert listed(traced(own)) == [4, 6]
    with pytest.raises(IndexError, match="replica 2"):
        mirrored(3).run(lambda a: a, args=(own,))
    with pytest.raises(TypeError):
        _ = own + 1


def test_values_are_reduced_and_gathered() -> None:
    strategy = mirrored()
    value = strategy.run(number)
    assert float(strategy.reduce("SUM", value, axis=None)) == 3.0
    assert (
        float(strategy.reduce(tf.distribute.ReduceOp.MEAN, value, axis=None)) == 1.5
    )
    rows = strategy.run(lambda: tf.range(4.0) + number() - 1.0)
    assert float(strategy.reduce("SUM", rows, axis=0)) == 16.0
    assert float(strategy.reduce("MEAN", rows, axis=0)) == 2.0
    found = strategy.gather(rows, axis=0)
    assert found.numpy().tolist() == [0, 1, 2, 3, 1, 2, 3, 4]
    assert strategy.reduce("MEAN", 1.0, axis=None) == 1.0
    with pytest.raises(ValueError, match="non-DistributedValues"):
        strategy.reduce("SUM", 1.0, axis=None)
    with pytest.raises(ValueError, match="not a valid ReduceOp"):
        strategy.reduce("FOO", value, axis=None)
    with pytest.raises(ValueError, match="scalars"):
        strategy.gather(value, axis=0)


def test_contexts() -> None:
    strategy, distribute = mirrored(), tf.distribute
    assert not distribute.has_strategy()
    assert not distribute.in_cross_replica_context()
    assert distribute.get_replica_context().num_replicas_in_sync == 1
    with strategy.scope():
        assert distribute.get_strategy() is strategy
        assert distribute.get_replica_context() is None
        assert distribute.in_cross_replica_context()
        with pytest.raises(RuntimeError, match="Mixing"), mirrored().scope():
            pass

    def inside() -> Any:
        here = distribute.get_replica_context()
        told = here.strategy is strategy, here.num_replicas_in_sync
        return (*told, distribute.in_cross_replica_context())

    assert strategy.run(inside) == (True, 2, False)


OUTSIDE: dict[str, Any] = {
    "run": lambda s: s.run(lambda: s.run(lambda: 1)),
    "reduce": lambda s: s.run(lambda: s.reduce("SUM", 1.0, axis=None)),
    "scope": lambda s: s.run(lambda: s.scope().__enter__()),
}


@pytest.mark.parametrize("use", OUTSIDE.values(), ids=OUTSIDE.keys())
def test_replicas_use_no_strategy(use: Any) -> None:
    with pytest.raises(RuntimeError, match="cross-replica context"):
        use(mirrored())


def test_replicas_merge_what_they_have() -> None:
    strategy = mirrored()

    def merged(strategy: Any, own: Any, plain: int) -> Any:
        assert tf.distribute.get_replica_context() is None
        assert tf.distribute.in_cross_replica_context()
        assert plain == 2
        return strategy.reduce("SUM", own, axis=None)

    def step() -> Any:
        here = tf.distribute.get_replica_context()
        return here.merge_call(merged, args=(number(),), kwargs={"plain": 2})

    assert float(strategy.run(step)) == 3.0
    assert float(tf.function(lambda: strategy.run(step))()) == 3.0

    def uneven() -> None:
        here = tf.distribute.get_replica_context()
        if int(here.replica_id_in_sync_group) == 0:
            here.merge_call(lambda _: None)

    with pytest.raises(RuntimeError, match="merge_call"):
        strategy.run(uneven)

    def within() -> Any:
        return tf.function(step)()

    with pytest.raises(RuntimeError, match="merge_call"):
        strategy.run(within)


def _error() -> None:
    raise KeyError("boo")


def test_errors_of_replicas_come_out() -> None:
    with pytest.raises(KeyError, match="boo"):
        mirrored().run(_error)


@pytest.mark.parametrize(
    ("how", "value"), [("SUM", [5.0, 10.0]), ("MEAN", [2.5, 5.0])]
)
def test_all_reduce_and_its_gradient(how: str, value: list[float]) -> None:
    strategy = mirrored()
    gradients = {"SUM": [11.0, 17.0], "MEAN": [5.5, 8.5]}[how]

    def step() -> Any:
        x = number()
        here = tf.distribute.get_replica_context()
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = here.all_reduce(how, x * x) * x
        return y, tape.gradient(y, x)

    for found in (strategy.run(step), tf.function(lambda: strategy.run(step))()):
        assert [listed(x) for x in found] == [value, gradients]


def test_all_reduce_of_structures_and_all_gather() -> None:
    strategy = mirrored()

    def step() -> Any:
        here = tf.distribute.get_replica_context()
        return here.all_reduce(
            "MEAN", {"a": tf.constant([1.0, 2.0]), "b": [number()]}
        )

    found = strategy.run(step)
    assert listed(found["a"]) == [[1.0, 2.0], [1.0, 2.0]]
    assert listed(found["b"][0]) == [1.5, 1.5]

    def rows_of() -> Any:
        here, one = tf.distribute.get_replica_context(), tf.constant([[1.0]])
        slices = tf.IndexedSlices(one, tf.constant([0]), tf.constant([2, 1]))
        return here.all_reduce("SUM", slices)

    for slices in strategy.run(rows_of).values:
        assert slices.values.numpy().tolist() == [[1.0], [1.0]]
        assert slices.indices.numpy().tolist() == [0, 0]

    def gather() -> Any:
        here, x = tf.distribute.get_replica_context(), tf.fill([2], number())
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = here.all_gather(x, axis=0)
            loss = tf.reduce_sum(y * tf.constant([1.0, 2.0, 3.0, 4.0]))
        return y, tape.gradient(loss, x)

    rows, gradients = strategy.run(gather)
    assert listed(rows) == [[1, 1, 2, 2]] * 2
    assert listed(gradients) == [[2, 4], [6, 8]]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("NONE", [1.0, 2.0]),
        ("SUM", [3.0, 3.0]),
        ("MEAN", [1.5, 1.5]),
        ("ONLY_FIRST_REPLICA", [1.0, 1.0]),
    ],
)
@pytest.mark.parametrize("is_traced", [False, True])
def test_replicas_assign_by_aggregation(
    name: str, found: list[float], is_traced: bool
) -> None:
    strategy = mirrored()
    with strategy.scope():
        v = of_aggregation(name)

    def step() -> None:
        v.assign(number())

    if is_traced:
        tf.function(lambda: strategy.run(step))()
    else:
        strategy.run(step)
    assert listed(v) == found
    v.assign(7.0)
    assert listed(v) == [7.0, 7.0]
    v.assign_add(1.0)
    assert listed(v) == [8.0, 8.0]


def test_numbers_are_not_summed() -> None:
    strategy = mirrored()
    with strategy.scope():
        v = of_aggregation("SUM")
    with pytest.raises(ValueError, match="non-DistributedValues value 3"):
        strategy.run(lambda: v.assign(3.0))


@pytest.mark.parametrize(
    ("name", "read"), [("SUM", 5.0), ("MEAN", 2.5), ("ONLY_FIRST_REPLICA", 2.0)]
)
def test_copies_are_joined_on_reading(name: str, read: float) -> None:
    strategy = mirrored()
    with strategy.scope():
        v = of_aggregation(name, "ON_READ")
    found = strategy.run(lambda: v.assign_add(number()).read_value())
    assert listed(v) == [2.0, 3.0]
    assert listed(found) == [2.0, 3.0]
    assert float(v.numpy()) == float(v.read_value()) == float(v + 0.0) == read
    assert float(tf.function(v.read_value)()) == read
    v.assign(4.0)
    assert float(v.numpy()) == 4.0
    assert listed(v) == ([2.0, 2.0] if name == "SUM" else [4.0, 4.0])
    if name == "SUM":
        with pytest.raises(ValueError, match="assign_add"):
            v.assign_add(1.0)
    else:
        v.assign_add(1.0)
        assert float(v.numpy()) == 5.0


def test_copies_without_aggregation_are_not_joined() -> None:
    strategy = mirrored()
    with strategy.scope():
        v = of_aggregation("NONE", "ON_READ")
        with pytest.raises(ValueError, match="synchronization"):
            of_aggregation("NONE", "NONE")
    strategy.run(lambda: v.assign(number()))
    with pytest.raises(ValueError, match="aggregation NONE"):
        v.numpy()


def test_copies_are_updated_one_by_one() -> None:
    strategy = mirrored()
    with strategy.scope():
        v = tf.Variable([1.0, 2.0])
        own = strategy.experimental_distribute_values_from_function(
            lambda c: float(c.replica_id_in_sync_group)
        )
        strategy.extended.update(v, lambda x, d: x.assign_add([d, d]), args=(own,))
    assert listed(v) == [[1.0, 2.0], [2.0, 3.0]]
    v.assign(strategy.run(lambda: tf.fill([2], number())))
    assert listed(v) == [[1.0, 1.0], [2.0, 2.0]]
    slices = tf.IndexedSlices(tf.constant([5.0]), tf.constant([1]), tf.constant([2]))
    v.scatter_add(slices)
    assert listed(v) == [[1.0, 6.0], [2.0, 7.0]]
    tf.compat.v1.scatter_update(v, [0], [9.0])
    assert listed(v) == [[9.0, 6.0], [9.0, 7.0]]


def test_variables_made_by_replicas_are_one() -> None:
    strategy, made = mirrored(), []

    def step() -> Any:
        v = tf.Variable(number())
        made.append(v)
        return v.read_value()

    assert listed(strategy.run(step)) == [1.0, 1.0]
    assert made[0] is made[1]
    kept: list[Any] = []

    @tf.function  # type: ignore[untyped-decorator]  # known when it runs
    def traced() -> Any:
        if not kept:
            kept.append(tf.Variable(2.0))
        return kept[0] * number()

    assert listed(strategy.run(traced)) == [2.0, 4.0]
    assert type(kept[0]).__name__ == "MirroredVariable"


def test_each_replica_traces_for_its_own_copy() -> None:
    strategy = mirrored()
    with strategy.scope():
        v = of_aggregation("NONE")

    @tf.function  # type: ignore[untyped-decorator]  # known when it runs
    def read() -> Any:
        return v.read_value()

    strategy.run(lambda: v.assign(number()))
    assert listed(strategy.run(lambda: read())) == [1.0, 2.0]  # noqa: PLW0108  not itself traced
    assert float(read()) == 1.0


def test_central_storage_has_each_variable_once() -> None:
    strategy = tf.distribute.experimental.CentralStorageStrategy(
        compute_devices=["/cpu:1", "/cpu:2"]
    )
    with strategy.scope():
        v, w = of_aggregation("SUM"), tf.Variable(1.0)
    assert len(v.values) == 1
    assert str(v.values[0].device).endswith("CPU:0")
    strategy.run(lambda: v.assign(number()))
    assert float(v) == 3.0
    with pytest.raises(ValueError, match="aggregation"):
        strategy.run(lambda: w.assign(number()))


def test_what_reduces_is_checked() -> None:
    distribute, devices = tf.distribute, ["/cpu:0", "/cpu:1"]
    for made in (
        distribute.ReductionToOneDevice(),
        distribute.HierarchicalCopyAllReduce(num_packs=2),
        distribute.NcclAllReduce(),
    ):
        strategy = distribute.MirroredStrategy(devices, cross_device_ops=made)
        value = strategy.run(number)
        assert float(made.reduce(distribute.ReduceOp.SUM, value, value)) == 3.0
    with pytest.raises(ValueError, match="num_packs"):
        distribute.NcclAllReduce(-1)
    with pytest.raises(TypeError, match="cross_device_ops"):
        distribute.MirroredStrategy(devices, cross_device_ops="nccl")


WRONG: dict[str, tuple[type[Exception], str, Any]] = {
    "twice": (AssertionError, "No duplicates", ["/cpu:0", "cpu:0"]),
    "no device": (ValueError, "foo", ["foo", "bar"]),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_devices_are_refused(name: str) -> None:
    kind, message, devices = WRONG[name]
    with pytest.raises(kind, match=message):
        tf.distribute.MirroredStrategy(devices)


def test_devices_that_are_not_there_are_refused_where_they_must_be() -> None:
    tf.config.set_soft_device_placement(False)
    with pytest.raises(ValueError, match="CPU:9"):
        tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:9"])


def test_wrong_calls_are_refused() -> None:
    strategy = mirrored()
    with pytest.raises(TypeError):
        strategy.run(3)
    with pytest.raises(ValueError, match="list or tuple"):
        strategy.run(number, args=tf.ones(2))
    with pytest.raises(TypeError):
        strategy.experimental_distribute_dataset([1, 2])
    with pytest.raises(ValueError, match="eagerly"):
        strategy.make_dataset_iterator(tf.data.Dataset.range(5).batch(3))


def test_without_devices_all_cpus_take_part() -> None:
    assert tf.distribute.MirroredStrategy().num_replicas_in_sync == 4
    one = tf.distribute.OneDeviceStrategy("/cpu:1")
    assert str(one.run(lambda: (number() * 2.0).device)).endswith("CPU:1")
    assert one.run(lambda x: x, args=(3,)) == 3
