"""Operators that make resources: what they make, that they travel, and what a shared name does."""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import copy_context
from threading import Thread
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.containers import Container, current_container
from tensorlite.core.dispatch import call
from tensorlite.core.dtypes import resource
from tensorlite.core.errors import SideEffectWarning
from tensorlite.core.op import REGISTRY, Op
from tensorlite.core.opaque import Resource
from tensorlite.core.remote import RemoteResource, join, leave
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.function.compile import Compiled
from tensorlite.graph.graph import Graph
from tensorlite.graph.trace import trace
from tensorlite.graph.wire import from_bytes, to_bytes
from tensorlite.ops.queues.kinds import (
    FIFOQueueV2,
)
from tensorlite.ops.queues.mutex import MutexV2
from tensorlite.ops.state.making import Making, made
from tensorlite.passes.pipeline import COMPILE, run_passes
from tensorlite.runtime.build import compile_plan
from tensorlite.runtime.step import run_plan
from tests.checks import Recorder
from tests.ops.making import CASES, PARTS, Case

EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.op.name)
WITH_CLASS = [case for case in CASES if case.python is not None]
EACH_WITH_CLASS = pytest.mark.parametrize(
    "case", WITH_CLASS, ids=lambda case: case.op.name
)


@pytest.fixture(autouse=True)
def container() -> Iterator[Container]:
    """Let every test have a container of its own."""
    token = current_container.set(Container())
    yield current_container.get()
    current_container.reset(token)


def named(op: Making, name: str, **attributes: Any) -> Making:
    """Return an operator of the same attributes, with a shared name."""
    given = op.attributes() | {"shared_name": name} | attributes
    return type(op)(**given)


def ran(op: Op) -> Any:
    return call(op).array


def test_every_operator_that_makes_a_resource_has_a_case() -> None:
    making = {
        name
        for name, op in REGISTRY.items()
        if issubclass(op, Making) and op.__module__.startswith("tensorlite")
    }
    # One of a dataset, which is no attribute that travels, is tested where datasets are.
    assert making - {"OneShotIterator"} == {case.op.name for case in CASES}


@EACH
def test_it_makes_what_inference_says_and_a_new_one_each_time(case: Case) -> None:
    first, second = call(case.op), call(case.op)
    assert type(first.array) is case.state
    assert first.spec == case.op.infer()
    assert first.spec.dtype is resource
    assert first.array is not second.array


@EACH
def test_it_travels(case: Case) -> None:
    graph = Graph("makes")
    node = graph.add(named(case.op, "shared", debug_name="called so"), ())
    graph.outputs = list(node.outputs)
    found = from_bytes(to_bytes(graph), Compiled)
    assert found.outputs[0].node.op == node.op
    assert found.outputs[0].spec == case.op.infer()


@EACH
def test_a_graph_makes_a_new_one_in_each_run_and_each_node(case: Case) -> None:
    made_twice = trace(lambda: [call(case.op), call(case.op)], []).graph
    plan = compile_plan(run_passes(made_twice, COMPILE))
    states = [state for _ in range(2) for state in run_plan(plan, [])]
    assert len(set(map(id, states))) == 4


@EACH
def test_those_of_one_shared_name_are_one(case: Case) -> None:
    op = named(case.op, "a")
    state = ran(op)
    assert ran(op) is state
    assert ran(named(case.op, "a", debug_name="another word for it")) is state
    assert ran(named(case.op, "b")) is not state
    assert ran(named(case.op, "a", container="elsewhere")) is not state
    assert ran(case.op) is not state


@EACH
def test_another_kind_by_the_same_name_is_refused(case: Case) -> None:
    ran(named(case.op, "a"))
    with pytest.raises(tl.errors.InvalidArgumentError) as raised:
        ran(named(case.other, "a"))
    for op in (case.op, case.other):
        assert op.kind() in str(raised.value)


@EACH_WITH_CLASS
def test_the_class_makes_its_handle_by_the_operator(case: Case) -> None:
    one, other = case.object("a"), case.object("a")
    assert type(one.handle.array) is case.state
    assert one.handle.array is other.handle.array
    alone = case.object(None)
    assert alone.handle.array is not case.object(None).handle.array


@EACH_WITH_CLASS
def test_in_a_function_it_is_made_once_by_the_first_trace(case: Case) -> None:
    found = []

    @tl.function
    def f(x: tl.Tensor) -> tl.Tensor:
        found.append(case.object(None).handle)
        return x + 1.0

    with pytest.warns(SideEffectWarning, match="found.append"):
        list(map(f, [tl.ones(1), tl.ones(2)]))
    assert len(found) == 2
    assert found[0] is found[1]


def test_a_container_forgets_a_part_or_all(container: Container) -> None:
    op = FIFOQueueV2(PARTS, shared_name="a")
    there = FIFOQueueV2(PARTS, shared_name="a", container="there")
    first, second = ran(op), ran(there)
    assert len(container) == 2
    container.clear("there")
    assert ran(op) is first
    assert ran(there) is not second
    container.clear()
    assert len(container) == 0
    assert ran(op) is not first


def test_each_task_has_its_own(container: Container) -> None:
    op = FIFOQueueV2(PARTS, shared_name="a")
    here = ran(op)
    token = current_container.set(Container())
    assert ran(op) is not here
    current_container.reset(token)
    assert ran(op) is here


def test_threads_that_ask_at_once_get_one(container: Container) -> None:
    op = FIFOQueueV2(PARTS, shared_name="a")
    found: list[Resource] = []

    def ask() -> None:
        current_container.set(container)
        found.extend([ran(op) for _ in range(50)])

    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 200
    assert len(set(map(id, found))) == 1


def test_a_shuffling_queue_is_shared_whatever_its_seed() -> None:
    a = tl.queue.RandomShuffleQueue(3, 0, tl.int32, seed=1, shared_name="q")
    b = tl.queue.RandomShuffleQueue(3, 0, tl.int32, shared_name="q")
    a.enqueue(5)
    assert int(b.dequeue()) == 5


def test_only_the_first_trace_draws_a_seed() -> None:
    @tl.function
    def f(x: tl.Tensor) -> tl.Tensor:
        tl.queue.RandomShuffleQueue(3, 0, tl.int32)
        return x

    tl.random.set_seed(3)
    f(tl.ones(1))
    after_one = tl.random.uniform(()).item()
    tl.random.set_seed(3)
    tl.random.uniform(())  # as much as the seed took
    f(tl.ones(2))
    assert tl.random.uniform(()).item() == after_one


def test_a_shared_variable_keeps_its_first_value() -> None:
    first = tl.Variable([1.0, 2.0], shared_name="w")
    first.assign_add([1.0, 1.0])
    second = tl.Variable([5.0, 5.0], shared_name="w")
    assert second.numpy().tolist() == [2.0, 3.0]
    second.assign([7.0, 8.0])
    assert first.numpy().tolist() == [7.0, 8.0]


def test_what_makes_is_placed_by_device_functions_too() -> None:
    asked: list[str] = []

    def choose(node: Any) -> str:
        asked.append(node.type)
        return "CPU:0"

    with tl.device(choose):
        tl.Variable(1.0)
        tl.queue.FIFOQueue(1, tl.int32)
    assert asked == ["VarHandleOp", "FIFOQueueV2"]


def test_making_is_no_matter_for_a_tape_or_another_interpreter() -> None:
    with Recorder() as recorder:
        handles = [made(MutexV2), tl.Variable(1.0).handle]
    assert not recorder.calls
    assert all(isinstance(x.array, Resource) for x in handles)


def test_a_graph_finds_a_variable_by_its_name_in_every_run() -> None:
    graph = tl.Graph()
    spec = tl.TensorSpec((), tl.float32)
    with graph.as_default():
        one = tl.raw_ops.VarHandleOp(spec=spec, shared_name="w")
        other = tl.raw_ops.VarHandleOp(spec=spec, shared_name="w")
        assign = tl.raw_ops.AssignVariableOp(handle=one, value=5.0)
        read = tl.raw_ops.ReadVariableOp(handle=other)
    tl.Session(graph).run(assign)
    assert tl.Session(graph).run(read) == np.float32(5.0)


class Elsewhere:
    """Stands for a cluster of one task, whose operators run here, with a container of their own."""

    name = "a cluster for tests"
    devices = (tl.DeviceName.parse("/job:ps/task:0/device:CPU:0"),)

    def __init__(self) -> None:
        self.container = Container()
        self.ran: list[Op] = []
        self.states: dict[int, Any] = {}

    def run_op(
        self, op: Op, inputs: tuple[Tensor, ...], device: tl.DeviceName
    ) -> tuple[Tensor, ...]:
        self.ran.append(op)
        arrays = [
            self.states.get(getattr(x.array, "number", -1), x.array) for x in inputs
        ]
        outputs = copy_context().run(self._kernel, op, arrays)
        return tuple([self._out(y, device) for y in outputs])

    def _kernel(self, op: Op, arrays: list[Any]) -> tuple[Any, ...]:
        current_container.set(self.container)
        result = op.kernel(np, *arrays)
        return result if isinstance(result, tuple) else (result,)

    def _out(self, value: Any, device: tl.DeviceName) -> Tensor:
        if isinstance(value, np.ndarray):
            return tl.asarray(value)
        number = len(self.states)
        self.states[number] = value
        return EagerTensor(RemoteResource(value.spec, device, number, 0), device)

    def prepare(self, *_: Any) -> Any:
        raise NotImplementedError

    def record(self, recorder: Any) -> Any:
        raise NotImplementedError


@pytest.fixture
def elsewhere() -> Iterator[Elsewhere]:
    """Be connected to a cluster."""
    home = Elsewhere()
    join(home)
    yield home
    leave(home)


@pytest.mark.parametrize("scope", ["/job:ps/task:0", lambda _: "/job:ps/task:0"])
@EACH_WITH_CLASS
def test_another_task_makes_it_where_that_is_asked_for(
    case: Case, scope: Any, elsewhere: Elsewhere
) -> None:
    with tl.device(scope):
        one, other, alone = case.object("a"), case.object("a"), case.object(None)
    assert {str(x.handle.device) for x in (one, other, alone)} == {
        "/job:ps/task:0/device:CPU:0"
    }
    states = [elsewhere.states[x.handle.array.number] for x in (one, other, alone)]
    assert states[0] is states[1] is not states[2]
    assert {type(state) for state in states} == {case.state}
    assert [op.name for op in elsewhere.ran].count(case.op.name) == 3


def test_a_variable_of_another_task_is_made_and_then_assigned(
    elsewhere: Elsewhere,
) -> None:
    with tl.device("/job:ps/task:0"):
        v = tl.Variable([1.0, 2.0], name="v")
        w = tl.Variable([3.0], shared_name="w")
        tl.Variable([4.0], shared_name="w")
    names = [op.name for op in elsewhere.ran]
    assert names[:2] == ["VarHandleOp", "AssignVariableOp"]
    assert v.numpy().tolist() == [1.0, 2.0]
    assert w.numpy().tolist() == [3.0]
    assert v.is_initialized()
    assert (v.spec, v.trainable) == (tl.TensorSpec((2,)), True)


def test_a_task_that_has_no_such_device_is_not_made_do(elsewhere: Elsewhere) -> None:
    with pytest.raises(tl.errors.DeviceError), tl.device("/job:ps/task:7"):
        tl.Variable(1.0)


def test_queues_of_other_tasks_are_used_and_closed(elsewhere: Elsewhere) -> None:
    with tl.device("/job:ps/task:0"):
        q = tl.queue.FIFOQueue(10, tl.int32, shapes=())
    numbers = iter(range(3))

    def produce() -> None:
        number = next(numbers, None)
        if number is None:
            raise tl.errors.OutOfRangeError("no more")
        q.enqueue(number)

    coord = tl.queue.Coordinator()
    for thread in tl.queue.QueueRunner(q, [produce]).create_threads(coord=coord):
        thread.start()
        thread.join()
    assert q.is_closed()
    assert int(q.size()) == 3
    with pytest.raises(tl.errors.InvalidArgumentError, match="/job:ps"):
        q.close(error=OSError("here"))


def test_a_critical_section_of_another_task_is_locked(elsewhere: Elsewhere) -> None:
    with tl.device("/job:ps/task:0"):
        section = tl.CriticalSection(shared_name="one at a time")
        mutex = tl.queue.Mutex(shared_name="other")
    assert section.execute(lambda: 5) == 5
    with mutex:
        pass
    names = [op.name for op in elsewhere.ran]
    assert names.count("MutexLock") == names.count("ConsumeMutexLock") == 2
    with pytest.raises(tl.errors.InvalidArgumentError, match="wait for itself"):
        section.execute(lambda: section.execute(lambda: 5))


def test_warnings_of_what_is_printed_name_the_line_of_the_call() -> None:
    @tl.function
    def told(x: tl.Tensor) -> tl.Tensor:
        print("traced")
        return x

    with pytest.warns(SideEffectWarning, match="print") as found:
        told(tl.constant(1))
    assert found[0].lineno == told.traces()[0].line.number > 1
