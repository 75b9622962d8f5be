"""named: makes of a function one as TensorFlow's are, which takes a `name` and works in graphs.

What programs see of a graph is in views.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from tensorlite.compat.adopting import adopted, holds_operand
from tensorlite.compat.conversions import any_registered, registered_in
from tensorlite.compat.dispatching import any_handler, handler_for
from tensorlite.compat.input_graphs import elsewhere
from tensorlite.compat.overriding import inner_gradient, with_gradient
from tensorlite.compat.shared.ragged_and_sparse.written import (
    function_written,
    is_written,
)
from tensorlite.compat.views import in_graph, plain
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import CompositeError, NoValueYetError
from tensorlite.core.operand import Operand
from tensorlite.core.scope import scope
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.graph_mode.graph import active_graph
from tensorlite.ops.sparse.slices import densify

P = ParamSpec("P")
R = TypeVar("R")


class Deferred(NoValueYetError):
    """Says that an argument has no value yet, and what takes note of the call meanwhile."""

    def __init__(self, note: Callable[..., object]) -> None:
        super().__init__(
            "this tensor has no value until the model it belongs to is called"
        )
        self.note = note


def deferring(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function whose call is noted as a layer's, where an argument has no value yet.

    What is `named` is so already; others that look at their tensors need it.
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except Deferred as deferred:
            return cast("R", deferred.note(call, args, kwargs))

    return call


Inner = str | None | Callable[..., str | None]
"""What a node is called below the name of a call, or a function of its arguments for that."""


def own_or(default: str) -> Callable[..., str]:
    """Return what a node is called that has the name of its call once more, or a default."""

    def own(*_: Any, name: str | None = None, **__: Any) -> str:
        return default if name is None else name.rpartition("/")[2]

    return own


def named(
    default: str, inner: Inner = ""
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator of functions that have a parameter `name`.

    In a graph what stands for tensors is unpacked before the call and wrapped behind it, all that
    is made bears the name of the call, or `default`, and is numbered as in TensorFlow; the last
    node bears that of the call, or is called `inner` below it; None leaves it its own. Eagerly and
    in traced functions the function is called as it is.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        told = signature(function)
        place = list(told.parameters).index("name")

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            if any_handler():
                handler = handler_for(call, args, kwargs)
                if handler is not None:
                    return cast("R", handler(*args, **kwargs))
            graph = active_graph()
            if graph is None:
                try:
                    if any_registered():
                        return function(*registered_in(args), **registered_in(kwargs))
                    return function(*args, **kwargs)
                except Deferred as deferred:
                    return cast("R", deferred.note(function, args, kwargs))
                except CompositeError as error:
                    return cast("R", formed(default, function, args, kwargs, error))
            kind = function, default, inner, place
            other = elsewhere((args, kwargs))
            if other is None:
                return cast("R", _recorded(graph, kind, args, kwargs))
            with other.as_default():
                return cast("R", _recorded(other, kind, args, kwargs))

        # So that inspect.getfullargspec, which follows no wrappers, tells the same.
        call.__signature__ = told  # type: ignore[attr-defined]
        return call

    return decorate


def _recorded(
    graph: Any,
    kind: tuple[Callable[..., Any], str, Inner, int],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """Return what a function makes in a graph, its node bearing a name."""
    function, default, inner, place = kind
    own = inner_gradient(graph, default)
    given = list(plain(args))
    keywords = {key: plain(value) for key, value in kwargs.items()}
    name = keywords.pop("name", None)
    if len(given) > place:
        name, given[place] = given[place], None
    if isinstance(name, bytes):
        name = name.decode()

    entered = ""

    def make() -> Any:
        nonlocal entered
        if own is not None:
            return with_gradient(function, (given, keywords), own)
        try:
            return function(*given, **keywords)
        except CompositeError as error:
            forms = forms_of(error)
            if forms is FORMS and is_written(default, forms.get(default)):
                entered = scope.get().name
                raise
            return formed(default, function, tuple(given), keywords, error)

    last = inner(*given, **keywords, name=name) if callable(inner) else inner
    try:
        return in_graph(make, default, name, last)
    except CompositeError as error:
        if not entered:
            raise
        return _written(graph, kind, args, kwargs, (name, entered, last, error))


def _written(
    graph: Any,
    kind: tuple[Callable[..., Any], str, Inner, int],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    call: tuple[str | None, str, str | None, CompositeError],
) -> Any:
    """Return what is written of ragged tensors, or else what is made of them within the scope."""
    function, default, _, _ = kind
    name, entered, last, error = call
    bound = signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    bound.arguments.pop("name")
    if name == signature(function).parameters["name"].default:
        name = None

    def again(*others: Any, **keywords: Any) -> Any:
        return _recorded(graph, kind, others, keywords)

    made = function_written(
        default, FORMS.get(default), again, dict(bound.arguments), name
    )
    if made is not NotImplemented:
        return made
    given = {key: plain(value) for key, value in bound.arguments.items()}
    return in_graph(
        lambda: formed(default, function, (), given, error),
        default,
        f"{entered}/",
        last,
    )


FORMS: dict[str, Callable[[Callable[..., Any], dict[str, Any]], Any]] = {}
"""What functions, by the names of their nodes, make of values of several tensors."""


def forms_of(error: CompositeError) -> dict[str, Any]:
    """Return what functions make of a value that is no tensor: its kind's own, or those of rows."""
    forms: dict[str, Any] = getattr(error.value, "function_forms", FORMS)
    return forms


def formed(
    default: str,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    error: CompositeError,
) -> Any:
    """Return what a function makes of values of several tensors; or raise, if it takes none."""
    form = forms_of(error).get(default)
    if form is None:
        raise error
    bound = signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    return form(function, dict(bound.arguments))


def converted(value: Any, dtype: DType | None = None, name: str = "Const") -> Tensor:
    """Return a value as a tensor, which takes a dtype if it is no tensor and its values may."""
    if isinstance(value, IndexedSlices):
        return densify(value)
    if dtype is None and isinstance(value, (bool, int, float, np.ndarray, Operand)):
        is_text = isinstance(value, np.ndarray) and value.dtype.kind in "OSU"
        if is_text or (name != "Const" and not isinstance(value, Operand)):
            return adopted(value, None, name)
        return to_tensor(value)
    return adopted(value, dtype, name)


def given_constant(
    value: Any, dtype: DType | None = None, name: str | None = None
) -> Tensor:
    """Return a value as a tensor; what was none is a constant of a graph by that name."""
    if isinstance(value, Operand):
        return value.__tensor__()
    made = packed if holds_operand(value) else _made_constant
    return made(value, dtype, name=name)


@named("packed")
def packed(value: Any, dtype: DType | None, name: str | None = None) -> Tensor:
    """Return a list with tensors in it as a tensor, which is packed where a graph is built."""
    is_list = isinstance(value, (list, tuple))
    return adopted(value, dtype, "") if is_list else converted(value, dtype)


@named("Const")
def _made_constant(
    value: Any, dtype: DType | None, name: str | None = None
) -> Tensor:
    return converted(value, dtype)


def agreeing(
    x: Any, y: Any, names: tuple[str, str] = ("x", "y")
) -> tuple[Tensor, Tensor]:
    """Return two operands as tensors; what is no tensor takes the dtype of the other, if it may.

    `names` are what TensorFlow calls them.
    """
    of_x, of_y = names
    if isinstance(x, Operand) or not isinstance(y, Operand):
        first = converted(x, None, of_x)
        return first, converted(y, first.dtype, of_y)
    second = converted(y, None, of_y)
    return converted(x, second.dtype, of_x), second
