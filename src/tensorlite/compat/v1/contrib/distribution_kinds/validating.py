"""What distributions check of their parameters and of values, where `validate_args` asks for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.shared import arrays, elementwise
from tensorlite.compat.v1.functions import arrays as v1_arrays, checks, numbers
from tensorlite.compat.v1.graphs import framework
from tensorlite.core.operand import Operand

Check = Callable[[Any], Any]


def validated(wanted: bool, x: Any, *each: Check) -> Any:
    """Return a tensor whose value is there only if it passes checks, where these are wanted."""
    if not wanted:
        return x
    with framework.control_dependencies([check(x) for check in each]):
        return arrays.identity(x)


def positive(message: str | None = None) -> Check:
    """Return the check that there is nothing but what is greater than zero."""
    return lambda x: checks.assert_positive(x, message=message)


def below(limit: Any, message: str | None = None) -> Check:
    """Return the check that a tensor is less than another."""
    return lambda x: checks.assert_less(
        x,
        limit if isinstance(limit, Operand) else elementwise.cast(limit, x.dtype),
        message=message,
    )


def above(limit: Any, message: str | None = None) -> Check:
    """Return the check that a tensor is greater than a number."""
    return lambda x: checks.assert_greater(
        x, elementwise.cast(limit, x.dtype), message=message
    )


def none_negative(message: str | None = None) -> Check:
    """Return the check that there is nothing but 0 and more."""
    return lambda x: checks.assert_non_negative(x, message=message)


def not_zero(message: str | None = None) -> Check:
    """Return the check that there is nothing but what is not 0."""
    return lambda x: checks.assert_none_equal(
        x, arrays.zeros([], x.dtype), message=message
    )


def at_most_one(message: str | None = None) -> Check:
    """Return the check that there is nothing above 1."""
    return lambda x: checks.assert_less_equal(
        x, arrays.ones([], x.dtype), message=message
    )


counting = none_negative("x must be non-negative.")


def events(x: Any) -> Any:
    """Return the check that there is nothing but what is at most 1."""
    return checks.assert_less_equal(
        x, v1_arrays.ones_like(x), message="Elements cannot exceed 1."
    )


def integral(message: str) -> Check:
    """Return the check that there are whole numbers only."""
    return lambda x: checks.assert_equal(x, elementwise.floor(x), message=message)


def whole(name: str) -> Check:
    """Return the check that there are whole numbers only, for a tensor of a name."""
    return integral(f"'{name}' cannot contain fractional components.")


def summing_to(total: Any, message: str) -> Check:
    """Return the check that the last axis adds up to a total."""
    return lambda x: checks.assert_equal(
        total, numbers.reduce_sum(x, -1), message=message
    )


def adding_up_to_one(message: str) -> Check:
    """Return the check that the last axis adds up to 1, as nearly as its dtype tells."""

    def check(x: Any) -> Any:
        total = numbers.reduce_sum(x, -1)
        return checks.assert_near(total, v1_arrays.ones_like(total), message=message)

    return check


def several(x: Any) -> Any:
    """Return the check that there are two classes at least."""
    return checks.assert_less(
        1,
        v1_arrays.shape(x)[-1],
        message="Concentration parameter must have event_size >= 2.",
    )


def probabilities(wanted: bool, x: Any, of_classes: bool) -> Any:
    """Return probabilities, of one event each or of classes on the last axis."""

    def none_negative(p: Any) -> Any:
        message = "probs has components less than 0."
        return checks.assert_non_negative(p, message=message)

    def none_above_one(p: Any) -> Any:
        message = "probs has components greater than 1."
        return checks.assert_less_equal(p, v1_arrays.ones_like(p), message=message)

    last = adding_up_to_one("probs does not sum to 1.")
    return validated(wanted, x, none_negative, last if of_classes else none_above_one)


def above_one_by(x: Any, message: str) -> Check:
    """Return the check, for whatever tensor, that another one is greater than 1."""
    return lambda _: checks.assert_less(v1_arrays.ones_like(x), x, message=message)


def least_event_rank(rank: Any, least: int) -> Any:
    """Return the check that events have so many axes at least."""
    return checks.assert_greater_equal(rank, least)
