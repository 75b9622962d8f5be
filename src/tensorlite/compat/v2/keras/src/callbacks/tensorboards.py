"""The callback that writes for TensorBoard: what epochs and batches came to, weights, the model."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.v2.keras.src.callbacks.base import Callback
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.optimizers.loss_scaling import LossScaleOptimizer
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.summaries.event_messages import message

_TRAIN, _VALIDATION = "train", "validation"
_VAL = "val_"


class TensorBoard(Callback):
    """Writes what every epoch came to; batches with `update_freq`, weights with `histogram_freq`.

    Training and validation have a folder each inside `log_dir`; Keras 2 has them both in that.
    """

    def __init__(
        self,
        log_dir: Any = "logs",
        histogram_freq: int = 0,
        write_graph: bool = True,
        write_images: bool = False,
        write_steps_per_second: bool = False,
        update_freq: Any = "epoch",
        profile_batch: Any = 0,
        embeddings_freq: int = 0,
        embeddings_metadata: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        _check(kwargs)
        self.log_dir, self.histogram_freq = str(log_dir), histogram_freq
        self.write_graph, self.write_images = write_graph, write_images
        self.write_steps_per_second = write_steps_per_second
        self.update_freq = 1 if update_freq == "batch" else update_freq
        self.embeddings_freq = embeddings_freq
        self._writers: dict[str, Any] = {}
        self._described = False
        self._batches = self._before = 0
        self._batch_begun = self._epoch_begun = 0.0

    def _writer(self, name: str) -> Any:
        inside = Path(self.log_dir, name) if naming.is_keras_3() else self.log_dir
        folder = str(inside)
        if folder not in self._writers:
            self._writers[folder] = tl.summary.create_file_writer(folder)
        return self._writers[folder]

    def on_train_begin(self, logs: Any = None) -> None:
        """Write the model's layers, once, if write_graph asks for them."""
        self._batches = 0
        if self.write_graph and not self._described:
            self._described = True
            self._write_model()

    def _write_model(self) -> None:
        """Write what layers the model has, if they say what it is."""
        if getattr(self.model, "is_made_of_layers", False) and self.model.built:
            text = np.asarray(self.model.to_json(), object)
            with self._writer(_TRAIN).as_default():
                tl.summary.write("keras", text, 0, _metadata("graph_keras_model"))

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Note the time and the number of steps."""
        self._before, self._epoch_begun = self._steps(), time.perf_counter()

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Count the batch and note the time."""
        self._batches += 1
        self._batch_begun = time.perf_counter()

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Write what the batch came to after every update_freq batches."""
        if self.update_freq == "epoch" or self._batches % int(self.update_freq):
            return
        self.write_batch(dict(logs or {}))

    def write_batch(self, found: dict[str, Any]) -> None:
        """Write what a batch came to."""
        if self.write_steps_per_second:
            found["steps_per_second"] = _rate(1, self._batch_begun)
        self._write(_TRAIN, "batch_{}", found, self._batches)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Write what the epoch came to, and weights now and then."""
        found = dict(logs or {})
        is_keras_3 = naming.is_keras_3()
        held = {k: found.pop(k) for k in list(found) if k.startswith(_VAL)}
        found.update(self._rates() if is_keras_3 else {})
        if self.write_steps_per_second:
            done = self._steps() - self._before
            found["steps_per_second"] = _rate(done, self._epoch_begun)
        own = {k.removeprefix(_VAL) if is_keras_3 else k: x for k, x in held.items()}
        self._write(_TRAIN, "epoch_{}", found, epoch)
        self._write(_VALIDATION, "epoch_{}", own, epoch)
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            self._write_weights(epoch)
        if self.embeddings_freq and epoch % self.embeddings_freq == 0:
            name = f"keras_embedding.ckpt-{epoch}.weights.h5"
            self.model.save_weights(str(Path(self.log_dir, _TRAIN, name)))

    def on_test_end(self, logs: Any = None) -> None:
        """Write what an evaluation came to, by the number of steps so far."""
        if self.model.optimizer is not None and naming.is_keras_3():
            tag = "evaluation_{}_vs_iterations"
            self._write(_VALIDATION, tag, dict(logs or {}), self._steps())

    def on_train_end(self, logs: Any = None) -> None:
        """Close the files; those of another training are new ones."""
        for writer in self._writers.values():
            writer.close()
        self._writers = {}

    def _write(self, place: str, tag: str, found: dict[str, Any], step: int) -> None:
        if not found:
            return
        with self._writer(place).as_default():
            for name, value in found.items():
                tl.summary.scalar(tag.format(name), value, step)

    def _steps(self) -> int:
        """Return how many steps the optimizer has taken."""
        optimizer = self.model.optimizer
        return 0 if optimizer is None else int(optimizer.iterations.numpy())

    def _rates(self) -> dict[str, float]:
        optimizer = self.model.optimizer
        if isinstance(optimizer, LossScaleOptimizer):
            optimizer = optimizer.inner_optimizer
        rate = getattr(optimizer, "learning_rate", None)
        return {} if rate is None else {"learning_rate": float(rate)}

    def _write_weights(self, epoch: int) -> None:
        with self._writer(_TRAIN).as_default():
            for weight in self.model.weights:
                name, value = weight.path.replace(":", "_"), weight.value()
                tl.summary.histogram(f"{name}/histogram", value, epoch)
                image = _image(value.numpy()) if self.write_images else None
                if image is not None:
                    tl.summary.image(f"{name}/image", image, epoch)


def _check(given: dict[str, Any]) -> None:
    """Refuse arguments that no version has had."""
    older = {"batch_size", "write_grads", "embeddings_data", "embeddings_layer_names"}
    strange = sorted(set(given) - older)
    if strange:
        raise InvalidArgumentError(
            f"Unrecognized arguments in TensorBoard: {strange}"
        )


def _metadata(plugin: str) -> Any:
    """Return what tells TensorBoard which of its plugins shows something."""
    about = message("SummaryMetadata")()
    about.plugin_data.plugin_name = plugin
    return about


def _rate(count: float, begun: float) -> float:
    return count / max(time.perf_counter() - begun, 1e-9)


def _image(value: Any) -> Any:
    """Return a weight as pictures, those of a convolution a picture for each filter."""
    shown = np.squeeze(value)
    if shown.ndim == 1:
        return shown[None, :, None, None]
    if shown.ndim == 2:
        wide = shown.T if shown.shape[0] > shown.shape[1] else shown
        return wide[None, :, :, None]
    return np.moveaxis(shown, -1, 0)[..., None] if shown.ndim == 3 else None
