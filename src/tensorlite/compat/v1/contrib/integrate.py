"""tf.contrib.integrate: solutions of ordinary differential equations, by Runge and Kutta's methods.

Shampine 1986, "Some practical Runge-Kutta formulas"; steps of Dormand and Prince.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared import arrays, control_flow, elementwise
from tensorlite.compat.shared.checks import Assert
from tensorlite.compat.shared.tensor_arrays import TensorArray
from tensorlite.compat.v1.functions import (
    arrays as v1_arrays,
    control_flow as v1_control_flow,
    numbers,
)
from tensorlite.compat.v1.graphs import framework
from tensorlite.core.dtypes import float64, int32
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.operand import Operand

__all__ = ["odeint", "odeint_fixed"]

Derivative = Callable[[Any, Any], Any]
_TIMES = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
_STAGES: tuple[tuple[float, ...], ...] = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
_MIDDLE = (
    6025192743 / 30085553152 / 2,
    0,
    51252292925 / 65400821598 / 2,
    -2691868925 / 45128329728 / 2,
    187940372067 / 1594534317056 / 2,
    -1776094331 / 19743644256 / 2,
    11237099 / 235043384 / 2,
)
_ERROR = (
    1951 / 21600 - 35 / 384,
    0,
    22642 / 50085 - 500 / 1113,
    451 / 720 - 125 / 192,
    -12231 / 42400 - -2187 / 6784,
    649 / 6300 - 11 / 84,
    1 / 60,
)


class _Step(NamedTuple):
    """Where the solution is, the last step from t0 to t1, and the next one's size."""

    y1: Any
    f1: Any
    t0: Any
    t1: Any
    dt: Any
    coefficients: Any
    """Of the polynomial between t0 and t1, the highest power first."""


class _History(NamedTuple):
    """The ends of all steps, and their errors above what is allowed."""

    points: Any
    ratios: Any


class _Rule(NamedTuple):
    """What errors are allowed, and how steps change."""

    rtol: Any
    atol: Any
    safety: Any
    ifactor: Any
    dfactor: Any
    most: Any


def _product(scale: Any, weights: Sequence[float], values: Sequence[Any]) -> Any:
    return elementwise.add_n(
        [(scale * w) * x for w, x in zip(weights, values, strict=True) if w != 0]
    )


def _stepped(func: Derivative, y0: Any, f0: Any, t0: Any, dt: Any) -> Any:
    """Return (y1, f1, error, slopes) of a step."""
    size, slopes, y = elementwise.cast(dt, y0.dtype), [f0], y0
    for time, weights in zip(_TIMES, _STAGES, strict=True):
        y = y0 + _product(size, weights, slopes)
        slopes.append(func(y, t0 + time * dt))
    return y, slopes[-1], _product(size, _ERROR, slopes), slopes


def _fitted(y0: Any, y1: Any, slopes: Sequence[Any], step: Any) -> list[Any]:
    """Return the polynomial of x in [0, 1] through both ends and the middle of a step."""
    dt = elementwise.cast(step, y0.dtype)
    middle = y0 + _product(dt, _MIDDLE, slopes)
    ends = [slopes[0], slopes[-1], y0, y1, middle]

    def weighted(weights: Sequence[Any]) -> Any:
        return elementwise.add_n([w * x for w, x in zip(weights, ends, strict=True)])

    return [
        weighted([-2 * dt, 2 * dt, -8, -8, 16]),
        weighted([5 * dt, -3 * dt, 18, 14, -32]),
        weighted([-4 * dt, dt, -11, -5, 16]),
        dt * slopes[0],
        y0,
    ]


def _between(step: _Step, t: Any) -> Any:
    """Return the solution at a time inside of a step."""
    held = Assert(
        elementwise.logical_and(step.t0 <= t, t <= step.t1),
        ["invalid interpolation, fails `t0 <= t <= t1`:", step.t0, t, step.t1],
    )
    kind = step.coefficients[0].dtype
    with framework.control_dependencies([held]):
        x = elementwise.cast((t - step.t0) / (step.t1 - step.t0), kind)
    powers = [framework.constant(1, kind), x]
    while len(powers) < len(step.coefficients):
        powers.append(powers[-1] * x)
    pairs = zip(step.coefficients, reversed(powers), strict=True)
    return elementwise.add_n([a * b for a, b in pairs])


def _squares(x: Any) -> Any:
    return elementwise.square(elementwise.abs(x))


def _adapted(func: Derivative, rule: _Rule) -> Callable[..., Any]:
    """Return the body of the loop that steps, and takes a step anew whose error is too large."""

    def body(step: _Step, history: _History, count: Any) -> Any:
        y0, f0, _, t0, dt, before = step
        held = [
            Assert(t0 + dt > t0, ["underflow in dt", dt]),
            Assert(count < rule.most, ["max_num_steps exceeded"]),
            Assert(
                numbers.reduce_all(elementwise.is_finite(elementwise.abs(y0))),
                ["non-finite values in state `y`", y0],
            ),
        ]
        with framework.control_dependencies(held):
            start = arrays.identity(y0)
        y1, f1, error, slopes = _stepped(func, start, f0, t0, dt)
        largest = elementwise.maximum(elementwise.abs(y0), elementwise.abs(y1))
        allowed = rule.atol + rule.rtol * largest
        ratio = elementwise.sqrt(
            numbers.reduce_mean(_squares(error) / _squares(allowed))
        )
        fits = ratio <= 1

        def chosen(new: Any, old: Any) -> Any:
            return control_flow.cond(fits, lambda: new, lambda: old)

        after = _Step(
            chosen(y1, y0),
            chosen(f1, f0),
            t0,
            chosen(t0 + dt, t0),
            _next_size(dt, ratio, rule),
            control_flow.cond(
                fits, lambda: _fitted(y0, y1, slopes, dt), lambda: list(before)
            ),
        )
        points = history.points.write(history.points.size(), t0 + dt)
        ratios = history.ratios.write(history.ratios.size(), ratio)
        return after, _History(points, ratios), count + 1

    return body


def _next_size(dt: Any, ratio: Any, rule: _Rule) -> Any:
    """Return the size of the next step, by how much the error was of what is allowed."""
    root = elementwise.pow(
        elementwise.cast(ratio, dt.dtype), elementwise.cast(1 / 5, dt.dtype)
    )
    slower = elementwise.minimum(root / rule.safety, 1 / rule.dfactor)
    return dt / elementwise.maximum(1 / rule.ifactor, slower)


def _count(t: Any) -> Any:
    """Return the number of times, which are checked to increase when they are run."""
    held = Assert(
        numbers.reduce_all(t[1:] > t[:-1]), ["`t` must be monotonic increasing"]
    )
    with framework.control_dependencies([held]):
        return arrays.identity(v1_arrays.size(t))


def _check_types(y0: Any, *times: Any) -> None:
    if not (y0.dtype.is_floating or y0.dtype.is_complex):
        raise DTypeError(
            "`y0` must have a floating point or complex floating point dtype"
        )
    for name, t in zip(("t", "dt"), times, strict=False):
        if not t.dtype.is_floating:
            raise DTypeError(f"`{name}` must have a floating point dtype")


def _times(t: Any, name: str) -> Any:
    """Return times as a tensor, float64 unless they have a dtype."""
    kind = None if isinstance(t, Operand) or hasattr(t, "dtype") else float64
    return framework.convert_to_tensor(t, dtype=kind, name=name)


def odeint(
    func: Derivative,
    y0: Any,
    t: Any,
    rtol: Any = 1e-6,
    atol: Any = 1e-12,
    method: str | None = None,
    options: Mapping[str, Any] | None = None,
    full_output: bool = False,
    name: str | None = None,
) -> Any:
    """Return y at the times t, where dy/dt = func(y, t) and y(t[0]) = y0: [times, ...].

    Steps are as long as the relative and absolute errors rtol and atol allow. The method is
    "dopri5"; its options are first_step, safety, ifactor, dfactor and max_num_steps. With
    full_output there is a dict beside: num_func_evals, integrate_points, error_ratio.
    """
    if method not in (None, "dopri5"):
        raise InvalidArgumentError(f"invalid method: {method!r}")
    if options is not None and method is None:
        raise InvalidArgumentError(
            "cannot supply `options` without specifying `method`"
        )
    asked = {
        "first_step": 1.0,
        "safety": 0.9,
        "ifactor": 10.0,
        "dfactor": 0.2,
        "max_num_steps": 1000,
        **(options or {}),
    }
    with framework.name_scope(name, "odeint"):
        y0 = framework.convert_to_tensor(y0, name="y0")
        t = _times(t, "t")
        _check_types(y0, t)
        kind = elementwise.abs(y0).dtype
        absolute, relative = [
            framework.convert_to_tensor(x, dtype=kind) for x in (atol, rtol)
        ]
        first, safety, ifactor, dfactor = [
            framework.convert_to_tensor(asked[key], dtype=t.dtype, name=key)
            for key in ("first_step", "safety", "ifactor", "dfactor")
        ]
        most = framework.convert_to_tensor(asked["max_num_steps"], int32)
        rule = _Rule(relative, absolute, safety, ifactor, dfactor, most)
        return _solved(func, y0, t, rule, first, full_output)


def _solved(
    func: Derivative, y0: Any, t: Any, rule: _Rule, first: Any, tells: bool
) -> Any:
    count = _count(t)
    body = _adapted(func, rule)

    def to_next(solution: Any, history: Any, step: Any, i: Any) -> Any:
        step, history, _ = v1_control_flow.while_loop(
            lambda step, *_: t[i] > step.t1, body, (step, history, 0)
        )
        return solution.write(i, _between(step, t[i])), history, step, i + 1

    history = _History(
        TensorArray(t.dtype, size=0, dynamic_size=True),
        TensorArray(rule.rtol.dtype, size=0, dynamic_size=True),
    )
    begin = _Step(y0, func(y0, t[0]), t[0], t[0], first, [y0] * 5)
    solution = TensorArray(y0.dtype, size=count).write(0, y0)
    solution, history, _, _ = v1_control_flow.while_loop(
        lambda *state: state[3] < count, to_next, (solution, history, begin, 1)
    )
    y = solution.stack()
    y.set_shape(t.get_shape().concatenate(y0.get_shape()))
    if not tells:
        return y
    points = history.points.stack()
    told = {
        "num_func_evals": 6 * v1_arrays.size(points) + 1,
        "integrate_points": points,
        "error_ratio": history.ratios.stack(),
    }
    return y, told


def _midpoint(func: Derivative, t: Any, dt: Any, y: Any) -> Any:
    size = elementwise.cast(dt, y.dtype)
    return size * func(y + func(y, t) * size / 2, t + dt / 2)


def _fourth_order(func: Derivative, t: Any, dt: Any, y: Any) -> Any:
    size, half = elementwise.cast(dt, y.dtype), t + dt / 2
    k1 = func(y, t)
    k2 = func(y + size * k1 / 2, half)
    k3 = func(y + size * k2 / 2, half)
    k4 = func(y + size * k3, t + dt)
    return elementwise.add_n([k1, 2 * k2, 2 * k3, k4]) * (size / 6)


def odeint_fixed(
    func: Derivative,
    y0: Any,
    t: Any,
    dt: Any = None,
    method: str = "rk4",
    name: str | None = None,
) -> Any:
    """Return y at the times t, where dy/dt = func(y, t) and y(t[0]) = y0, by steps of one size.

    dt is the longest step, or one for each interval, which is the step if None; an interval has a
    whole number of steps. The method is "rk4" or "midpoint".
    """
    with framework.name_scope(name, "odeint_fixed"):
        t = _times(t, "t")
        y0 = framework.convert_to_tensor(y0, name="y0")
        intervals = t[1:] - t[:-1]
        longest = intervals if dt is None else _times(dt, "dt")
        counts = elementwise.ceil(intervals / longest)
        sizes = intervals / counts
        _check_types(y0, t, sizes)
        if t.get_shape().rank != 1 or sizes.get_shape().rank != 1:
            raise InvalidArgumentError("t must be a 1D tensor")
        rules = {"midpoint": _midpoint, "rk4": _fourth_order}
        if method not in rules:
            raise InvalidArgumentError(f"method not supported: {method}")
        steps = elementwise.cast(counts, int32)
        return _on_grid(func, y0, t, sizes, steps, rules[method])


def _on_grid(
    func: Derivative, y0: Any, t: Any, sizes: Any, steps: Any, rule: Any
) -> Any:
    count = _count(t)

    def interval(solution: Any, y: Any, time: Any, i: Any) -> Any:
        dt = sizes[i - 1]

        def one(y: Any, time: Any, j: Any) -> Any:
            dy = elementwise.cast(rule(func, time, dt, y), y.dtype)
            return y + dy, time + dt, j + 1

        y, time, _ = v1_control_flow.while_loop(
            lambda _y, _t, j: j < steps[i - 1], one, (y, time, 0)
        )
        return solution.write(i, y), y, time, i + 1

    solution = TensorArray(y0.dtype, size=count).write(0, y0)
    solution, *_ = v1_control_flow.while_loop(
        lambda *state: state[3] < count, interval, (solution, y0, t[0], 1)
    )
    found = solution.stack()
    found.set_shape(t.get_shape().concatenate(y0.get_shape()))
    return found


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
