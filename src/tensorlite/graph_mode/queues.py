"""Queues in graphs that are built by hand, which each session has of its own, and what fills them.

Queues themselves are in ops/queues/queues.py, threads that fill them in train/queue_runner.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from threading import Thread
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from tensorlite.core.dispatch import call
from tensorlite.core.errors import DTypeError, InvalidArgumentError, OutOfRangeError
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph_mode.graph import (
    active_graph,
    built,
    get_default_graph,
    name_scope,
)
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.graph_mode.sessions import Session, chosen_session
from tensorlite.ops.fetchable import effect
from tensorlite.ops.queues.base import QueueBase
from tensorlite.ops.queues.operators import QueueCloseV2
from tensorlite.ops.state.making import Making, standing
from tensorlite.train.coordinator import Coordinator
from tensorlite.train.queue_runner import QueueRunner, Step


@contextmanager
def of_sessions() -> Iterator[None]:
    """Let resources made inside be nodes of the graph, if one is built: each session has its own.

    >>> from tensorlite.graph_mode.graph import Graph
    >>> with Graph().as_default() as graph, of_sessions():
    ...     q = tl.queue.FIFOQueue(2, tl.int32, name="numbers")
    ...     put, got = q.enqueue(5), q.dequeue()
    >>> q.handle.name
    'numbers:0'
    >>> first, second = Session(graph=graph), Session(graph=graph)
    >>> first.run(put)
    >>> int(first.run(got))
    5
    """
    if active_graph() is None:
        yield
        return
    token = standing.set(_stand)
    try:
        yield
    finally:
        standing.reset(token)


def _stand(op: Making) -> Tensor:
    """Return the handle that a node makes; sessions know the resource by the node's name."""
    graph = get_default_graph()
    with built(graph), name_scope(op.debug_name or op.name) as prefix:
        name = prefix[:-1]
        given = {**op.attributes(), "debug_name": name}
        given["shared_name"] = op.shared_name or name
        handle = call(type(op)(**given))
        if isinstance(handle, SymbolicTensor) and handle.node.graph is graph:
            graph.rename(handle.node, name)
    return handle


def node_name(queue: QueueBase) -> str:
    """Return the name of the node that makes a queue, or the queue's where there is none."""
    handle = queue.handle
    return handle.node.name if isinstance(handle, SymbolicTensor) else queue.name


class GraphQueueRunner:
    """Threads that fill a queue of a graph: in every session that asks for them.

    What ends them, and what then becomes of the queue, is as for `tl.queue.QueueRunner`.
    """

    def __init__(
        self,
        queue: QueueBase,
        enqueue_ops: Sequence[Any],
        queue_closed_exception_types: Sequence[type[BaseException]] = (
            OutOfRangeError,
        ),
        close_op: Node | None = None,
        cancel_op: Node | None = None,
    ) -> None:
        if not enqueue_ops:
            raise InvalidArgumentError(
                "QueueRunner: enqueue_ops is empty; give one or more"
            )
        self.queue = queue
        self.enqueue_ops = list(enqueue_ops)
        self.close_op = close_op or _closes(queue, cancels=False)
        self.cancel_op = cancel_op or _closes(queue, cancels=True)
        self._ends = tuple(queue_closed_exception_types)
        self._runners: WeakKeyDictionary[Session, QueueRunner] = WeakKeyDictionary()

    @property
    def name(self) -> str:
        """The name of the queue's node."""
        return node_name(self.queue)

    @property
    def queue_closed_exception_types(self) -> tuple[type[BaseException], ...]:
        """The errors that say that there is nothing more to put."""
        return self._ends

    @property
    def exceptions_raised(self) -> list[BaseException]:
        """What ended threads that have no coordinator to tell."""
        return [
            x for runner in self._runners.values() for x in runner.exceptions_raised
        ]

    def create_threads(
        self,
        sess: Session,
        coord: Coordinator | None = None,
        daemon: bool = False,
        start: bool = False,
    ) -> list[Thread]:
        """Return the threads that fill the queue of a session; none while earlier ones run."""
        known = self._runners.get(sess)
        if known is not None and known.is_running:
            return []
        ends = [self._step(sess, self.close_op), self._step(sess, self.cancel_op)]
        held = _held(self.queue, sess)
        steps = self.steps(sess)
        runner = QueueRunner(held, steps, self._ends, self.name, *ends)
        self._runners[sess] = runner
        return runner.create_threads(None, coord, daemon, start)

    def steps(self, sess: Session) -> list[Step]:
        """Return what fills the queue once, for each thread."""
        return [partial(sess.run, op) for op in self.enqueue_ops]

    def _step(self, sess: Session, op: Node | None) -> Callable[[], object] | None:
        """Return what runs a node that closes other queues than this runner's, or as well."""
        if op is None or any(x is self.queue.handle for x in op.inputs):
            return None
        return partial(sess.run, op)


def _closes(queue: QueueBase, *, cancels: bool) -> Node | None:
    """Return a node that closes a queue, made now; None for a queue of no graph."""
    handle = queue.handle
    if not isinstance(handle, SymbolicTensor):
        return None
    graph = get_default_graph()
    name = f"{handle.node.name.rpartition('/')[2]}_Close"
    with built(graph), name_scope(name) as prefix:
        node = effect(QueueCloseV2(cancels), handle)
        if not isinstance(node, Node):
            return None
        graph.rename(node, prefix[:-1])
        return node


def queue_of(node: Node) -> QueueBase:
    """Return the queue that a node makes; DTypeError for a node that makes none."""
    components = node.op.attributes().get("components")
    if components is None:
        raise DTypeError(f"{node.name} is of {node.op.name}, which makes no queue")
    found = QueueBase(components, None, node.name, None)
    found.handle = node.outputs[0]
    return found


def _held(queue: QueueBase, session: Session) -> QueueBase:
    """Return the queue that a session has, as one that is called at once."""
    handle = queue.handle
    if not isinstance(handle, SymbolicTensor):
        return queue
    op = handle.node.op
    if not isinstance(op, Making):
        raise DTypeError(
            f"{queue!r}: {handle.name} makes no queue, and nothing can fill it"
        )
    with session.running():
        state = op.kernel(np)
    specs = [
        TensorSpec(x, y) for x, y in zip(queue.shapes, queue.dtypes, strict=True)
    ]
    found = QueueBase(tuple(specs), queue.names, queue.name, None)
    found.handle = EagerTensor(state)
    return found


def add_queue_runner(qr: Any, collection: str = GraphKeys.QUEUE_RUNNERS) -> None:
    """Let `start_queue_runners` start the threads of a runner."""
    get_default_graph().add_to_collection(collection, qr)


def start_queue_runners(
    sess: Session | None = None,
    coord: Coordinator | None = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = GraphKeys.QUEUE_RUNNERS,
) -> list[Thread]:
    """Return the threads of all runners of the graph, in a session or the default one."""
    if not isinstance(sess, Session | None):
        raise DTypeError(
            f"start_queue_runners: sess must be a `tf.Session` object, not {sess!r}; give a session"
        )
    session = chosen_session(sess, "start_queue_runners")
    runners = session.graph.get_collection(collection)
    return [
        thread
        for runner in runners
        for thread in runner.create_threads(session, coord, daemon, start)
    ]
