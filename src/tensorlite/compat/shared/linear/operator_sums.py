"""tensorflow.python's linear_operator_addition: sums of operators as operators."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Any

from tensorlite.compat.shared import elementwise
from tensorlite.compat.shared.linear.linear_operator import (
    LinearOperator,
    LinearOperatorLowerTriangular,
    shared_batch,
)
from tensorlite.compat.shared.linear.linear_operators import (
    LinearOperatorDiag,
    LinearOperatorFullMatrix,
)
from tensorlite.core.errors import DTypeError, InvalidArgumentError

__all__ = ["add_operators"]


def add_operators(
    operators: Iterable[Any],
    operator_name: str | None = None,
    addition_tiers: Any = None,
    name: str | None = None,
) -> list[Any]:
    """Return a list of one operator, the sum of others, of the simplest kind that it is of.

    addition_tiers and name have no effect. InvalidArgumentError if there is none or sizes differ.

    >>> from tensorlite.compat import v2 as tf
    >>> one = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    >>> (both,) = add_operators([one, one])
    >>> type(both).__name__, both.diag_part().numpy().tolist()
    ('LinearOperatorDiag', [2.0, 4.0])
    """
    given = list(operators)
    _check(given)
    if len(given) == 1:
        return given
    hints = [
        True if all(getattr(x, hint) for x in given) else None
        for hint in ("is_self_adjoint", "is_positive_definite")
    ]
    title = operator_name or f"Add/{'__'.join(x.name for x in given)}/"
    kind, parts = _simplest(given)
    total = reduce(elementwise.add, parts)
    definite = hints[1]
    return [kind(total, definite, hints[0], definite, None, title)]


def _check(given: list[Any]) -> None:
    if not given:
        raise InvalidArgumentError(
            "add_operators: there must be one operator at least"
        )
    for x in given:
        if not isinstance(x, LinearOperator):
            raise DTypeError(f"add_operators: {x!r} is no LinearOperator")
    sizes = {tuple(x.shape[-2:]) for x in given}
    if len(sizes) > 1:
        raise InvalidArgumentError(
            f"add_operators: matrices of the sizes {sorted(sizes, key=str)} have no sum"
        )
    shared_batch(given)


def _simplest(given: list[Any]) -> tuple[Any, list[Any]]:
    """Return of what kind a sum is, and what each operator adds to what that is made of."""
    if all(isinstance(x, LinearOperatorDiag) for x in given):
        return LinearOperatorDiag, [x.diag_part() for x in given]
    dense = [x.to_dense() for x in given]
    triangular = (LinearOperatorDiag, LinearOperatorLowerTriangular)
    if all(isinstance(x, triangular) for x in given):
        return LinearOperatorLowerTriangular, dense
    return LinearOperatorFullMatrix, dense
