"""print, py_function, numpy_function: what acts on the world, or calls Python, when a graph runs.

Assertions are in assertions.py.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from importlib import import_module
from itertools import count
from typing import Any, TypeAlias

import numpy as np

from tensorlite.core import nest
from tensorlite.core.dispatch import calls, interpreted_by, to_tensor, tracer
from tensorlite.core.dtypes import DTypeLike, as_dtype, float64
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Effect, Grads, Op
from tensorlite.core.opaque import Opaque
from tensorlite.core.operand import Operand
from tensorlite.core.remote import say
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor, IndexedSlices, Tensor, TensorLike
from tensorlite.core.xp import Array, Xp, device_of, shown, to_host
from tensorlite.graph.tape import GradientTape
from tensorlite.ops.control.assertions import summary
from tensorlite.ops.control.bundles import zeros_of
from tensorlite.ops.fetchable import Fetchable, effect
from tensorlite.ops.sparse.slices import densify
from tensorlite.ops.strings.joining import as_text
from tensorlite.ops.strings.showing import first_elements

__all__ = ["numpy_function", "print", "py_function"]


class PrintPieces(Op):
    """Writes text with tensors' values in it; runs in program order."""

    effect = Effect.IO
    differentiable = False
    pieces: tuple[str, ...]
    """The text before each tensor, and behind the last."""
    stream: Any = "stdout"
    summarize: int = 3

    def infer(self, *tensors: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return nothing."""
        return ()

    def kernel(self, xp: Xp, *arrays: Array) -> tuple[Array, ...]:
        """Write the text."""
        shown = [_text(array, self.summarize) for array in arrays]
        parts = [
            piece + value for piece, value in zip(self.pieces, shown, strict=False)
        ]
        _tell(self.stream, "".join([*parts, self.pieces[-1]]))
        return ()


class Print(Op):
    """Passes its first operand on, and writes the others to the error stream, the first times."""

    effect = Effect.IO
    aliases = True
    takes_sparse = True
    message: str = ""
    first_n: int = -1
    """How many times it writes; negative: every time."""
    summarize: int = 3

    def infer(self, x: TensorSpec, *data: TensorSpec) -> TensorSpec:
        """Return the first operand's spec."""
        return x.without_value()

    def kernel(self, xp: Xp, x: Array, *data: Array) -> Array:
        """Write what is to be seen, and return the first operand."""
        if self.first_n < 0 or next(self._count) < self.first_n:
            shown = [f"[{_first_elements(one, self.summarize)}]" for one in data]
            _tell("stderr", "".join([self.message, *shown, "\n"]))
        return x

    @cached_property
    def _count(self) -> Iterator[int]:
        """Counts how often this operator ran: each node has one of its own."""
        return count()

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient as it is; what is written has none."""
        return (dy, *[None] * (len(call.inputs) - 1))


class PrintV2(Op):
    """Writes a string; runs in program order."""

    effect = Effect.IO
    differentiable = False
    output_stream: Any = "stderr"
    end: str = "\n"

    def infer(self, text: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return nothing; ShapeError where there is more than one string."""
        if text.rank not in {None, 0}:
            raise ShapeError(f"print: {text} is no 0-d string")
        return ()

    def kernel(self, xp: Xp, text: Array) -> tuple[Array, ...]:
        """Write the string, and what ends it."""
        _tell(self.output_stream, as_text(text.item()) + self.end)
        return ()


class Timestamp(Op):
    """The seconds since 1970, as float64, when it runs."""

    effect = Effect.DRAW
    differentiable = False

    def infer(self) -> TensorSpec:
        """Return a number's spec."""
        return TensorSpec((), float64)

    def kernel(self, xp: Xp) -> Array:
        """Return the time, in host memory."""
        return np.float64(time.time())


def _tell(stream: Any, text: str) -> None:
    """Write a text, or have the program do so that this task works for."""
    said = say.get()
    if said is not None and stream in STREAMS:
        said(stream, text)
    else:
        write(stream, text)


def _text(array: Array, summarize: int) -> str:
    if isinstance(array, Opaque):
        return repr(array)
    return str(array.item()) if array.ndim == 0 else summary(array, summarize)


def _first_elements(array: Array, most: int) -> str:
    return (
        repr(array)
        if isinstance(array, Opaque)
        else first_elements(to_host(array), most)
    )


_LOGGED = {"log(info)": "INFO", "log(warning)": "WARNING", "log(error)": "ERROR"}
STREAMS = ("stdout", "stderr", *_LOGGED)
"""The streams that every process has."""


def write(stream: Any, text: str) -> None:
    """Write a text to a stream, as `print` names it."""
    if isinstance(stream, str) and stream.startswith("file://"):
        path = import_module("pathlib").Path(stream.removeprefix("file://"))
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    elif isinstance(stream, str) and stream in _LOGGED:
        logging = import_module("logging")
        level = getattr(logging, _LOGGED[stream])
        logging.getLogger("tensorlite").log(level, "%s", text.rstrip("\n"))
    elif isinstance(stream, str):
        getattr(sys, stream).write(text)
    else:
        stream.write(text)


def print(
    *values: Any,
    output_stream: Any = "stdout",
    sep: str = " ",
    end: str = "\n",
    summarize: int = 3,
) -> Fetchable:
    r"""Write values, tensors among them, when the program gets there, also in a trace.

    Structures may hold tensors; of large ones the first and last `summarize` elements along each
    axis are shown (-1: all). `output_stream` is "stdout", "stderr", "log(info)", "log(warning)",
    "log(error)", "file://path", or an object with `write`, which a saved graph cannot have. In a
    `tl.Graph` the node comes back that a session fetches to write; elsewhere nothing does. What a
    task of a cluster prints, this program writes; a file is one of the task's node.

    >>> tl.print("x =", tl.asarray([1.0, 2.0]), {"n": tl.asarray(3)})
    x = [1. 2.] {'n': 3}
    """
    if output_stream is sys.stdout or output_stream is sys.stderr:
        output_stream = "stdout" if output_stream is sys.stdout else "stderr"
    known = output_stream in STREAMS or str(output_stream).startswith("file://")
    if isinstance(output_stream, str) and not known:
        raise InvalidArgumentError(
            f"output_stream={output_stream!r}; allowed are {', '.join(STREAMS)} and file://path"
        )
    tensors: list[Tensor] = []
    marked = sep.join(_marked(value, tensors, top=True) for value in values) + end
    op = PrintPieces(tuple(marked.split(_MARK)), output_stream, summarize)
    return effect(op, *tensors)


_MARK = "\0tensor\0"


def _marked(value: Any, tensors: list[Tensor], *, top: bool) -> str:
    """Return a value as text, with a mark in place of each tensor, which is collected."""
    if isinstance(value, (Operand, np.ndarray)):
        tensors.append(to_tensor(value))
        return _MARK
    if not nest.is_nested(value):
        return str(value) if top else repr(value)
    if isinstance(value, dict):
        pairs = [
            f"{key!r}: {_marked(x, tensors, top=False)}" for key, x in value.items()
        ]
        return "{" + ", ".join(pairs) + "}"
    inner = [_marked(member, tensors, top=False) for member in nest.children(value)]
    listed = ", ".join(inner)
    if isinstance(value, list):
        return f"[{listed}]"
    return f"({listed},)" if len(inner) == 1 else f"({listed})"


class EagerPyFunc(Op):
    """Calls a Python function of eager tensors when the graph runs."""

    by_dtype = True
    effect = Effect.IO
    func: Callable[..., Any]
    specs: tuple[TensorSpec, ...]

    def infer(self, *inputs: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the promised specs."""
        return self.specs

    def kernel(self, xp: Xp, *arrays: Array) -> tuple[Array, ...]:
        """Return what the function returns; DTypeError or ShapeError if it is not as promised."""
        with interpreted_by(None):
            inputs = [EagerTensor(x, device_of(x)) for x in arrays]
            outputs = _results(self.func(*inputs), self.specs, self.func)
            return tuple([y.array for y in outputs])

    def grad(self, call: Call, *dys: Tensor | None) -> Grads:
        """Return the gradients that a tape finds when the function is called once more."""
        flows = [
            zeros_of(y) if dy is None else dy
            for dy, y in zip(dys, call.outputs, strict=True)
        ]
        sources = [x for x in call.inputs if x.dtype.is_differentiable]
        specs = tuple([x.spec.without_value() for x in sources])
        op = EagerPyFunc(_Pullback(self.func, self.specs, len(call.inputs)), specs)
        found = iter(calls(op, *call.inputs, *flows))
        return tuple(
            [next(found) if x.dtype.is_differentiable else None for x in call.inputs]
        )


class _Pullback:
    """The gradient of a Python function: takes its inputs and the gradients of its outputs."""

    def __init__(
        self, func: Callable[..., Any], specs: tuple[TensorSpec, ...], number: int
    ) -> None:
        self.func = func
        self.specs = specs
        self.number = number
        self.__name__ = f"the gradient of {_name(func)}"

    def __call__(self, *tensors: Tensor) -> list[Tensor]:
        inputs, flows = tensors[: self.number], tensors[self.number :]
        sources = [x for x in inputs if x.dtype.is_differentiable]
        with GradientTape() as tape:
            tape.watch(sources)
            outputs = _results(self.func(*inputs), self.specs, self.func)
        smooth = [i for i, y in enumerate(outputs) if y.dtype.is_differentiable]
        targets, arriving = [outputs[i] for i in smooth], [flows[i] for i in smooth]
        found = tape.gradient(targets, sources, arriving, unconnected="zero")
        return [densify(dx) if isinstance(dx, IndexedSlices) else dx for dx in found]


def _name(func: Callable[..., Any]) -> str:
    return getattr(func, "__name__", type(func).__name__)


def _results(
    result: Any, specs: Sequence[TensorSpec], func: Callable[..., Any]
) -> list[Tensor]:
    """Return a Python function's result as tensors of the promised specs."""
    if len(specs) == 1 and not (
        isinstance(result, (list, tuple)) and len(result) == 1
    ):
        result = (result,)
    several = isinstance(result, (list, tuple))
    given = () if result is None else tuple(result) if several else (result,)
    if len(given) != len(specs):
        raise InvalidArgumentError(
            f"{_name(func)} returned {len(given)} values; Tout promises {len(specs)}"
        )
    tensors = [to_tensor(y, spec.dtype) for y, spec in zip(given, specs, strict=True)]
    for y, spec in zip(tensors, specs, strict=True):
        if y.dtype is not spec.dtype:
            raise DTypeError(f"{_name(func)} returned {y.spec}; Tout promises {spec}")
        if not spec.accepts(y.spec):
            raise ShapeError(f"{_name(func)} returned {y.spec}; Tout promises {spec}")
    return tensors


Promise: TypeAlias = "DTypeLike | TensorSpec"


def _promised(given: Promise | Sequence[Promise]) -> tuple[TensorSpec, ...]:
    several = given if isinstance(given, (list, tuple)) else (given,)
    return tuple(
        [
            one if isinstance(one, TensorSpec) else TensorSpec(None, as_dtype(one))
            for one in several
        ]
    )


def py_function(
    func: Callable[..., Any],
    inp: Sequence[TensorLike],
    Tout: Promise | Sequence[Promise],  # noqa: N803
) -> Any:
    """Return what the Python function `func` gives for the tensors `inp`; in a trace, at run time.

    `Tout` promises dtypes, or TensorSpecs where shapes are known, one for each result: a single
    one for a single tensor. `func` gets eager tensors. Gradients flow through: to find them in a
    trace, `func` is called once more. Calls run in program order.

    >>> print(tl.py_function(lambda x: x.item() + 1.0, [tl.asarray(2.0)], tl.float32))
    3.0
    """
    specs = _promised(Tout)
    tensors = [to_tensor(x) for x in inp]
    if tracer() is None:
        outputs: Sequence[Tensor] = _results(func(*tensors), specs, func)
    else:
        outputs = calls(EagerPyFunc(func, specs), *tensors)
    return list(outputs) if isinstance(Tout, (list, tuple)) else outputs[0]


class PyFunc(Op):
    """Calls a Python function of NumPy arrays."""

    by_dtype = True
    differentiable = False
    func: Callable[..., Any]
    specs: tuple[TensorSpec, ...]
    stateful: bool = True

    @property
    def effect(self) -> Effect:  # type: ignore[override]
        """Whether calls must run, in program order."""
        return Effect.IO if self.stateful else Effect.NONE

    def infer(self, *inputs: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the promised specs."""
        return self.specs

    def kernel(self, xp: Xp, *arrays: Array) -> tuple[Array, ...]:
        """Return what the function returns, as arrays of the device at hand."""
        with interpreted_by(None):
            result = self.func(*[shown(to_host(x)) for x in arrays])
            outputs = _results(result, self.specs, self.func)
            return tuple([xp.asarray(y.array) for y in outputs])


def numpy_function(
    func: Callable[..., Any],
    inp: Sequence[TensorLike],
    Tout: Promise | Sequence[Promise],  # noqa: N803
    stateful: bool = True,
) -> Any:
    """Return what `func` gives for NumPy arrays of the tensors `inp`; no gradient flows through.

    `Tout` is as for `py_function`. Calls of a function that is not `stateful` may be merged, and
    dropped when nothing uses them.

    >>> print(tl.numpy_function(np.cumsum, [tl.asarray([1.0, 2.0])], tl.float32))
    [1. 3.]
    """
    outputs = calls(PyFunc(func, _promised(Tout), stateful), *inp)
    return list(outputs) if isinstance(Tout, (list, tuple)) else outputs[0]
