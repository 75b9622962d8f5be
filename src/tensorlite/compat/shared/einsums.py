"""tf.einsum: sums of products written as an equation, one operator."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import named
from tensorlite.compat.shared.arrays import tensors_of
from tensorlite.core.check import one_of


@named("einsum")
def _einsum(equation: str, inputs: Any, name: str | None = None) -> Any:
    one_of(equation, str, "einsum: equation", "a text such as 'ij,jk->ik'")
    return tl.einsum(equation.replace(" ", ""), *tensors_of(inputs))


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Any:
    """Return sums of products of tensors, as an equation such as 'ij,jk->ik' says.

    Axes that are not behind the arrow are summed over; '...' stands for axes that broadcast.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.einsum("ij,j->i", [[1, 2], [3, 4]], [10, 1]).numpy().tolist()
    [12, 34]
    """
    given, name = einsum_arguments(inputs, kwargs)
    return _einsum(equation, given, name=name)


def einsum_arguments(
    inputs: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[list[Any], str | None]:
    """Return the tensors that a call names, and the name; TypeError for other keywords."""
    wrong = sorted(set(kwargs) - {"optimize", "name"})
    if wrong:
        raise TypeError(f"einsum: invalid keyword arguments {wrong}")
    is_listed = len(inputs) == 1 and isinstance(inputs[0], (list, tuple))
    return list(inputs[0] if is_listed else inputs), kwargs.get("name")
