"""Two LSTM layers on two tasks of a cluster: where a layer computes, `tl.device` says.

Each batch is cut into parts. While the second layer reads one, the first reads the next; backwards
likewise. What goes from layer to layer goes from task to task, without the client.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

import tensorlite as tl

LETTERS, LENGTH = 128, 32
Losses = list[float]


def texts(batch: int) -> tl.Tensor:
    """Return stretches of this project's README, as rows of letters' numbers."""
    page = (Path(__file__).parents[1] / "README.md").read_bytes()
    letters = np.frombuffer(page, np.uint8).astype(np.int32) % LETTERS
    starts = np.random.default_rng(0).integers(0, len(letters) - LENGTH, batch)
    return tl.asarray(np.stack([letters[i : i + LENGTH + 1] for i in starts]))


def train(
    places: tuple[str, str], steps: int, units: int, batch: int, parts: int = 4
) -> tuple[Losses, float]:
    """Train on two places, which may be one; return the losses, and the seconds for a step."""
    tl.random.set_seed(0)
    lstm, dense = tl.layers.LSTM, tl.layers.Dense
    with tl.device(places[0]):
        below = tl.layers.Embedding(LETTERS, units), lstm(units, True, inputs=units)
    with tl.device(places[1]):
        above = lstm(units, True, inputs=units), dense(LETTERS, inputs=units)
    weights = [w for layer in (*below, *above) for w in layer.trainable_variables]
    optimizer = tl.optimizers.Adam(0.003)

    @tl.function
    def train_step(text: tl.Tensor) -> tl.Tensor:
        losses = []
        with tl.GradientTape() as tape:
            for part in tl.split(text, parts):
                with tl.device(places[0]):
                    read = below[1](below[0](part[:, :-1]))
                with tl.device(places[1]):
                    guesses, right = above[1](above[0](read)), part[:, 1:]
                    wrong = tl.nn.sparse_softmax_cross_entropy(right, guesses)
                    losses.append(tl.mean(wrong))
            loss = tl.mean(tl.stack(losses))
        optimizer.minimize(loss, weights, tape)
        return loss

    text = texts(batch)
    losses = [float(train_step(text))]
    begun = time.perf_counter()
    losses += [float(train_step(text)) for _ in range(1, steps)]
    return losses, (time.perf_counter() - begun) / max(1, steps - 1)


def main(
    steps: int = 12, units: int = 256, batch: int = 64, engine: str = "ray"
) -> tuple[Losses, Losses]:
    """Return the losses of training on two tasks, and on one."""
    with tl.distribute.connect({"worker": 2}, engine=engine) as cluster:
        first, second = cluster.job("worker")
        two, on_two = train((first, second), steps, units, batch)
        one, on_one = train((first, first), steps, units, batch)
    print(f"loss {two[0]:.4f} -> {two[-1]:.4f} on two tasks, {one[-1]:.4f} on one")
    print(f"a step: {on_two:.3f} s on two tasks, {on_one:.3f} s on one")
    return two, one


if __name__ == "__main__":
    main()
