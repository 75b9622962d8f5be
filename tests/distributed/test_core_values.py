"""What goes to tasks, comes back and lives there: values of all kinds, gradients."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.remote import RemoteArray
from tensorlite.distributed.cluster import Cluster

PS, FIRST, SECOND = "/job:ps/task:0", "/job:worker/task:0", "/job:worker/task:1"
NUMBERS = (
    *("float16", "bfloat16", "float32", "float64", "int8", "uint16", "int64"),
    *("bool", "complex64", "complex128"),
)


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with tl.distribute.connect({"ps": 1, "worker": 2}, engine="inprocess") as made:
        yield made


def where(x: Any) -> str:
    return str(x.device).removesuffix("/device:CPU:0")


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (100, 100)])
@pytest.mark.parametrize("dtype", NUMBERS)
def test_numbers_of_all_kinds_come_back_as_they_went(
    cluster: Cluster, dtype: str, shape: tuple[int, ...]
) -> None:
    """As feeds, between tasks, as what a function captured, and as what comes back."""
    x = tl.astype(tl.ones(shape), getattr(tl, dtype))

    @tl.function
    def travel(given: tl.Tensor) -> list[tl.Tensor]:
        with tl.device(FIRST):
            there = tl.identity(given)
            captured = tl.identity(x)
        with tl.device(SECOND):
            further = tl.identity(there)
        return [there, captured, further, given, further]

    for _ in range(2):
        for y in travel(x):
            assert (y.dtype, y.shape) == (x.dtype, x.shape)
            assert y.numpy().tobytes() == x.numpy().tobytes()


@pytest.mark.parametrize("words", ["", "ä\0b", ["a", "bc", ""], [[]], ["x" * 50_000]])
def test_strings_come_back_as_they_went(cluster: Cluster, words: Any) -> None:
    x = tl.constant(words, tl.string)

    @tl.function
    def travel(given: tl.Tensor) -> list[tl.Tensor]:
        with tl.device(FIRST):
            there = tl.identity(given)
            captured = tl.identity(x)
        with tl.device(SECOND):
            further = tl.identity(there)
        return [there, captured, further, given]

    for y in travel(x):
        assert y.numpy().tolist() == x.numpy().tolist()
    with tl.device(FIRST):
        assert tl.identity(x).numpy().tolist() == x.numpy().tolist()


def test_structures_none_inputs_and_the_same_twice(cluster: Cluster) -> None:
    @tl.function
    def many(x: tl.Tensor, y: tl.Tensor) -> dict[str, Any]:
        with tl.device(SECOND):
            z = x + y
        return {"a": x, "b": [z, z, None], "c": (y, {"d": z})}

    found = many(tl.asarray(1.0), tl.asarray(2.0))
    assert found["b"][2] is None
    assert [float(x) for x in (found["a"], *found["b"][:2], found["c"][0])] == [
        *(1, 3, 3, 2)
    ]
    assert (where(found["a"]), where(found["c"][1]["d"])) == ("", SECOND)


def test_a_function_of_effects_alone(cluster: Cluster) -> None:
    with tl.device(PS):
        v = tl.Variable(0.0)

    @tl.function
    def count() -> None:
        v.assign_add(1.0)

    for _ in range(3):
        assert count() is None
    assert float(v) == 3


def test_arrays_may_be_changed_after_the_call(cluster: Cluster) -> None:
    given = np.ones((200, 200), np.float32)
    with tl.device(FIRST):
        v = tl.Variable(given)
        x = tl.identity(tl.asarray(given))

    @tl.function
    def same(y: tl.Tensor) -> tl.Tensor:
        with tl.device(FIRST):
            return tl.identity(y)

    y = same(given)  # type: ignore[arg-type]
    before = v.read_value()
    given[:] = 9
    v.assign_add(np.ones_like(given))
    assert [float(each[0, 0]) for each in (v, x, y, before)] == [2, 1, 1, 1]
    assert not y.numpy().flags.writeable


def test_gradients_of_a_function_on_tasks_and_of_its_gradient(
    cluster: Cluster,
) -> None:
    with tl.device(PS):
        v = tl.Variable([1.0, 2.0])

    @tl.function
    def loss(x: tl.Tensor) -> tl.Tensor:
        with tl.device(FIRST):
            y = v * x
        with tl.device(SECOND):
            return tl.sum(y * y)

    x = tl.asarray([3.0, 4.0])
    with tl.GradientTape() as outer:
        outer.watch(x)
        with tl.GradientTape() as inner:
            inner.watch(x)
            found = loss(x)
        first, of_v = inner.gradient(found, [x, v])
        total = tl.sum(first)
    assert first.tolist() == [6, 32]
    assert of_v.tolist() == [18, 64]
    assert outer.gradient(total, x).tolist() == [2, 8]


def test_custom_gradients_in_nested_functions(cluster: Cluster) -> None:
    @tl.custom_gradient
    def doubled(x: tl.Tensor) -> Any:
        return x * 2.0, lambda dy: dy * 7.0

    @tl.function
    def inner(x: tl.Tensor) -> Any:
        with tl.device(SECOND):
            return doubled(x)

    @tl.function
    def outer(x: tl.Tensor) -> Any:
        with tl.device(FIRST):
            y = x + 1.0
        return inner(y) + inner(x)

    x = tl.asarray(1.0)
    with tl.GradientTape() as tape:
        tape.watch(x)
        y = outer(x)
    assert (float(y), float(tape.gradient(y, x))) == (6, 14)


def test_sparse_gradients_reach_the_rows_of_a_remote_variable(
    cluster: Cluster,
) -> None:
    with tl.device(PS):
        v = tl.Variable(np.ones((6, 2), np.float32))
    with tl.GradientTape() as tape:
        loss = tl.sum(tl.gather(v, tl.constant([1, 1, 3])))
    gradient = tape.gradient(loss, v)
    assert isinstance(gradient, tl.IndexedSlices)
    tl.optimizers.SGD(0.5).apply_gradients([(gradient, v)])
    assert v.numpy()[:, 0].tolist() == [1, 0, 1, 0.5, 1, 1]


def test_lists_go_to_tasks_and_between_them(cluster: Cluster) -> None:
    """Small and large ones, made here or there, eagerly and in a trace."""
    for size in (1, 5000):
        x = tl.ones((3, size)) * tl.reshape(tl.asarray([1.0, 2.0, 3.0]), (3, 1))
        here = tl.TensorArray(tl.float32, 3).unstack(x)

        @tl.function
        def stacked(given: Any) -> Any:
            with tl.device(FIRST):
                return given.stack() * 2.0

        @tl.function
        def made(given: tl.Tensor) -> Any:
            with tl.device(FIRST):
                return tl.TensorArray(tl.float32, 3).unstack(given)

        assert np.array_equal(stacked(here).numpy(), 2 * x.numpy())
        there = made(x)
        with tl.device(SECOND):
            assert np.array_equal(there.stack().numpy(), x.numpy())
        assert np.array_equal(there.stack().numpy(), x.numpy())
        assert np.array_equal(stacked(there).numpy(), 2 * x.numpy())


def test_a_list_of_another_task_is_brought_for_the_clients_part(
    cluster: Cluster,
) -> None:
    @tl.function
    def made(given: tl.Tensor) -> Any:
        with tl.device(FIRST):
            return tl.TensorArray(tl.float32, 3).unstack(given)

    @tl.function
    def both(given: Any) -> Any:
        with tl.device("/device:CPU:0"):
            x = given.stack()
        with tl.device(SECOND):
            return x * 2.0

    assert both(made(tl.asarray([1.0, 2.0, 3.0]))).tolist() == [2, 4, 6]


def test_branches_and_loops_ask_other_tasks(cluster: Cluster) -> None:
    with tl.device(SECOND):
        v = tl.Variable(1.0)

    @tl.function
    def branch(x: tl.Tensor) -> Any:
        with tl.device(FIRST):
            positive = x > 0.0
        with tl.device(SECOND):
            return tl.cond(positive, lambda: x * v, lambda: x - v)

    @tl.function
    def loop(n: tl.Tensor) -> Any:
        def goes_on(i: Any, x: Any) -> Any:
            with tl.device(SECOND):
                return i < n

        def body(i: Any, x: Any) -> Any:
            with tl.device(FIRST):
                return i + 1, x * 2.0

        return tl.while_loop(goes_on, body, (tl.asarray(0), tl.asarray(1.0)))[1]

    assert [float(branch(tl.asarray(x))) for x in (3.0, -3.0)] == [3, -4]
    assert float(loop(tl.asarray(10))) == 1024


def test_control_dependencies_reach_over_tasks(cluster: Cluster) -> None:
    with tl.device(PS):
        v = tl.Variable(0.0)

    @tl.function
    def ordered() -> Any:
        with tl.device(FIRST):
            first = tl.ones((300, 300)) @ tl.ones((300, 300))
        with tl.control_dependencies([first]):
            written = v.assign_add(1.0)
        with tl.control_dependencies([written]), tl.device(SECOND):
            return v + 0.0

    assert [float(ordered()) for _ in range(3)] == [1, 2, 3]


@pytest.mark.parametrize("name", ["normal", "uniform"])
def test_random_numbers_are_those_of_one_machine(cluster: Cluster, name: str) -> None:
    def drawn(device: str | None, traced: bool) -> list[list[float]]:
        tl.random.set_seed(3)

        def draw() -> Any:
            with tl.device(device):
                return getattr(tl.random, name)((3,))

        call = tl.function(draw) if traced else draw
        return [call().tolist() for _ in range(3)]

    for traced in (False, True):
        assert drawn(FIRST, traced) == drawn(None, traced)


# Tensors and variables of other tasks, as Python sees them.


@pytest.mark.parametrize("size", [2, 200])
def test_a_remote_tensor_is_a_tensor(cluster: Cluster, size: int) -> None:
    with tl.device(FIRST):
        x = tl.reshape(tl.arange(size * size), (size, size)) * 1
    local = np.arange(size * size).reshape(size, size)
    assert isinstance(x.array, RemoteArray)
    assert len(x) == size
    assert where(x[1:, 0]) == FIRST
    assert [row.tolist() for row in x] == local.tolist()
    assert x[x > 2].tolist() == local[local > 2].tolist()
    assert (int(x[0, 1]), float(x[1, 0]), bool(x[0, 0])) == (1, size, False)
    assert np.array_equal(np.asarray(x), local)
    assert np.array_equal(np.from_dlpack(x), local)
    assert f"{x[0, 1]} {x[0, 1]:03d}" == "1 001"
    x[0, 0] = 5
    assert int(x[0, 0]) == 5
    assert where(x) == FIRST


@pytest.mark.parametrize("size", [2, 200])
def test_a_remote_tensor_is_copied_and_pickled_by_its_value(
    cluster: Cluster, size: int
) -> None:
    with tl.device(FIRST):
        x = tl.ones((size, size)) * 2.0
    for y in (copy.copy(x), copy.deepcopy(x)):
        assert where(y) == FIRST
        y[0, 0] = 7.0
    again = pickle.loads(pickle.dumps(x))  # noqa: S301  they are this test's own
    assert where(again) == ""
    assert np.array_equal(again.numpy(), np.full((size, size), 2, np.float32))
    assert float(x[0, 0]) == 2


def test_state_of_other_tasks_is_neither_copied_nor_pickled(cluster: Cluster) -> None:
    with tl.device(PS):
        there = tl.Variable(1.0)
    here = tl.Variable(1.0)
    for v in (there, here):
        with pytest.raises(tl.errors.DTypeError, match="cannot be pickled: save"):
            pickle.dumps(v)
    with pytest.raises(tl.errors.DTypeError, match="cannot be copied: make another"):
        copy.deepcopy(there)
    assert copy.deepcopy([here])[0] is not here


# Sessions, scopes and device functions.


def test_a_partial_run_on_a_cluster_returns_values(cluster: Cluster) -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.float32, ())
        with tl.device(SECOND):
            y = x * 2.0
        z = tl.sum(y + tl.ones((300, 300)))
    with tl.Session(graph, target=cluster) as session:
        run = session.partial_run_setup([y, z], [x])
        assert session.partial_run(run, y, {x: 2.0}) == 4
        assert session.partial_run(run, z) == 450_000


def test_a_function_called_within_a_scope(cluster: Cluster) -> None:
    double = tl.function(lambda x: x * 2.0)
    with tl.device(FIRST):
        y = double(tl.asarray(2.0))
    with tl.device(SECOND):
        z = double(y)
    assert [(where(x), float(x)) for x in (y, z)] == [(FIRST, 4), (SECOND, 8)]


def test_a_chooser_sends_variables_to_servers(cluster: Cluster) -> None:
    def chosen(op: Any) -> str:
        return PS if "Var" in op.name else SECOND

    with tl.device(chosen):
        v = tl.Variable(3.0)
        y = v * 2.0

    @tl.function
    def product(x: tl.Tensor) -> tl.Tensor:
        with tl.device(chosen):
            return x * v

    z = product(tl.asarray(2.0))
    assert [where(x) for x in (v, y, z)] == [PS, SECOND, SECOND]
    assert (float(y), float(z)) == (6, 6)


def test_tasks_with_several_devices() -> None:
    spec = {"worker": 2}
    with tl.distribute.connect(spec, engine="inprocess", logical_cpus=2):
        second = f"{FIRST}/device:CPU:1"

        @tl.function
        def spans(x: tl.Tensor) -> Any:
            with tl.device(second):
                y = tl.ones((300, 300)) * x
            with tl.device(f"{SECOND}/device:CPU:1"):
                z = tl.sum(y)
            with tl.device(f"{FIRST}/device:CPU:0"):
                return y, z + tl.sum(y)

        with tl.device(second):
            v = tl.Variable(2.0)
            eager = v * 2.0
        y, z = spans(tl.asarray(2.0))
        assert [str(x.device) for x in (v, eager, y)] == [second] * 3
        assert (float(eager), float(z)) == (4, 360_000)
        with pytest.raises(tl.errors.DeviceError, match="does not exist"):
            tl.ones(()).to_device(f"{FIRST}/device:CPU:2")
