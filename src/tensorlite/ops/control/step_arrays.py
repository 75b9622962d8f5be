"""Arrays of tensors that live in one step, by handle, as TensorFlow 1's graphs use them.

Each is made when its operator runs; who writes hands on a number, the flow, which orders reading.
Gradients of what is read and written are arrays of their own, others for each sweep. Stacks are in
step_stacks.py; lists that are values, as programs here use them, in lists.py and tensor_array.py.
"""

from __future__ import annotations

from threading import RLock
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, calls
from tensorlite.core.dtypes import DType, of_numpy
from tensorlite.core.errors import (
    DTypeError,
    FailedPreconditionError,
    InvalidArgumentError,
    PlaceError,
    ShapeError,
)
from tensorlite.core.op import Call, Effect, Grads, Op
from tensorlite.core.opaque import Resource
from tensorlite.core.spec import TensorSpec, merge, shape_text
from tensorlite.core.tensor import Tensor
from tensorlite.core.xp import Array, Xp
from tensorlite.graph.backprop import sweep

__all__: list[str] = []

FLOW = TensorSpec((), dtypes.float32)


def check_dtype(op: Op, handle: TensorSpec, value: TensorSpec) -> None:
    """Raise DTypeError unless what a handle is of holds tensors of a dtype."""
    if not handle.inner or handle.inner[0].dtype is not value.dtype:
        raise DTypeError(f"{op.name}: {value} is put into what holds {handle.inner}")


class Held(Resource):
    """What holds tensors for one step."""

    items: list[Array]


class ArrayState(Held):
    """Tensors by number, each written once; of gradients, those for one number are added up."""

    def __init__(
        self,
        element: TensorSpec,
        size: int,
        is_dynamic: bool = False,
        clears: bool = False,
        of: ArrayState | None = None,
    ) -> None:
        self._spec = TensorSpec((), dtypes.resource, None, (element,))
        self.element = element
        self.items: list[Array] = [None] * size
        self.is_dynamic = is_dynamic
        self.clears = clears
        self.cleared: set[int] = set()
        self.of = of
        """The array that these are the gradients of."""
        self.gradients: dict[str, ArrayState] = {}
        self.lock = RLock()

    @property
    def spec(self) -> TensorSpec:
        """The spec of the handle."""
        return self._spec

    def write(self, index: int, value: Array) -> None:
        """Put a tensor at a number."""
        with self.lock:
            self._check(value)
            self._reach(index)
            there = self.items[index]
            if there is not None and self.of is None:
                raise InvalidArgumentError(
                    f"TensorArray: {index} is written to a second time; each is written once"
                )
            self.items[index] = value if there is None else there + value

    def _reach(self, index: int) -> None:
        if index >= len(self.items) and self.is_dynamic:
            self.items += [None] * (index + 1 - len(self.items))
        if not 0 <= index < len(self.items):
            raise PlaceError(
                f"TensorArray: {index} is not there; there are {len(self.items)}, from 0"
            )

    def _check(self, value: Array) -> None:
        if of_numpy(value.dtype) is not self.element.dtype:
            raise DTypeError(
                f"TensorArray of {self.element.dtype!r} is given {of_numpy(value.dtype)!r}"
            )
        try:
            merge(self.element.shape, value.shape)
        except ShapeError:
            raise ShapeError(
                f"TensorArray of {self.element} is given a tensor of shape "
                f"{shape_text(value.shape)}"
            ) from None

    def at(self, xp: Xp, index: int) -> Array:
        """Return the tensor at a number."""
        with self.lock:
            if not 0 <= index < len(self.items):
                self._reach(index)
            item = self.items[index]
            if item is None:
                return self._absent(xp, index)
            if self.clears:
                self.items[index] = None
                self.cleared.add(index)
            return item

    def _absent(self, xp: Xp, index: int) -> Array:
        if index in self.cleared:
            raise InvalidArgumentError(
                f"TensorArray: {index} was read before, which cleared it; make the array with "
                "clear_after_read=False"
            )
        shape = self._shape_at(index)
        if shape is None or None in shape:
            raise InvalidArgumentError(
                f"TensorArray: {index} is read, and was never written; that is zeros only where "
                "the shape of the elements is known"
            )
        return xp.zeros(shape, self.element.dtype.numpy)

    def _shape_at(self, index: int) -> Any:
        if self.of is not None and index < len(self.of.items):
            there = self.of.items[index]
            if there is not None:
                return there.shape
        return self.element.shape

    def gradient(self, source: str) -> ArrayState:
        """Return the array of the gradients, which is made when it is first asked for."""
        with self.lock:
            if source not in self.gradients:
                self.gradients[source] = ArrayState(
                    self.element, len(self.items), of=self
                )
            return self.gradients[source]

    def stacked(self, xp: Xp, indices: list[int]) -> Array:
        """Return tensors at some numbers, along a new axis."""
        if not indices:
            rows = [size or 0 for size in self.element.shape or ()]
            return xp.zeros((0, *rows), self.element.dtype.numpy)
        return xp.stack([self.at(xp, index) for index in indices])


class TensorArrayV3(Op):
    """Makes an array of tensors; its flow orders who writes and who reads."""

    effect = Effect.DRAW
    differentiable = False
    host = (0,)
    dtype: DType
    element_shape: TensorSpec
    dynamic_size: bool = False
    clear_after_read: bool = True
    identical_element_shapes: bool = False

    def infer(self, size: TensorSpec) -> tuple[TensorSpec, TensorSpec]:
        """Return the specs of handle and flow."""
        return TensorSpec((), dtypes.resource, None, (self.element_shape,)), FLOW

    def kernel(self, xp: Xp, size: Array) -> tuple[ArrayState, Array]:
        """Return a new array."""
        if int(size) < 0:
            raise InvalidArgumentError(f"TensorArray: size={int(size)} is below 0")
        state = ArrayState(
            self.element_shape, int(size), self.dynamic_size, self.clear_after_read
        )
        return state, np.zeros((), np.float32)


class TensorArrayGradV3(Op):
    """The array of another one's gradients; there is one for each source."""

    effect = Effect.WRITE
    differentiable = False
    aliases = True
    source: str

    def infer(
        self, handle: TensorSpec, flow_in: TensorSpec
    ) -> tuple[TensorSpec, TensorSpec]:
        """Return the specs of handle and flow."""
        return handle, FLOW

    def kernel(
        self, xp: Xp, handle: ArrayState, flow_in: Array
    ) -> tuple[ArrayState, Array]:
        """Return the array of gradients."""
        return handle.gradient(self.source), flow_in


def _of_gradients(array: Call, flow: Tensor) -> tuple[Tensor, Tensor]:
    """Return handle and flow of the array of the gradients that the sweep under way adds up."""
    op = TensorArrayGradV3(f"gradients_{sweep.get()}")
    handle, begun = calls(op, array.inputs[0], flow)
    return handle, begun


class OfArrays(Op, abstract=True):
    """What works on an array, in an order that the flow it takes makes."""


class _Writing(OfArrays, abstract=True):
    """Writes, and hands on the flow."""

    effect = Effect.WRITE
    aliases = True


class TensorArrayWriteV3(_Writing):
    """Puts a tensor at a number."""

    host = (1,)

    def infer(
        self,
        handle: TensorSpec,
        index: TensorSpec,
        value: TensorSpec,
        flow_in: TensorSpec,
    ) -> TensorSpec:
        """Return the spec of the flow; DTypeError when the array is of another dtype."""
        check_dtype(self, handle, value)
        return FLOW

    def kernel(
        self, xp: Xp, handle: ArrayState, index: Array, value: Array, flow_in: Array
    ) -> Array:
        """Return the flow."""
        handle.write(int(index), value)
        return flow_in

    def grad(self, call_: Call, dflow: Tensor) -> Grads:
        """Return the gradient that was added up at the number."""
        there = _of_gradients(call_, dflow)
        dvalue = call(TensorArrayReadV3(), there[0], call_.inputs[1], there[1])
        return None, None, dvalue, dflow


class TensorArrayScatterV3(_Writing):
    """Puts the rows of a tensor at numbers."""

    host = (1,)

    def infer(
        self,
        handle: TensorSpec,
        indices: TensorSpec,
        value: TensorSpec,
        flow_in: TensorSpec,
    ) -> TensorSpec:
        """Return the spec of the flow; DTypeError when the array is of another dtype."""
        check_dtype(self, handle, value)
        return FLOW

    def kernel(
        self, xp: Xp, handle: ArrayState, indices: Array, value: Array, flow_in: Array
    ) -> Array:
        """Return the flow."""
        if len(indices) != len(value):
            raise ShapeError(
                f"TensorArray: {len(indices)} numbers for {len(value)} rows"
            )
        for place, index in enumerate(indices.tolist()):
            handle.write(index, value[place : place + 1].reshape(value.shape[1:]))
        return flow_in

    def grad(self, call_: Call, dflow: Tensor) -> Grads:
        """Return the gradients that were added up at the numbers."""
        there = _of_gradients(call_, dflow)
        dvalue = call(TensorArrayGatherV3(), there[0], call_.inputs[1], there[1])
        return None, None, dvalue, dflow


class TensorArraySplitV3(_Writing):
    """Puts consecutive runs of rows at 0, 1, 2 and so on."""

    host = (2,)

    def infer(
        self,
        handle: TensorSpec,
        value: TensorSpec,
        lengths: TensorSpec,
        flow_in: TensorSpec,
    ) -> TensorSpec:
        """Return the spec of the flow; DTypeError when the array is of another dtype."""
        check_dtype(self, handle, value)
        return FLOW

    def kernel(
        self, xp: Xp, handle: ArrayState, value: Array, lengths: Array, flow_in: Array
    ) -> Array:
        """Return the flow."""
        ends = np.cumsum(lengths).tolist()
        if (ends[-1] if ends else 0) != len(value):
            raise ShapeError(
                f"TensorArray: runs of {lengths.tolist()} of {len(value)} rows"
            )
        for place, (end, length) in enumerate(
            zip(ends, lengths.tolist(), strict=True)
        ):
            handle.write(place, value[end - length : end])
        return flow_in

    def grad(self, call_: Call, dflow: Tensor) -> Grads:
        """Return all gradients that were added up, joined."""
        dvalue, _ = calls(TensorArrayConcatV3(), *_of_gradients(call_, dflow))
        return None, dvalue, None, dflow


class _Reading(OfArrays, abstract=True):
    """Reads behind what the flow comes from."""

    effect = Effect.WRITE  # for reading may clear


class TensorArrayReadV3(_Reading):
    """The tensor at a number."""

    host = (1,)
    aliases = True

    def infer(
        self, handle: TensorSpec, index: TensorSpec, flow_in: TensorSpec
    ) -> TensorSpec:
        """Return what is known of the elements."""
        return handle.inner[0]

    def kernel(
        self, xp: Xp, handle: ArrayState, index: Array, flow_in: Array
    ) -> Array:
        """Return the tensor."""
        return handle.at(xp, int(index))

    def grad(self, call_: Call, dy: Tensor) -> Grads:
        """Add the gradient to that at the number."""
        index, flow = call_.inputs[1:]
        handle, begun = _of_gradients(call_, flow)
        return None, None, call(TensorArrayWriteV3(), handle, index, dy, begun)


class TensorArrayGatherV3(_Reading):
    """The tensors at some numbers, along a new axis."""

    host = (1,)

    def infer(
        self, handle: TensorSpec, indices: TensorSpec, flow_in: TensorSpec
    ) -> TensorSpec:
        """Return the elements' shape behind the number of them."""
        element = handle.inner[0]
        count = indices.shape[0] if indices.shape else None
        return element.with_shape(
            None if element.shape is None else (count, *element.shape)
        )

    def kernel(
        self, xp: Xp, handle: ArrayState, indices: Array, flow_in: Array
    ) -> Array:
        """Return the tensors stacked."""
        return handle.stacked(xp, indices.tolist())

    def grad(self, call_: Call, dy: Tensor) -> Grads:
        """Add the rows of the gradient to those at the numbers."""
        indices, flow = call_.inputs[1:]
        handle, begun = _of_gradients(call_, flow)
        return None, None, call(TensorArrayScatterV3(), handle, indices, dy, begun)


class TensorArrayConcatV3(_Reading):
    """All tensors, joined along their first axis, and the length of each."""

    def infer(
        self, handle: TensorSpec, flow_in: TensorSpec
    ) -> tuple[TensorSpec, TensorSpec]:
        """Return the elements' shape with an unknown first size."""
        element = handle.inner[0]
        shape = None if not element.shape else (None, *element.shape[1:])
        return element.with_shape(shape), TensorSpec((None,), dtypes.int64)

    def kernel(
        self, xp: Xp, handle: ArrayState, flow_in: Array
    ) -> tuple[Array, Array]:
        """Return the tensors joined, and their lengths."""
        parts = [handle.at(xp, index) for index in range(len(handle.items))]
        if not parts:
            rows = [size or 0 for size in (handle.element.shape or ())[1:]]
            parts = [xp.zeros((0, *rows), handle.element.dtype.numpy)]
            return parts[0], np.zeros(0, np.int64)
        if any(part.ndim == 0 for part in parts):
            raise ShapeError("TensorArray: scalars are not joined; stack them")
        return xp.concatenate(parts), np.array(
            [len(part) for part in parts], np.int64
        )

    def grad(self, call_: Call, dy: Tensor | None, _: Tensor | None) -> Grads:
        """Add the parts of the gradient to those that were joined."""
        if dy is None:
            return None, None
        handle, begun = _of_gradients(call_, call_.inputs[1])
        lengths = call_.outputs[1]
        return None, call(TensorArraySplitV3(), handle, dy, lengths, begun)


class TensorArraySizeV3(Op):
    """The number of tensors in an array."""

    effect = Effect.WRITE  # it changes with what others write
    differentiable = False

    def infer(self, handle: TensorSpec, flow_in: TensorSpec) -> TensorSpec:
        """Return a 0-d int32."""
        return TensorSpec((), dtypes.int32)

    def kernel(self, xp: Xp, handle: ArrayState, flow_in: Array) -> Array:
        """Return the number, in host memory."""
        return np.asarray(len(handle.items), np.int32)


class TensorArrayCloseV3(Op):
    """Gives up what an array or a stack holds."""

    effect = Effect.WRITE
    differentiable = False

    def infer(self, handle: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return nothing."""
        return ()

    def kernel(self, xp: Xp, handle: Any) -> tuple[Array, ...]:
        """Give up the tensors."""
        if not isinstance(handle, Held):
            raise FailedPreconditionError(f"{handle!r} is no array of tensors")
        handle.items.clear()
        return ()
