"""Dispatch: who runs an operator. Empty context: its kernel, now. Else the innermost interpreter.

A tape and a tracer are interpreters: each has `apply(op, inputs)` and hands down to the one below.
0-d results, agreement of dtypes and the choice of `xp` are settled here, never in kernels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from contextvars import ContextVar, Token
from threading import Lock
from typing import Any, Self, TypeGuard
from weakref import WeakSet

import numpy as np

from tensorlite.core import dtypes, operand
from tensorlite.core.accounts import largest
from tensorlite.core.admission import admit
from tensorlite.core.constant import (
    Const,
    adopted_array,
    array_of,
    encoded,
    is_of_numpy,
    structure,
)
from tensorlite.core.device import DeviceName, settings
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import (
    CompositeError,
    DTypeError,
    ResourceExhaustedError,
    TensorliteError,
    kernel_error,
)
from tensorlite.core.locate import device_for
from tensorlite.core.op import Op, Role
from tensorlite.core.opaque import Opaque
from tensorlite.core.operand import Operand
from tensorlite.core.remote import home_of
from tensorlite.core.tensor import EagerTensor, IndexedSlices, Tensor, TensorLike
from tensorlite.core.xp import (
    CPU,
    array_of_scalar,
    device_of,
    existing,
    is_array,
    on_device,
    to_device,
    to_host,
    xp_for,
)

Tensors = tuple[Tensor, ...]
ndarray = np.ndarray


class Interpreter(ABC):
    """What stands between a call and its kernel while its `with` block is open."""

    below: Interpreter | None = None
    tracer: Interpreter | None = None
    """The innermost interpreter, from here down, that builds a graph; None when eager."""
    observing: bool = False
    """Whether it only looks at eager calls, so that dispatch may make them the short way."""
    _token: Token[Interpreter | None] | None = None

    @abstractmethod
    def apply(self, op: Op, inputs: Tensors) -> Tensors:
        """Return the outputs of `op`."""

    def observe(self, op: Op, inputs: Tensors, outputs: Tensors) -> None:  # noqa: B027
        """Take note of a call that was made the short way; asked only while `observing`."""

    def replace(self, old: Tensor, by: Tensor) -> None:  # noqa: B027  most remember nothing
        """Let `by` stand wherever `old` was seen; see `replace_everywhere`."""

    def watched(self, tensor: Any) -> bool:
        """Return whether gradients may be asked for of what is computed from `tensor`."""
        return False

    def extend(self, beside: Tensor, extra: Tensors) -> None:
        """Treat `extra`, outputs added to the call that gave `beside`, as that is treated."""
        if self.below is not None:
            self.below.extend(beside, extra)

    def __enter__(self) -> Self:
        """Put this interpreter on top."""
        self.below = current.get()
        if self.tracer is not self:
            self.tracer = None if self.below is None else self.below.tracer
        self._token = current.set(self)
        return self

    def __exit__(self, *exc: object) -> None:
        """Take it away again."""
        if self._token is not None:
            current.reset(self._token)
            self._token = None


current: ContextVar[Interpreter | None] = ContextVar("current", default=None)
_witnesses: WeakSet[Interpreter] = WeakSet()
_witnesses_lock = Lock()


def bear_witness(interpreter: Interpreter) -> None:
    """Let an interpreter hear of tensors that become others, as long as it lives."""
    with _witnesses_lock:
        _witnesses.add(interpreter)


def replace_everywhere(old: Tensor, by: Tensor) -> None:
    """Let `by` stand for `old` in everything that interpreters, open or closed, remember.

    Assignment to a part of `x` needs it twice: a copy takes the place of `x` before `x` becomes
    the updated tensor, and then `x` the place of the update's output.
    """
    with _witnesses_lock:
        witnesses = tuple(_witnesses)
    for interpreter in witnesses:
        interpreter.replace(old, by)


def tracer() -> Interpreter | None:
    """Return the innermost interpreter that builds a graph, or None when code runs eagerly."""
    top = current.get()
    return None if top is None else top.tracer


def executing_eagerly() -> bool:
    """Return whether operators run at once rather than being traced.

    >>> tl.executing_eagerly()
    True
    """
    return tracer() is None


class _Interpreted:
    """A block that has an interpreter of its own; no generator, which takes twice as long."""

    __slots__ = ("_interpreter", "_token")

    def __init__(self, interpreter: Interpreter | None) -> None:
        self._interpreter = interpreter

    def __enter__(self) -> None:
        self._token = current.set(self._interpreter)

    def __exit__(self, *exc: object) -> None:
        current.reset(self._token)


def interpreted_by(interpreter: Interpreter | None) -> AbstractContextManager[None]:
    """Make `interpreter` (None: eager) the one that runs operators inside the block."""
    return _Interpreted(interpreter)


def run(interpreter: Interpreter | None, op: Op, inputs: Tensors) -> Tensors:
    """Return the outputs of `op` as `interpreter` makes them."""
    return (
        execute(op, inputs) if interpreter is None else interpreter.apply(op, inputs)
    )


def calls(op: Op, *inputs: TensorLike) -> Tensors:
    """Return all outputs of `op`; inputs are converted to tensors, one by one.

    >>> class Halves(tl.Op):
    ...     def infer(self, x):
    ...         return x, x
    ...     def kernel(self, xp, x):
    ...         return x // 2, x - x // 2
    >>> print(*tl.extend.calls(Halves(), [5, 6]))
    [2 3] [3 3]
    """
    return run(current.get(), op, tuple([to_tensor(x) for x in inputs]))


def call(op: Op, *inputs: TensorLike) -> Tensor:
    """Return the one output of `op`; inputs are converted to tensors, one by one.

    >>> class Twice(tl.extend.Unary):
    ...     def kernel(self, xp, x):
    ...         return x + x
    >>> print(tl.extend.call(Twice(), [1, 2]))
    [2 4]
    """
    return run(current.get(), op, tuple([to_tensor(x) for x in inputs]))[0]


def call1(op: Op, x: TensorLike) -> Tensor:
    """Return the one output of an operator of one input: the short way.

    >>> class Twice(tl.extend.Unary):
    ...     def kernel(self, xp, x):
    ...         return x + x
    >>> print(tl.extend.call1(Twice(), 3))
    6
    """
    top = current.get()
    if (top is None or top.observing) and type(x) is EagerTensor:
        array = x._array
        if type(array) is ndarray and (
            array.dtype in op.admitted or admits(op, (x,), array.dtype)
        ):
            try:
                out = op.kernel(np, array)
            except TensorliteError:
                raise
            except Exception as error:
                raise explained(op, (x,), error) from error
            y = EagerTensor(
                out if type(out) is ndarray else array_of_scalar(out), x._device
            )
            if top is not None:
                top.observe(op, (x,), (y,))
            return y
    try:
        tensor = to_tensor(x)
    except CompositeError as error:
        made: Tensor = operated(op, (x,), error)
        return made
    if op.wants_float:
        tensor = floating(tensor)
    return run(top, op, (tensor,))[0] if tensor is x else call1(op, tensor)


def call2(op: Op, a: TensorLike, b: TensorLike) -> Tensor:
    """Return the output of an operator of two inputs of one dtype: the short way.

    >>> class Distance(tl.extend.Binary):
    ...     def kernel(self, xp, x, y):
    ...         return xp.abs(x - y)
    >>> print(tl.extend.call2(Distance(), 3, 5.0))
    2.0
    """
    top = current.get()
    if (
        (top is None or top.observing)
        and type(a) is EagerTensor
        and type(b) is EagerTensor
    ):
        x, y = a._array, b._array
        place = a._device
        if type(x) is ndarray and type(y) is ndarray and place is b._device:
            dtype = x.dtype
            if dtype is y.dtype and (
                dtype in op.admitted or admits(op, (a, b), dtype)
            ):
                try:
                    out = op.kernel(np, x, y)
                except TensorliteError:
                    raise
                except Exception as error:
                    raise explained(op, (a, b), error) from error
                z = EagerTensor(
                    out if type(out) is ndarray else array_of_scalar(out), place
                )
                if top is not None:
                    top.observe(op, (a, b), (z,))
                return z
    try:
        first, second = agreeing(op, a, b)
    except CompositeError as error:
        made: Tensor = operated(op, (a, b), error)
        return made
    if first is a and second is b:
        return run(top, op, (first, second))[0]
    return call2(op, first, second)


def operated(op: Op, operands: tuple[Any, ...], error: CompositeError) -> Any:
    """Return what a value of several tensors makes of an operator; or raise, if it cannot."""
    operate = getattr(error.value, "__operate__", None)
    if operate is None or not any(x is error.value for x in operands):
        raise error
    return operate(op, operands)


def floating(x: Tensor) -> Tensor:
    """Return `x`, cast to float32 if it holds integers or bools."""
    return operand.operators.astype(x, dtypes.float32) if x.dtype.kind in "iub" else x


def agreeing(op: Op, a: TensorLike, b: TensorLike) -> tuple[Tensor, Tensor]:
    """Return two operands as tensors of the dtype they promote to; Python scalars adapt."""
    x, y = promoted(a, b)
    if not op.wants_float:
        return x, y
    if settings.tensorflow_results and x.dtype.is_integer and x.dtype.itemsize > 2:
        wide = operand.operators.astype
        return wide(x, dtypes.float64), wide(y, dtypes.float64)
    return floating(x), floating(y)


def promoted(a: TensorLike, b: TensorLike) -> tuple[Tensor, Tensor]:
    """Return two operands as tensors of one dtype; DTypeError when none holds both.

    >>> x, y = tl.extend.promoted([1, 2], tl.asarray([0.5]))
    >>> x.dtype, y.dtype
    (tl.float32, tl.float32)
    """
    if _is_scalar(b):
        return _beside(to_tensor(a), b)
    if _is_scalar(a):
        return _beside(to_tensor(b), a)[::-1]
    x, y = _together(a, b)
    if x.dtype is y.dtype:
        return x, y
    dtype = dtypes.promote(x.dtype, y.dtype)
    astype = operand.operators.astype
    return astype(x, dtype), astype(y, dtype)


def _together(a: TensorLike, b: TensorLike) -> tuple[Tensor, Tensor]:
    """Return two operands as tensors; what is none has the other's dtype, if it may."""
    if isinstance(a, Operand) and not isinstance(b, Operand):
        x = a.__tensor__()
        return x, _adopting(b, x.dtype)
    if isinstance(b, Operand) and not isinstance(a, Operand):
        y = b.__tensor__()
        return _adopting(a, y.dtype), y
    return to_tensor(a), to_tensor(b)


def _adopting(value: Any, dtype: DType) -> Tensor:
    kept = is_of_numpy(value) and not settings.numpy_adopts
    is_plain = isinstance(value, (list, tuple, ndarray, np.generic))
    if kept or not is_plain or _holds_operands(value):
        return to_tensor(value)
    array = adopted_array(value, dtype)
    return constant(array.copy() if array is value else array)


def _holds_operands(value: Any) -> TypeGuard[list[Any]]:
    is_list = isinstance(value, (list, tuple))
    return is_list and any(isinstance(x, Operand) for x in value)


def _is_scalar(value: object) -> TypeGuard[complex]:
    """Return whether `value` is one of Python's own numbers, and none of NumPy's."""
    kind = type(value)
    if kind is float or kind is int or kind is EagerTensor:
        return kind is not EagerTensor
    return isinstance(value, (bool, int, float, complex)) and not isinstance(
        value, np.generic
    )


def _beside(x: Tensor, scalar: complex) -> tuple[Tensor, Tensor]:
    dtype = dtypes.weak(scalar, x.dtype)
    x = x if x.dtype is dtype else operand.operators.astype(x, dtype)
    other = constant(scalar, dtype)
    if type(x) is EagerTensor and x._device is not CPU and x._device.kind == "CPU":
        return x, EagerTensor(other.array, x._device)
    return x, other


def constant(value: Any, dtype: DType | None = None) -> Tensor:
    """Return a tensor of a Python or NumPy value, as an operator of the program at hand.

    >>> print(tl.extend.constant([1, 2], tl.float32))
    [1. 2.]
    """
    array = array_of(value, dtype)
    is_text = array.dtype == object and settings.tensorflow_results
    return _standing(encoded(array) if is_text else array)


def integers(values: Iterable[int], dtype: DType = dtypes.int32) -> Tensor:
    """Return sizes or axes as a vector. Eager ones share arrays, since kernels write to none."""
    return _standing(structure(tuple(values), dtype))


def _standing(array: ndarray[Any, Any]) -> Tensor:
    top = current.get()
    if top is None or top.observing:
        return EagerTensor(array)
    return top.apply(Const(array), ())[0]


conversions: list[Callable[[Any], Any]] = []
"""What make tensors of values of programs' own classes, and return others as they are."""


def to_tensor(value: TensorLike, dtype: DType | None = None) -> Tensor:
    """Return `value` as a tensor; a `dtype` is only for values that are no tensors yet.

    >>> print(tl.extend.to_tensor(tl.Variable(2.0)), tl.extend.to_tensor([1, 2]))
    2.0 [1 2]
    """
    if type(value) is EagerTensor:
        return value
    if isinstance(value, Operand):
        return value.__tensor__()
    if isinstance(value, IndexedSlices):
        return operand.operators.densify(value)
    if isinstance(value, ndarray):
        return constant(np.array(value), dtype)  # np.matrix has other operators
    if is_array(value):
        theirs: Any = value
        return EagerTensor(theirs.copy(), device_of(theirs))
    if _holds_operands(value):
        return operand.operators.stack([to_tensor(x, dtype) for x in value])
    for converted in conversions:
        value = converted(value)
        if isinstance(value, Tensor):
            return value
    return constant(value, dtype)


def execute(op: Op, inputs: Tensors) -> Tensors:
    """Return the outputs of `op`, computed now on the device that holds its inputs."""
    device = device_for(op, inputs)
    if device.job is not None and op.role is not Role.CALL:
        return _remotely(op, inputs, device)
    arrays = [x.array for x in inputs]
    admit(op, inputs, arrays)
    xp = np
    if device is not CPU and device.job is None:
        device = CPU if device == CPU else device
        xp = np if device.kind == "CPU" else xp_for(device)
        arrays = [
            to_device(x, device)
            if xp is not np and i not in op.host
            else (to_host(x) if is_array(x) else to_device(x, device))
            for i, x in enumerate(arrays)
        ]
    try:
        if xp is np:
            result = op.kernel(np, *arrays)
        else:
            with on_device(device):
                result = op.kernel(xp, *arrays)
    except TensorliteError:
        raise
    except Exception as error:
        raise explained(op, inputs, error) from error
    if op.moves:
        device = existing(DeviceName.parse(op.attributes()["device"]))
        return (EagerTensor(result, device),)
    if type(result) is ndarray and xp is np:
        return (EagerTensor(result, device),)
    outputs = result if type(result) is tuple else (result,)
    return tuple([wrap(xp, out, device) for out in outputs])


def _remotely(op: Op, inputs: Tensors, device: DeviceName) -> Tensors:
    """Return the outputs of `op`, computed on a device of another task."""
    if not op.moves:
        there = existing(device)
        return home_of(there).run_op(op, inputs, there)
    target = existing(DeviceName.parse(op.attributes()["device"]))
    return (EagerTensor(to_device(inputs[0].array, target), target),)


def wrap(xp: Any, out: Any, device: DeviceName) -> EagerTensor:
    """Return what a kernel returned as a tensor; scalars become 0-d arrays here."""
    if type(out) is ndarray:
        return EagerTensor(out, device if xp is np else CPU)
    if isinstance(out, Opaque):
        return EagerTensor(out, out.where or device)
    if not isinstance(out, np.generic) and is_array(out):
        return EagerTensor(out, device_of(out))
    array = array_of_scalar(out) if xp is np else xp.asarray(out)
    return EagerTensor(array, device)


def admits(op: Op, inputs: tuple[EagerTensor, ...], dtype: object) -> bool:
    """Return whether the short way is right for operands of a dtype; inference may refuse it."""
    if op.wants_float and inputs[0].dtype.kind in "iub":
        return False
    admit(op, inputs, [x._array for x in inputs])
    if op.by_dtype:
        op.admitted.add(dtype)
    return True


def explained(op: Op, inputs: Tensors, error: Exception) -> Exception:
    """Return the error to raise for a kernel's: inference's own words where it has any."""
    specs = [x.spec for x in inputs]
    try:
        op.infer(*specs)
    except TensorliteError as better:
        return better
    listed = ", ".join(map(str, specs))
    if isinstance(error, MemoryError):
        device = device_for(op, inputs)
        return ResourceExhaustedError(
            f"{op.name}({listed}) found no memory on {device}: {error}. {largest(device)}"
        )
    if isinstance(error, TypeError):
        return DTypeError(f"{op.name} does not take ({listed}): {error}")
    said = f"{op.name}({listed}) failed: {type(error).__name__}: {error}"
    return kernel_error(said, error)
