"""What of a program's objects is exported: attributes, the traces of functions, signatures.

How it is written is saving.py's.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from tensorlite.core import nest
from tensorlite.core.errors import GraphDefError, InvalidArgumentError
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.function.compile import Compiled, ConcreteFunction
from tensorlite.function.function import Function
from tensorlite.function.signature import Identity as ByIdentity
from tensorlite.graph.manual import ManualGraph
from tensorlite.interop.tensorflow.stored.models import Asset, SavedModel
from tensorlite.interop.tensorflow.stored.structures import (
    named_tuple,
    proto_of,
)
from tensorlite.interop.tensorflow.stored.traces import (
    RestoredFunction,
    SignatureFunction,
)
from tensorlite.ops.arrays.identity import Identity
from tensorlite.ops.control.regions import PartitionedCall
from tensorlite.ops.random.generators import Generator
from tensorlite.ops.state.variable import Variable
from tensorlite.train.module import Module

DEFAULT = "serving_default"
"""What the only signature is called."""
AnyFunction: TypeAlias = Function[..., Any] | RestoredFunction
FUNCTIONS = (Function, RestoredFunction)


def members_of(value: Any, more: tuple[type, ...] = ()) -> dict[str, Any]:
    """Return what is saved of an object's attributes or members, by name; some classes more."""
    found: dict[str, Any] = {}
    if isinstance(value, Mapping):
        found = {str(key): x for key, x in value.items()}
    elif isinstance(value, (list, tuple)):
        found = {str(i): x for i, x in enumerate(value)}
    elif hasattr(value, "saved_slots"):
        slots = [slot for _, _, slot in value.saved_slots()]
        found = {**value.saved_members(), "slots": slots}
    elif isinstance(value, Generator):
        found = {"_state_var": value.state}  # TensorFlow's name
    elif isinstance(value, Module):
        found = {**_functions(value), **vars(value)}
    return {name: x for name, x in found.items() if _is_saved(x, more)}


def _functions(value: Module) -> dict[str, AnyFunction]:
    """Return the functions among an object's methods."""
    names = [
        x for x in dir(type(value)) if isinstance(getattr(type(value), x), Function)
    ]
    return {name: getattr(value, name) for name in names}


def _is_saved(value: Any, more: tuple[type, ...]) -> bool:
    if isinstance(value, (Mapping, list, tuple)):
        return not value or bool(members_of(value, more))
    kinds = (Variable, Module, Generator, ConcreteFunction, Asset, *FUNCTIONS, *more)
    return isinstance(value, kinds) or hasattr(value, "saved_slots")


def concretes_of(function: AnyFunction) -> list[ConcreteFunction]:
    """Return the traces of a function; one is made where it says for which arguments.

    Those that were made for one variable as an argument serve that one alone, and are left out.
    """
    if isinstance(function, RestoredFunction):
        return function.concrete_functions
    if function.input_signature is not None:
        function.get_concrete_function()
    known = [
        *[(parts, x) for (_, parts, _), x in function.cache.concrete.items()],
        *[(arguments.parts, x) for arguments, x in function.cache.general],
    ]
    found = dict.fromkeys([x for _, x in known])
    return [x for x in found if not _is_of_variables(x, known)]


def _is_of_variables(
    trace: ConcreteFunction, known: Sequence[tuple[Any, ConcreteFunction]]
) -> bool:
    """Return whether a trace was made for a variable as one of its arguments."""
    parts = [part for one, x in known if x is trace for part in one]
    return any(
        isinstance(x, ByIdentity) and isinstance(x.value, Tensor) for x in parts
    )


def signatures_of(root: Any, given: Any) -> dict[str, ConcreteFunction]:
    """Return the signatures that are asked for, or else the one that there is, as traces."""
    if given is None:
        given = _only(root)
    named = given if isinstance(given, Mapping) else {DEFAULT: given}
    return {name: _trace(name, x) for name, x in named.items()}


def _only(root: Any) -> Any:
    """Return the function that is to be the signature if none is given; nothing if several fit.

    What was restored keeps its own.
    """
    if isinstance(root, SavedModel) and root.signatures:
        return {x: getattr(y, "concrete", None) for x, y in root.signatures.items()}
    own = {x: y for x, y in members_of(root).items() if isinstance(y, FUNCTIONS)}
    callee = members_of(root).get("__call__")
    if isinstance(callee, ConcreteFunction):
        return callee
    named = {x: y for x, y in own.items() if _has_one_way(y)}
    if "__call__" in named and len(concretes_of(named["__call__"])) == 1:
        return named["__call__"]
    return (
        next((x for x in named.values() if _returns(x)), {})
        if len(named) == 1
        else {}
    )


def _has_one_way(function: AnyFunction) -> bool:
    """Return whether a function says itself for which arguments it is traced."""
    if isinstance(function, Function):
        return function.input_signature is not None
    return bool(function.traces) and function.has_signature


def _returns(function: Any) -> bool:
    """Return whether a function returns tensors, as signatures do."""
    return all(x.result.tensors for x in concretes_of(function))


def _trace(name: str, function: Any) -> ConcreteFunction:
    if isinstance(function, SignatureFunction) and function.concrete is not None:
        return function.concrete
    if isinstance(function, ConcreteFunction):
        return function
    if isinstance(function, Function) and function.input_signature is not None:
        return function.get_concrete_function()  # there is one for each device, too
    found = concretes_of(function) if isinstance(function, FUNCTIONS) else []
    if len(found) != 1:
        raise InvalidArgumentError(
            f"the signature {name!r} is {function!r}, with {len(found)} traces; allowed are a "
            "tl.function with input_signature=, or one trace, as f.get_concrete_function(...) gives"
        )
    return found[0]


def named(takes: Any, names: Sequence[str]) -> Any:
    """Return arguments whose specs are called as parameters are, as TensorFlow wants it."""
    args, kwargs = takes
    more = [f"args_{i}" for i in range(len(names), len(args))]
    placed = [_called(x, y) for x, y in zip(args, [*names, *more], strict=False)]
    return tuple(placed), {key: _called(x, str(key)) for key, x in kwargs.items()}


def _called(value: Any, name: str) -> Any:
    if isinstance(value, TensorSpec):
        return TensorSpec(value.shape, value.dtype, value.name or name)
    if isinstance(value, Mapping):
        return {key: _called(x, f"{name}_{key}") for key, x in value.items()}
    if isinstance(value, (list, tuple)) and not nest.is_value(value):
        members = [_called(x, f"{name}_{i}") for i, x in enumerate(value)]
        return nest.rebuild(value, members)
    return value


def put_spec(proto: Any, function: Any) -> None:
    """Tell the parameters of a Python function."""
    if isinstance(function, RestoredFunction):
        proto.CopyFrom(function.spec)
        return
    put_parameters(proto, _parameters(function))
    wanted = getattr(function, "input_signature", None)
    if wanted is not None:
        proto.input_signature.CopyFrom(proto_of(tuple(wanted)))


class Told(NamedTuple):
    """The parameters of a function, as SavedModels tell them."""

    names: Sequence[str] = ()
    defaults: Sequence[Any] = ()
    """Those of the last names."""
    only_keywords: Sequence[str] = ()
    keyword_defaults: Mapping[str, Any] = {}
    more: str | None = None
    """What takes more by place."""
    more_keywords: str | None = None


def put_parameters(proto: Any, told: Told) -> None:
    """Tell the parameters of a function."""
    proto.fullargspec.CopyFrom(
        named_tuple(
            "FullArgSpec",
            {
                "args": list(told.names),
                "varargs": told.more,
                "varkw": told.more_keywords,
                "defaults": tuple(told.defaults) or None,
                "kwonlyargs": list(told.only_keywords),
                "kwonlydefaults": dict(told.keyword_defaults) or None,
                "annotations": {},
            },
        )
    )
    proto.input_signature.none_value.SetInParent()


def parameter_names(function: AnyFunction) -> Sequence[str]:
    """Return the names of what a function takes by place."""
    if isinstance(function, RestoredFunction):
        return function.parameters.names
    return _parameters(function).names


def _parameters(function: Any) -> Told:
    if isinstance(function, ConcreteFunction):
        args, kwargs = function.structured_inputs
        labels = getattr(function.binding, "labels", None)
        names = labels or [f"args_{i}" for i in range(len(args))]
        return Told(names, (), list(kwargs))
    found = inspect.signature(function.python()).parameters.values()
    placed = [
        x for x in found if x.kind in {x.POSITIONAL_ONLY, x.POSITIONAL_OR_KEYWORD}
    ]
    only = [x for x in found if x.kind is x.KEYWORD_ONLY]
    return Told(
        [x.name for x in placed],
        [x.default for x in placed if x.default is not x.empty],
        [x.name for x in only],
        {x.name: x.default for x in only if x.default is not x.empty},
        next((x.name for x in found if x.kind is x.VAR_POSITIONAL), None),
        next((x.name for x in found if x.kind is x.VAR_KEYWORD), None),
    )


class Wrapper(NamedTuple):
    """A function whose tensors have names: what a signature runs."""

    graph: ManualGraph
    inputs: dict[str, TensorSpec]
    outputs: dict[str, TensorSpec]


def wrapped(concrete: ConcreteFunction, name: str) -> Wrapper:
    """Return a trace with its inputs and outputs in the order of their names."""
    inputs = _input_names(concrete, name)
    outputs = _output_names(concrete)
    graph = ManualGraph(f"signature_{name}")
    given = {x: graph.add_input(inputs[x], x) for x in sorted(inputs)}
    captured = [graph.add_input(x.spec.without_value()) for x in concrete.captured]
    op = PartitionedCall(Compiled(concrete.callee.graph))
    node = graph.append(op, (*[given[x] for x in inputs], *captured), "call", ())
    results = dict(zip(outputs, node.outputs, strict=True))
    # An output may be an input as it is, which functions of TensorFlow return through a node.
    graph.outputs = [
        graph.append(Identity(), (results[x],), f"out/{i}", ()).outputs[0]
        for i, x in enumerate(sorted(outputs))
    ]
    graph.effects = [node]
    graph.open = False
    return Wrapper(
        graph,
        {x: _renamed(inputs[x], x) for x in sorted(inputs)},
        {x: _renamed(outputs[x], x) for x in sorted(outputs)},
    )


def _renamed(spec: TensorSpec, name: str) -> TensorSpec:
    return TensorSpec(spec.shape, spec.dtype, name)


def tensor_names(concrete: ConcreteFunction) -> list[str]:
    """Return what the tensors are called that a trace takes, in their order."""
    count = len(concrete.graph.inputs) - len(concrete.captured)
    return [
        x.spec.name or x.node.name.rpartition("/")[2]
        for x in concrete.graph.inputs[:count]
    ]


def _input_names(concrete: ConcreteFunction, name: str) -> dict[str, TensorSpec]:
    """Return the tensors that a trace takes, by the names of parameters, in their order."""
    args, kwargs = concrete.structured_inputs
    if not args and all(isinstance(x, TensorSpec) for x in kwargs.values()):
        return {x: kwargs[x] for x in sorted(kwargs)}
    count = len(concrete.graph.inputs) - len(concrete.captured)
    found: dict[str, TensorSpec] = {}
    for x in concrete.graph.inputs[:count]:
        key = x.spec.name or x.node.name.rpartition("/")[2]
        if key in found:
            raise InvalidArgumentError(
                f"the signature {name!r} has two inputs that are called {key!r}; give specs names"
            )
        found[key] = x.spec
    return found


def _output_names(concrete: ConcreteFunction) -> dict[str, TensorSpec]:
    """Return the tensors that a trace returns, by name: those of a dict, else numbered."""
    returned = concrete.structured_outputs
    if isinstance(returned, Mapping) and all(
        isinstance(x, TensorSpec) for x in returned.values()
    ):
        return {x: returned[x] for x in sorted(returned)}
    listed = [x for x in nest.flatten(returned) if isinstance(x, TensorSpec)]
    if len(listed) != len(concrete.graph.outputs):
        raise GraphDefError("a signature returns tensors, and nothing else")
    return {f"output_{i}": x for i, x in enumerate(listed)}
