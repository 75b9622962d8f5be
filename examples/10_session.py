"""A session: the linear regression of every TensorFlow lecture, fed batch by batch."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl

Array = np.ndarray[Any, Any]


def batches(number: int, size: int) -> list[tuple[Array, Array]]:
    """Return batches of points near the line y = 3 x + 2."""
    draw, found = np.random.default_rng(0), []
    for _ in range(number):
        x = draw.uniform(-1.0, 1.0, size).astype(np.float32)
        noise = draw.normal(0.0, 0.1, size).astype(np.float32)
        found.append((x, 3.0 * x + 2.0 + noise))
    return found


def main(steps: int = 200) -> tuple[float, float, float]:
    """Build the graph once, run it many times; return slope, intercept and the last loss."""
    graph = tl.Graph("regression")
    with graph.as_default():
        x = tl.placeholder(tl.TensorSpec((None,), tl.float32, name="x"))
        y = tl.placeholder(tl.TensorSpec((None,), tl.float32, name="y"))
        slope, intercept = tl.Variable(0.0, name="slope"), tl.Variable(0.0, name="b")
        predicted = slope * x + intercept
        loss = tl.mean(tl.square(predicted - y))
        rate = tl.placeholder(tl.TensorSpec((), tl.float32, name="rate"))
        train = tl.optimizers.SGD(rate).minimize(loss, [slope, intercept])
    graph.finalize()  # from now on, a line that adds to the graph is an error

    error = np.float32(np.inf)
    with tl.Session(graph) as session:
        for step, (xs, ys) in enumerate(batches(steps, 32)):
            feeds = {x: xs, y: ys, rate: 0.5 if step < steps // 2 else 0.05}
            _, error = session.run([train, loss], feeds)  # one step, and its loss
            if step % 50 == 0:
                print(f"step {step:3}  loss {error:.4f}")

        print(
            "at 10:", session.run(predicted, {x: [10.0]})
        )  # needs neither y nor rate
        line = session.run({"slope": slope, "intercept": intercept})
        # Any tensor may be fed, also one that the graph computes.
        print("if all guesses were right:", session.run(loss, {predicted: ys, y: ys}))
    print(f"y = {line['slope']:.2f} x + {line['intercept']:.2f}")
    return float(line["slope"]), float(line["intercept"]), float(error)


if __name__ == "__main__":
    main()
