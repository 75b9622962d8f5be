"""Programs over devices, sessions, queues and placements that mypy --strict accepts."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import tensorlite as tl

# Devices.
cpus: list[tl.config.LogicalDevice] = tl.config.set_logical_devices(
    "CPU", np.int64(2)
)
with tl.device("/device:CPU:1") as where:
    name: str = str(where)
    weights = tl.Variable(tl.ones((2, 2)), name="weights")
tl.config.set_memory_limit("/device:CPU:1", 10**9)
live: int = tl.config.memory_info(cpus[1].name).live
tl.config.count_memory(False)
there: tl.DeviceName = weights.device


@tl.function(placement=tl.placement.EarliestFinish(tl.placement.Costs()))
def layer(x: tl.Tensor) -> tl.Tensor:
    with tl.colocate_with(weights), tl.device(None):
        return tl.tanh(x @ weights)


y: tl.Tensor = layer(tl.ones((2, 2)))
concrete = layer.get_concrete_function(tl.ones((2, 2)))
parts: list[tl.DeviceName] = list(concrete.partitions)
why: list[str] = [row.why for row in tl.placement.explain(concrete).nodes]
costs = tl.placement.Costs()
seconds: float = tl.placement.simulate(concrete, costs=costs).seconds
frozen: tl.placement.Frozen = tl.placement.freeze(concrete)

# Recordings.
with (
    TemporaryDirectory() as folder,
    tl.profiler.trace(Path(folder) / "a.json") as seen,
):
    layer(y)
rows: list[int] = [row.count for row in seen.table()]

# Graphs and sessions.
graph = tl.Graph("small")
with graph.as_default():
    x = tl.placeholder(tl.float32, (None,))
    slope = tl.Variable(1.0)
    loss = tl.mean((slope * x) ** 2)
    (gradient,) = tl.gradients(loss, [slope])
    step = tl.group(slope.assign_sub(0.1 * gradient))
with tl.Session(graph) as session:
    found = session.run({"loss": loss, "step": step}, {x: [1.0, 2.0]})
    again = session.make_callable(loss, [x])
    begun = session.partial_run_setup([loss], [x])
    value = session.partial_run(begun, loss, {x: np.ones(2, np.float32)})

# Queues.
queue: tl.queue.QueueBase = tl.queue.FIFOQueue(4, [tl.int32, tl.float32], [(), (2,)])
queue.enqueue([1, [0.5, 0.5]])
queue.enqueue_many([np.arange(2, dtype=np.int32), tl.ones((2, 2))])
size: tl.Tensor = queue.size()
lock = tl.queue.Mutex()
held: tl.Tensor = lock.acquire()
lock.release(held)
with tl.queue.Coordinator(deadlocks=None) as coord:
    runner = tl.queue.QueueRunner(queue, [lambda: queue.enqueue([1, [0.5, 0.5]])])
    runner.create_threads(coord=coord, start=True)
gradients = tl.queue.ConditionalAccumulator(tl.float32, (2,))
gradients.apply_grad([1.0, 2.0], local_step=0)
mean: tl.Tensor = gradients.take_grad(1)
tl.config.set_logical_devices("CPU", 1)
