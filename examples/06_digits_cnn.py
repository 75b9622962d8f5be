"""Handwritten digits with a convolutional network: a traced training step, saved and drawn."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits

import tensorlite as tl

TEST = 360


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
    pool, drop = tl.layers.MaxPool2D(2), tl.layers.Dropout(0.25)
    end = [tl.layers.Flatten(), drop, tl.layers.Dense(10)]
    return tl.layers.Sequential([first, pool, second, pool, *end])


def draw(losses: list[float], path: Path) -> None:
    """Write the curve of the losses as a picture."""
    figure = Figure(figsize=(6, 3), layout="constrained")
    axes = figure.subplots()
    axes.semilogy(losses, linewidth=1)
    axes.set(xlabel="step", ylabel="loss")
    figure.savefig(path, dpi=120)


def main(epochs: int = 12, folder: str = "build/demo", batch: int = 64) -> float:
    """Train, save, draw, and return the accuracy on digits that training did not see."""
    tl.random.set_seed(0)
    images, labels = digits()
    model, optimizer = network(), tl.optimizers.Adam(0.005)

    @tl.function
    def train_step(rows: tl.Tensor) -> tl.Tensor:
        with tl.GradientTape() as tape:
            logits = model(tl.take(images, rows, axis=0), training=True)
            chosen = tl.take(labels, rows, axis=0)
            loss = tl.mean(tl.nn.sparse_softmax_cross_entropy(chosen, logits))
        optimizer.minimize(loss, model.trainable_variables, tape)
        return loss

    losses: list[float] = []
    shuffler = np.random.default_rng(1)
    track = import_module("rich.progress").track if find_spec("rich") else iter
    for epoch in track(range(epochs)):
        order = TEST + shuffler.permutation(len(labels) - TEST)
        starts = range(0, len(order) - batch + 1, batch)
        batches = [tl.asarray(order[i : i + batch]) for i in starts]
        losses += [float(train_step(rows)) for rows in batches]
        print(f"epoch {epoch + 1:2}  loss {np.mean(losses[-len(starts) :]):.4f}")

    guesses = tl.argmax(model(images[:TEST]), axis=1)
    accuracy = float(tl.mean(guesses == labels[:TEST]))
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    tl.checkpoint.Checkpoint(model=model, optimizer=optimizer).save(target / "digits")
    draw(losses, target / "loss.png")
    print(f"test accuracy {accuracy:.4f}; checkpoint and loss.png in {target}/")
    return accuracy


if __name__ == "__main__":
    main()
