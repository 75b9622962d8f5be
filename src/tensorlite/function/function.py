"""tl.function: Python functions that are traced once per kind of arguments, and then run as graphs.

How arguments are told apart is in signature.py, how Python becomes a graph in convert.py, how a
graph runs in compile.py.
"""

from __future__ import annotations

import functools
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from threading import RLock
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

import numpy as np

from tensorlite.core import nest
from tensorlite.core.dispatch import current, execute, interpreted_by, to_tensor
from tensorlite.core.errors import (
    InvalidArgumentError,
    SymbolicTensorError,
    TracingError,
    note,
)
from tensorlite.core.op import Role
from tensorlite.core.provenance import Line, user_line
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.function.compile import (
    Compiled,
    ConcreteFunction,
    Result,
    check_runner,
    flat_picker,
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
from tensorlite.function.staging import converted, side_effects
from tensorlite.function.traces import (
    Trace,
    Traces,
    explain,
    size_of,
    warn_of_effects,
    warn_of_many,
)
from tensorlite.function.values import UnknownResultError
from tensorlite.graph.graph import Graph, SymbolicTensor
from tensorlite.graph.trace import Tracer, close
from tensorlite.ops.call_gradients import call_watched
from tensorlite.ops.regions import PartitionedCall
from tensorlite.ops.state import Make, creation

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


class _InProgress:
    """A trace that is being made: what its function needs to call itself."""

    def __init__(self, tracer: Tracer) -> None:
        self.tracer = tracer
        self.forward: Compiled | None = None
        self.captured: list[Tensor] = []
        self.result: Result | None = None
        self.called = False


class _Cache:
    """The traces of a function, or of a method of one object."""

    def __init__(self) -> None:
        self.fast: dict[Key, ConcreteFunction] = {}
        self.concrete: dict[Key, ConcreteFunction] = {}
        self.general: list[tuple[Arguments, ConcreteFunction]] = []
        self.traces = Traces()
        self.running: dict[Key, _InProgress] = {}
        self.variables: dict[tuple[Line, int], Tensor] = {}
        self.bound: dict[int, tuple[Any, _Cache]] = {}
        self.lock = RLock()

    def of(self, instance: object) -> _Cache:
        """Return the cache for the method of an object, which goes when the object does."""
        known = self.bound.get(id(instance))
        if known is not None:
            return known[1]
        key, table = id(instance), self.bound
        try:
            ref: Any = weakref.ref(instance, lambda _: table.pop(key, None))
        except TypeError:
            ref = instance
        cache = _Cache()
        table[key] = ref, cache
        return cache


class Function(Generic[P, R_co]):
    """A Python function that is traced into graphs; `tl.function` makes it."""

    __tl_traced__ = True
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
    ) -> None:
        self.python_function = python_function
        self.input_signature = input_signature
        self.reduce_retracing = reduce_retracing
        self.runner = check_runner(runner)
        self.autograph = autograph
        self.output_signature = output_signature
        own_name = getattr(python_function, "__name__", None)
        self.name: str = name or own_name or type(python_function).__name__
        self._cache = _Cache()
        self._signatures: dict[bool, Signature] = {}
        functools.update_wrapper(self, python_function)

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
        bound._cache = self._cache.of(instance)
        return bound

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Return what the function returns, by running the graph for arguments like these."""
        cache = self._cache
        if cache.fast and not kwargs and current.get() is None and not _eagerly.get():
            key, tensors = _quick(args)
            concrete = cache.fast.get(key) if key is not None else None
            if concrete is not None:
                return concrete.call_flat(tensors)  # type: ignore[no-any-return]
        return self._call(args, kwargs)  # type: ignore[no-any-return]

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if _eagerly.get():
            return self._python()(*args, **kwargs)
        arguments = self._arguments(args, kwargs)
        running = self._cache.running.get(arguments.key)
        if running is not None:
            return self._recursive(running, arguments)
        concrete, used = self._concrete(arguments)
        if not kwargs and current.get() is None and used.tensors is not None:
            key, tensors = _quick(args)
            if key is not None and len(tensors) == len(used.tensors):
                self._cache.fast[key] = concrete
        return concrete.call_flat(used.tensors)

    def _python(self) -> Callable[..., Any]:
        if not self._is_bound:
            return self.python_function
        return self.python_function.__get__(self._instance)  # type: ignore[no-any-return]

    def _arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        signature = self._signatures.get(self._is_bound)
        if signature is None:
            signature = Signature(self.python_function, self._is_bound)
            self._signatures[self._is_bound] = signature
        arguments = signature.bind(self.name, args, kwargs)
        if self.input_signature is None:
            return arguments
        return checked(self.name, self.input_signature, arguments)

    def _concrete(self, arguments: Arguments) -> tuple[ConcreteFunction, Arguments]:
        """Return the trace that serves arguments, made now if there is none; and how they count."""
        cache = self._cache
        known = cache.concrete.get(arguments.key)
        if known is not None:
            return known, arguments
        with cache.lock:
            for general, concrete in cache.general:
                if general.shape == arguments.shape and covers(general.parts, arguments.parts):
                    return concrete, arguments.with_parts(general.parts)
            wanted = self._generalised(arguments) if self.reduce_retracing else arguments
            concrete = self._traced(wanted, arguments)
            if not is_symbolic_capture(concrete.captured):
                cache.concrete[wanted.key] = concrete
                if wanted is not arguments or self.reduce_retracing:
                    cache.general.append((wanted, concrete))
            return concrete, wanted

    def _generalised(self, arguments: Arguments) -> Arguments:
        """Return arguments that also cover those of an earlier trace, where that is possible."""
        for trace in reversed(self._cache.traces):
            if trace.arguments.shape == arguments.shape:
                parts = generalised(trace.arguments.parts, arguments.parts)
                if parts is not None:
                    return arguments.with_parts(parts)
        return arguments

    def _traced(self, wanted: Arguments, given: Arguments) -> ConcreteFunction:
        line, start = user_line(1), time.perf_counter()
        told = explain(self._cache.traces, given)
        concrete = _Tracing(self, wanted).concrete(line)
        spent = 1000 * (time.perf_counter() - start)
        reason, argument, old, new, remedy = told
        nodes = size_of(concrete.graph)
        self._cache.traces.append(
            Trace(reason, argument, old, new, line, spent, nodes, remedy, wanted)
        )
        warn_of_many(self.name, self._cache.traces)
        return concrete

    def _recursive(self, running: _InProgress, arguments: Arguments) -> Any:
        """Return a call of the trace that is being made."""
        running.called = True
        if running.forward is None or running.result is None:
            raise UnknownResultError(
                f"{self.name} calls itself before it is known what it returns: give "
                "output_signature=, or let one branch of a condition return without a call"
            )
        inputs = (*arguments.tensors, *running.captured)
        return running.result.pack(call_watched(PartitionedCall(running.forward), inputs))

    def traces(self) -> Traces:
        """Return a record of every trace: why it was made, where, its cost, and what avoids it.

        >>> f = tl.function(lambda x: x + 1)
        >>> _ = f(tl.zeros(2)), f(tl.zeros(3))
        >>> print(f.traces()[1].reason)
        x: float32[2] -> float32[3]
        """
        return Traces(self._cache.traces)

    @property
    def trace_count(self) -> int:
        """How often the function was traced."""
        return len(self._cache.traces)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Return the trace for arguments like these, which may be TensorSpecs, without calling it.

        Without arguments, the trace of `input_signature`.
        """
        if not args and not kwargs and self.input_signature is not None:
            args = tuple(self.input_signature)
        return self._concrete(self._arguments(args, kwargs))[0]

    def __repr__(self) -> str:
        return f"<tl.function {self.name}, traced {self.trace_count} times>"


def _quick(args: tuple[Any, ...]) -> tuple[Key | None, list[Tensor]]:
    """Return a key made in haste and the tensors, or None for arguments that want more care."""
    parts: list[Any] = []
    tensors: list[Tensor] = []
    for x in args:
        kind = type(x)
        if kind is EagerTensor:
            array = x._array
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


class _Tracing:
    """The making of one trace."""

    def __init__(self, function: Function[..., Any], arguments: Arguments) -> None:
        self.function = function
        self.arguments = arguments
        self.specs = [part for part in arguments.parts if isinstance(part, TensorSpec)]
        self._seen: dict[Line, int] = {}

    def concrete(self, line: Line) -> ConcreteFunction:
        """Return the trace; a function that calls itself is traced until its result is settled."""
        running = self._first()
        for _ in range(4):
            made = self._attempt(running, line)
            if not running.called or self._settled(running, made):
                return self._finished(running, made)
            running = self._again(made)
        raise TracingError(
            f"{self.function.name} calls itself and its result changes its shape each time: give "
            "output_signature="
        )

    def _first(self) -> _InProgress:
        running = _InProgress(Tracer(self.function.name))
        declared = self.function.output_signature
        if declared is not None:
            self._foresee(running, declared, nest.flatten(declared), [])
        return running

    def _attempt(self, running: _InProgress, line: Line) -> _Made:
        cache, key = self.function._cache, self.arguments.key
        effects: list[tuple[str, int]] = []
        tokens = side_effects.set(effects), creation.set(self._variable)
        cache.running[key] = running
        self._seen = {}
        try:
            result, tracer = self._run(running)
        except Exception as error:
            note(error, f"while tracing {self.function.name}, called at {line}")
            raise
        finally:
            del cache.running[key]
            side_effects.reset(tokens[0])
            creation.reset(tokens[1])
        if not (running.called and running.result is None):
            warn_of_effects(self.function.name, effects, line.file)
        return _Made(result, tracer)

    def _run(self, running: _InProgress) -> tuple[Result, Tracer]:
        tracer = running.tracer
        function = self.function._python()
        if self.function.autograph:
            function = converted(function)
        with tracer:
            for x in running.captured:
                tracer.own(x)
            paths = iter(self.arguments.paths)
            leaves = [
                tracer.graph.add_input(part, name=path) if isinstance(part, TensorSpec) else leaf
                for part, leaf, path in zip(
                    self.arguments.parts, self.arguments.leaves, paths, strict=True
                )
            ]
            inputs = [x for x in tracer.graph.inputs if id(x) in set(map(id, leaves))]
            rest = [x for x in tracer.graph.inputs if id(x) not in set(map(id, leaves))]
            tracer.graph.inputs = [*inputs, *rest]
            args, kwargs = nest.pack_like(self.arguments.structure, leaves)
            return Result(function(*args, **kwargs), self.function.name), tracer

    def _settled(self, running: _InProgress, made: _Made) -> bool:
        """Return whether a trace's calls of itself were made with what it turned out to be."""
        if running.forward is None:
            return False
        known = running.forward.graph
        captured = [outer for outer, _ in made.tracer.captures.values()]
        same_captures = list(map(id, captured)) == list(map(id, running.captured))
        specs = [x.spec for x in made.result.tensors]
        return same_captures and all(
            a.accepts(b) for a, b in zip(known.output_specs, specs, strict=True)
        )

    def _again(self, made: _Made) -> _InProgress:
        """Return the next attempt, which knows the result and the captures of this one."""
        running = _InProgress(Tracer(self.function.name))
        captured = [outer for outer, _ in made.tracer.captures.values()]
        specs = [x.spec.without_value() for x in made.result.tensors]
        self._foresee(running, made.result.pack(specs), specs, captured)
        return running

    def _foresee(
        self,
        running: _InProgress,
        structure: Any,
        specs: Sequence[TensorSpec],
        captured: list[Tensor],
    ) -> None:
        stub = Graph(self.function.name)
        for spec in (*self.specs, *[x.spec.without_value() for x in captured]):
            stub.add_input(spec)
        inner = Graph("result")
        stub.outputs = [inner.add_input(spec) for spec in specs]
        running.forward = Compiled(stub, self.function.runner)
        running.captured = captured
        symbols: list[Any] = list(stub.outputs)
        running.result = Result(nest.pack_like(structure, _in_place(structure, symbols)), "")

    def _finished(self, running: _InProgress, made: _Made) -> ConcreteFunction:
        tracer = made.tracer
        with tracer:
            outputs = [tracer.own(to_tensor(x)) for x in made.result.tensors]
        traced = close(tracer, outputs, None)
        callee = running.forward or Compiled(traced.graph, self.function.runner)
        callee.graph = traced.graph
        args, kwargs = self.arguments.structure
        leaves = [
            part if isinstance(part, TensorSpec) else leaf
            for part, leaf in zip(self.arguments.parts, self.arguments.leaves, strict=True)
        ]
        inputs = nest.pack_like((args, kwargs), leaves)
        pick = flat_picker(self.specs, self.function.name)
        return ConcreteFunction(callee, traced.captured, made.result, inputs, pick)

    def _variable(self, initial: Any, make: Make) -> Tensor:
        """Return the handle of a variable made in the trace: the one of the first trace, if any."""
        line = user_line(2)
        turn = self._seen[line] = self._seen.get(line, -1) + 1
        known = self.function._cache.variables.get((line, turn))
        if known is None:
            handle = make(lambda: lifted(initial, line))
            self.function._cache.variables[line, turn] = handle
            return handle
        have = known.spec.inner[0]
        if isinstance(initial, Tensor) and not have.accepts(initial.spec):
            raise TracingError(
                f"the variable made at {line} was {have} in the first trace of "
                f"{self.function.name} and would be {initial.spec} in this one. Make it outside of "
                "the function, or once in the object that owns it"
            )
        return known


class _Made:
    """What one attempt at a trace gave."""

    def __init__(self, result: Result, tracer: Tracer) -> None:
        self.result = result
        self.tracer = tracer


def _in_place(structure: Any, symbols: list[Any]) -> list[Any]:
    source = iter(symbols)
    return [
        next(source) if isinstance(leaf, TensorSpec) else leaf for leaf in nest.flatten(structure)
    ]


def lifted(value: Any, line: Line) -> Any:
    """Return a variable's first value, computed now although a trace is under way."""
    if callable(value):
        value = value()
    if not isinstance(value, SymbolicTensor):
        return value
    with interpreted_by(None):
        return _computed(value, line, {})


def _computed(x: SymbolicTensor, line: Line, known: dict[int, tuple[Tensor, ...]]) -> Tensor:
    node = x.node
    if node.op.role is Role.INPUT:
        raise SymbolicTensorError(
            f"the first value of the variable made at {line} depends on {x.name}, which has no "
            "value while tracing. Compute it from constants, or make the variable outside"
        )
    if id(node) not in known:
        inputs = tuple([_computed(i, line, known) for i in node.inputs])
        known[id(node)] = execute(node.op, inputs)
    return known[id(node)][x.index]


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
) -> Callable[[Callable[P, R_co]], Function[P, R_co]]: ...


def function(python_function: Any = None, **options: Any) -> Any:
    """Return `python_function` as one that is traced into a graph, once per kind of arguments.

    It is traced anew when an argument's dtype, shape or structure changes, or a Python value.
    `input_signature` (a TensorSpec for each argument) fixes the one trace there may be, and
    `reduce_retracing` lets the second trace be general: sizes that differ become unknown, numbers
    tensors. `runner` forces "straight", "structured" or "frames". Without `autograph`, Python's
    control flow is not converted. A function that calls itself may need `output_signature`.

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
    known = {"input_signature", "reduce_retracing", "runner", "autograph", "name"}
    unknown = sorted(set(options) - known - {"output_signature"})
    if unknown:
        raise InvalidArgumentError(f"tl.function has no option {', '.join(unknown)}")
    if python_function is None:
        return functools.partial(Function, **options)
    if not callable(python_function):
        raise InvalidArgumentError(f"tl.function takes a function, not {python_function!r}")
    return Function(python_function, **options)
