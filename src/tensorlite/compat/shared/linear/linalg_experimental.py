"""tf.linalg.experimental: solutions by conjugate gradients."""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared import arrays, cutting, elementwise, reductions
from tensorlite.compat.shared.control_flow import while_loop
from tensorlite.compat.shared.linear import norms
from tensorlite.compat.shared.linear.known_matrices import tensor_of
from tensorlite.core.errors import InvalidArgumentError

__all__ = ["conjugate_gradient"]


class CGState(NamedTuple):
    """Where the search is: its steps, solution, residual, direction, and the residual's square."""

    i: Any
    x: Any
    r: Any
    p: Any
    gamma: Any


def conjugate_gradient(
    operator: Any,
    rhs: Any,
    preconditioner: Any = None,
    x: Any = None,
    tol: Any = 1e-5,
    max_iter: int = 20,
    name: str = "conjugate_gradient",
) -> CGState:
    """Return the state of a search for x with operator x = rhs, its solution as `x`.

    It ends when the residual is below tol times the norm of rhs, or after max_iter steps. The
    operator must be hinted to be self-adjoint and positive definite, else an InvalidArgumentError.
    """
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise InvalidArgumentError(
            "conjugate_gradient takes an operator that is self-adjoint and positive definite by "
            f"its hints, not {operator.name}"
        )
    right = _spread(operator, preconditioner, tensor_of(rhs, operator.dtype))
    least = tol * elementwise.real(norms.norm(right, axis=-1))

    def improved(r: Any) -> Any:
        return r if preconditioner is None else preconditioner.matvec(r)

    def goes_on(i: Any, state: CGState) -> Any:
        size = elementwise.real(norms.norm(state.r, axis=-1))
        far = reductions.reduce_any(size > least)
        return elementwise.logical_and(i < max_iter, far)

    def step(i: Any, state: CGState) -> Any:
        z = operator.matvec(state.p)
        length = state.gamma / _dot(state.p, z)
        solution = state.x + arrays.expand_dims(length, -1) * state.p
        r = state.r - arrays.expand_dims(length, -1) * z
        q = improved(r)
        gamma = _dot(r, q)
        p = q + arrays.expand_dims(gamma / state.gamma, -1) * state.p
        return i + 1, CGState(i + 1, solution, r, p, gamma)

    start = (
        arrays.zeros_like(right, None) if x is None else tensor_of(x, operator.dtype)
    )
    r = right if x is None else right - operator.matvec(start)
    p, i = improved(r), tensor_of(0)
    _, found = while_loop(goes_on, step, [i, CGState(i, start, r, p, _dot(r, p))])
    return CGState(*found)


def _spread(operator: Any, preconditioner: Any, rhs: Any) -> Any:
    """Return right sides for the operator's whole batch."""
    batch = operator.batch_shape_tensor()
    if preconditioner is not None:
        other = preconditioner.batch_shape_tensor()
        batch = cutting.broadcast_dynamic_shape(batch, other)
    sizes = arrays.shape(rhs)
    batch = cutting.broadcast_dynamic_shape(sizes[:-1], batch)
    return cutting.broadcast_to(rhs, arrays.concat([batch, sizes[-1:]], 0))


def _dot(x: Any, y: Any) -> Any:
    """Return the products of vectors, the first of them conjugated."""
    first = elementwise.conj(x) if x.dtype.is_complex else x
    return reductions.reduce_sum(first * y, -1)


__dir__ = listing("linalg.experimental", globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error("tensorlite.compat.v2.linalg.experimental", name, __all__)
