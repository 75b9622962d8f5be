"""tl.function: Python functions that are traced once per kind of arguments, and run as graphs.

How arguments are told apart is in signature.py, how Python becomes a graph in convert.py, how a
graph runs in compile.py.
"""

from __future__ import annotations

import functools
import inspect
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

import numpy as np

from tensorlite.core.device import ANYWHERE
from tensorlite.core.dispatch import current
from tensorlite.core.errors import (
    InvalidArgumentError,
)
from tensorlite.core.provenance import user_line
from tensorlite.core.scope import scope
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.function.branches import stand_in
from tensorlite.function.compile import (
    ConcreteFunction,
    check_runner,
    is_symbolic_capture,
)
from tensorlite.function.signature import (
    Arguments,
    Key,
    Signature,
    checked,
    covers,
    generalised,
)
from tensorlite.function.traces import (
    Trace,
    Traces,
    explain,
    size_of,
    warn_of_many,
)
from tensorlite.function.tracing import (
    Cache,
    InProgress,
    ProvisionalError,
    Tracing,
    found_under_way,
)
from tensorlite.function.values import UnknownResultError
from tensorlite.ops.control.call_gradients import call_watched
from tensorlite.ops.control.regions import PartitionedCall
from tensorlite.passes.place import Choice, check_choice

P = ParamSpec("P")
P2 = ParamSpec("P2")
R_co = TypeVar("R_co", covariant=True)
R2 = TypeVar("R2")
S = TypeVar("S")
ndarray = np.ndarray
_SIMPLE = (int, bool, str, type(None))

_eagerly: ContextVar[bool] = ContextVar("run_eagerly", default=False)


@contextmanager
def run_eagerly() -> Iterator[None]:
    """Run traced functions as plain Python inside the block, to step through them.

    >>> f = tl.function(lambda x: print("called") or x)
    >>> with tl.debugging.run_eagerly():
    ...     x = f(f(1.0))
    called
    called
    """
    token = _eagerly.set(True)
    try:
        yield
    finally:
        _eagerly.reset(token)


OPTIONS = {
    "autograph",
    "input_signature",
    "name",
    "output_signature",
    "placement",
    "reduce_retracing",
    "runner",
}


def _untraced(kind: type[Function[P, R_co]]) -> Function[P, R_co]:
    """Return a function of a kind that was not traced yet, and gets its other attributes later."""
    made = object.__new__(kind)
    made.cache, made._signatures = Cache(), {}
    return made


class _SignatureTold:
    """What `inspect` reads of a function: the Python function's signature, read when asked for.

    Functions are descriptors that are no methods; inspect takes such for builtins, and knows
    nothing of their arguments.
    """

    def __get__(
        self, instance: Function[..., Any] | None, owner: type
    ) -> inspect.Signature:
        if instance is None:
            raise AttributeError("__signature__")
        return inspect.signature(instance.python())


class Function(Generic[P, R_co]):
    """A Python function that is traced into graphs; `tl.function` makes it.

    >>> square: tl.Function[[tl.Tensor], tl.Tensor] = tl.function(lambda x: x * x)
    >>> print(square(tl.asarray(3.0)), square)
    9.0 <tl.function <lambda>, traced 1 times>
    """

    __tl_traced__ = True
    __signature__ = _SignatureTold()
    makes_once = False
    """Whether variables are made in the first trace only; else later traces find them again."""
    _instance: Any = None
    _is_bound = False

    def __init__(
        self,
        python_function: Callable[P, R_co],
        input_signature: Sequence[Any] | None = None,
        reduce_retracing: bool = False,
        runner: str | None = None,
        autograph: bool = True,
        name: str | None = None,
        output_signature: Any = None,
        placement: Choice | None = None,
    ) -> None:
        self.python_function = python_function
        self.input_signature = input_signature
        self.reduce_retracing = reduce_retracing
        self.runner = check_runner(runner)
        self.autograph = autograph
        self.output_signature = output_signature
        check_choice(placement, "placement")
        self.placement = placement
        own_name = getattr(python_function, "__name__", None)
        self.name: str = name or own_name or type(python_function).__name__
        self.cache = Cache()
        self._signatures: dict[bool, Signature] = {}
        functools.update_wrapper(self, python_function, updated=())
        for key, value in getattr(python_function, "__dict__", {}).items():
            if not hasattr(self, key):
                self.__dict__[key] = value

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Return what pickles hold: the name of a module's function, else one without traces."""
        name: str = vars(self).get("__qualname__", "")
        found: Any = sys.modules.get(self.__module__)
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is self:
            return name
        made = {"cache", "_signatures"}
        state = {key: value for key, value in vars(self).items() if key not in made}
        return _untraced, (type(self),), state

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...

    @overload
    def __get__(
        self: Function[Concatenate[S, P2], R2], instance: S, owner: type | None = None
    ) -> Function[P2, R2]: ...

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Return the method of an object: its traces are its own."""
        if instance is None:
            return self
        bound: Function[..., Any] = object.__new__(type(self))
        bound.__dict__.update(self.__dict__)
        bound._instance, bound._is_bound = instance, True
        bound.cache = self.cache.of(instance)
        return bound

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Return what the function returns, by running the graph for arguments like these."""
        cache = self.cache
        if cache.fast and not kwargs and _is_usual() and not _eagerly.get():
            key, tensors = _quick(args)
            concrete = cache.fast.get(key) if key is not None else None
            if concrete is not None:
                return concrete.call_flat(tensors)  # type: ignore[no-any-return]
        return self._call(args, kwargs)  # type: ignore[no-any-return]

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if _eagerly.get():
            return self.python()(*args, **kwargs)
        arguments = self._arguments(args, kwargs)
        running = found_under_way(self.cache, arguments.key)
        if running is not None:
            return self._recursive(running, arguments)
        try:
            concrete, used = self._concrete(arguments)
        except ProvisionalError as provisional:
            return stand_in(provisional.value)
        if not kwargs and _is_usual() and used.tensors is not None:
            key, tensors = _quick(args)
            if key is not None and len(tensors) == len(used.tensors):
                self.cache.fast[key] = concrete
        return concrete.call_flat(used.tensors)

    def python(self) -> Callable[..., Any]:
        """Return the Python function, bound to its object if it is a method."""
        if not self._is_bound:
            return self.python_function
        bound: Callable[..., Any] = self.python_function.__get__(self._instance)
        return bound

    def returned(self, value: Any) -> Any:
        """Return what stands for a result of the Python function: itself."""
        return value

    def _arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        signature = self._signatures.get(self._is_bound)
        if signature is None:
            signature = Signature(self.python_function, self._is_bound)
            self._signatures[self._is_bound] = signature
        arguments = signature.bind(self.name, args, kwargs)
        if self.input_signature is None:
            return arguments
        wanted = signature.specs(self.name, self.input_signature, arguments)
        return checked(self.name, wanted, arguments)

    def _concrete(self, arguments: Arguments) -> tuple[ConcreteFunction, Arguments]:
        """Return the trace that serves arguments, made now if there is none; and how they count."""
        cache = self.cache
        known = cache.concrete.get(arguments.key)
        if known is not None:
            return known, arguments
        with cache.lock:
            known = cache.concrete.get(arguments.key)
            if known is not None:  # made by another thread while this one waited
                return known, arguments
            for general, concrete in cache.general:
                if (
                    general.shape == arguments.shape
                    and general.device == arguments.device
                    and covers(
                        general.parts, arguments.parts, numbers=self.reduce_retracing
                    )
                ):
                    return concrete, arguments.with_parts(general.parts)
            wanted = (
                self._generalised(arguments) if self.reduce_retracing else arguments
            )
            concrete = self._traced(wanted, arguments)
            if not is_symbolic_capture(concrete.captured):
                cache.concrete[wanted.key] = concrete
                cache.general.append((wanted.remembered(), concrete))
            return concrete, wanted

    def _generalised(self, arguments: Arguments) -> Arguments:
        """Return arguments that also cover those of an earlier trace, where that is possible."""
        for trace in reversed(self.cache.traces):
            if trace.arguments.shape == arguments.shape:
                parts = generalised(trace.arguments.parts, arguments.parts)
                if parts is not None:
                    return arguments.with_parts(parts)
        return arguments

    def _traced(self, wanted: Arguments, given: Arguments) -> ConcreteFunction:
        line, start = user_line(1), time.perf_counter()
        told = explain(self.cache.traces, given)
        concrete = Tracing(self, wanted).concrete(line)
        spent = 1000 * (time.perf_counter() - start)
        reason, argument, old, new, remedy = told
        nodes = size_of(concrete.graph)
        kept = wanted.remembered()
        self.cache.traces.append(
            Trace(reason, argument, old, new, line, spent, nodes, remedy, kept)
        )
        warn_of_many(self.name, self.cache.traces)
        return concrete

    def _recursive(self, running: InProgress, arguments: Arguments) -> Any:
        """Return a call of the trace that is being made."""
        running.call()
        if running.forward is None or running.result is None:
            raise UnknownResultError(
                f"{self.name} calls itself before it is known what it returns: give "
                "output_signature=, or let one branch of a condition return without a call"
            )
        inputs = (*arguments.tensors, *running.captured)
        return running.result.pack(
            call_watched(PartitionedCall(running.forward), inputs)
        )

    def traces(self) -> Traces:
        """Return a record of every trace: why it was made, where, its cost, and what avoids it.

        >>> f = tl.function(lambda x: x + 1)
        >>> _ = f(tl.zeros(2)), f(tl.zeros(3))
        >>> print(f.traces()[1].reason)
        x: float32[2] -> float32[3]
        """
        return Traces(self.cache.traces)

    @property
    def trace_count(self) -> int:
        """How often the function was traced."""
        return len(self.cache.traces)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Return the trace for arguments like these, which may be TensorSpecs, without calling it.

        Without arguments, the trace of `input_signature`.
        """
        if not args and not kwargs and self.input_signature is not None:
            args = tuple(self.input_signature)
        return self._concrete(self._arguments(args, kwargs))[0]

    def bound(
        self, *args: Any, **kwargs: Any
    ) -> tuple[ConcreteFunction, Sequence[Tensor]]:
        """Return the trace for arguments, made now if there is none, and the tensors among them."""
        concrete, used = self._concrete(self._arguments(args, kwargs))
        return concrete, used.tensors

    def __repr__(self) -> str:
        return f"<tl.function {self.name}, traced {self.trace_count} times>"


def _is_usual() -> bool:
    """Return whether a call is in no trace and no scope of a device, by which traces differ."""
    return current.get() is None and scope.get().device is ANYWHERE


def _quick(args: tuple[Any, ...]) -> tuple[Key | None, list[Tensor]]:
    """Return a key made in haste and the tensors, or None for arguments that want more care."""
    parts: list[Any] = []
    tensors: list[Tensor] = []
    for x in args:
        kind = type(x)
        if kind is EagerTensor:
            array = x.array
            if type(array) is not ndarray:
                return None, tensors
            parts.append(array.dtype)
            parts.append(array.shape)
            tensors.append(x)
        elif kind in _SIMPLE:
            parts.append(kind)
            parts.append(x)
        else:
            return None, tensors
    return tuple(parts), tensors


@overload
def function(
    python_function: Callable[P, R_co],
    *,
    input_signature: Sequence[Any] | None = None,
    reduce_retracing: bool = False,
    runner: str | None = None,
    autograph: bool = True,
    name: str | None = None,
    output_signature: Any = None,
    placement: Choice | None = None,
) -> Function[P, R_co]: ...


@overload
def function(
    *,
    input_signature: Sequence[Any] | None = None,
    reduce_retracing: bool = False,
    runner: str | None = None,
    autograph: bool = True,
    name: str | None = None,
    output_signature: Any = None,
    placement: Choice | None = None,
) -> Callable[[Callable[P, R_co]], Function[P, R_co]]: ...


def function(python_function: Any = None, **options: Any) -> Any:
    """Return `python_function` as one that is traced into a graph, once per kind of arguments.

    It is traced anew when an argument's dtype, shape or structure changes, or a Python value.
    `input_signature` (a TensorSpec for each argument) fixes the one trace there may be, and
    `reduce_retracing` lets the second trace be general: sizes that differ become unknown, numbers
    tensors. `runner` forces "straight", "structured" or "frames". Without `autograph`, Python's
    control flow is not converted. A function that calls itself may need `output_signature`.
    `placement`, such as `tl.placement.EarliestFinish()`, chooses devices for what asks for none.

    Tensors and variables that the function uses from outside are taken by reference. What it does
    to Python's own state happens once per trace: a SideEffectWarning lists the attributes and
    globals that it sets, its appends to lists from outside, and calls of Python's print, as far
    as its own source and that of the user's functions it calls show them.

    >>> @tl.function
    ... def collatz(n):
    ...     steps = 0
    ...     while n != 1:
    ...         n = n // 2 if n % 2 == 0 else 3 * n + 1
    ...         steps += 1
    ...     return steps
    >>> print(collatz(tl.asarray(6)))
    8
    """
    unknown = sorted(set(options) - OPTIONS)
    if unknown:
        raise InvalidArgumentError(
            f"tl.function has no option {', '.join(unknown)}; it has "
            f"{', '.join(sorted(OPTIONS))}"
        )
    if python_function is None:
        return functools.partial(Function, **options)
    if not callable(python_function):
        raise InvalidArgumentError(
            f"tl.function takes a function, not {python_function!r}"
        )
    return Function(python_function, **options)
