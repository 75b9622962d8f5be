"""What functions of matrices make of linear operators, by the names of their nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.shared.linear import matrices
from tensorlite.compat.shared.linear.known_matrices import KnownMatrix
from tensorlite.core.errors import InvalidArgumentError

Arguments = dict[str, Any]


def _matmul(_: Any, arguments: Arguments) -> Any:
    a, b = arguments["a"], arguments["b"]
    if arguments["transpose_a"] or arguments["transpose_b"]:
        raise InvalidArgumentError(
            "matmul: linear operators are not transposed; use adjoint_a and adjoint_b"
        )
    first, second = arguments["adjoint_a"], arguments["adjoint_b"]
    if isinstance(a, KnownMatrix):
        return a.matmul(b, adjoint=first, adjoint_arg=second)
    # As a b is the adjoint of b^H a^H.
    return matrices.adjoint(b.matmul(a, adjoint=not second, adjoint_arg=not first))


def _solve(_: Any, arguments: Arguments) -> Any:
    matrix: Any = arguments["matrix"]
    if not isinstance(matrix, KnownMatrix):
        raise InvalidArgumentError(
            "solve: a linear operator is solved for by a tensor; give an operator as matrix, too"
        )
    return matrix.solve(arguments["rhs"], adjoint=arguments["adjoint"])  # type: ignore[attr-defined]


def _inverse(_: Any, arguments: Arguments) -> Any:
    inverse = arguments["input"].inverse()
    return inverse.adjoint() if arguments["adjoint"] else inverse


def _by_method(method: str) -> Callable[[Any, Arguments], Any]:
    """Return a form that calls a method of the operator, the first argument."""

    def made(_: Any, arguments: Arguments) -> Any:
        return getattr(next(iter(arguments.values())), method)()

    return made


OPERATOR_FORMS: dict[str, Callable[[Any, Arguments], Any]] = {
    "MatMul": _matmul,
    "MatrixSolve": _solve,
    "MatrixInverse": _inverse,
    "MatrixDeterminant": _by_method("determinant"),
    "Cholesky": _by_method("cholesky"),
    "Trace": _by_method("trace"),
    "adjoint": _by_method("adjoint"),
    "diag_part": _by_method("diag_part"),
    "logdet": _by_method("log_abs_determinant"),
}
"""By the names of nodes what is called with a function and its arguments."""
