"""Threads read files of digits into a queue that shuffles; a traced step trains on what comes."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

import tensorlite as tl

Losses = list[tuple[int, float]]


def written(folder: Path, parts: int = 9) -> list[str]:
    """Write scikit-learn's 1,797 digits to files, and return their names."""
    images, labels = load_digits(return_X_y=True)
    names = [str(folder / f"digits-{i}.npz") for i in range(parts)]
    for i, name in enumerate(names):
        np.savez(name, images=(images / 16)[i::parts], labels=labels[i::parts])
    return names


def pipeline(names: list[str], coord: tl.queue.Coordinator) -> tl.queue.QueueBase:
    """Return a queue of the examples in files, which two threads fill from now on."""
    files = tl.queue.FIFOQueue(len(names), tl.string, shapes=(), name="files")
    files.enqueue_many([names])
    files.close()  # a thread that finds it empty gets OutOfRangeError, which ends it
    examples = tl.queue.RandomShuffleQueue(
        1000, 200, [tl.float64, tl.int64], shapes=[(64,), ()], name="examples"
    )

    def read_one() -> None:
        with np.load(files.dequeue().item()) as part:
            examples.enqueue_many([part["images"], part["labels"]])

    readers = tl.queue.QueueRunner(examples, [read_one, read_one])
    readers.create_threads(coord=coord, start=True)
    return examples


def train(names: list[str], batch: int = 32) -> Losses:
    """Return the number of examples and the loss of each step."""
    tl.random.set_seed(0)
    dense, optimizer = tl.layers.Dense, tl.optimizers.Adam(0.003)
    model = tl.layers.Sequential([dense(64, tl.nn.relu), dense(10)])
    losses = Losses()
    with tl.queue.Coordinator() as coord:
        examples = pipeline(names, coord)

        @tl.function
        def step() -> tuple[tl.Tensor, tl.Tensor]:
            images, labels = examples.dequeue_up_to(batch)
            with tl.GradientTape() as tape:
                loss = tl.nn.sparse_softmax_cross_entropy(labels, model(images))
            optimizer.minimize(loss, model.trainable_variables, tape)
            return tl.shape(labels)[0], tl.mean(loss)

        while True:  # OutOfRangeError, when all is read, ends the block
            number, loss = step()
            losses.append((int(number), float(loss)))
    return losses


def main(epochs: int = 10) -> Losses:
    """Return each step's number of examples and loss; show what a missing file does."""
    with tempfile.TemporaryDirectory() as folder:
        names = written(Path(folder))
        losses = train(names * epochs)
        print(len(losses), "steps, loss", losses[0][1], "->", losses[-1][1])
        try:
            train([*names, "missing.npz"])
        except FileNotFoundError as error:
            print("a reader ended the training:", error)
    return losses


if __name__ == "__main__":
    main()
