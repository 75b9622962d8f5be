"""Checkpoints: saving a model with its optimizer, going on after a stop, and what a misfit says."""

from __future__ import annotations

import tempfile
from pathlib import Path

import tensorlite as tl

X = tl.linspace(-1.0, 1.0, 32)
Y = tl.reshape(tl.stack([X, X**2], axis=1), (32, 2))


class Line(tl.Module):
    """A vector of slopes and one of intercepts."""

    def __init__(self, width: int = 2) -> None:
        self.slope = tl.Variable(tl.zeros((width,)), name="slope")
        self.intercept = tl.Variable(tl.zeros((width,)), name="intercept")

    def __call__(self, x: tl.Tensor) -> tl.Tensor:
        """Return one value per slope for each x."""
        return tl.expand_dims(x, axis=1) * self.slope + self.intercept


def train(model: Line, optimizer: tl.optimizers.Optimizer, steps: int) -> float:
    """Return the loss after some steps."""
    loss = tl.asarray(0.0)
    for _ in range(steps):
        with tl.GradientTape() as tape:
            loss = tl.mean((model(X) - Y) ** 2)
        optimizer.minimize(loss, model.trainable_variables, tape)
    return float(loss)


def start() -> tuple[Line, tl.optimizers.Adam, tl.checkpoint.Checkpoint]:
    """Return a fresh model, its optimizer, and the checkpoint that holds both."""
    model, optimizer = Line(), tl.optimizers.Adam(0.1)
    optimizer.build(model.trainable_variables)
    return (
        model,
        optimizer,
        tl.checkpoint.Checkpoint(model=model, optimizer=optimizer),
    )


def misfit(folder: Path) -> str:
    """Return what restoring into a model of another shape says; nothing is changed by it."""
    wide = tl.checkpoint.Checkpoint(model=Line(width=3))
    try:
        wide.restore(folder / "step-20")
    except tl.errors.CheckpointError as error:
        return str(error)
    return ""


def main(folder: str | None = None) -> tuple[float, float, str]:
    """Return the loss of 40 steps at once, of 20 and 20 in another life, and a misfit's words."""
    place = Path(folder or tempfile.mkdtemp())
    model, optimizer, checkpoint = start()
    manager = tl.checkpoint.Manager(checkpoint, place, keep=2)
    train(model, optimizer, 20)
    print("saved", manager.save(20))
    straight_on = train(model, optimizer, 20)

    model, optimizer, checkpoint = start()
    print(tl.checkpoint.Manager(checkpoint, place).restore())
    after_restore = train(model, optimizer, 20)
    print(
        f"loss going straight on {straight_on:.6f}, after a restore {after_restore:.6f}"
    )
    words = misfit(place)
    print(words)
    return straight_on, after_restore, words


if __name__ == "__main__":
    main()
