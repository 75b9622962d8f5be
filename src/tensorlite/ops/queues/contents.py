"""What a queue's handle stands for: its elements, and the lines of those who wait to put and take.

The kinds of queue differ in how they store elements (kinds.py). The operators are in
operators.py, the classes that people use in queues.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Sequence
from enum import Enum, auto
from functools import partial
from itertools import islice
from threading import Lock, get_ident
from typing import Any, ClassVar, TypeAlias

import numpy as np

from tensorlite.core.dtypes import of_numpy, resource
from tensorlite.core.errors import (
    CancelledError,
    DTypeError,
    InvalidArgumentError,
    OutOfRangeError,
    ShapeError,
    TensorliteError,
)
from tensorlite.core.opaque import Resource
from tensorlite.core.spec import TensorSpec, merge, shape_text
from tensorlite.core.waiting import Cancel, Done, ended
from tensorlite.core.xp import Array

Element: TypeAlias = tuple[Array, ...]
"""One array for each component of a queue."""


class Progress(Enum):
    """How far an attempt got when its turn came."""

    NONE = auto()
    SOME = auto()
    ALL = auto()


class QueueState(Resource):
    """Elements, and two lines of attempts, which are served strictly in the order they came.

    An attempt that cannot be served at once holds up those behind it in its line. Whoever changes
    the queue serves both lines as far as that goes, under the lock, and calls `done` of those
    served when the lock is free again.
    """

    kind: ClassVar[str] = "FIFOQueue"

    def __init__(
        self, components: tuple[TensorSpec, ...], capacity: int, name: str
    ) -> None:
        self.components = components
        self.capacity = capacity
        """How many elements may be in; negative: any number."""
        self.name = name
        self.closed = False
        self.error: BaseException | None = None
        """What went wrong where elements come from, told to those who find none."""
        self.fillers: set[int] = set()
        self.drainers: set[int] = set()
        """The threads that have put and taken: for the message of a deadlock."""
        self.putting: deque[Attempt] = deque()
        self.taking: deque[Attempt] = deque()
        self.lock = Lock()
        self._exact = [(spec.dtype.numpy, spec.shape) for spec in components]
        self._spec = TensorSpec((), resource, None, components)

    @property
    def spec(self) -> TensorSpec:
        """The spec of the handle; the components' specs are its `inner`."""
        return self._spec

    @property
    def title(self) -> str:
        """What messages call this queue."""
        return f"{self.kind} {self.name!r}"

    def __repr__(self) -> str:
        listed = ", ".join(map(str, self.components))
        return f"<{self.title} of ({listed}), {self.fullness()}>"

    @abstractmethod
    def size(self) -> int:
        """Return the number of elements that are in."""

    @abstractmethod
    def put(self, element: Element) -> None:
        """Take an element in."""

    @abstractmethod
    def take(self) -> Element:
        """Give out the element whose turn it is."""

    @abstractmethod
    def put_back(self, elements: Sequence[Element]) -> None:
        """Take in again what was given out last, in the order in which it was."""

    def available(self, wanted: int) -> int:
        """Return how many of `wanted` elements may be given out now, if the queue has so many."""
        return self.size()

    def check_number(self, number: int) -> None:
        """Raise InvalidArgumentError when so many elements can never be had at a time."""

    def batch(self, elements: Sequence[Element]) -> tuple[Array, ...]:
        """Return elements as one array for each component, with a new first axis."""
        return tuple(
            [
                _stacked([x[i] for x in elements], (len(elements), *spec.dims), spec)
                for i, spec in enumerate(self.components)
            ]
        )

    def fullness(self) -> str:
        """Return how full the queue is, in words."""
        most = "any number" if self.capacity < 0 else self.capacity
        return f"{'closed, ' if self.closed else ''}{self.size()} of {most} elements"

    def has_room(self) -> bool:
        """Return whether one more element may be put."""
        return self.capacity < 0 or self.size() < self.capacity

    def check(self, element: Element) -> None:
        """Raise DTypeError or ShapeError when an element does not fit."""
        for array, (dtype, shape) in zip(element, self._exact, strict=True):
            if array.dtype != dtype or (array.shape != shape and shape is not None):
                specs = [TensorSpec(x.shape, of_numpy(x.dtype)) for x in element]
                fit(self.components, specs)

    def check_many(self, arrays: Element) -> None:
        """Raise DTypeError or ShapeError when rows of arrays are no elements of this queue."""
        for array in arrays:
            if array.ndim == 0 or len(array) != len(arrays[0]):
                shapes = " and ".join(shape_text(x.shape) for x in arrays)
                raise ShapeError(
                    f"enqueue_many: {shapes} are no rows; every component needs a first axis, "
                    "of the same size"
                )
        if len(arrays[0]):
            self.check(tuple([array[0, ...] for array in arrays]))

    def enqueue(self, done: Done, element: Element) -> Cancel | None:
        """Begin to put one element."""
        self.fillers.add(get_ident())
        with self.lock:
            # Where there is room nobody waits to put.
            at_once = not (self.closed or self.taking) and self.has_room()
            if at_once:
                self.put(element)
        if at_once:
            done(())
            return None
        return self._queue(Put(done, [element]), self.putting)

    def enqueue_many(self, done: Done, arrays: Element) -> Cancel | None:
        """Begin to put the rows of `arrays`; those that find room go in at once."""
        self.fillers.add(get_ident())
        rows = range(len(arrays[0]))
        elements = [tuple([array[i, ...] for array in arrays]) for i in rows]
        return self._queue(Put(done, elements), self.putting)

    def dequeue(self, done: Done) -> Cancel | None:
        """Begin to take one element."""
        self.drainers.add(get_ident())
        element: Element | None = None
        with self.lock:
            if not (self.putting or self.taking) and self.available(1) > 0:
                element = self.take()
        if element is not None:
            done(_outputs(element))
            return None
        return self._queue(TakeOne(done), self.taking)

    def dequeue_many(self, done: Done, number: int, up_to: bool) -> Cancel | None:
        """Begin to take `number` elements, or with `up_to` those that a closed queue still has."""
        self.drainers.add(get_ident())
        if number == 0:
            done(_outputs(self.batch([])))
            return None
        return self._queue(TakeMany(done, number, up_to), self.taking)

    def content(self) -> list[Element]:
        """Return the elements in the order in which they would come out; they stay in."""
        with self.lock:
            elements = [self.take() for _ in range(self.size())]
            self.put_back(elements)
        return elements

    def refill(self, arrays: Element) -> None:
        """Make the rows of `arrays` the only elements; InvalidArgumentError if they are too many.

        Those who wait for elements, or for room, are served.
        """
        self.check_many(arrays)
        count = len(arrays[0])
        if 0 <= self.capacity < count:
            raise InvalidArgumentError(
                f"{self.title} holds {self.capacity} elements; {count} are to be put into it"
            )
        with self.lock:
            for _ in range(self.size()):
                self.take()
            for i in range(count):
                self.put(tuple([array[i, ...] for array in arrays]))
            served = self._serve()
        for attempt in served:
            attempt.deliver(self)

    def close(
        self, done: Done, cancel_pending: bool, error: BaseException | None
    ) -> Cancel | None:
        """Begin to close: behind the puts that wait, or at once, giving those up."""
        if not cancel_pending:
            return self._queue(Close(done, error), self.putting)
        self.fail(error)
        done(())
        return None

    def fail(self, error: BaseException | None) -> None:
        """Close at once, giving up the puts that wait, because of `error`, if there is one."""
        with self.lock:
            self.shut(error)
            given_up = list(self.putting)
            self.putting.clear()
            for attempt in given_up:
                attempt.state = attempt.give_way(self)
            served = [*given_up, *self._serve()]
        for attempt in served:
            attempt.deliver(self)

    def shut(self, error: BaseException | None) -> None:
        """Note, under the lock, that nothing more comes in; the first error stays."""
        self.closed = True
        if self.error is None:
            self.error = error

    def _queue(self, attempt: Attempt, line: deque[Attempt]) -> Cancel | None:
        with self.lock:
            line.append(attempt)
            served = self._serve()
        for one in served:
            one.deliver(self)
        if attempt.state is Progress.ALL:
            return None
        return partial(self._give_up, attempt, line)

    def _serve(self) -> list[Attempt]:
        """Let attempts go on as far as they can; return those that have ended."""
        served: list[Attempt] = []
        moved = True
        while moved:
            moved = self._serve_line(self.putting, served)
            moved = self._serve_line(self.taking, served) or moved
        return served

    def _serve_line(self, line: deque[Attempt], served: list[Attempt]) -> bool:
        moved = False
        while line:
            attempt = line[0]
            attempt.state = attempt.go(self)
            moved = moved or attempt.state is not Progress.NONE
            if attempt.state is not Progress.ALL:
                break
            served.append(line.popleft())
        return moved

    def _give_up(self, attempt: Attempt, line: deque[Attempt]) -> bool:
        """Take an attempt out of its line; return whether it was in time for that."""
        with self.lock:
            in_time = attempt in line
            if in_time:
                line.remove(attempt)
                attempt.undo(self)
            served = self._serve()
        for one in served:
            one.deliver(self)
        return in_time


class Attempt(ABC):
    """What stands in a queue's line: `go` when its turn has come, until it says ALL."""

    def __init__(self, done: Done) -> None:
        self.done = done
        self.state = Progress.NONE
        self.failure: tuple[type[TensorliteError], str] | None = None

    @abstractmethod
    def go(self, queue: QueueState) -> Progress:
        """Do, under the lock, what can be done now."""

    def undo(self, queue: QueueState) -> None:  # noqa: B027  most have taken nothing
        """Let the queue have again what this attempt has taken; what it has put stays."""

    def give_way(self, queue: QueueState) -> Progress:
        """End, because the queue is closed before this attempt's turn has come."""
        return self.refuse(
            queue, CancelledError, "the queue was closed and this enqueue cancelled"
        )

    def outputs(self, queue: QueueState) -> Any:
        """Return what `done` is given when all went well."""
        return ()

    def refuse(
        self, queue: QueueState, kind: type[TensorliteError], text: str
    ) -> Progress:
        """End with an error, made when the lock is free."""
        because = f", because of {_said(queue.error)}" if queue.error else ""
        self.failure = kind, f"{queue.title}: {text}{because}"
        return Progress.ALL

    def deliver(self, queue: QueueState) -> None:
        """Call `done`; the lock is free."""
        if self.failure is not None:
            kind, text = self.failure
            self.done(ended(kind(text), queue.error))
            return
        try:
            outputs = self.outputs(queue)
        except Exception as error:  # noqa: BLE001  such as memory that is not there
            outputs = error
        self.done(outputs)


class Put(Attempt):
    """Puts elements, one after the other."""

    def __init__(self, done: Done, elements: list[Element]) -> None:
        super().__init__(done)
        self.elements = elements
        self.number = 0

    def go(self, queue: QueueState) -> Progress:
        """Put as many elements as there is room for."""
        if queue.closed:
            return self.refuse(
                queue,
                CancelledError,
                "the queue is closed and takes no more elements",
            )
        before = self.number
        for element in islice(self.elements, before, None):
            if not queue.has_room():
                break
            queue.put(element)
            self.number += 1
        if self.number == len(self.elements):
            return Progress.ALL
        return Progress.SOME if self.number > before else Progress.NONE


class Close(Attempt):
    """Closes the queue when the puts before it are done."""

    def __init__(self, done: Done, error: BaseException | None) -> None:
        super().__init__(done)
        self.error = error

    def go(self, queue: QueueState) -> Progress:
        """Close the queue."""
        if queue.closed:
            return self.refuse(queue, CancelledError, "the queue is already closed")
        queue.shut(self.error)
        return Progress.ALL

    def give_way(self, queue: QueueState) -> Progress:
        """End well: the queue is closed."""
        queue.shut(self.error)
        return Progress.ALL


class TakeOne(Attempt):
    """Takes one element."""

    element: Element = ()

    def go(self, queue: QueueState) -> Progress:
        """Take the element when there is one."""
        if queue.available(1) > 0:
            self.element = queue.take()
            return Progress.ALL
        return _insufficient(self, queue, 1) if queue.closed else Progress.NONE

    def outputs(self, queue: QueueState) -> Any:
        """Return the element."""
        return _outputs(self.element)


class TakeMany(Attempt):
    """Takes a number of elements, as they come."""

    def __init__(self, done: Done, wanted: int, up_to: bool) -> None:
        super().__init__(done)
        self.wanted = wanted
        self.up_to = up_to
        self.taken: list[Element] = []

    def go(self, queue: QueueState) -> Progress:
        """Take what is there, up to the number wanted."""
        missing = self.wanted - len(self.taken)
        if queue.closed and queue.size() < missing:
            return self._close(queue)
        before = len(self.taken)
        for _ in range(min(queue.available(missing), missing)):
            self.taken.append(queue.take())
        if len(self.taken) == self.wanted:
            return Progress.ALL
        return Progress.SOME if len(self.taken) > before else Progress.NONE

    def _close(self, queue: QueueState) -> Progress:
        """End, now that so many elements will never come."""
        rest = queue.size()
        if self.up_to and (self.taken or rest):
            self.taken.extend([queue.take() for _ in range(rest)])
            return Progress.ALL
        self.undo(queue)
        return _insufficient(self, queue, self.wanted)

    def undo(self, queue: QueueState) -> None:
        """Put back what was taken."""
        queue.put_back(self.taken)
        self.taken = []

    def outputs(self, queue: QueueState) -> Any:
        """Return the elements, stacked."""
        return _outputs(queue.batch(self.taken))


def _insufficient(attempt: Attempt, queue: QueueState, wanted: int) -> Progress:
    return attempt.refuse(
        queue,
        OutOfRangeError,
        "the queue is closed and has insufficient elements "
        f"(requested {wanted}, current size {queue.size()})",
    )


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _outputs(arrays: tuple[Array, ...]) -> Any:
    return arrays[0] if len(arrays) == 1 else arrays


def _shape(spec: TensorSpec) -> str:
    return shape_text(spec.shape).replace(" ", "")


def fit(components: Sequence[TensorSpec], given: Sequence[TensorSpec]) -> None:
    """Raise DTypeError or ShapeError when `given` are not the components of an element."""
    for i, (wanted, spec) in enumerate(zip(components, given, strict=True)):
        if wanted.dtype is not spec.dtype:
            raise DTypeError(
                f"component {i} of the queue is {wanted.dtype!r}, and {spec} is enqueued; "
                "cast it with tl.astype"
            )
        try:
            merge(wanted.shape, spec.shape)
        except ShapeError:
            raise ShapeError(
                f"Shape mismatch in tuple component {i}. Expected {_shape(wanted)}, got "
                f"{_shape(spec)}: the first is the queue's, the second is enqueued"
            ) from None


def _stacked(
    rows: Sequence[Array], shape: tuple[Any, ...], spec: TensorSpec
) -> Array:
    """Return rows that all have the shape that the component was given."""
    result = np.empty(shape, spec.dtype.numpy)
    for i, row in enumerate(rows):
        # With the ellipsis a string is taken out of its array, which a place of objects would hold.
        result[i, ...] = row
    return result
