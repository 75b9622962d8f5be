"""Gradients: a tape remembers what was computed and walks it backwards."""

from __future__ import annotations

import tensorlite as tl


def slope_at(x: float) -> float:
    """Return the derivative of x**3 at `x`."""
    point = tl.asarray(x)
    with tl.GradientTape() as tape:
        tape.watch(point)
        y = point**3
    return float(tape.gradient(y, point))


def curvature_at(x: float) -> float:
    """Return the second derivative of x**3 at `x`: a tape over a tape."""
    point = tl.asarray(x)
    with tl.GradientTape() as outer:
        outer.watch(point)
        with tl.GradientTape() as inner:
            inner.watch(point)
            y = point**3
        slope = inner.gradient(y, point)
    return float(outer.gradient(slope, point))


def fitted_line(steps: int) -> tuple[float, float, float]:
    """Return slope, intercept and loss of a line fitted to points by gradient descent."""
    x = tl.linspace(-1.0, 1.0, 50)
    target = 3.0 * x + 2.0
    slope, intercept = tl.Variable(0.0), tl.Variable(0.0)
    loss = tl.asarray(0.0)
    for _ in range(steps):
        with tl.GradientTape() as tape:
            loss = tl.mean((slope * x + intercept - target) ** 2)
        by_slope, by_intercept = tape.gradient(loss, (slope, intercept))
        slope.assign_sub(0.5 * by_slope)
        intercept.assign_sub(0.5 * by_intercept)
    return float(slope), float(intercept), float(loss)


def broken_chain() -> str:
    """Return what the tape says of a gradient that is None."""
    x = tl.Variable(2.0)
    with tl.GradientTape(persistent=True) as tape:
        y = tl.stop_gradient(x) * 3.0
    return tape.why_none(y, x)


def main(steps: int = 60) -> tuple[float, float, float]:
    """Print slopes, fit a line, and return its slope, intercept and loss."""
    print(
        "d x**3 at 2:", slope_at(2.0), "and its second derivative:", curvature_at(2.0)
    )
    slope, intercept, loss = fitted_line(steps)
    print(f"line: {slope:.4f} x + {intercept:.4f}, loss {loss:.2e}")
    print("why there is no gradient:", broken_chain())
    return slope, intercept, loss


if __name__ == "__main__":
    main()
