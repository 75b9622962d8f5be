"""Example 06 on a cluster: servers keep the network's variables, workers compute gradients.

Three lines differ from training on one machine, marked 1 to 3. With "sync" the losses are those of
one machine; with "async" each worker goes on by itself.
"""

from __future__ import annotations

import time

import numpy as np
from sklearn.datasets import load_digits

import tensorlite as tl

TEST, BATCH = 360, 64
Found = tuple[list[float], float]


def digits() -> tuple[tl.Tensor, tl.Tensor]:
    """Return scikit-learn's 1,797 digits, 8 by 8, and what they show, in a fixed random order."""
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(labels))
    scaled = (images[order] / 16).astype(np.float32).reshape(-1, 8, 8, 1)
    return tl.asarray(scaled), tl.asarray(labels[order])


def network() -> tl.layers.Sequential:
    """Return two convolutions and a dense layer."""
    first = tl.layers.Conv2D(16, 3, padding="SAME", activation=tl.nn.relu)
    second = tl.layers.Conv2D(32, 3, padding="SAME", activation=tl.nn.relu)
    pool, end = tl.layers.MaxPool2D(2), [tl.layers.Flatten(), tl.layers.Dense(10)]
    return tl.layers.Sequential([first, pool, second, pool, *end])


def train(strategy: tl.distribute.Strategy, epochs: int) -> Found:
    """Return the losses, and the accuracy on digits that training did not see."""
    tl.random.set_seed(0)
    images, labels = digits()
    with strategy.scope():  # 1
        model, optimizer = network(), tl.optimizers.Adam(0.005)

    @tl.function
    def train_step(rows: tl.Tensor) -> tl.Tensor:
        with tl.GradientTape() as tape:
            logits = model(tl.take(images, rows, axis=0), training=True)
            chosen = tl.take(labels, rows, axis=0)
            loss = tl.mean(tl.nn.sparse_softmax_cross_entropy(chosen, logits))
        optimizer.minimize(loss, model.trainable_variables, tape)
        return loss

    found, shuffler = [], np.random.default_rng(1)
    for _ in range(epochs):
        order = TEST + shuffler.permutation(len(labels) - TEST)
        starts = range(0, len(order) - BATCH + 1, BATCH)
        batches = [tl.asarray(order[i : i + BATCH]) for i in starts]
        found += [strategy.run(train_step, rows) for rows in batches]  # 2
    strategy.join()
    guesses = tl.argmax(model(images[:TEST]), axis=1)
    return list(map(float, found)), float(tl.mean(guesses == labels[:TEST]))


def main(epochs: int = 8, engine: str = "ray") -> dict[str, Found]:
    """Train in both modes on one cluster; return the losses and the accuracy of each."""
    found = {}
    with tl.distribute.connect({"ps": 1, "worker": 2}, engine=engine) as cluster:  # 3
        print(cluster)
        for mode in ("sync", "async"):
            begun = time.perf_counter()
            strategy = tl.distribute.ParameterServer(cluster, mode=mode)
            losses, accuracy = found[mode] = train(strategy, epochs)
            seconds = time.perf_counter() - begun
            print(
                f"{mode:5}  {len(losses)} steps in {seconds:.1f} s, {accuracy=:.3f}"
            )
    return found


if __name__ == "__main__":
    main()
