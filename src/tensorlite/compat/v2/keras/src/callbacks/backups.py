"""BackupAndRestore: training that was broken off goes on where it was when it is begun again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from tensorlite.compat.v2.keras.src.callbacks.base import Callback
from tensorlite.core.errors import InvalidArgumentError


class BackupAndRestore(Callback):
    """Keeps weights and the number of the epoch in a folder until training is done."""

    def __init__(
        self,
        backup_dir: Any,
        save_freq: Any = "epoch",
        double_checkpoint: bool = False,
        delete_checkpoint: bool = True,
    ) -> None:
        if not backup_dir:
            raise InvalidArgumentError("Empty `backup_dir` argument passed")
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise InvalidArgumentError(
                "Invalid value for argument `save_freq`. Received: "
                f"save_freq={save_freq}. Expected either 'epoch' or an integer value."
            )
        self.backup_dir, self.save_freq = backup_dir, save_freq
        self.double_checkpoint = double_checkpoint
        self.delete_checkpoint = delete_checkpoint
        self._weights = Path(backup_dir) / "latest.weights.h5"
        self._progress = Path(backup_dir) / "training_metadata.json"
        self._epoch = self._batches = 0

    def on_train_begin(self, logs: Any = None) -> None:
        """Take the weights and the epoch from the folder, if there are any.

        InvalidArgumentError is raised for a model that is not built.
        """
        if not self.model.built:
            raise InvalidArgumentError(
                "To use the BackupAndRestore callback, you model must be built before you call "
                f"`fit()`. Model {self.model} is unbuilt. You can build it beforehand by calling "
                "it on a batch of data."
            )
        if self._weights.exists():
            self.model.load_weights(self._weights)
        if self._progress.exists():
            self.model.epoch_restored = json.loads(self._progress.read_text())[
                "epoch"
            ]

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Save after every save_freq batches."""
        self._batches += 1
        if self.save_freq != "epoch" and self._batches % self.save_freq == 0:
            self._save(batch)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Save, if save_freq is "epoch"."""
        self._epoch = epoch + 1
        if self.save_freq == "epoch":
            self._save(0)

    def _save(self, batch: int) -> None:
        Path(self.backup_dir).mkdir(parents=True, exist_ok=True)
        for path in (self._weights, self._progress):
            if self.double_checkpoint and path.exists():
                shutil.copy(path, f"{path}.bkp")
        self.model.save_weights(self._weights)
        self._progress.write_text(json.dumps({"epoch": self._epoch, "batch": batch}))

    def on_train_end(self, logs: Any = None) -> None:
        """Remove the folder, unless it was said to stay."""
        if self.delete_checkpoint and Path(self.backup_dir).exists():
            shutil.rmtree(self.backup_dir)
