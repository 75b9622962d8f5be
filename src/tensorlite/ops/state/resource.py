"""What variables' handles stand for, and the operators that make, read and write them whole.

Rows of variables are read and written in sparse/state.py; class Variable is in variable.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from sys import getrefcount
from threading import RLock
from typing import Any
from weakref import ReferenceType

import numpy as np

from tensorlite.core.containers import LARGE, current_container, room_for
from tensorlite.core.dtypes import DType, bool_, int32, of_numpy, resource
from tensorlite.core.errors import (
    DTypeError,
    FailedPreconditionError,
    NotFoundError,
    OutOfRangeError,
    ShapeError,
)
from tensorlite.core.op import Call, Effect, Grads, Op
from tensorlite.core.opaque import Resource
from tensorlite.core.spec import TensorSpec, merge, shape_text
from tensorlite.core.tensor import Tensor
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.state.making import Making

_NUMBERS = count()


class VariableState(Resource):
    """What a variable's handle stands for: an array that assignments replace as a whole.

    Who makes a new value out of the old holds the lock, so that no write of another thread is
    lost; who reads has the value of some moment, and needs none. An array that nothing else holds
    may be written over: meanwhile it is taken away, and readers wait for the lock.
    """

    __slots__ = (
        "_place",
        "_spec",
        "array",
        "lock",
        "lost",
        "name",
        "number",
        "owner",
    )

    def __init__(
        self,
        value: TensorSpec,
        name: str,
        trainable: bool,
        array: Array = None,
        place: Array = None,
    ) -> None:
        self.array = array
        """The value; None as long as there is none."""
        self.name = name
        self.lock = RLock()
        self.lost = ""
        """The task whose new start took the value, if one did."""
        self.owner: ReferenceType[Any] | None = None
        """The object that programs have of it in this process, if there is one."""
        self.number = next(_NUMBERS)
        """How many variables this process made before."""
        self._spec = TensorSpec((), resource, None, (value,), trainable)
        self._place = place

    @property
    def spec(self) -> TensorSpec:
        """The spec of the handle; the value's spec is its `inner`."""
        return self._spec

    @property
    def memory(self) -> object:
        """The value; before there is one, an array of no elements where it will be."""
        array = self.current()
        return self._place if array is None else array

    def value(self) -> Array:
        """Return the array; FailedPreconditionError when nothing has been assigned."""
        array = self.current()
        if array is None:
            raise self.without_value()
        return array

    def current(self) -> Array:
        """Return the array, or None when nothing has been assigned."""
        array = self.array
        if array is None:
            with self.lock:
                array = self.array
        return array

    @contextmanager
    def rewritten(self) -> Iterator[Array]:
        """Give a block the array to write over, a copy if anything else holds its memory."""
        with self.lock:
            array = self.value()
            self.array = None
            try:
                held_elsewhere = _holders(array) != HELD_ONCE
                if held_elsewhere or not _is_whole_memory(array):
                    array = array.copy()
                yield array
            finally:
                self.array = array

    def begin(self, array: Array) -> Array:
        """Return the value, which is `array` now if there was none."""
        with self.lock:
            if self.array is None:
                self.array = array
            return self.array

    def copied(self) -> VariableState:
        """Return another with a value of its own, equal to this one's."""
        array = self.current()
        array = None if array is None else array.copy()
        trainable = self._spec.trainable
        return VariableState(
            self._spec.inner[0], self.name, trainable, array, self._place
        )

    def without_value(self) -> FailedPreconditionError:
        """Return the error for a read before the first assignment."""
        what = f"the variable {self.name!r} ({self._spec.inner[0]})"
        if self.lost:
            return FailedPreconditionError(
                f"{what} lost its value when {self.lost} was started anew: restore a checkpoint, "
                "or assign a value"
            )
        return FailedPreconditionError(
            f"Attempting to use uninitialized value {self.name}: {what} has no value: nothing has "
            "been assigned to it. Assign one, such as v.assign(x), run what initializes it, or "
            "restore a checkpoint"
        )

    def __repr__(self) -> str:
        return f"<variable {self.name!r} {self._spec.inner[0]}>"


def _holders(array: Array) -> int:
    return getrefcount(array)


def _held_once() -> int:
    array = np.empty(1)
    return _holders(array)


HELD_ONCE = _held_once()
"""How many hold an array that one name holds; how Python counts differs by version."""


def _is_whole_memory(array: Array) -> bool:
    return type(array) is np.ndarray and array.base is None and array.flags.carray


class VarHandleOp(Making):
    """Makes a variable that has no value yet."""

    free = (*Making.free, "is_reference")
    spec: TensorSpec
    trainable: bool = False
    is_reference: bool = False
    """Whether it is a reference where it is written as one of TensorFlow 1's."""

    def infer(self) -> TensorSpec:
        """Return the spec of the handle."""
        return TensorSpec((), resource, None, (self.spec,), self.trainable)

    def fresh(self, xp: Xp) -> VariableState:
        """Return a variable without a value, which remembers the GPU that it is made on."""
        place = None if xp is np else xp.empty(0)
        return VariableState(self.spec, self.label, self.trainable, place=place)


class VarIsInitializedOp(Op):
    """Whether a variable has a value."""

    effect = Effect.READ
    differentiable = False

    def infer(self, handle: TensorSpec) -> TensorSpec:
        """Return a 0-d bool."""
        return TensorSpec((), bool_)

    def kernel(self, xp: Xp, handle: VariableState) -> Array:
        """Return the answer, in host memory."""
        return np.asarray(handle.current() is not None)


class DestroyResourceOp(Op):
    """Forgets a resource: a variable has no value then, what has a name is made anew."""

    effect = Effect.WRITE
    differentiable = False
    ignore_lookup_error: bool = True

    def infer(self, handle: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return nothing."""
        return ()

    def kernel(self, xp: Xp, handle: Resource) -> tuple[Array, ...]:
        """Forget it; NotFoundError for what is gone, unless that is to be ignored."""
        was_there = current_container.get().forget(handle)
        if isinstance(handle, VariableState):
            with handle.lock:
                was_there = handle.array is not None
                handle.array = None
        if not (was_there or self.ignore_lookup_error):
            raise NotFoundError(f"{handle!r} does not exist: it has been destroyed")
        return ()


class ReadVariableOp(Op):
    """The value of a variable."""

    effect = Effect.READ
    takes_sparse = True
    aliases = True

    def infer(self, handle: TensorSpec) -> TensorSpec:
        """Return the spec of the variable's value."""
        return handle.inner[0]

    def kernel(self, xp: Xp, handle: VariableState) -> Array:
        """Return the array the variable holds now."""
        array = handle.array
        return handle.value() if array is None else array

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient of the value as the handle's, sparse if it is."""
        return (dy,)


class VariableShape(Op):
    """The shape of a variable's value, as a 1-d tensor of integers in host memory."""

    effect = Effect.READ
    differentiable = False
    out_type: DType = int32

    def infer(self, handle: TensorSpec) -> TensorSpec:
        """Return the spec of a vector with one element per axis."""
        shape = handle.inner[0].shape
        rank = None if shape is None else len(shape)
        return TensorSpec((rank,), self.out_type, known=shape)

    def kernel(self, xp: Xp, handle: VariableState) -> Array:
        """Return the sizes; they stay in host memory, where structure is read."""
        array = handle.array
        value = handle.value() if array is None else array
        return np.asarray(value.shape, self.out_type.numpy)


def _check_fits(have: TensorSpec, value: TensorSpec, name: str = "") -> None:
    """Raise ShapeError or DTypeError when a value is none that a variable may have."""
    if have.dtype is not value.dtype:
        raise DTypeError(
            f"the variable{name} holds {have.dtype!r}, the value is {value.dtype!r}"
        )
    try:
        merge(have.shape, value.shape)
    except ShapeError:
        raise ShapeError(
            f"Shapes {shape_text(have.shape)} of the variable{name} and "
            f"{shape_text(value.shape)} of the value are incompatible; they must be equal"
        ) from None


class Write(Op, abstract=True):
    """Gives a variable another value, and returns that."""

    effect = Effect.WRITE
    differentiable = False
    returns: bool = True
    """Whether the new value comes back; in TensorFlow's graphs a resource is read behind."""

    def infer(
        self, handle: TensorSpec, value: TensorSpec
    ) -> TensorSpec | tuple[TensorSpec, ...]:
        """Return the variable's spec; ShapeError or DTypeError when the value does not fit."""
        self.check(handle.inner[0], value)
        return handle.inner[0] if self.returns else ()

    def kernel(
        self, xp: Xp, handle: VariableState, value: Array
    ) -> Array | tuple[Array, ...]:
        """Make the new value the variable's."""
        have = handle.spec.inner[0]
        if value.shape != have.shape or value.dtype != have.dtype.numpy:
            given = TensorSpec(value.shape, of_numpy(value.dtype))
            self.check(have, given, f" {handle.name!r}")
        with handle.lock:
            made = handle.array = self.combine(xp, handle, value)
        return made if self.returns else ()

    def check(self, have: TensorSpec, value: TensorSpec, name: str = "") -> None:
        """Raise ShapeError or DTypeError when a value is none that a variable may have."""
        _check_fits(have, value, name)

    def combine(self, xp: Xp, old: VariableState, value: Array) -> Array:
        """Return the new value."""
        return value


class AssignVariableOp(Write):
    """Gives a variable a new value."""

    any_shape: bool = False
    """Whether the value may have another shape than the variable's, as in TensorFlow 1."""

    def infer(
        self, handle: TensorSpec, value: TensorSpec
    ) -> TensorSpec | tuple[TensorSpec, ...]:
        """Return the variable's spec, or that of a value of any shape."""
        made = super().infer(handle, value)
        return TensorSpec(value.shape, value.dtype) if self.any_shape else made

    def check(self, have: TensorSpec, value: TensorSpec, name: str = "") -> None:
        """Raise ShapeError or DTypeError when a value is none that a variable may have."""
        known = TensorSpec(None, have.dtype) if self.any_shape else have
        _check_fits(known, value, name)


class AssignFirstValue(Write):
    """Gives a variable its first value; one that has a value keeps that."""

    def combine(self, xp: Xp, old: VariableState, value: Array) -> Array:
        """Return the value that there is, or else the new one."""
        return old.begin(value)


class AssignAddVariableOp(Write):
    """Adds to a variable."""

    def combine(self, xp: Xp, old: VariableState, value: Array) -> Array:
        """Return old + value."""
        return _into(xp.add, old.value(), value)


class AssignSubVariableOp(Write):
    """Subtracts from a variable."""

    def combine(self, xp: Xp, old: VariableState, value: Array) -> Array:
        """Return old - value."""
        return _into(xp.subtract, old.value(), value)


def _into(combine: Any, old: Array, value: Array) -> Array:
    """Return two arrays of one shape and dtype combined, where a large value is to be."""
    room = None
    if type(old) is np.ndarray and old.nbytes >= LARGE:
        room = room_for(old.shape, old.dtype)
    made: Array = (
        combine(old, value) if room is None else combine(old, value, out=room)
    )
    return made


class CountUpToVariableOp(Op):
    """Adds one to a variable and returns what it was; OutOfRangeError when it is at the limit."""

    effect = Effect.WRITE
    differentiable = False
    limit: int

    def infer(self, handle: TensorSpec) -> TensorSpec:
        """Return the variable's spec; DTypeError unless it is a whole number."""
        held = handle.inner[0]
        if not held.dtype.is_integer or held.rank not in (0, None):
            raise DTypeError(f"{self.name}: the variable is {held}, no whole number")
        return held

    def kernel(self, xp: Xp, handle: VariableState) -> Array:
        """Return the value from before."""
        with handle.lock:
            before = handle.value()
            if before >= self.limit:
                raise OutOfRangeError(
                    f"Reached limit of {self.limit}: the variable {handle.name!r} "
                    "counts no further"
                )
            handle.array = xp.asarray(before + before.dtype.type(1))
        return before
