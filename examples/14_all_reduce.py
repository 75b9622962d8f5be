"""Example 06 on a cluster without servers: each worker has the network, and they add gradients up.

The losses are those of one machine, since a batch's gradient is the mean of its shares'.
"""

from __future__ import annotations

import time

import numpy as np
from sklearn.datasets import load_digits

import tensorlite as tl

TEST, BATCH = 360, 64


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
    pool = tl.layers.MaxPool2D(2)
    end = [tl.layers.Flatten(), tl.layers.Dense(10)]
    return tl.layers.Sequential([first, pool, second, pool, *end])


def train(strategy: tl.distribute.Strategy, epochs: int) -> tuple[list[float], float]:
    """Return the losses, and the accuracy on digits that training did not see."""
    tl.random.set_seed(0)
    images, labels = digits()
    with strategy.scope():
        model = network()
        optimizer = tl.optimizers.SGD(0.05, momentum=0.9)

    def train_step(images: tl.Tensor, labels: tl.Tensor) -> tl.Tensor:
        with tl.GradientTape() as tape:
            logits = model(images, training=True)
            loss = tl.mean(tl.nn.sparse_softmax_cross_entropy(labels, logits))
        optimizer.minimize(loss, model.trainable_variables, tape)
        return loss

    data = tl.data.Dataset.from_tensor_slices((images[TEST:], labels[TEST:]))
    data = data.shuffle(len(labels), seed=1).repeat(epochs).batch(BATCH)
    losses = [float(strategy.run(train_step, *batch)) for batch in data]
    guesses = tl.argmax(model(images[:TEST]), axis=1)
    return losses, float(tl.mean(guesses == labels[:TEST]))


def main(
    epochs: int = 6, engine: str = "ray"
) -> tuple[list[float], list[float], float]:
    """Return the losses on two workers and on this machine alone, and the accuracy."""
    with tl.distribute.connect({"worker": 2}, engine=engine) as cluster:
        begun = time.perf_counter()
        losses, accuracy = train(tl.distribute.AllReduce(cluster), epochs)
        seconds = time.perf_counter() - begun
        first = cluster.status()["/job:worker/task:0"]
    print(f"{len(losses)} steps in {seconds:.1f} s, test accuracy {accuracy:.3f}")
    print(
        f"{first.task} has sent {(first.bytes_out or 0) / len(losses) / 1024:.0f} KiB a step"
    )

    alone, _ = train(tl.distribute.Mirrored(["/device:CPU:0"]), epochs)
    apart = np.max(np.abs(np.subtract(losses, alone)))
    print(f"losses are those of one machine, to {apart:.0e}")
    return losses, alone, accuracy


if __name__ == "__main__":
    main()
