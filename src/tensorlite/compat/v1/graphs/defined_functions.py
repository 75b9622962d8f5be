"""tensorflow.python.framework.function: functions of tensors, with gradients of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tensorlite.compat.shared.python import custom_gradient
from tensorlite.compat.v1.graphs.framework import convert_to_tensor, name_scope
from tensorlite.core.errors import InvalidArgumentError


@dataclass(frozen=True)
class CalledFunction:
    """What gradient and shape functions are told of a call."""

    inputs: list[Any]
    outputs: list[Any]


class Defun:
    """A decorator: the function is called with tensors, of the dtypes given here if there are any.

    Its gradient is that of what it computes, unless `grad_func`, a function of its arguments and
    of the gradients of its results, or `python_grad_func`, one of the call and of these gradients,
    gives another. `shape_func` tells the shapes of the results. Each call stands in the graph by
    itself.
    """

    def __init__(self, *input_types: Any, **kwargs: Any) -> None:
        self._dtypes = input_types
        self._options = kwargs

    def __call__(self, func: Callable[..., Any]) -> DefinedFunction:
        """Return the function."""
        return DefinedFunction(func, self._dtypes, **self._options)


class DefinedFunction:
    """A function of tensors, as Defun makes it."""

    def __init__(
        self,
        func: Callable[..., Any],
        input_types: Sequence[Any] = (),
        func_name: str | None = None,
        grad_func: Callable[..., Any] | None = None,
        python_grad_func: Callable[..., Any] | None = None,
        out_names: Sequence[str] | None = None,
        shape_func: Callable[..., Any] | None = None,
        **others: Any,
    ) -> None:
        if grad_func is not None and python_grad_func is not None:
            raise InvalidArgumentError(
                "Gradient defined twice: by name and in Python"
            )
        self._func, self._dtypes = func, tuple(input_types)
        self.name = func_name or func.__name__.strip("<>")
        self._grad_func, self.python_grad_func = grad_func, python_grad_func
        self._shape_func = shape_func

    def __call__(self, *args: Any, name: str | None = None, **kwargs: Any) -> Any:
        """Return what the function makes of tensors; the dtypes say how many there are."""
        if self._dtypes and len(args) != len(self._dtypes):
            raise InvalidArgumentError(
                f"{self.name}: Expected number of arguments: {len(self._dtypes)}, received: "
                f"{len(args)}"
            )
        dtypes = self._dtypes or [None] * len(args)
        given = [convert_to_tensor(x, t) for x, t in zip(args, dtypes, strict=True)]
        has_own = self._grad_func is not None or self.python_grad_func is not None
        with name_scope(name, self.name):
            call = custom_gradient(self._with_gradient) if has_own else self._func
            made = call(*given)
        if isinstance(made, (list, tuple)):  # one result comes by itself
            made = made[0] if len(made) == 1 else tuple(made)
        if self._shape_func is not None:
            told = self._shape_func(CalledFunction(given, _listed(made)))
            for x, shape in zip(_listed(made), told, strict=True):
                x.set_shape(shape)
        return made

    def _with_gradient(self, *inputs: Any) -> tuple[Any, Callable[..., Any]]:
        made = self._func(*inputs)

        def pull(*dys: Any) -> Any:
            if self._grad_func is not None:
                return self._grad_func(*inputs, *dys)
            assert self.python_grad_func is not None
            called = CalledFunction(list(inputs), _listed(made))
            return self.python_grad_func(called, *dys)

        return made, pull


def _listed(made: Any) -> list[Any]:
    return list(made) if isinstance(made, (list, tuple)) else [made]
