"""RegisterGradient and gradient_override_map: gradients of programs' own for some operators.

What a function makes inside such a block has the gradient that was registered by the name given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tensorlite.compat.described import give_attribute, given_attributes
from tensorlite.compat.views import operation, plain, shown
from tensorlite.core import nest
from tensorlite.core.dispatch import tracer
from tensorlite.core.errors import InvalidArgumentError, NotFoundError
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import Tensor
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.interop.tensorflow.writers.referring import type_of
from tensorlite.ops.control.differentiate import custom_gradient

_KEY = "gradient_overrides"
_ATTRIBUTE = "_gradient_op_type"
"""What TensorFlow calls the name of a node's own gradient among its attributes."""
_registered: dict[str, Callable[..., Any]] = {"Identity": lambda _, *dys: list(dys)}


class RegisterGradient:
    """Decorates the gradient function of a type of operators, or one by a name of its own."""

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        if self._op_type in _registered:
            raise KeyError(
                f"Registering two gradient with name {self._op_type!r}! It was registered before"
            )
        _registered[self._op_type] = f
        return f


def no_gradient(op_type: str) -> None:
    """Say that nothing flows back through operators of a type."""
    RegisterGradient(op_type)(lambda op, *_: [None] * len(op.inputs))


NoGradient = NotDifferentiable = no_gradient


def overrides(graph: Any) -> dict[str, str]:
    """Return the names of gradients that operators are to have here, by their types."""
    found: dict[str, str] = graph.scopes.get(_KEY, {})
    return found


@contextmanager
def overridden(graph: Any, names: dict[str, str]) -> Iterator[None]:
    """Give operators of some types, made inside the block, gradients that are registered."""
    if not isinstance(names, dict):
        raise TypeError("op_type_map must be a dictionary mapping strings to strings")
    before = overrides(graph)
    graph.scopes[_KEY] = {**before, **names}
    try:
        yield
    finally:
        graph.scopes[_KEY] = before


def note_gradient(node: Node, names: dict[str, str]) -> None:
    """Note of a new node by which name its gradient is registered, if one of its type is to be."""
    name = names.get(type_of(node))
    if name is not None:
        _named_gradient(name)
        give_attribute(node, _ATTRIBUTE, name)


def own_gradient(node: Node) -> Callable[..., Any] | None:
    """Return the gradient function that a node names, if it is registered; None: its operator's."""
    given = given_attributes(node).get(_ATTRIBUTE)
    return None if given is None else _registered.get(given.s.decode())


def keep_gradients(protos: Iterable[Any], node_of: Callable[[str], Node]) -> None:
    """Give the nodes that were read of a GraphDef the names of gradients that it has for them."""
    for proto in protos:
        if _ATTRIBUTE in proto.attr:
            give_attribute(node_of(proto.name), _ATTRIBUTE, proto.attr[_ATTRIBUTE])


def inner_gradient(graph: Any, op_type: str) -> Callable[..., Any] | None:
    """Return the gradient function that operators of a type are to have here; None: their own.

    It is for graphs inside of others, whose nodes cannot name one.
    """
    building = tracer()
    if getattr(building, "graph", graph) is graph:
        return None
    name = overrides(graph).get(op_type)
    return None if name is None else _named_gradient(name)


def _named_gradient(name: str) -> Callable[..., Any]:
    if name not in _registered:
        raise NotFoundError(
            f"gradient_override_map: no gradient is registered as {name!r}; there are "
            f"{sorted(_registered)}. Register it by tf.RegisterGradient({name!r})"
        )
    return _registered[name]


def with_gradient(
    function: Callable[..., Any], arguments: Any, gradient: Callable[..., Any]
) -> Any:
    """Return what a function makes of arguments, differentiated by a program's function."""
    leaves = [
        x.__tensor__() if isinstance(x, Operand) else x
        for x in nest.flatten(arguments)
    ]
    places = [i for i, x in enumerate(leaves) if isinstance(x, Tensor)]

    def of_tensors(*tensors: Tensor) -> Any:
        for i, x in zip(places, tensors, strict=True):
            leaves[i] = x
        given, keywords = nest.pack_like(arguments, leaves)
        made = function(*given, **keywords)

        def pull(*dys: Any) -> Any:
            found = plain(gradient(_operation(made), *shown(dys)))
            listed = found if isinstance(found, (list, tuple)) else [found]
            return [*listed, *[None] * (len(places) - len(listed))]

        return made, pull

    return custom_gradient(of_tensors)(*[leaves[i] for i in places])


def _operation(made: Any) -> Any:
    """Return the operation that a result is of, as gradient functions are told."""
    for leaf in nest.flatten(made):
        if isinstance(leaf, SymbolicTensor):
            return operation(leaf.node)
    raise InvalidArgumentError("a gradient function is for what makes tensors")
