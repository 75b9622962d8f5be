"""Calls about devices, sessions and queues that mypy --strict must refuse."""

from __future__ import annotations

import tensorlite as tl

graph = tl.Graph()
session = tl.Session(graph)
queue = tl.queue.FIFOQueue(2, tl.int32)
with graph.as_default():
    x = tl.placeholder(tl.float32, ())

tl.config.set_logical_devices("CPU", 2.0)  # error: arg-type
tl.config.set_logical_devices(2, "CPU")  # error: arg-type
tl.config.set_soft_placement("yes")  # error: arg-type
tl.config.set_memory_limit("CPU:0", "1 GB")  # error: arg-type
tl.config.memory_info(0)  # error: arg-type
tl.device(3)  # error: arg-type
tl.Session("graph")  # error: arg-type
tl.Session(graph, config=None)  # error: call-arg
session.run(x, feed={x: 1.0})  # error: call-arg
session.run(x, [1.0])  # error: arg-type
session.make_callable(x, x)  # error: arg-type
tl.placeholder(tl.float32, 3)  # error: arg-type
tl.queue.FIFOQueue("2", tl.int32)  # error: arg-type
tl.queue.FIFOQueue(2, tl.int32, shape=())  # error: call-arg
tl.queue.PaddingFIFOQueue(2, tl.int32)  # error: call-arg
tl.queue.QueueRunner(queue, lambda: None)  # error: arg-type
tl.queue.QueueRunner(queue, [None])  # error: list-item
tl.queue.Coordinator(deadlocks="never")  # error: arg-type
tl.queue.Coordinator().request_stop("stop")  # error: arg-type
tl.placement.Search(second=3)  # error: call-arg
tl.placement.explain(3)  # error: arg-type
tl.function(lambda: None, placement="fast")  # error: call-overload
tl.profiler.trace(limit="all")  # error: arg-type
