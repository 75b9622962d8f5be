"""Traced functions: Python that runs once, and a graph that runs from then on."""

from __future__ import annotations

import tensorlite as tl


@tl.function
def norm(x: tl.Tensor) -> tl.Tensor:
    """Return the length of a vector."""
    return tl.sqrt(tl.sum(x * x))


@tl.function(input_signature=[tl.TensorSpec((None,), tl.float32)])
def mean_of_any_length(x: tl.Tensor) -> tl.Tensor:
    """Return the mean of a vector whose length the graph does not fix."""
    return tl.mean(x)


class Counter(tl.Module):
    """State lives in variables, which traced methods read and write in program order."""

    def __init__(self) -> None:
        self.total = tl.Variable(0.0, trainable=False)

    @tl.function
    def add(self, x: tl.Tensor) -> tl.Tensor:
        """Add to the total and return it."""
        self.total.assign_add(x)
        return self.total.value()


def slope_through(x: float) -> float:
    """Return the gradient of a traced function, asked for by a tape outside."""
    point = tl.asarray([x, 4.0])
    with tl.GradientTape() as tape:
        tape.watch(point)
        length = norm(point)
    return float(tape.gradient(length, point)[0])


def main() -> dict[str, float]:
    """Call traced functions and return some of their results."""
    vector = tl.asarray([3.0, 4.0])
    found = {"norm": float(norm(vector)), "again": float(norm(vector * 2.0))}
    norm(tl.asarray([3.0, 4.0], dtype=tl.float64))
    print(
        f"norms {found['norm']} and {found['again']}; another dtype is another trace:"
    )
    print(norm.traces())

    mean_of_any_length(tl.ones((3,)))
    found["mean"] = float(mean_of_any_length(tl.arange(5, dtype=tl.float32)))
    print(f"vectors of any length, {mean_of_any_length.trace_count} trace")

    counter = Counter()
    counter.add(tl.asarray(2.0))
    found["total"] = float(counter.add(tl.asarray(3.0)))
    found["slope"] = slope_through(3.0)
    print(
        f"a total of {found['total']} kept between calls, a slope of {found['slope']}"
    )
    print(norm.get_concrete_function(vector).text())
    found["traces"] = norm.trace_count
    return found


if __name__ == "__main__":
    main()
