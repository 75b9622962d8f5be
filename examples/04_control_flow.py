"""Control flow: a dynamic LSTM reads lines of this project's documentation, letter by letter."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import tensorlite as tl

DOCS = Path(__file__).parents[1] / "docs"
State = tuple[tl.Tensor, tl.Tensor]


def lines_of_text() -> list[str]:
    """Return the lines of prose in the documentation, 20 to 60 letters long."""
    pages = sorted(DOCS.rglob("*.md"))
    lines = "\n".join(page.read_text("utf-8") for page in pages).splitlines()
    return [line for line in lines if 20 <= len(line) <= 60 and line.isascii()]


def coded(lines: list[str]) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    """Return lines as rows of letters' numbers, 0 behind their ends."""
    rows = np.zeros((len(lines), max(map(len, lines)) + 1), np.int32)
    for row, line in zip(rows, lines, strict=True):
        row[: len(line)] = [ord(letter) for letter in line]
    return rows


class Reader(tl.Module):
    """An LSTM that guesses the next letter from those before."""

    def __init__(self, units: int) -> None:
        self.units = units
        self.table = tl.layers.Embedding(128, units)
        self.gates = tl.layers.Dense(4 * units, inputs=2 * units)
        self.guess = tl.layers.Dense(128, inputs=units)

    def step(self, letters: tl.Tensor, h: tl.Tensor, c: tl.Tensor) -> State:
        """Return the state after reading one letter of each line."""
        both = tl.concat([self.table(letters), h], axis=1)
        enter, forget, candidate, leave = tl.split(self.gates(both), 4, axis=1)
        c = tl.nn.sigmoid(forget + 1.0) * c + tl.nn.sigmoid(enter) * tl.tanh(
            candidate
        )
        return tl.nn.sigmoid(leave) * tl.tanh(c), c


def main(steps: int = 60, units: int = 48, batch: int = 32) -> tuple[float, float]:
    """Train, write a line, and return the loss (nats a letter) before and after."""
    tl.random.set_seed(1)
    model, optimizer = Reader(units), tl.optimizers.Adam(0.01)
    cross_entropy = tl.nn.sparse_softmax_cross_entropy

    @tl.function(input_signature=[tl.TensorSpec((None, None), tl.int32)])
    def train_step(text: tl.Tensor) -> tl.Tensor:
        with tl.GradientTape() as tape:
            h = c = tl.zeros((tl.shape(text)[0], units))
            total, i = tl.asarray(0.0), tl.asarray(0)
            while tl.any(text[:, i] > 0):  # while a line has letters left
                h, c = model.step(text[:, i], h, c)
                i += 1
                losses = cross_entropy(text[:, i], model.guess(h))
                total += tl.sum(tl.where(text[:, i - 1] > 0, losses, 0.0))
            loss = total / tl.astype(tl.count_nonzero(text), tl.float32)
        optimizer.minimize(loss, model.trainable_variables, tape)
        return loss

    draw, lines = np.random.default_rng(0), lines_of_text()
    losses = []
    for step in range(steps):
        chosen = [lines[i] for i in draw.integers(0, len(lines), batch)]
        losses.append(float(train_step(tl.asarray(coded(chosen)))))
        if step % 10 == 0:
            print(f"step {step:3}  {losses[-1]:.3f} nats a letter")
    return losses[0], float(np.mean(losses[-5:]))


if __name__ == "__main__":
    main()
