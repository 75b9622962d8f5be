"""unary, binary: make TensorFlow's functions of one and two operands out of tensorlite's.

The functions themselves are gathered by topic in the modules beside this one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any

from tensorlite.compat.calling import FORMS, Inner, agreeing, converted, named
from tensorlite.compat.dispatching import BINARY, UNARY
from tensorlite.compat.documenting import documented
from tensorlite.core.errors import DTypeError
from tensorlite.core.scope import scope
from tensorlite.graph_mode.graph import active_graph, name_scope
from tensorlite.ops.control.differentiate import custom_gradient
from tensorlite.ops.ragged.broadcasting import mapped
from tensorlite.ops.sparse.tensor import SparseTensor


def unary(
    default: str, function: Callable[[Any], Any], inner: str = ""
) -> Callable[..., Any]:
    """Return a function of `x` and a name; a sparse tensor's values are what it works on."""
    FORMS.setdefault(default, each)

    @named(default, inner)
    def made(x: Any, name: str | None = None) -> Any:
        if isinstance(x, SparseTensor):
            return x.with_values(_behind_scope(made, x.values))
        return function(converted(x))

    UNARY.add(made)
    titled(made, function, default)
    return made


def _behind_scope(function: Callable[..., Any], values: Any) -> Any:
    """Return what a function makes of a sparse tensor's values, beside the scope of the call.

    So TensorFlow names it: the scope has its name already, and the node takes the next one.
    """
    here = scope.get().name
    with name_scope(""):
        return function(values, name=here or None)


def binary(
    default: str,
    function: Callable[[Any, Any], Any],
    names: tuple[str, str] = ("x", "y"),
) -> Callable[..., Any]:
    """Return a function of two operands and a name; what is no tensor takes a tensor's dtype.

    `names` are what its operands are called.
    """
    FORMS.setdefault(default, each)

    def of_two(x: Any, y: Any, name: str | None = None) -> Any:
        return function(*alike(default, x, y, names))

    made = named(default)(_by_names(of_two, names))
    BINARY.add(made)
    titled(made, function, default)
    return made


def _by_names(
    function: Callable[..., Any], names: tuple[str, str]
) -> Callable[..., Any]:
    """Return a function of `x`, `y` and a name whose operands are called otherwise."""
    own = signature(function)
    if names == ("x", "y"):
        return function
    first, second, name = own.parameters.values()
    called = [x.replace(name=y) for x, y in zip((first, second), names, strict=True)]
    told = own.replace(parameters=[*called, name])

    @wraps(function)
    def renamed(*args: Any, **kwargs: Any) -> Any:
        return function(*told.bind(*args, **kwargs).args)

    renamed.__signature__ = told  # type: ignore[attr-defined]
    return renamed


def each(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """Return what a function of operands that broadcast makes of ragged tensors among them."""
    operands = tuple([x for key, x in arguments.items() if key != "name"])
    return mapped(function, operands)


def alike(
    title: str, x: Any, y: Any, names: tuple[str, str] = ("x", "y")
) -> tuple[Any, Any]:
    """Return operands as tensors of one dtype; DTypeError where they are of two."""
    first, second = agreeing(x, y, names)
    if first.dtype is not second.dtype:
        raise DTypeError(
            f"{title}: Input 'y' is {second.spec}, which does not match 'x', {first.spec}; cast "
            "one of them with tf.cast"
        )
    return first, second


def titled(made: Any, function: Any, default: str) -> Any:
    """Return a function that bears a name of its own in tracebacks, and says what it returns."""
    made.__name__ = made.__qualname__ = getattr(function, "__name__", default).strip(
        "_"
    )
    return documented(made, function)


def without_gradient(kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose gradient is refused, as that of TensorFlow's operator is."""

    def refused(*_: Any) -> Any:
        raise LookupError(f"gradient registry has no entry for: {kind}")

    @wraps(function)
    def called(*tensors: Any) -> Any:
        return custom_gradient(lambda *xs: (function(*xs), refused))(*tensors)

    return called


def same(
    default: str,
    function: Callable[..., Any],
    names: str,
    tensors: int = 1,
    inner: Inner = "",
    constants: tuple[str, ...] = (),
) -> Callable[..., Any]:
    """Return a function of the arguments of another one, by the names given, and of a name.

    The first arguments, as many as `tensors` says, become tensors, and numbers that are
    `constants` of graphs, which bear their names; defaults are those of the other function.
    """
    called = names.split()

    def rest(given: list[Any]) -> list[Any]:
        if active_graph() is None:
            return given[tensors:]
        pairs = zip(given[tensors:], called[tensors:], strict=True)
        return [converted(x, None, y) if y in constants else x for x, y in pairs]

    @named(default, inner)
    def made(given: list[Any], name: str | None = None) -> Any:
        first = [x if x is None else converted(x) for x in given[:tensors]]
        return function(*first, *rest(given))

    known = list(signature(function).parameters.values())
    both = zip(called, known, strict=False)
    parameters = [Parameter(x, _KIND, default=y.default) for x, y in both]
    last = Parameter("name", _KIND, default=None)
    bare = Signature([*parameters, last])

    def bound(*args: Any, **kwargs: Any) -> Any:
        given = bare.bind(*args, **kwargs)
        given.apply_defaults()
        *values, name = given.arguments.values()
        return made(values, name=name)

    call: Any = bound
    call.__signature__ = bare
    titled(call, function, default)
    return bound


_KIND = Parameter.POSITIONAL_OR_KEYWORD
