"""A worker and a server are killed while they train, and nothing is lost but time.

The trainer waits until they run again, goes back to its last checkpoint and goes on from there.
"""

from __future__ import annotations

import os
import signal
import tempfile
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import tensorlite as tl

Losses = dict[int, float]
VICTIMS = {120: "/job:worker/task:1", 220: "/job:ps/task:0"}  # after which step


def trainer_on(cluster: tl.distribute.Cluster, folder: str) -> tl.distribute.Trainer:
    """Return what trains a network on digits, on a cluster."""
    tl.random.set_seed(0)
    images, labels = load_digits(return_X_y=True)
    rows = (images / 16).astype(np.float32), labels
    strategy = tl.distribute.ParameterServer(cluster)
    with strategy.scope():
        hidden = tl.layers.Dense(64, tl.nn.relu, inputs=64)
        model = tl.layers.Sequential([hidden, tl.layers.Dense(10, inputs=64)])
        optimizer = tl.optimizers.Adam(0.003)

    def step(x: tl.Tensor, y: tl.Tensor) -> tl.Tensor:
        with tl.GradientTape() as tape:
            loss = tl.mean(tl.nn.sparse_softmax_cross_entropy(y, model(x)))
        optimizer.minimize(loss, model.trainable_variables, tape)
        return loss

    data = tl.data.Dataset.from_tensor_slices(rows).shuffle(2000, seed=1)
    batches, kept = data.repeat().batch(64), {"model": model, "optimizer": optimizer}
    return tl.distribute.Trainer(
        step, batches, checkpoint=kept, folder=folder, strategy=strategy, interval=50
    )


def train(steps: int, engine: str, victims: dict[int, str]) -> Losses:
    """Return the loss of each step; kill who is to be killed on the way."""
    with (
        tempfile.TemporaryDirectory() as folder,
        tl.distribute.connect({"ps": 1, "worker": 2}, engine=engine) as cluster,
    ):
        trainer, left, losses = trainer_on(cluster, folder), dict(victims), {}
        for step, loss in trainer.steps(steps):
            losses[step] = float(loss)
            if step in left:
                kill(cluster, left.pop(step))
        for failure in trainer.failures:
            print(failure)
    return losses


def kill(cluster: Any, task: str) -> None:
    """End a task's process, as an accident would."""
    pid = cluster.registrations[task].pid
    if pid == os.getpid():  # engine="inprocess"
        cluster.engine.kill(task)
    else:
        os.kill(pid, signal.SIGKILL)


def main(steps: int = 300, engine: str = "ray") -> tuple[Losses, Losses]:
    """Return the losses of a run that is disturbed, and of one that is not."""
    disturbed = train(steps, engine, VICTIMS)
    calm = train(steps, engine, {})
    print("the losses are the same:", disturbed == calm)
    return disturbed, calm


if __name__ == "__main__":
    main()
