"""Python in graphs: functions that are called when they run, printing, gradients of one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import converted, deferring, named
from tensorlite.compat.views import lifted, plain, shown
from tensorlite.core import nest
from tensorlite.core.check import a_function, several
from tensorlite.core.constant import array_of, encoded
from tensorlite.core.dispatch import call, calls
from tensorlite.core.dtypes import DType, as_dtype, float64
from tensorlite.core.errors import (
    InvalidArgumentError,
    OutOfRangeError,
    ResourceExhaustedError,
    TensorliteError,
    UnimplementedError,
    UnknownError,
)
from tensorlite.core.operand import Operand
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.graph_mode.graph import active_graph, at_once, built
from tensorlite.ops.control import effects
from tensorlite.ops.control.differentiate import differentiated_by
from tensorlite.ops.fetchable import effect


def _specs(kinds: Any) -> Any:
    """Return promised dtypes as specs of which no shape is known."""
    if kinds is None:
        return []
    if isinstance(kinds, (list, tuple)):
        return [_spec(kind) for kind in kinds]
    return _spec(kinds)


def _spec(kind: Any) -> TensorSpec:
    return kind if isinstance(kind, TensorSpec) else TensorSpec(None, as_dtype(kind))


_MEANT: tuple[tuple[Any, type[TensorliteError]], ...] = (
    (StopIteration, OutOfRangeError),
    (MemoryError, ResourceExhaustedError),
    (NotImplementedError, UnimplementedError),
    ((ValueError, TypeError), InvalidArgumentError),
    (Exception, UnknownError),
)
"""Which of TensorFlow's errors stands for what a program's function raises: the first that fits."""


@contextmanager
def _told() -> Iterator[None]:
    """Raise what a program's function raises by the class that TensorFlow has for it."""
    try:
        yield
    except TensorliteError:
        raise
    except Exception as error:
        kind = next(own for kinds, own in _MEANT if isinstance(error, kinds))
        raise kind(f"{type(error).__name__}: {error}") from error


def py_func(
    func: Callable[..., Any],
    inp: Any,
    Tout: Any,  # TensorFlow's name
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Return what a Python function of arrays returns, as tensors of the dtypes promised.

    In a graph it is called when this runs; its errors are raised as TensorFlow's classes. `Tout` is
    a dtype or a list of them. Nothing flows back through it.
    """
    call = _py_func if stateful else _py_func_stateless
    return call(func, inp, Tout, stateful, name=name)


def _computed(
    func: Callable[..., Any],
    inp: Any,
    Tout: Any,  # TensorFlow's name
    stateful: bool,
    name: str | None = None,
) -> Any:
    promised = _specs(Tout)
    inputs = tensors_in(inp)
    called = _of_arrays(func, promised)
    if promised == []:
        return effect(effects.PyFunc(called, (), stateful), *inputs)
    return tl.numpy_function(called, inputs, promised, stateful)


_py_func = named("PyFunc")(_computed)
_py_func_stateless = named("PyFuncStateless")(_computed)


def _of_arrays(func: Callable[..., Any], promised: Any) -> Callable[..., Any]:
    """Return a function whose results are arrays of the promised dtypes."""

    def called(*arrays: Any) -> Any:
        with at_once(), _told():
            result = func(*[_writable(x) for x in arrays])
        if isinstance(promised, list):
            given = result if isinstance(result, (list, tuple)) else [result]
            return [] if result is None else _fitted(given, promised)
        if (
            isinstance(result, (list, tuple))
            and len(result) == 1
            and np.ndim(result[0])
        ):
            result = result[0]
        return _array(result, promised.dtype)

    return called


def _fitted(given: Any, promised: list[TensorSpec]) -> list[Any]:
    if len(given) != len(promised):
        return list(given)
    return [_array(x, spec.dtype) for x, spec in zip(given, promised, strict=True)]


def _writable(x: Any) -> Any:
    """Return an array that a program may write to; of one number or string, that or its bytes."""
    if isinstance(x, np.ndarray) and x.dtype == object:
        return x.item() if x.ndim == 0 else x
    return np.array(x)[()]


def _array(x: Any, dtype: DType) -> Any:
    array = encoded(x.numpy() if isinstance(x, Tensor) else array_of(x))
    if array.dtype == float64.numpy and not isinstance(x, (np.ndarray, np.generic)):
        return array.astype(dtype.numpy)
    return array


def numpy_function(
    func: Callable[..., Any],
    inp: Any,
    Tout: Any,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Return what a Python function of arrays returns, as tensors of the dtypes promised.

    In a graph it is called when this runs. `Tout` is a dtype or a list of them. Nothing flows back.
    """
    return py_func(func, inp, Tout, stateful, name)


def py_function(
    func: Callable[..., Any],
    inp: Any,
    Tout: Any,
    name: str | None = None,
) -> Any:
    """Return what a Python function of eager tensors returns, as tensors.

    In a graph it is called when this runs. `Tout` is a dtype or a list of them, or of specs, also
    of ragged and sparse tensors, which the function may be given, too. Gradients flow back through
    what the function does.
    """
    a_function(func, "Expected func to be callable; py_function: func")
    promised = _structured_specs(Tout)
    given = several(inp, "inp", "a list of tensors")
    flat = nest.flatten(promised)

    def called(*tensors: Any) -> Any:
        with at_once(), _told():
            result = func(*nest.pack_like(given, list(tensors)))
            return _kept_promise(func, result, promised)

    found = _called_back(called, nest.flatten(given), flat, name=name)
    return nest.pack_like(promised, list(found))


@named("EagerPyFunc")
def _called_back(
    called: Callable[..., Any], inp: Any, specs: Any, name: str | None = None
) -> Any:
    return tl.py_function(called, tensors_in(inp), specs)


def _structured_specs(kinds: Any) -> Any:
    """Return promised dtypes and specs, each as the structure of specs of its tensors."""
    if kinds is None:
        return []
    if isinstance(kinds, (list, tuple)) and not nest.is_value(kinds):
        return [_structured_specs(kind) for kind in kinds]
    return kinds if nest.is_nested(kinds) else _spec(kinds)


def _kept_promise(func: Any, result: Any, promised: Any) -> list[Any]:
    """Return the tensors of a result; InvalidArgumentError if it is not what was promised."""
    if isinstance(promised, list):
        is_list = isinstance(result, (list, tuple)) and not nest.is_value(result)
        values = [] if result is None else list(result if is_list else [result])
    else:
        promised, values = [promised], [result]
    kinds = [nest.is_value(x) for x in promised]
    if kinds != [nest.is_value(x) for x in values]:
        raise InvalidArgumentError(
            f"py_function: func={func!r} returned {result!r}, which did not match Tout="
            f"{promised!r}"
        )
    pairs = zip(nest.flatten(values), nest.flatten(promised), strict=True)
    return [_tensor(x, spec) for x, spec in pairs]


def tensors_in(inp: Any) -> list[Any]:
    """Return what a function of Python is given, as tensors."""
    return [converted(x) for x in several(inp, "inp", "a list of tensors")]


def _tensor(x: Any, spec: TensorSpec) -> Any:
    if not isinstance(x, Operand):
        return converted(x, spec.dtype)
    made = x.__tensor__()
    if made.dtype is not spec.dtype:
        raise InvalidArgumentError(
            f"py_function: Tensor conversion requested dtype {spec.dtype.name} for Tensor with "
            f"dtype {made.dtype.name}: {x!r}; cast it, or promise its dtype by Tout"
        )
    return made


@named("Print")
def Print(  # TensorFlow's name
    input_: Any,
    data: Any,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """Return the tensor as it is, and write others to the error stream when it runs.

    At most first_n times, of each tensor `summarize` elements (3 unless given, all if negative).
    """
    first = -1 if first_n is None else first_n
    op = effects.Print(message or "", first, 3 if summarize is None else summarize)
    return call(op, converted(input_), *[converted(y) for y in data])


@named("Timestamp")
def timestamp(name: str | None = None) -> Any:
    """Return the seconds since 1970 as float64, when it runs."""
    return calls(effects.Timestamp())[0]


def custom_gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose gradient is what its second result says.

    `f` returns its result and a function of the gradients of it, which returns those of the
    arguments.

    >>> from tensorlite.compat import v2 as tf
    >>> double = tf.custom_gradient(lambda x: (x, lambda dy: 2 * dy))
    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = double(x)
    >>> float(tape.gradient(y, x))
    2.0
    """
    eager = tl.custom_gradient(a_function(f, "custom_gradient: f"))

    @wraps(f)
    def called(*args: Any, **kwargs: Any) -> Any:
        graph = active_graph()
        if graph is None:
            return deferring(eager)(*args, **kwargs)

        def function(*tensors: Any) -> Any:
            result, gradient = f(*shown(tensors), **kwargs)
            made = plain(result)
            nest.map_structure(tl.identity, made)  # TensorFlow looks for variables so
            return made, _gradient(gradient)

        with built(graph):
            return shown(differentiated_by(function, plain(args), {}, passes=True))

    return called


def _gradient(gradient: Callable[..., Any]) -> Callable[..., Any]:
    """Return a program's gradient function as one of tensors, with the same parameters."""

    @wraps(gradient)
    def called(*dys: Any, **kwargs: Any) -> Any:
        return lifted(gradient)(*dys, **kwargs)

    return called


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function through which gradients flow as if it did nothing."""

    @custom_gradient
    def called(*args: Any, **kwargs: Any) -> Any:
        def gradient(*dys: Any, **_: Any) -> Any:
            return dys[0] if len(dys) == 1 else list(dys)

        return f(*args, **kwargs), gradient

    return called


def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that computes again for gradients what it would have to keep."""

    def called(*args: Any, **kwargs: Any) -> Any:
        graph = active_graph()
        if graph is None:
            return tl.recompute_grad(f)(*args, **kwargs)
        with built(graph):
            again = tl.recompute_grad(lambda *xs: plain(f(*shown(xs), **kwargs)))
            return shown(again(*plain(args)))

    return called
