"""The functions of a SavedModel as functions here: each trace of one is a graph of its library.

What the objects are that hold them is saved_models.py's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from inspect import Signature
from itertools import count
from typing import Any

import numpy as np

from tensorlite.core import nest
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.errors import GraphDefError, InvalidArgumentError
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.function.binding import Binding
from tensorlite.function.compile import Compiled, ConcreteFunction, Result
from tensorlite.interop.tensorflow.adapters.given import OwnGradient
from tensorlite.interop.tensorflow.attributes import Called
from tensorlite.interop.tensorflow.reading import Functions, check_operators
from tensorlite.interop.tensorflow.signatures import signature_of
from tensorlite.interop.tensorflow.stored.parameters import (
    Parameters,
    parameters_of,
)
from tensorlite.interop.tensorflow.stored.structures import (
    filled,
    knows,
    value_of,
)
from tensorlite.ops.ragged.base import RaggedParts
from tensorlite.ops.sparse.tensor import SparseTensor


class Library:
    """The functions of a SavedModel, and which of its objects each was traced with."""

    def __init__(
        self,
        graph_def: Any,
        objects: Any,
        captured: Callable[[int], Tensor],
        kind: type[ConcreteFunction],
    ) -> None:
        load = next(_LOADS)
        protos = [_own_names(x, load) for x in graph_def.library.function]
        self._protos = {x.signature.name: x for x in protos}
        self._functions = Functions(protos)
        self._functions.own_gradients = _own_gradients(graph_def, objects, captured)
        self._objects = objects
        self._captured = captured
        self._kind = kind
        self._made: dict[str, Trace] = {}

    def trace(self, name: str) -> Trace:
        """Return a trace by its name, made when it is first asked for."""
        if name not in self._made:
            if (
                name not in self._objects.concrete_functions
                or name not in self._protos
            ):
                raise GraphDefError(f"the SavedModel has no function {name!r}")
            self._made[name] = Trace(
                self, name, self._objects.concrete_functions[name]
            )
        return self._made[name]

    def concrete(self, trace: Trace) -> ConcreteFunction:
        """Return a trace as a function; MissingOperatorError when operators are not there."""
        self._check(trace.name)
        captured = [self._captured(i) for i in trace.proto.bound_inputs]
        specs = [x for x in nest.flatten(trace.takes) if isinstance(x, TensorSpec)]
        both = [*specs, *[x.spec.without_value() for x in captured]]
        graph = self._functions.graph(Called(trace.name), both)
        returned = value_of(trace.proto.output_signature)
        told = sum(isinstance(x, TensorSpec) for x in nest.flatten(returned))
        if told != len(graph.outputs):
            raise GraphDefError(
                f"the function {trace.name!r} returns {len(graph.outputs)} tensors, not {told}"
            )
        result = Result(filled(returned, graph.outputs), trace.name)
        binding = _TraceBinding(trace)
        return self._kind(Compiled(graph), captured, result, trace.takes, binding)

    def _check(self, name: str) -> None:
        """Raise MissingOperatorError unless all that a function reaches is there."""
        seen: set[str] = set()
        waiting = [name]
        nodes: list[Any] = []
        while waiting:
            proto = self._protos.get(waiting.pop())
            if proto is None or proto.signature.name in seen:
                continue
            seen.add(proto.signature.name)
            nodes += proto.node_def
            for node in proto.node_def:
                for value in node.attr.values():
                    waiting += [value.func.name, *[x.name for x in value.list.func]]
        check_operators(nodes, self._protos)


class _TraceBinding(Binding):
    """The parameters of a trace, which takes other kinds of sequences and tuples, too."""

    def __init__(self, trace: Trace) -> None:
        count = len(trace.takes[0])
        more = [f"args_{i}" for i in range(len(trace.names), count)]
        super().__init__(trace.name, [*trace.names, *more][:count], trace.takes)
        self._trace = trace

    def __call__(
        self, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> list[Tensor]:
        """Return the tensors in the arguments of a call, in the order of the trace's inputs."""
        found = self._trace.tensors((tuple(args), dict(kwargs)))
        return super().__call__(args, kwargs) if found is None else found


_LOADS = count(1)


def _own_names(function: Any, load: int) -> Any:
    """Return a function whose resources, such as tables, no other model that is loaded has too."""
    made = type(function)()
    made.CopyFrom(function)
    for node in made.node_def:
        signature = signature_of(node.op)
        if signature is not None and "shared_name" in signature.attributes:
            shared = node.attr["shared_name"].s or node.name.encode()
            node.attr["shared_name"].s = shared + f"_load_{load}".encode()
    return made


def _own_gradients(
    graph_def: Any, objects: Any, captured: Callable[[int], Tensor]
) -> dict[str, OwnGradient]:
    """Return the gradients that the program gave for some of its tensors, by their names."""
    found = {}
    for told in graph_def.library.registered_gradients:
        about = objects.concrete_functions.get(told.gradient_func)
        if about is None or not told.registered_op_type:
            continue
        told_of = [(i, objects.nodes[i].captured_tensor) for i in about.bound_inputs]
        nodes = [
            (x.concrete_function, x.name) if x.name else partial(captured, i)
            for i, x in told_of
        ]
        results = value_of(about.output_signature)
        listed = results if isinstance(results, (list, tuple)) else [results]
        given = tuple([isinstance(x, TensorSpec) for x in listed])
        found[told.registered_op_type] = OwnGradient(
            told.gradient_func, tuple(nodes), given
        )
    return found


class Trace:
    """One trace of a function: what it takes, and its graph when it is called."""

    def __init__(self, library: Library, name: str, proto: Any) -> None:
        self._library = library
        self.name = name
        self.proto = proto
        self.spec: Any = None
        """What is told of the Python function, by whom the trace is had."""

    @property
    def names(self) -> tuple[str, ...]:
        """What the arguments by position are called, as far as that is told."""
        return () if self.spec is None else parameters_of(self.spec).names

    @property
    def is_known(self) -> bool:
        """Whether all that it takes and returns is of kinds that are known here."""
        proto = self.proto
        return knows(proto.canonicalized_input_signature) and knows(
            proto.output_signature
        )

    @cached_property
    def takes(self) -> Any:
        """The arguments, positional and by keyword, with specs in the place of tensors."""
        found = value_of(self.proto.canonicalized_input_signature)
        if isinstance(found, tuple) and [type(x) for x in found] in (
            [tuple, dict],
            [list, dict],
        ):
            return found
        raise GraphDefError(f"the function {self.name!r} does not say what it takes")

    @cached_property
    def concrete(self) -> ConcreteFunction:
        """The trace as a function."""
        return self._library.concrete(self)

    def flat(self, given: Sequence[Any]) -> list[Tensor] | None:
        """Return tensors that are given in their order; None when it takes others."""
        found: list[Tensor] = []
        specs = [x for x in nest.flatten(self.takes) if isinstance(x, TensorSpec)]
        return found if _fits(specs, list(given), found) else None

    def tensors(self, given: Any) -> list[Tensor] | None:
        """Return the tensors in arguments; None when these are not such as it was traced for."""
        found: list[Tensor] = []
        return found if _fits(self.takes, given, found) else None


def _fits(wanted: Any, given: Any, found: list[Tensor]) -> bool:
    """Return whether arguments are as a trace has them, and collect the tensors among them."""
    if isinstance(wanted, Mapping):
        return (
            isinstance(given, Mapping)
            and set(wanted) == set(given)
            and all(_fits(wanted[key], given[key], found) for key in sorted(wanted))
        )
    if isinstance(wanted, TensorSpec):
        return _takes(wanted, given, found)
    if nest.is_value(wanted) or isinstance(wanted, IndexedSlices):
        return _fits_composite(wanted, given, found)
    if isinstance(wanted, (list, tuple)) and isinstance(given, (list, tuple)):
        pairs = zip(wanted, given, strict=False)
        return len(wanted) == len(given) and all(_fits(x, y, found) for x, y in pairs)
    is_same = type(wanted) is type(given) or {type(wanted), type(given)} == {
        int,
        float,
    }
    return is_same and bool(np.all(wanted == given))


def _fits_composite(wanted: Any, given: Any, found: list[Tensor]) -> bool:
    """Return whether a value of several tensors is of the same kind, with such tensors."""
    kind = next((x for x in _COMPOSITES if isinstance(wanted, x)), type(wanted))
    if not isinstance(given, kind) or _kept(given) != _kept(wanted):
        return False
    leaves, specs = nest.flatten(given), nest.flatten(wanted)
    return len(leaves) == len(specs) and all(
        _fits(x, y, found) for x, y in zip(specs, leaves, strict=True)
    )


def _kept(value: Any) -> Any:
    """Return what a value of a program's own class has beside its tensors."""
    return () if isinstance(value, _COMPOSITES) else value.kept()


_COMPOSITES = (RaggedParts, SparseTensor, IndexedSlices)


def _takes(wanted: TensorSpec, given: Any, found: list[Tensor]) -> bool:
    is_text = isinstance(given, (str, bytes)) and wanted.dtype.kind != "S"
    if given is None or is_text or isinstance(given, (Mapping, IndexedSlices)):
        return False
    x = given if isinstance(given, Tensor) else _converted(given, wanted)
    if x is None or x.dtype is not wanted.dtype or not wanted.accepts(x.spec):
        return False
    found.append(x)
    return True


def _converted(given: Any, wanted: TensorSpec) -> Tensor | None:
    try:
        x = to_tensor(given)
        return x if x.dtype is wanted.dtype else to_tensor(given, wanted.dtype)
    except (TypeError, ValueError, OverflowError):
        return None


class RestoredFunction:
    """A function of a SavedModel: of its traces, that which fits the arguments is called.

    Gradients flow through it to the model's variables.
    """

    def __init__(
        self,
        name: str,
        traces: Sequence[Trace],
        spec: Any,
        keywords: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.keywords = tuple(keywords)
        """What the tensors are called that its only trace takes."""
        self.traces = list(traces)
        self.spec = spec
        for trace in traces:
            trace.spec = spec

    @cached_property
    def parameters(self) -> Parameters:
        """The parameters of the Python function that was traced."""
        return parameters_of(self.spec)

    @property
    def __signature__(self) -> Signature:
        return self.parameters.signature

    @property
    def has_signature(self) -> bool:
        """Whether the function that was traced said for which arguments it is."""
        told = self.spec.input_signature.WhichOneof("kind")
        return told not in {None, "none_value"}

    @property
    def concrete_functions(self) -> list[ConcreteFunction]:
        """Its traces, but those that take or return what there is none of here."""
        return [x.concrete for x in self.traces if x.is_known]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the function returns; InvalidArgumentError when no trace fits."""
        trace, tensors = self._found(args, kwargs)
        return trace.concrete.call_flat(tensors)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Return the trace for arguments like these, tensors or their specs."""
        if not args and not kwargs and len(self.traces) == 1:
            return self.traces[0].concrete
        given = self.parameters.canonical(args, kwargs)
        for trace in self.traces:
            if _covers(trace.takes, given):
                return trace.concrete
        return self._found(args, kwargs)[0].concrete

    def _found(
        self, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[Trace, list[Tensor]]:
        rest = self.keywords[len(args) :]
        if rest and set(kwargs) == set(rest):
            args, kwargs = [*args, *[kwargs[x] for x in rest]], {}
            flat = self.traces[0].flat(args)
            if flat is not None:
                return self.traces[0], flat
        if not self.traces:
            raise InvalidArgumentError(
                f"Found zero restored functions for caller function: {self.name} was saved without "
                "traces; call it, or give it an input_signature, before it is saved"
            )
        given = self.parameters.canonical(args, kwargs)
        for trace in self.traces:
            tensors = trace.tensors(given)
            if tensors is not None:
                return trace, tensors
        listed = "; ".join([_text(x.takes) for x in self.traces]) or "nothing"
        raise SignatureError(
            "Could not find matching concrete function to call loaded from the SavedModel: "
            f"{self.name} has no trace for {_text(given)}; it was traced for {listed}"
        )

    def __repr__(self) -> str:
        return f"<function {self.name} of a SavedModel, {len(self.traces)} traces>"


def _covers(wanted: Any, given: Any) -> bool:
    pairs = list(zip(nest.flatten(wanted), nest.flatten(given), strict=False))
    return len(nest.flatten(wanted)) == len(nest.flatten(given)) and all(
        x.accepts(y if isinstance(y, TensorSpec) else to_tensor(y).spec)
        if isinstance(x, TensorSpec)
        else x == y
        for x, y in pairs
    )


def _text(value: Any) -> str:
    """Return arguments in few words."""
    args, kwargs = value
    listed = [_short(x) for x in args]
    listed += [f"{key}={_short(x)}" for key, x in kwargs.items()]
    return f"({', '.join(listed)})"


def _short(value: Any) -> str:
    if isinstance(value, (TensorSpec, Tensor)):
        spec = value if isinstance(value, TensorSpec) else value.spec
        return f"{spec.dtype.name}{list(spec.shape) if spec.shape is not None else '[...]'}"
    return f"{value!r:.60}"


class SignatureError(InvalidArgumentError, TypeError):
    """Arguments that a signature does not take."""


class SignatureFunction:
    """A signature of a SavedModel: takes tensors by name, and returns tensors by name.

    What else is asked of it, such as its graph, is that of the trace that it runs.
    """

    def __init__(
        self,
        name: str,
        inputs: Mapping[str, TensorSpec],
        outputs: Mapping[str, TensorSpec],
        run: Callable[[dict[str, Tensor]], dict[str, Tensor]],
        concrete: ConcreteFunction | None = None,
    ) -> None:
        self.name = name
        self.concrete = concrete
        """The trace that is run; None where a graph is."""
        self.structured_inputs = ((), dict(inputs))
        self.structured_outputs = dict(outputs)
        self._run = run

    def __call__(self, *args: Any, **kwargs: Any) -> dict[str, Tensor]:
        """Return the outputs by name; InvalidArgumentError for inputs that it does not have."""
        wanted: dict[str, TensorSpec] = self.structured_inputs[1]
        if len(args) == len(wanted) == 1:
            kwargs = {**dict(zip(wanted, args, strict=True)), **kwargs}
            args = ()
        if args or set(kwargs) != set(wanted):
            raise SignatureError(
                f"the signature {self.name!r} takes {_text(self.structured_inputs)} by name, and "
                f"is given {_text((args, kwargs))}"
            )
        return self._run({x: self._checked(x, kwargs[x]) for x in wanted})

    def __getattr__(self, name: str) -> Any:
        concrete = vars(self).get("concrete")
        if concrete is None or name.startswith("__"):
            raise AttributeError(f"the signature has no attribute {name!r}")
        return getattr(concrete, name)

    def _checked(self, name: str, given: Any) -> Tensor:
        spec: TensorSpec = self.structured_inputs[1][name]
        x = given if isinstance(given, Tensor) else to_tensor(given)
        if x.dtype is not spec.dtype and not isinstance(given, Tensor):
            x = to_tensor(given, spec.dtype)
        if not spec.accepts(x.spec):
            raise SignatureError(
                f"the signature {self.name!r} takes {name} as {_short(spec)}, not {_short(x)}"
            )
        return x

    def __repr__(self) -> str:
        outputs = ", ".join(
            [f"{x}: {_short(y)}" for x, y in self.structured_outputs.items()]
        )
        return (
            f"<signature {self.name}{_text(self.structured_inputs)} -> {{{outputs}}}>"
        )
