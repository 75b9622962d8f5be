"""Monitor: state behind a handle, one lock, and lines of those who wait for it to change.

Barriers, staging areas, mutexes and accumulators are monitors (Hoare, CACM 1974), each in a file
of its own; queues are not, whose elements come and go by parts (contents.py).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from enum import Enum, auto
from functools import partial
from threading import Lock, get_ident
from typing import Any, TypeVar

from tensorlite.core.check import whole
from tensorlite.core.constant import array_of
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import (
    DType,
    DTypeLike,
    as_dtype,
    int64,
    of_numpy,
    resource,
)
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    ShapeError,
    TensorliteError,
)
from tensorlite.core.op import Op
from tensorlite.core.opaque import Resource
from tensorlite.core.operand import Operand
from tensorlite.core.shapes import AnyShape
from tensorlite.core.spec import TensorSpec, merge, shape_text, sizes_of
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.waiting import Cancel, Done, ended
from tensorlite.core.xp import Array
from tensorlite.graph.graph import Node

__all__: list[str] = []

T = TypeVar("T")
Fetchable = Tensor | Node | None
"""What a session fetches to run an operation of a `tl.Graph`; elsewhere it has run: None."""


class Later(Enum):
    """What a request answers that cannot be met yet."""

    LATER = auto()


LATER = Later.LATER
Request = Callable[[], Any]
"""Returns outputs or LATER, or raises; it is called under the lock, and changes the state only if
it returns outputs."""


class Monitor(Resource, ABC):
    """State under a lock, and requests that wait, in lines that are served from the front.

    Whoever changes the state serves all lines as far as that goes, under the lock, and gives the
    answers when the lock is free again.
    """

    def __init__(self, name: str, inner: tuple[TensorSpec, ...] = ()) -> None:
        self.name = name
        self.lock = Lock()
        self.parties: defaultdict[str, set[int]] = defaultdict(set)
        """The threads that have done what another may wait for, for the message of a deadlock."""
        self._lines: defaultdict[str, deque[_Wait]] = defaultdict(deque)
        self._spec = TensorSpec((), resource, None, inner)

    @property
    def spec(self) -> TensorSpec:
        """The spec of the handle; its `inner` are those of what lies behind it."""
        return self._spec

    @property
    @abstractmethod
    def title(self) -> str:
        """What messages call this."""

    def __repr__(self) -> str:
        return f"<{self.title}>"

    def ask(self, line: str, request: Request, done: Done) -> Cancel | None:
        """Begin a request, behind those of its line; see `Waiting.start`."""
        self.parties[line].add(get_ident())
        wait = _Wait(request, done)
        with self.lock:
            self._lines[line].append(wait)
            served = self._serve()
        self._tell(served)
        return None if wait in served else partial(self._withdraw, line, wait)

    def change(self, party: str, action: Callable[[], T]) -> T:
        """Return what `action` does under the lock, and serve those who waited for it."""
        self.parties[party].add(get_ident())
        with self.lock:
            result = action()
            served = self._serve()
        self._tell(served)
        return result

    def waiting(self, line: str) -> int:
        """Return how many requests of a line wait."""
        with self.lock:
            return len(self._lines[line])

    def _serve(self) -> list[_Wait]:
        served: list[_Wait] = []
        before = -1
        while len(served) > before:
            before = len(served)
            for line in tuple(self._lines.values()):
                while line and line[0].met():
                    served.append(line.popleft())
        return served

    def _withdraw(self, line: str, wait: _Wait) -> bool:
        """Take a request out of its line; return whether it was in time for that."""
        with self.lock:
            in_time = wait in self._lines[line]
            if in_time:
                self._lines[line].remove(wait)
            served = self._serve()
        self._tell(served)
        return in_time

    def _tell(self, served: Sequence[_Wait]) -> None:
        for wait in served:
            wait.tell()
        self.settled()

    def settled(self) -> None:
        """Do what had to be put off while the lock was held."""


class _Wait:
    """A request, and who is to be told."""

    __slots__ = ("answer", "done", "request")

    def __init__(self, request: Request, done: Done) -> None:
        self.request = request
        self.done = done
        self.answer: Any = LATER

    def met(self) -> bool:
        """Return whether the request has an answer now, which may be an error."""
        try:
            self.answer = self.request()
        except TensorliteError as error:
            self.answer = ended(error)
        except Exception as error:  # noqa: BLE001  such as memory that is not there
            self.answer = error
        return self.answer is not LATER

    def tell(self) -> None:
        """Give the answer, and keep it no longer."""
        answer, self.answer = self.answer, LATER
        self.done(answer)


def components(
    name: str,
    types: DTypeLike | Sequence[DTypeLike],
    shapes: Sequence[Any] | None,
) -> tuple[TensorSpec, ...]:
    """Return the specs of an element's components; a bare dtype, and its shape, are of one."""
    several = isinstance(types, (list, tuple))
    kinds = [
        as_dtype(x) for x in (types if isinstance(types, (list, tuple)) else [types])
    ]
    if not kinds:
        raise InvalidArgumentError(
            f"{name}: no dtypes are given; one component is due"
        )
    if shapes is None:
        return tuple([TensorSpec(None, kind) for kind in kinds])
    listed: list[Any] = list(sizes_of(shapes) or ())
    if not several and not any(isinstance(x, (list, tuple)) for x in listed):
        listed = [tuple(listed)]
    if len(listed) != len(kinds):
        raise InvalidArgumentError(
            f"{name}: shapes={shapes!r}: {len(kinds)} components need as many shapes"
        )
    pairs = zip(listed, kinds, strict=True)
    return tuple([_component(name, shape, kind) for shape, kind in pairs])


def _component(name: str, shape: Any, kind: DType) -> TensorSpec:
    if isinstance(shape, AnyShape):
        shape = shape.known()
    if shape is not None and not isinstance(shape, (list, tuple)):
        raise ShapeError(
            f"{name}: {shape!r} is no shape; allowed are tuples of sizes"
        )
    what = f"{name}: a size"
    sizes = shape and [None if n is None else int(whole(n, what, 0)) for n in shape]
    return TensorSpec(sizes, kind)


def fitting(value: TensorLike, dtype: DType) -> Tensor:
    """Return `value` as a tensor, one of `dtype` if it is none yet and that can hold it.

    Where it cannot, as an integer a fraction, the operator at hand says so.
    """
    if isinstance(value, Operand):
        return to_tensor(value)
    array = array_of(value)
    if not array.size or _KINDS.index(of_numpy(array.dtype).kind) <= _KINDS.index(
        dtype.kind
    ):
        array = array_of(value, dtype)
    return to_tensor(array)


_KINDS = "Sbiufc"
"""Each kind of dtypes takes values of those before it, but for strings, which NumPy refuses."""


def integer(value: TensorLike, what: str) -> Tensor:
    """Return `value` as an int64 or other integer scalar; DTypeError for another dtype."""
    tensor = to_tensor(value if isinstance(value, Operand) else array_of(value))
    if not tensor.dtype.is_integer or tensor.spec.rank not in (0, None):
        raise DTypeError(f"{what} is {tensor.spec}; allowed is an integer scalar")
    if isinstance(value, int):
        return to_tensor(array_of(value, int64))
    return tensor


def scalar(op: Op, what: str, spec: TensorSpec, least: int | None = None) -> None:
    """Raise unless `spec` is an integer scalar, and at least `least` as far as it is known."""
    if not spec.dtype.is_integer or spec.rank not in (0, None):
        raise DTypeError(f"{op.name}: {what} is {spec}; allowed is an integer scalar")
    known = spec.scalar()
    if known is not None and least is not None:
        at_least(op, what, known, least)


def at_least(op: Op, what: str, number: int, least: int) -> None:
    """Raise InvalidArgumentError when `number` is below `least`."""
    if number < least:
        raise InvalidArgumentError(
            f"{op.name}: {what}={number}; allowed are {least} and more"
        )


def must_fit(title: str, wanted: TensorSpec, given: TensorSpec) -> None:
    """Raise DTypeError or ShapeError when no tensor can be of both specs."""
    if wanted.dtype is not given.dtype:
        raise DTypeError(
            f"{title} holds {wanted.dtype!r}, and is given {given}; cast it with tl.astype"
        )
    try:
        merge(wanted.shape, given.shape)
    except ShapeError:
        raise ShapeError(
            f"{title} holds shape {shape_text(wanted.shape)}, and is given "
            f"{shape_text(given.shape)}"
        ) from None


def spec_of(array: Array) -> TensorSpec:
    """Return the spec of an array."""
    return TensorSpec(array.shape, of_numpy(array.dtype))
