"""Callback: what Keras' callbacks are made on. Those that there are stand in keras/callbacks.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

MOMENTS = (
    *("train_begin", "train_end", "epoch_begin", "epoch_end"),
    *("train_batch_begin", "train_batch_end", "test_begin", "test_end"),
    *("test_batch_begin", "test_batch_end", "predict_begin", "predict_end"),
    *("predict_batch_begin", "predict_batch_end"),
)


def _silent(name: str) -> Callable[..., None]:
    def method(self: Any, *args: Any, **kwargs: Any) -> None:
        """Do nothing."""

    method.__name__ = name
    return method


class Callback:
    """Methods that are called as training goes on; each may be defined."""

    model: Any = None
    params: Any = None

    def set_params(self, params: dict[str, Any]) -> None:
        """Take what is known of the run: `epochs`, `steps`, `verbose`."""
        self.params = params

    def set_model(self, model: Any) -> None:
        """Take the model that is trained."""
        self.model = model

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Call on_batch_begin, its older name."""
        self.on_batch_begin(batch, logs)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Call on_batch_end, its older name."""
        self.on_batch_end(batch, logs)

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Do nothing."""

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """Do nothing."""


for _name in MOMENTS:
    if f"on_{_name}" not in vars(Callback):
        setattr(Callback, f"on_{_name}", _silent(f"on_{_name}"))
