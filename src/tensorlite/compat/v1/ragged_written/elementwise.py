"""Functions of the elements of ragged tensors, in graphs of version 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.calling import FORMS
from tensorlite.compat.shared import elementwise
from tensorlite.compat.shared.making import each
from tensorlite.compat.shared.ragged_and_sparse.built_rows import RaggedTensor
from tensorlite.compat.shared.ragged_and_sparse.written import (
    FUNCTIONS,
    KINDS,
    is_ragged,
    writes,
)
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.compat.v1.graphs.framework import control_dependencies
from tensorlite.compat.v1.ragged_written.base import (
    alike,
    given,
    nested,
    rank_of,
    splits_dtype,
    tried,
)
from tensorlite.compat.v1.ragged_written.sizes import Sizes, shared, spread
from tensorlite.core.dtypes import bool_
from tensorlite.core.operand import Operand

_Function = Callable[..., Any]


@writes("ragged.map_flat_values")
def map_flat_values(op: _Function, *args: Any, **kwargs: Any) -> Any:
    """Return what a function makes of the innermost values, in rows as they were."""
    bounds: list[Any] = []

    def flat(x: Any) -> Any:
        if is_ragged(x):
            x = given(x)
            bounds.append(x.nested_row_splits)
            return x.flat_values
        if isinstance(x, (list, tuple)) and not isinstance(x, Operand):
            return type(x)(map(flat, x)) if type(x) in (list, tuple) else x
        if type(x) is dict:
            return {key: flat(one) for key, one in x.items()}
        return x

    inner, keywords = [flat(x) for x in args], {k: flat(x) for k, x in kwargs.items()}
    if not bounds:
        return op(*args, **kwargs)
    with control_dependencies(alike(bounds)):
        return nested(op(*inner, **keywords), bounds[0])


def _of_values(again: _Function, arguments: dict[str, Any], name: str | None) -> Any:
    """Return what is made of the values of one ragged tensor, the first argument."""
    (key, x), *others = arguments.items()
    if not is_ragged(x) or any(is_ragged(one) for _, one in others):
        return NotImplemented
    x = given(x)
    made = again(**{**arguments, key: x.flat_values}, name=name)
    return x.with_flat_values(made) if not isinstance(made, (list, tuple)) else made


def _of_elements(
    again: _Function, arguments: dict[str, Any], name: str | None
) -> Any:
    """Return what is made of operands, element by element."""
    if len(arguments) == 1:
        return _of_values(again, arguments, name)
    if len(arguments) != 2:
        return NotImplemented
    (x_name, x), (y_name, y) = arguments.items()
    if not is_ragged(x):
        x = convert_to_tensor(x, name=x_name, preferred_dtype=y.dtype)
    if not is_ragged(y):
        y = convert_to_tensor(y, name=y_name, preferred_dtype=x.dtype)
    x, y = given(x), given(y)
    splits_dtype(x, y)
    if None in (rank_of(x), rank_of(y)):
        return NotImplemented
    if _broadcast(x, y):
        wanted = shared(Sizes.of(x), Sizes.of(y))
        x, y = spread(x, wanted), spread(y, wanted)
    flat = [one.flat_values if is_ragged(one) else one for one in (x, y)]
    made = again(*flat, name=name)
    return (x if is_ragged(x) else y).with_flat_values(made)


def _broadcast(x: Any, y: Any) -> bool:
    """Return whether the rows of one are to be spread over those of the other."""
    if is_ragged(x) and is_ragged(y):
        return True
    rows, other = (x, y) if is_ragged(x) else (y, x)
    inner = rank_of(rows.flat_values)
    return inner is None or inner <= (rank_of(other) or 0)


KINDS[FORMS["Cast"]] = _of_values
KINDS[each] = _of_elements


def _of_list(title: str, key: str) -> None:
    @writes(title, of=FUNCTIONS)
    def made(again: _Function, arguments: dict[str, Any], name: str | None) -> Any:
        listed = arguments[key]
        for one in listed:
            tried(one)
        told = [given(one) if is_ragged(one) else one for one in listed]
        splits_dtype(*told)
        bounds = [x.nested_row_splits for x in told if isinstance(x, RaggedTensor)]
        flat = [x.flat_values if isinstance(x, RaggedTensor) else x for x in told]
        with control_dependencies(alike(bounds)):
            found = again(**{**arguments, key: flat}, name=name)
            return nested(found, bounds[0])


_of_list("AddN", "inputs")
_of_list("StringJoin", "inputs")


def _operator(name: str, function: _Function, of_truth: bool = False) -> None:
    """Write an operator of Python, from either side, by one of TensorFlow's functions."""

    def is_taken(self: Any) -> bool:
        return not of_truth or self.dtype is bool_

    @writes(f"__{name}__")
    def ahead(self: Any, *others: Any) -> Any:
        return function(self, *others) if is_taken(self) else NotImplemented

    @writes(f"__r{name}__")
    def behind(self: Any, other: Any) -> Any:
        return function(other, self) if is_taken(self) else NotImplemented


_OPERATORS: dict[str, _Function] = {
    "abs": elementwise.abs,
    "add": elementwise.add,
    "floordiv": elementwise.floordiv,
    "ge": elementwise.greater_equal,
    "gt": elementwise.greater,
    "le": elementwise.less_equal,
    "lt": elementwise.less,
    "mod": elementwise.floormod,
    "mul": elementwise.multiply,
    "neg": elementwise.negative,
    "pow": elementwise.pow,
    "sub": elementwise.subtract,
    "truediv": elementwise.truediv,
}
_OF_TRUTH: dict[str, _Function] = {
    "and": elementwise.logical_and,
    "invert": elementwise.logical_not,
    "or": elementwise.logical_or,
    "xor": elementwise.logical_xor,
}
for _name, _function in _OPERATORS.items():
    _operator(_name, _function)
for _name, _function in _OF_TRUTH.items():
    _operator(_name, _function, True)
