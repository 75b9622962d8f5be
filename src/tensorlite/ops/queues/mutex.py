"""Mutex: one at a time. A lock is a tensor, which unlocks when it is released or nobody has it.

Whole functions run one at a time in a CriticalSection (function/critical_section.py). Source:
TensorFlow's MutexV2, MutexLock and ConsumeMutexLock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Any, TypeAlias

from tensorlite.core import dtypes
from tensorlite.core.deadlock import Want
from tensorlite.core.dispatch import call, calls, interpreted_by, to_tensor
from tensorlite.core.errors import (
    DTypeError,
    FailedPreconditionError,
    GradientError,
    InvalidArgumentError,
)
from tensorlite.core.op import Call, Effect, Grads, Op
from tensorlite.core.opaque import Opaque, Resource
from tensorlite.core.scope import control_dependencies
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.core.waiting import Cancel, Done, Waiting
from tensorlite.core.xp import Array, Xp
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph.manual import ManualGraph, building
from tensorlite.graph.trace import outermost
from tensorlite.ops.control.regions import Callee, strongest
from tensorlite.ops.fetchable import effect
from tensorlite.ops.queues.monitor import LATER, Fetchable, Monitor
from tensorlite.ops.state.making import Making, made

__all__ = ["Mutex"]

LOCK = TensorSpec((), dtypes.variant)


class MutexState(Monitor):
    """Whether a mutex is locked, and those who wait to lock it."""

    def __init__(self, name: str, kind: str = "mutex") -> None:
        super().__init__(name)
        self.kind = kind
        self.locked = False
        self._dropped: deque[None] = deque()

    @property
    def title(self) -> str:
        """What messages call this."""
        return f"{self.kind} {self.name!r}"

    def acquire(self, done: Done) -> Cancel | None:
        """Begin to lock."""
        return self.ask("holds", self._acquire, done)

    def _acquire(self) -> Any:
        if self.locked:
            return LATER
        self.locked = True
        return Held(self)

    def unlock(self) -> None:
        """Unlock; the first of those who wait has it then."""
        self.change("releases", self._unlock)

    def _unlock(self) -> None:
        self.locked = False

    def drop(self) -> None:
        """Unlock because the lock has gone, which may be while any thread is at anything.

        So this waits for nobody: who is at the mutex now does it when that is over.
        """
        self._dropped.append(None)
        self.settled()

    def settled(self) -> None:
        """Unlock for a lock that has gone."""
        while self._dropped and self.lock.acquire(blocking=False):
            try:
                mine = bool(self._dropped)
                self._dropped.clear()
            finally:
                self.lock.release()
            if mine:
                self.unlock()


def _nobody(_: object) -> None:
    """Tell nobody."""


class Held(Opaque):
    """A lock that is held."""

    __slots__ = ("_done", "released", "state")

    def __init__(self, state: MutexState) -> None:
        self.state = state
        self.released = False
        self._done: Done = _nobody

    @property
    def spec(self) -> TensorSpec:
        """The spec of a tensor that holds a lock."""
        return LOCK

    def release(self) -> None:
        """Unlock; FailedPreconditionError when this has been done."""
        done = self._end()
        if done is None:
            raise FailedPreconditionError(
                f"this lock of {self.state.title} has been released already"
            )
        done(())

    def _end(self) -> Done | None:
        """Unlock, and return whom to tell; None when this has been done."""
        with self.state.lock:
            if self.released:
                return None
            self.released = True
            done, self._done = self._done, _nobody
        self.state.unlock()
        return done

    def abandon(self) -> None:
        """Unlock, unless that has been done."""
        self._end()

    def guard(self, done: Done) -> Cancel | None:
        """Call `done` when this is released; giving up that wait releases it."""
        with self.state.lock:
            if not self.released:
                self._done = done
                return self._end
        done(())
        return None

    def __del__(self) -> None:
        if not self.released:
            self.released = True
            self.state.drop()

    def __repr__(self) -> str:
        return f"<{'released ' if self.released else ''}lock of {self.state.title}>"


Block: TypeAlias = tuple[Resource, Tensor | None]
_around: ContextVar[tuple[Block, ...]] = ContextVar("around", default=())
"""What the blocks around have locked, which none inside them can lock again, and its lock."""


@contextmanager
def inside(state: Resource) -> Iterator[None]:
    """Note that the code inside has a mutex locked."""
    refuse_again(state)
    token = _around.set((*_around.get(), (state, None)))
    try:
        yield
    finally:
        _around.reset(token)


def refuse_again(state: Resource) -> None:
    """Raise InvalidArgumentError when the code around has a mutex locked."""
    if any(state is other for other, _ in _around.get()):
        title = (
            state.title if isinstance(state, MutexState) else f"the mutex {state!r}"
        )
        raise InvalidArgumentError(
            f"{title} is locked by the code around this, which would wait for itself. Lock "
            "it once, around all that needs it"
        )


class MutexV2(Making):
    """Makes a mutex."""

    free = (*Making.free, "called")
    called: str = "mutex"
    """What kind of thing messages call it."""

    def fresh(self, xp: Xp) -> MutexState:
        """Return a new mutex."""
        return MutexState(self.label, self.called)


class MutexLock(Waiting):
    """A lock of a mutex, when nobody else has one."""

    effect = Effect.WRITE

    def infer(self, mutex: TensorSpec) -> TensorSpec:
        """Return the spec of a lock."""
        return LOCK

    def start(self, done: Done, state: MutexState) -> Cancel | None:
        """Begin to lock."""
        refuse_again(state)
        return state.acquire(done)

    def waits_for(self, state: MutexState) -> Want:
        """Return that the mutex is waited for."""
        asked = state.parties["holds"]
        return Want(
            f"{state.title}, which is locked", "has locked or asked for", asked
        )


class ConsumeMutexLock(Op):
    """Releases a lock; given its mutex too, it is ordered among all that use that."""

    effect = Effect.WRITE
    differentiable = False

    def infer(
        self, mutex_lock: TensorSpec, *mutex: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return nothing; DTypeError for what is no lock."""
        _check_lock(self, mutex_lock)
        return ()

    def kernel(
        self, xp: Xp, mutex_lock: Held, *mutex: MutexState
    ) -> tuple[Array, ...]:
        """Release the lock."""
        held = _held(self, mutex_lock)
        if mutex and mutex[0] is not held.state:
            raise InvalidArgumentError(
                f"{mutex[0].title} is to be released, and given a lock of {held.state.title}"
            )
        held.release()
        return ()


class GuardMutexLock(Waiting):
    """Waits until a lock is released; a step that fails gives up its waits, and so releases it."""

    effect = Effect.WRITE

    def infer(self, mutex_lock: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return nothing."""
        _check_lock(self, mutex_lock)
        return ()

    def start(self, done: Done, mutex_lock: Held) -> Cancel | None:
        """Begin to wait."""
        return _held(self, mutex_lock).guard(done)

    def kernel(self, xp: Xp, mutex_lock: Held) -> tuple[Array, ...]:
        """Return nothing, at once: where tasks run in their order, the releasing comes after."""
        return ()


@contextmanager
def locked(mutex: Tensor) -> Iterator[None]:
    """Lock a mutex for a block of Python, waiting for it, wherever it lives."""
    with interpreted_by(None):
        held = call(MutexLock(), mutex)
    try:
        with inside(mutex.array):
            yield
    finally:
        with interpreted_by(None):
            calls(ConsumeMutexLock(), held)


def _check_lock(op: Op, spec: TensorSpec) -> None:
    if spec.dtype is not dtypes.variant:
        raise DTypeError(f"{op.name}: {spec} is no lock; Mutex.acquire() returns one")


def _held(op: Op, value: object) -> Held:
    if not isinstance(value, Held):
        raise DTypeError(
            f"{op.name}: {value!r} is no lock; Mutex.acquire() returns one"
        )
    return value


class ExecuteInCriticalSection(Op):
    """Calls a function under the lock of a mutex, and releases that whatever comes of it.

    It is one operator, which locks in its kernel, so that no step can fail between locking and
    releasing. What the function runs is a step of its own: nothing in it may wait for the step
    around.
    """

    by_dtype = True
    f: Callee

    @cached_property
    def effect(self) -> Effect:  # type: ignore[override]
        """At least that of a write."""
        inner = [node.op.effect for node in self.f.graph.nodes]
        return strongest([Effect.WRITE, *inner])

    def infer(
        self, mutex: TensorSpec, *arguments: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return the specs of the function's outputs."""
        return tuple(self.f.graph.output_specs)

    def kernel(
        self, xp: Xp, mutex: MutexState, *arguments: Array
    ) -> tuple[Array, ...]:
        """Return what the function returns."""
        with locked(EagerTensor(mutex)):
            return self.f.run(arguments)

    def grad(self, call: Call, *dys: Any) -> Grads:
        """Raise GradientError: its effects would have to be run again."""
        raise GradientError(
            "a function that a tl.CriticalSection executes has no gradient in a trace; take the "
            "gradient inside the function"
        )


class Mutex:
    """A lock that one at a time has: a thread, a step, a block of a traced function.

    Use it in a `with` statement. In a traced function the block's reads and writes run between
    locking and unlocking. If they fail, it is unlocked too, as it is when its step's error is gone;
    a `tl.CriticalSection` is always left at once. Those who wait are served in the order in which
    they came. Locking again in the block raises InvalidArgumentError. All mutexes of one
    `shared_name` on one task are the same.

    >>> mutex, total = tl.queue.Mutex(), tl.Variable(0)
    >>> @tl.function
    ... def add(x):
    ...     with mutex:
    ...         total.assign(total + x)
    >>> add(tl.asarray(5))
    >>> print(total.value())
    5
    """

    def __init__(self, name: str = "mutex", shared_name: str | None = None) -> None:
        self.name = name
        self.handle = made(
            lambda: MutexV2(debug_name=name, shared_name=shared_name or "")
        )

    def acquire(self) -> Tensor:
        """Return a lock, when nobody else has one; if it is dropped, that releases it.

        Raises InvalidArgumentError inside a `with` block of the same mutex. Source: TensorFlow's
        MutexLock.

        >>> mutex = tl.queue.Mutex()
        >>> lock = mutex.acquire()
        >>> mutex.release(lock)
        """
        refuse_again(self.handle.array)
        return call(MutexLock(), self.handle)

    def release(self, lock: Tensor) -> Fetchable:
        """Release a lock; in a trace all reads and writes since its making run under it.

        In a `tl.Graph` that happens when a session fetches what comes back.
        Raises FailedPreconditionError when it has been released, InvalidArgumentError when it is
        another mutex's, DTypeError for what is no lock. Source: TensorFlow's ConsumeMutexLock.

        >>> mutex = tl.queue.Mutex()
        >>> lock = mutex.acquire()
        >>> mutex.release(lock)
        >>> mutex.release(lock)
        Traceback (most recent call last):
        tensorlite.core.errors.FailedPreconditionError: this lock of mutex 'mutex' has been ...
        """
        held = to_tensor(lock)
        inside_block = _guarded(held)
        if isinstance(held, SymbolicTensor) and building() is None:
            calls(GuardMutexLock(), held)
        with control_dependencies(inside_block):
            return effect(ConsumeMutexLock(), held, self.handle)

    def __enter__(self) -> Tensor:
        """Lock, for the block; FailedPreconditionError in a `tl.Graph`, which runs no blocks."""
        top = outermost()
        if top is not None and isinstance(top.graph, ManualGraph):
            raise FailedPreconditionError(
                f"{self.name}: a session runs what is fetched, which may leave out the unlocking. "
                "In a tl.Graph use tl.CriticalSection, or acquire() and release(), and fetch what "
                "release() returns"
            )
        lock = self.acquire()
        _around.set((*_around.get(), (self.handle.array, lock)))
        return lock

    def __exit__(self, *exc: object) -> None:
        """Unlock."""
        mine = [block for block in _around.get() if block[0] is self.handle.array]
        _around.set(tuple([block for block in _around.get() if block not in mine]))
        for _, lock in mine:
            assert lock is not None
            self.release(lock)

    def __repr__(self) -> str:
        return f"Mutex(name={self.name!r})"


def _guarded(lock: Tensor) -> list[Node]:
    """Return the nodes of the trace at hand that read or write since a lock, which they run under.

    What computes without effects may run before or after.
    """
    top = outermost()
    if top is None or not isinstance(lock, SymbolicTensor):
        return []
    if lock.node.graph is not top.graph:
        return []
    nodes = top.graph.nodes
    since = nodes[nodes.index(lock.node) + 1 :]
    guarded = [x for x in since if x.op.effect not in (Effect.NONE, Effect.DRAW)]
    for node in guarded:
        if lock.node not in node.control:
            node.control = (*node.control, lock.node)
    return guarded
