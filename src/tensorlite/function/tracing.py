"""The making of one trace, and the traces that a function has.

A function that calls itself is traced until it is known what it returns. Variables that it makes
are made in its first trace and found again in later ones.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from functools import partial
from threading import RLock
from typing import Any, Protocol

from tensorlite.core import nest
from tensorlite.core.dispatch import current, interpreted_by, to_tensor
from tensorlite.core.errors import (
    InvalidArgumentError,
    StructureError,
    TracingError,
    note,
)
from tensorlite.core.provenance import UNKNOWN, Line, user_line
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.function.binding import Binding
from tensorlite.function.compile import (
    Compiled,
    ConcreteFunction,
    Result,
)
from tensorlite.function.signature import Arguments, Key, as_input
from tensorlite.function.staging import converted, side_effects
from tensorlite.function.traces import Traces, warn_of_effects
from tensorlite.graph.evaluate import evaluate
from tensorlite.graph.graph import Graph, SymbolicTensor
from tensorlite.graph.trace import Tracer, close
from tensorlite.ops.state.making import Make, creation
from tensorlite.passes.place import Choice

Maker = Callable[[Any, Make], Tensor]


class InProgress:
    """A trace that is being made: what its function needs to call itself."""

    def __init__(self, cache: Cache, key: Key, name: str) -> None:
        self.owner = cache, key
        self.tracer = Tracer(name)
        self.tracer.is_function = True
        self.forward: Compiled | None = None
        self.captured: list[Tensor] = []
        self.given: dict[SymbolicTensor, Any] = {}
        """What the call that asked for the trace has for its inputs."""
        self.result: Result | None = None
        self.called = False
        self.enclosing: list[InProgress] = []
        """Traces around this one whose functions were called in it."""
        self.is_provisional = False
        self.inside: list[tuple[Cache, Key]] = []
        """Traces of other functions that call this one."""

    def call(self) -> None:
        """Note that the function is called while it is traced."""
        self.called = True
        above = under_way.get()
        for inner in above[above.index(self) + 1 :]:
            inner.enclosing.append(self)
            inner.is_provisional = inner.is_provisional or self.forward is None


class ProvisionalError(Exception):
    """A trace that lacks a branch, because an enclosing trace's result was not known in it.

    What it returned has the right specs, which is all that the enclosing trace needs for now.
    """

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self.value = value


under_way: ContextVar[tuple[InProgress, ...]] = ContextVar("under_way", default=())
"""The traces that are being made, the outermost first."""


def found_under_way(cache: Cache, key: Key) -> InProgress | None:
    """Return the trace that is being made here for arguments with a key, if there is one."""
    for running in under_way.get():
        if running.owner[0] is cache and running.owner[1] == key:
            return running
    return None


class Cache:
    """The traces of a function, or of a method of one object."""

    def __init__(self) -> None:
        self.fast: dict[Key, ConcreteFunction] = {}
        self.concrete: dict[Key, ConcreteFunction] = {}
        self.general: list[tuple[Arguments, ConcreteFunction]] = []
        self.traces = Traces()
        self.variables: dict[tuple[Line, int], Tensor] = {}
        self.bound: dict[int, tuple[Any, Cache]] = {}
        self.lock = RLock()

    def forget(self, key: Key) -> None:
        """Drop a trace that calls a function in a way that it turned out not to have."""
        self.concrete.pop(key, None)
        self.general = [entry for entry in self.general if entry[0].key != key]

    def of(self, instance: object) -> Cache:
        """Return the cache for the method of an object, which goes when the object does."""
        known = self.bound.get(id(instance))
        if known is not None:
            return known[1]
        key, table = id(instance), self.bound
        try:
            ref: Any = weakref.ref(instance, lambda _: table.pop(key, None))
        except TypeError:
            ref = instance
        cache = Cache()
        table[key] = ref, cache
        return cache


class Traceable(Protocol):
    """What the making of a trace needs to know of a function."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def runner(self) -> str | None:
        """The runner that is forced, if any."""

    @property
    def placement(self) -> Choice | None:
        """What chooses devices for what asks for none."""

    @property
    def autograph(self) -> bool:
        """Whether Python's control flow is converted."""

    @property
    def output_signature(self) -> Any:
        """The specs of what it returns, where they are given."""

    @property
    def makes_once(self) -> bool:
        """Whether variables are made in the first trace only, which is made again without them."""

    @property
    def cache(self) -> Cache:
        """Its traces."""

    def python(self) -> Callable[..., Any]:
        """Return the Python function."""

    def returned(self, value: Any) -> Any:
        """Return what stands for a result of the Python function."""


class Tracing:
    """The making of one trace."""

    def __init__(self, function: Traceable, arguments: Arguments) -> None:
        self.function = function
        self.arguments = arguments
        self.specs = [
            part for part in arguments.parts if isinstance(part, TensorSpec)
        ]
        takes = arguments.structured
        labels = arguments.labels[: len(takes[0])]
        self.binding = Binding(function.name, labels, takes)
        self._seen: dict[Line, int] = {}
        self._may_make = not (function.makes_once and function.cache.traces)
        self.around: Maker | None = None
        """Who places variables outside of all traces, such as a strategy."""

    def concrete(self, line: Line) -> ConcreteFunction:
        """Return the trace, without what variables begin with where those are made once."""
        known = len(self.function.cache.variables)
        made = self._traced(line)
        if self.function.makes_once and len(self.function.cache.variables) > known:
            self._may_make = False
            made = self._traced(line)
        return made

    def _traced(self, line: Line) -> ConcreteFunction:
        """Return a trace; a function that calls itself is traced until its result is settled."""
        running = self._first()
        for _ in range(4):
            made = self._attempt(running, line)
            if running.is_provisional:
                raise ProvisionalError(made.result.pack(made.result.tensors))
            if not running.called or self._settled(running, made):
                for outer in running.enclosing:
                    outer.inside.append(running.owner)
                return self._finished(running, made)
            for cache, key in running.inside:
                cache.forget(key)
            running = self._again(made)
        raise TracingError(
            f"{self.function.name} calls itself and its result changes its shape each time: give "
            "output_signature="
        )

    def _first(self) -> InProgress:
        running = InProgress(
            self.function.cache, self.arguments.key, self.function.name
        )
        declared = self.function.output_signature
        if declared is not None:
            self._foresee(running, declared, nest.flatten(declared), [])
        return running

    def _attempt(self, running: InProgress, line: Line) -> _Made:
        effects: list[tuple[str, int]] = []
        self.around = _beyond_traces(creation.get())
        tokens = side_effects.set(effects), creation.set(self._variable)
        around = under_way.set((*under_way.get(), running))
        self._seen = {}
        try:
            result, tracer = self._run(running)
        except Exception as error:
            running.tracer.graph.open = False
            note(error, f"while tracing {self.function.name}, called at {line}")
            raise
        finally:
            under_way.reset(around)
            side_effects.reset(tokens[0])
            creation.reset(tokens[1])
        if not (running.called and running.result is None):
            warn_of_effects(self.function.name, effects, line)
        return _Made(result, tracer)

    def _run(self, running: InProgress) -> tuple[Result, Tracer]:
        tracer = running.tracer
        function = self.function.python()
        if self.function.autograph:
            function = converted(function)
        code = getattr(function, "__code__", None)
        line = UNKNOWN
        if code is not None:
            line = Line(code.co_filename, code.co_firstlineno, code.co_name)
        with tracer:
            leaves, names = list(self.arguments.leaves), iter(self.binding.names)
            for i, part in enumerate(self.arguments.parts):
                if isinstance(part, TensorSpec):
                    given = leaves[i]
                    leaves[i] = tracer.graph.add_input(part, name=next(names))
                    leaves[i].node.line = line
                    if not isinstance(given, TensorSpec):
                        running.given[leaves[i]] = given
            for x in running.captured:
                tracer.own(x)
            given = nest.pack_like(self.arguments.structure, leaves)
            shown = nest.pack_like(self.arguments.structure, leaves)
            value = self.function.returned(function(*given[0], **given[1]))
            self._check_kept(shown, given)
            return Result(value, self.function.name), tracer

    def _check_kept(self, before: Any, after: Any) -> None:
        """Raise if the function has changed a list or dict that it was given."""
        try:
            nest.assert_same(before, after)
            pairs = zip(nest.flatten(before), nest.flatten(after), strict=True)
            same = all(a is b for a, b in pairs)
        except StructureError:
            same = False
        if not same:
            raise InvalidArgumentError(
                f"{self.function.name}() should not modify its Python input arguments: a list or "
                "dict that it was given is another one now. Changes happen while tracing, to "
                "copies; change a copy of its own, and return that"
            )

    def _settled(self, running: InProgress, made: _Made) -> bool:
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

    def _again(self, made: _Made) -> InProgress:
        """Return the next attempt, which knows the result and the captures of this one."""
        running = InProgress(
            self.function.cache, self.arguments.key, self.function.name
        )
        captured = [outer for outer, _ in made.tracer.captures.values()]
        specs = [x.spec.without_value() for x in made.result.tensors]
        self._foresee(running, made.result.pack(specs), specs, captured)
        return running

    def _foresee(
        self,
        running: InProgress,
        structure: Any,
        specs: Sequence[TensorSpec],
        captured: list[Tensor],
    ) -> None:
        stub = Graph(self.function.name)
        for spec in (*self.specs, *[x.spec.without_value() for x in captured]):
            stub.add_input(spec)
        inner = Graph("result")
        stub.outputs = [inner.add_input(spec) for spec in specs]
        running.forward = Compiled(
            stub, self.function.runner, self.function.placement
        )
        running.captured = captured
        symbols: list[Any] = list(stub.outputs)
        running.result = Result(
            nest.pack_like(structure, _in_place(structure, symbols)), ""
        )

    def _finished(self, running: InProgress, made: _Made) -> ConcreteFunction:
        tracer = made.tracer
        with tracer:
            outputs = [tracer.own(to_tensor(x)) for x in made.result.tensors]
        traced = close(tracer, outputs, None)
        callee = running.forward or Compiled(
            traced.graph, self.function.runner, self.function.placement
        )
        callee.graph = traced.graph
        arguments = self.arguments
        return ConcreteFunction(
            callee, traced.captured, made.result, arguments.structured, self.binding
        )

    def _variable(self, initial: Any, make: Make) -> Tensor:
        """Return the handle of a variable made in the trace: the one of the first trace, if any."""
        line = user_line(2)
        if not self._may_make and current.get() is not None:
            raise InvalidArgumentError(
                f"{self.function.name} makes a variable at {line}, and is not traced for the first "
                "time: only singleton variables that are created on the first call are supported. "
                "Make it once, in the object that owns it, or outside of the function"
            )
        turn = self._seen[line] = self._seen.get(line, -1) + 1
        known = self.function.cache.variables.get((line, turn))
        if known is None:
            outside, around = _outside(), self.around
            first = (
                None if initial is None else partial(lifted, initial, outside, line)
            )
            handle = make(first) if around is None else around(first, make)
            self.function.cache.variables[line, turn] = handle
            return handle
        if isinstance(initial, Tensor) and not known.spec.inner[0].accepts(
            initial.spec
        ):
            raise TracingError(
                f"the variable made at {line} was {known.spec.inner[0]} in the first trace of "
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
        next(source) if isinstance(leaf, TensorSpec) else leaf
        for leaf in nest.flatten(structure)
    ]


def lifted(value: Any, outside: Mapping[SymbolicTensor, Tensor], line: Line) -> Any:
    """Return a variable's first value, computed now although a trace is under way."""
    if callable(value):
        value = value()
    if not isinstance(value, SymbolicTensor):
        return value
    what = f"the first value of the variable made at {line}"
    return evaluate(value, outside, what)


def _beyond_traces(maker: Maker | None) -> Maker | None:
    """Return who makes handles outside of all traces, given who does here."""
    trace = getattr(maker, "__self__", None)
    return trace.around if isinstance(trace, Tracing) else maker


def _outside() -> dict[SymbolicTensor, Tensor]:
    """Return what stands behind the inputs of the graphs that are being made here."""
    known: dict[SymbolicTensor, Tensor] = {}
    interpreter = current.get()
    with interpreted_by(None):
        for running in under_way.get():
            known |= {x: as_input(y, x.spec) for x, y in running.given.items()}
    while interpreter is not None:
        if isinstance(interpreter, Tracer):
            known |= {inner: outer for outer, inner in interpreter.captures.values()}
        interpreter = interpreter.below
    return known
