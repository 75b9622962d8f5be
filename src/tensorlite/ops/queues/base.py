"""QueueBase: what people do with any queue. The kinds of queues are in queues.py.

The operators behind it are in operators.py, what a handle stands for in contents.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from typing import Any, TypeAlias

from tensorlite.core import dtypes
from tensorlite.core.constant import array_of
from tensorlite.core.dispatch import calls, to_tensor, tracer
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    StructureError,
    TracingError,
)
from tensorlite.core.op import Op
from tensorlite.core.operand import Operand
from tensorlite.core.spec import Dims, TensorSpec, generalise
from tensorlite.core.tensor import EagerTensor, Tensor, TensorLike
from tensorlite.core.waiting import Cancel, Done
from tensorlite.graph.graph import Node
from tensorlite.ops.control.assertions import assert_less, assert_non_negative
from tensorlite.ops.control.branches import switch_case
from tensorlite.ops.fetchable import effect
from tensorlite.ops.queues.contents import QueueState
from tensorlite.ops.queues.operators import (
    QueueCloseV2,
    QueueDequeueManyV2,
    QueueDequeueUpToV2,
    QueueDequeueV2,
    QueueEnqueueManyV2,
    QueueEnqueueV2,
    QueueIsClosedV2,
    QueueSizeV2,
)
from tensorlite.ops.state.making import Making, made

__all__: list[str] = []

Values: TypeAlias = TensorLike | Sequence[TensorLike] | Mapping[str, TensorLike]
Fetchable: TypeAlias = Tensor | Node | None
"""What a session fetches to run an operation of a `tl.Graph`; elsewhere it has run: None."""


class QueueBase:
    """What all queues have: elements go in and come out, and whoever cannot go on waits.

    An element has one tensor for each component. Those who wait are served in the order in which
    they came. Closing ends the waits: a queue that is closed gives out what it has, and then
    raises OutOfRangeError. In a traced function the operations on a queue run in program order; in
    a `tl.Graph` in that of `tl.control_dependencies`, and what puts or closes returns what a
    session is to fetch. A queue made in a traced function is made once, by its first trace.

    >>> issubclass(tl.queue.PriorityQueue, tl.queue.QueueBase)
    True
    """

    def __init__(
        self,
        components: tuple[TensorSpec, ...],
        names: Sequence[str] | None,
        name: str,
        make: Callable[[], Making] | None,
    ) -> None:
        if not components:
            raise InvalidArgumentError("no dtypes are given; one component is due")
        if names is not None and (
            isinstance(names, str)
            or len(names) != len(components)
            or len(set(names)) != len(names)
        ):
            raise InvalidArgumentError(
                f"names={names!r}: {len(components)} components need as many names in a list, "
                "each once"
            )
        self.names = None if names is None else list(names)
        self.name = name
        self._components = components
        if make is not None:
            self.handle = made(make)

    @property
    def dtypes(self) -> list[DType]:
        """The dtype of each component."""
        return [spec.dtype for spec in self._components]

    @property
    def shapes(self) -> list[Dims | None]:
        """The shape of each component, None where it is unknown."""
        return [spec.shape for spec in self._components]

    def __repr__(self) -> str:
        listed = ", ".join(map(str, self._components))
        return f"{type(self).__name__}(name={self.name!r}, components=({listed}))"

    @staticmethod
    def from_list(index: TensorLike, queues: Sequence[QueueBase]) -> QueueBase:
        """Return the queue at place `index` of several that have the same dtypes and names.

        In a trace `index` may be a tensor: every operation then chooses when it runs. Raises
        InvalidArgumentError for an index that is not there. Source: `QueueBase.from_list`.

        >>> a, b = tl.queue.FIFOQueue(2, tl.int32), tl.queue.FIFOQueue(2, tl.int32)
        >>> tl.queue.QueueBase.from_list(1, [a, b]).enqueue(7)
        >>> print(a.size(), b.size())
        0 1
        """
        _check_alike(queues)
        place = index if isinstance(index, int) else to_tensor(index)
        if isinstance(place, Tensor) and tracer() is not None:
            return SelectedQueue(place, queues)
        number = int(place)
        if not 0 <= number < len(queues):
            raise InvalidArgumentError(
                f"from_list: index {number}; there are {len(queues)} queues, counted from 0"
            )
        return queues[number]

    def enqueue(self, vals: Values) -> Fetchable:
        """Put an element: a tensor, a list of one for each component, or a dict by `names`.

        Waits while the queue is full. Raises CancelledError when it is closed, also while waiting;
        DTypeError, ShapeError or InvalidArgumentError for what is no element of it. Source:
        TensorFlow's QueueEnqueueV2.

        >>> q = tl.queue.FIFOQueue(3, [tl.int32, tl.float32], names=["n", "x"])
        >>> q.enqueue({"n": 1, "x": [0.5]})
        >>> print(q.dequeue()["x"])
        [0.5]
        """
        return self._effect(QueueEnqueueV2(), *self._given(vals))

    def enqueue_many(self, vals: Values) -> Fetchable:
        """Put the rows of tensors, each as an element, as soon as there is room for it.

        `vals` is as for `enqueue`, each component with a first axis of the same size. Rows that
        went in stay when this is cancelled. Source: TensorFlow's QueueEnqueueManyV2.

        >>> q = tl.queue.FIFOQueue(3, tl.int32, shapes=())
        >>> q.enqueue_many([[1, 2, 3]])
        >>> print(q.dequeue(), q.size())
        1 2
        """
        return self._effect(QueueEnqueueManyV2(), *self._given(vals))

    def dequeue(self) -> Any:
        """Return an element: a tensor, a list for several components, a dict if they have names.

        Waits while there is none. Raises OutOfRangeError when the queue is closed and none is
        left, with the error that it was closed for. Source: TensorFlow's QueueDequeueV2.

        >>> q = tl.queue.FIFOQueue(3, tl.int32)
        >>> q.enqueue(5)
        >>> q.close()
        >>> print(q.dequeue())
        5
        >>> q.dequeue()
        Traceback (most recent call last):
        tensorlite.core.errors.OutOfRangeError: FIFOQueue 'fifo_queue': the queue is closed and ...
        """
        return self._returned(self._calls(QueueDequeueV2()))

    def dequeue_many(self, n: TensorLike) -> Any:
        """Return `n` elements, stacked along a new first axis.

        Waits until there were so many. Raises OutOfRangeError when the queue is closed before,
        and the elements stay in it; ShapeError when the queue was made without shapes. Source:
        TensorFlow's QueueDequeueManyV2.

        >>> q = tl.queue.FIFOQueue(3, tl.int32, shapes=())
        >>> q.enqueue_many([[1, 2, 3]])
        >>> print(q.dequeue_many(2))
        [1 2]
        """
        return self._returned(self._calls(QueueDequeueManyV2(), _number(n)))

    def dequeue_up_to(self, n: TensorLike) -> Any:
        """Return `n` elements as `dequeue_many` does; of a closed queue the rest, if it has any.

        Source: TensorFlow's QueueDequeueUpToV2.

        >>> q = tl.queue.FIFOQueue(3, tl.int32, shapes=())
        >>> q.enqueue_many([[1, 2, 3]])
        >>> q.close()
        >>> print(q.dequeue_up_to(2), q.dequeue_up_to(2))
        [1 2] [3]
        """
        return self._returned(self._calls(QueueDequeueUpToV2(), _number(n)))

    def close(
        self,
        cancel_pending_enqueues: bool = False,
        error: BaseException | None = None,
    ) -> Fetchable:
        """Let nothing more be put; what is in can still be taken.

        Waits until the enqueues that wait have gone in, or ends them with CancelledError. The
        first `error` that a queue is closed for is the cause of what those are told who find it
        empty; a trace cannot give one. Raises CancelledError when the queue is closed already,
        unless `cancel_pending_enqueues`. Source: TensorFlow's QueueCloseV2.

        >>> q = tl.queue.FIFOQueue(3, tl.int32)
        >>> q.close(error=OSError("disk on fire"))
        >>> try:
        ...     q.dequeue()
        ... except tl.errors.OutOfRangeError as end:
        ...     print(repr(end.__cause__))
        OSError('disk on fire')
        """
        if not isinstance(cancel_pending_enqueues, bool):
            raise DTypeError(
                f"close: cancel_pending_enqueues={cancel_pending_enqueues!r}; allowed are True "
                "and False"
            )
        if error is None:
            return self._effect(QueueCloseV2(cancel_pending_enqueues))
        if tracer() is not None:
            raise TracingError(
                "close(error=...) carries an exception, which a graph does not; close the queue "
                "outside of the traced function"
            )
        if self.handle.device.job is not None:
            raise InvalidArgumentError(
                f"close: {self.name!r} lives on {self.handle.device}, where an exception of this "
                "process cannot be; close it without error="
            )
        return self._effect(_CloseBecause(cancel_pending_enqueues, error))

    def size(self) -> Tensor:
        """Return the number of elements in the queue, as an int32 scalar. Source: QueueSizeV2.

        >>> print(tl.queue.FIFOQueue(3, tl.int32).size())
        0
        """
        return self._calls(QueueSizeV2())[0]

    def is_closed(self) -> Tensor:
        """Return whether the queue is closed, as a bool scalar. Source: QueueIsClosedV2.

        >>> print(tl.queue.FIFOQueue(3, tl.int32).is_closed())
        False
        """
        return self._calls(QueueIsClosedV2())[0]

    def _calls(self, op: Op, *inputs: TensorLike) -> tuple[Tensor, ...]:
        return calls(op, self.handle, *inputs)

    def _effect(self, op: Op, *inputs: TensorLike) -> Fetchable:
        return effect(op, self.handle, *inputs)

    def _returned(self, outputs: Sequence[Tensor]) -> Any:
        if self.names is not None:
            return dict(zip(self.names, outputs, strict=True))
        return outputs[0] if len(outputs) == 1 else list(outputs)

    def _given(self, vals: Values) -> list[Tensor]:
        """Return one tensor for each component."""
        if self.names is not None:
            if not isinstance(vals, Mapping) or set(vals) != set(self.names):
                what = (
                    list(vals) if isinstance(vals, Mapping) else type(vals).__name__
                )
                raise StructureError(
                    f"{self.name!r} takes a dict with the keys {self.names}, not {what}"
                )
            listed = [vals[name] for name in self.names]
        elif isinstance(vals, Mapping):
            raise StructureError(
                f"{self.name!r} takes a list: its components have no names. "
                "Make the queue with names=[...]"
            )
        else:
            listed = list(vals) if isinstance(vals, (list, tuple)) else [vals]
        if len(listed) != len(self._components):
            raise StructureError(
                f"{self.name!r}: {len(listed)} values are given for an element of "
                f"{len(self._components)} components. A list has one value for each component: "
                "for one component that is a list, write [[1, 2, 3]]"
            )
        return [
            _fitting(x, spec.dtype)
            for x, spec in zip(listed, self._components, strict=True)
        ]


class SelectedQueue(QueueBase):
    """One of several queues, which one each operation finds out when it runs."""

    def __init__(self, index: Tensor, queues: Sequence[QueueBase]) -> None:
        first = queues[0]
        of_each = [[spec.shape for spec in queue._components] for queue in queues]  # noqa: SLF001
        shapes = [
            reduce(generalise, several) for several in zip(*of_each, strict=True)
        ]
        specs = map(TensorSpec, shapes, first.dtypes)
        QueueBase.__init__(
            self, tuple(specs), first.names, "one of several queues", None
        )
        assert_non_negative(index, "from_list: an index")
        assert_less(index, len(queues), "from_list: there are not so many queues")
        self._index = index
        self._queues = queues

    def _calls(self, op: Op, *inputs: TensorLike) -> tuple[Tensor, ...]:
        return switch_case(
            self._index,
            [
                partial(queue._calls, op, *inputs)  # noqa: SLF001
                for queue in self._queues
            ],
        )

    def _effect(self, op: Op, *inputs: TensorLike) -> Fetchable:
        chosen: Fetchable = switch_case(
            self._index,
            [
                partial(queue._effect, op, *inputs)  # noqa: SLF001
                for queue in self._queues
            ],
        )
        return chosen


class _CloseBecause(QueueCloseV2, abstract=True):
    """Closes a queue for an exception, which is no attribute that a graph could keep."""

    error: BaseException | None = None

    def start(self, done: Done, queue: QueueState) -> Cancel | None:
        """Begin to close the queue."""
        return queue.close(done, self.cancel_pending_enqueues, self.error)


def _fitting(value: TensorLike, dtype: DType) -> Tensor:
    if type(value) is EagerTensor:
        return value
    if isinstance(value, Operand):
        return to_tensor(value)
    array = array_of(value)
    if array.size and array.dtype.kind in "fc" and dtype.is_integer:
        raise DTypeError(f"{value!r} is enqueued where the queue holds {dtype!r}")
    return to_tensor(array_of(value, dtype))


def _number(n: TensorLike) -> Tensor:
    return (
        to_tensor(array_of(n, dtypes.int32)) if isinstance(n, int) else to_tensor(n)
    )


def _check_alike(queues: Sequence[QueueBase]) -> None:
    if not queues or not all(isinstance(queue, QueueBase) for queue in queues):
        raise DTypeError(f"from_list takes a list of queues, not {queues!r}")
    first = queues[0]
    for queue in queues[1:]:
        if (queue.dtypes, queue.names) != (first.dtypes, first.names):
            raise StructureError(
                f"from_list: {first} and {queue} have different dtypes or names"
            )
