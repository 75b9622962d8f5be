"""A frozen graph: written as programs for TensorFlow 1 do it, run without the code it came from."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import tensorlite as tl
import tensorlite.compat.v1 as tf

Array = np.ndarray[Any, Any]


def frozen(path: Path, steps: int) -> Array:
    """Fit a sine, write the graph with its weights as constants, and return what it says at 0.2."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.set_random_seed(1)
        x = tf.placeholder(tf.float32, [None, 1], name="x")
        hidden = tf.layers.dense(x, 32, tf.nn.tanh, name="hidden")
        y = tf.identity(tf.layers.dense(hidden, 1, name="output"), name="y")
        loss = tf.reduce_mean(tf.squared_difference(y, tf.sin(3.0 * x)))
        train = tf.train.AdamOptimizer(0.02).minimize(loss)
        session.run(tf.global_variables_initializer())
        points = np.linspace(-1, 1, 64, dtype=np.float32)[:, None]
        for _ in range(steps):
            session.run(train, {x: points})
        print(f"loss {loss.eval({x: points}):.5f}")

        # What "y" does not need is left out: the loss, its gradients, Adam.
        whole = graph.as_graph_def()
        small = tf.graph_util.convert_variables_to_constants(session, whole, ["y"])
        print(f"{len(whole.node)} nodes, {len(small.node)} of them for y")
        tf.train.write_graph(small, str(path.parent), path.name, as_text=False)
        answer: Array = session.run(y, {x: [[0.2]]})
    return answer


def main(steps: int = 200, folder: str | None = None) -> tuple[float, float, float]:
    """Return what the program said, what its file says, and the slope there."""
    path = Path(folder or tempfile.mkdtemp()) / "sine.pb"
    before = frozen(path, steps)

    # From here on only the file is known; one that TensorFlow wrote is read alike.
    print(tl.interop.tensorflow.describe(path))
    graph = tl.interop.tensorflow.load(path)
    session = tl.Session(graph)
    after = session.run("y:0", {"x:0": np.array([[0.2]], np.float32)})
    print(f"sin(0.6) = 0.565 is here {after.item():.3f}")

    # It is a graph as any other: it can be added to, differentiated, placed on devices.
    with graph.as_default():
        slope = tl.gradients(
            graph.get_tensor_by_name("y:0"), graph.get_tensor_by_name("x:0")
        )
    found = session.run(slope, {"x:0": np.array([[0.2]], np.float32)})
    print(f"its slope, 3 cos(0.6) = 2.476, is here {np.ravel(found).item():.3f}")
    return before.item(), after.item(), np.ravel(found).item()


if __name__ == "__main__":
    main()
