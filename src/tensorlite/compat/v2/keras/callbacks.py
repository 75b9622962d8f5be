"""tf.keras.callbacks: what is called as training goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v2.keras.src.callbacks.averaged import (
    SwapEMAWeights as SwapEMAWeights,
)
from tensorlite.compat.v2.keras.src.callbacks.backups import (
    BackupAndRestore as BackupAndRestore,
)
from tensorlite.compat.v2.keras.src.callbacks.base import Callback as Callback
from tensorlite.compat.v2.keras.src.callbacks.older_lines import OlderLines
from tensorlite.compat.v2.keras.src.callbacks.progress_lines import (
    ProgbarLogger as ProgbarLogger,
    plain_number,
)
from tensorlite.compat.v2.keras.src.callbacks.row_files import CSVLogger as CSVLogger
from tensorlite.compat.v2.keras.src.callbacks.tensorboards import (
    TensorBoard as TensorBoard,
)
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.core.check import a_path
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand


class CallbackList:
    """The callbacks of a run, called one after the other."""

    def __init__(
        self,
        callbacks: Any = None,
        add_history: bool = True,
        add_progbar: bool = True,
        model: Any = None,
        verbose: Any = "auto",
        **params: Any,
    ) -> None:
        given = callbacks if isinstance(callbacks, (list, tuple)) else [callbacks]
        self.callbacks = [x for x in given if x is not None]
        self.history = History()
        held = [x for x in self.callbacks if isinstance(x, History)]
        if held:
            self.history = held[0]
        else:
            self.callbacks.append(self.history)
        if verbose:
            lines = ProgbarLogger if naming.is_keras_3() else OlderLines
            self.callbacks.append(lines())
        self.model = model
        for callback in self.callbacks:
            callback.set_model(model)
        if model is not None:
            model.history = self.history

    def set_params(self, params: dict[str, Any]) -> None:
        """Tell all callbacks what is known of the run."""
        for callback in self.callbacks:
            callback.set_params(params)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("on_"):
            raise AttributeError(name)

        has_number = name.split("_")[-2] in {"epoch", "batch"}

        def each(*args: Any) -> None:
            """Call each with logs of this call's own, which callbacks may add to."""
            number, given = args[: int(has_number)], args[int(has_number) :]
            logs = dict(given[0] or {}) if given else {}
            for callback in self.callbacks:
                getattr(callback, name)(*number, logs)

        return each


class History(Callback):
    """Keeps what every epoch came to."""

    def __init__(self) -> None:
        self.history: dict[str, list[Any]] = {}
        self.epoch: list[int] = []

    def on_train_begin(self, logs: Any = None) -> None:
        """Begin with no epochs; what earlier runs came to is kept."""
        self.epoch = []

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Add the epoch's number and what it came to."""
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(plain_number(value))


class LambdaCallback(Callback):
    """Calls the functions that it is given."""

    def __init__(
        self,
        on_epoch_begin: Any = None,
        on_epoch_end: Any = None,
        on_batch_begin: Any = None,
        on_batch_end: Any = None,
        on_train_begin: Any = None,
        on_train_end: Any = None,
        **kwargs: Any,
    ) -> None:
        given = {
            "on_epoch_begin": on_epoch_begin,
            "on_epoch_end": on_epoch_end,
            "on_train_batch_begin": on_batch_begin,
            "on_train_batch_end": on_batch_end,
            "on_train_begin": on_train_begin,
            "on_train_end": on_train_end,
            **kwargs,
        }
        vars(self).update({k: v for k, v in given.items() if v is not None})


class _Watching(Callback):
    """A callback that looks at one of the logs, of which less or more is better."""

    def __init__(self, monitor: str, mode: str, min_delta: float = 0.0) -> None:
        self.monitor, self.mode = monitor, mode
        upward = mode == "max" or (
            mode == "auto" and any(x in monitor for x in ("acc", "auc", "precision"))
        )
        self.upward, self.min_delta = upward, abs(min_delta)
        self.best = -np.inf if upward else np.inf

    def decide(self) -> None:
        """See which way the metric that is looked at gets better, if the model has it."""
        if self.mode != "auto" or not hasattr(self.model, "metrics"):
            return
        wanted = self.monitor.removeprefix("val_")
        groups = [getattr(x, "metrics", [x]) for x in self.model.metrics]
        found = [x for group in groups for x in group if x.name == wanted]
        if found and wanted != "loss" and type(found[0]).__name__ in _UPWARD:
            self.upward = True
            self.best = -np.inf if self.best == np.inf else self.best

    def better(self, value: Any, than: Any) -> bool:
        if self.upward:
            return bool(value - self.min_delta > than)
        return bool(value + self.min_delta < than)

    def seen(self, logs: Any) -> Any:
        self.decide()
        return None if logs is None else logs.get(self.monitor)


_UPWARD = frozenset(
    {
        *("Accuracy", "BinaryAccuracy", "CategoricalAccuracy", "AUC", "Precision"),
        *("SparseCategoricalAccuracy", "TopKCategoricalAccuracy", "Recall"),
        *("SparseTopKCategoricalAccuracy", "TruePositives", "TrueNegatives"),
        *("SensitivityAtSpecificity", "SpecificityAtSensitivity", "IoU", "R2Score"),
        *("PrecisionAtRecall", "RecallAtPrecision", "BinaryIoU", "MeanIoU"),
        *("OneHotIoU", "OneHotMeanIoU", "CosineSimilarity", "FBetaScore", "F1Score"),
    }
)
"""Metrics of which more is better."""


class EarlyStopping(_Watching):
    """Stops training once what it watches has not become better for `patience` epochs.

    A change counts from min_delta on; mode is "min", "max" or "auto", which goes by the name. With
    restore_best_weights the model gets the weights of its best epoch.
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        min_delta: float = 0.0,
        patience: int = 0,
        verbose: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
        start_from_epoch: int = 0,
    ) -> None:
        super().__init__(monitor, mode, min_delta)
        self.patience, self.verbose, self.baseline = patience, verbose, baseline
        self.restore_best_weights = restore_best_weights
        self.start_from_epoch = start_from_epoch
        self.wait = self.stopped_epoch = self.best_epoch = 0
        self.best_weights: Any = None

    def on_train_begin(self, logs: Any = None) -> None:
        """Begin to wait anew, with nothing seen."""
        self.wait = self.stopped_epoch = self.best_epoch = 0
        self.best = -np.inf if self.upward else np.inf
        self.best_weights = None

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Stop the training if nothing has become better for `patience` epochs."""
        value = self.seen(logs)
        if value is None or epoch < self.start_from_epoch:
            return
        if self.restore_best_weights and self.best_weights is None:
            self.best_weights, self.best_epoch = self.model.get_weights(), epoch
        self.wait += 1
        if self.better(value, self.best):
            self.best, self.best_epoch = value, epoch
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            if self.baseline is None or self.better(value, self.baseline):
                self.wait = 0
            return
        if self.wait >= self.patience and epoch > 0:
            self.stopped_epoch = epoch
            self.model.stop_training = True

    def on_train_end(self, logs: Any = None) -> None:
        """Give the model its best weights, if they were to be restored."""
        if self.stopped_epoch > 0 and self.verbose > 0:
            print(f"Epoch {self.stopped_epoch + 1}: early stopping")
        if not self.restore_best_weights or self.best_weights is None:
            return
        if self.verbose > 0:
            print(
                "Restoring model weights from the end of the best epoch: "
                f"{self.best_epoch + 1}."
            )
        self.model.set_weights(self.best_weights)


class ModelCheckpoint(_Watching):
    """Saves the model, or its weights, after each epoch or every save_freq batches.

    The path may have the epoch and what it came to: "{epoch:02d}-{val_loss:.2f}.keras". With
    save_best_only it is saved only when what it watches becomes better, from
    initial_value_threshold on if that is given.
    """

    def __init__(
        self,
        filepath: Any,
        monitor: str = "val_loss",
        verbose: int = 0,
        save_best_only: bool = False,
        save_weights_only: bool = False,
        mode: str = "auto",
        save_freq: Any = "epoch",
        initial_value_threshold: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(monitor, mode)
        if initial_value_threshold is not None:
            self.best = initial_value_threshold
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise InvalidArgumentError(
                f"Unrecognized save_freq: {save_freq!r}; it is 'epoch' or a number of batches"
            )
        self.filepath = a_path(filepath, "filepath")
        self.save_best_only = save_best_only
        self.save_weights_only, self.save_freq = save_weights_only, save_freq
        self.verbose = verbose
        self._batches = self._epoch = 0

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Note the epoch's number, which paths may have."""
        self._epoch = epoch

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Save after every save_freq batches."""
        self._batches += 1
        if self.save_freq != "epoch" and self._batches % int(self.save_freq) == 0:
            self._save(self._epoch, logs or {})

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Save, if save_freq is "epoch"."""
        if self.save_freq == "epoch":
            self._save(epoch, logs or {})

    def _save(self, epoch: int, logs: dict[str, Any]) -> None:
        path = self.filepath.format(epoch=epoch + 1, **logs)
        if not self._is_wanted(epoch, path, logs):
            return
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        if self.save_weights_only:
            self.model.save_weights(path)
        else:
            self.model.save(path)

    def _is_wanted(self, epoch: int, path: str, logs: dict[str, Any]) -> bool:
        """Return whether it is saved now, and say so."""
        if not self.save_best_only:
            self._say(epoch, f"saving model to {path}")
            return True
        value = self.seen(logs)
        if value is None:
            return False
        before = "None" if np.isinf(self.best) else f"{self.best:.5f}"
        if not self.better(value, self.best):
            self._say(epoch, f"{self.monitor} did not improve from {before}")
            return False
        change = f"improved from {before} to {value:.5f}, saving model to {path}"
        self._say(epoch, f"{self.monitor} {change}")
        self.best = value
        return True

    def _say(self, epoch: int, what: str) -> None:
        if self.verbose > 0:
            print(f"\nEpoch {epoch + 1}: {what}")


class LearningRateScheduler(Callback):
    """Sets the learning rate of each epoch by a function of its number and the rate before."""

    def __init__(self, schedule: Callable[..., Any], verbose: int = 0) -> None:
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Set the rate to schedule(epoch, rate), or to schedule(epoch).

        InvalidArgumentError is raised where that is no number.
        """
        optimizer = self.model.optimizer
        try:
            rate = self.schedule(epoch, float(optimizer.learning_rate))
        except TypeError:
            rate = self.schedule(epoch)
        if not _is_rate(rate):
            raise InvalidArgumentError(
                f"The output of the `schedule` function should be a float. Got: {rate}"
            )
        optimizer.learning_rate = float(rate)
        if self.verbose > 0:
            print(
                f"\nEpoch {epoch + 1}: LearningRateScheduler setting learning rate to {rate}."
            )

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Add the rate to what the epoch came to."""
        if logs is not None:
            _note_rate(logs, self.model.optimizer)


def _note_rate(logs: dict[str, Any], optimizer: Any) -> None:
    """Add the learning rate to what an epoch came to, by the name that Keras has for it."""
    key = "learning_rate" if naming.is_keras_3() else "lr"
    logs[key] = float(optimizer.learning_rate)


def _is_rate(value: Any) -> bool:
    return isinstance(value, (float, np.floating, Operand))


class ReduceLROnPlateau(_Watching):
    """Multiplies the rate by `factor` once nothing was better for `patience` epochs."""

    def __init__(
        self,
        monitor: str = "val_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: int = 0,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(monitor, mode, min_delta)
        if factor >= 1.0:
            raise InvalidArgumentError(
                f"ReduceLROnPlateau does not support a factor >= 1.0. Got {factor}"
            )
        self.factor, self.patience, self.cooldown = factor, patience, cooldown
        self.min_lr, self.verbose = min_lr, verbose
        self.wait = self.resting = 0

    def on_train_begin(self, logs: Any = None) -> None:
        """Begin to wait anew, with nothing seen."""
        self.wait = self.resting = 0
        self.best = -np.inf if self.upward else np.inf

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Lower the rate by `factor` if nothing was better for `patience` epochs.

        It is not lowered below min_lr, nor for `cooldown` epochs after it was.
        """
        if logs is not None:
            _note_rate(logs, self.model.optimizer)
        value = self.seen(logs)
        if value is None:
            return
        if self.resting > 0:
            self.resting, self.wait = self.resting - 1, 0
        if self.better(value, self.best):
            self.best, self.wait = value, 0
        elif self.resting <= 0:
            self.wait += 1
            if self.wait >= self.patience:
                optimizer = self.model.optimizer
                now = float(optimizer.learning_rate)
                if now > np.float32(self.min_lr):
                    rate = max(now * self.factor, self.min_lr)
                    optimizer.learning_rate = rate
                    if self.verbose > 0:
                        print(
                            f"\nEpoch {epoch + 1}: ReduceLROnPlateau reducing learning rate to "
                            f"{rate}."
                        )
                    self.resting, self.wait = self.cooldown, 0


class TerminateOnNaN(Callback):
    """Stops training once the loss is not finite, or raises RuntimeError if raise_error."""

    def __init__(self, raise_error: bool = False) -> None:
        self.raise_error = raise_error

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Stop the training, or raise RuntimeError, if the loss is not finite."""
        loss = (logs or {}).get("loss")
        if loss is not None and not np.isfinite(loss):
            if self.raise_error:
                raise RuntimeError(
                    f"NaN or Inf loss encountered at batch {batch}. Loss value: {loss}"
                )
            print(f"Batch {batch}: Invalid loss, terminating training")
            self.model.stop_training = True


class RemoteMonitor(Callback):
    """Raises InvalidArgumentError: nothing is sent over the network."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise InvalidArgumentError(
            "RemoteMonitor: nothing is sent over the network; use LambdaCallback"
        )


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
