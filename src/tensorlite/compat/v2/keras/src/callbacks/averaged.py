"""SwapEMAWeights: a callback by which models are judged, asked and saved with averaged weights."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v2.keras.src.callbacks.base import Callback
from tensorlite.compat.v2.keras.src.optimizers.gathering import Averages
from tensorlite.compat.v2.keras.src.optimizers.loss_scaling import LossScaleOptimizer
from tensorlite.core.errors import InvalidArgumentError


class SwapEMAWeights(Callback):
    """Lets averages, of an optimizer with `use_ema`, take the weights' places outside of training.

    With `swap_on_epoch` they are there at the ends of epochs, too, as callbacks after this one
    save them.
    """

    def __init__(self, swap_on_epoch: bool = False) -> None:
        super().__init__()
        self.swap_on_epoch = swap_on_epoch
        self._are_averages = False

    def _averages(self) -> Averages:
        optimizer = self.model.optimizer
        if isinstance(optimizer, LossScaleOptimizer):
            optimizer = optimizer.inner_optimizer
        found: Averages | None = optimizer.averages
        if found is None:
            raise InvalidArgumentError(
                "SwapEMAWeights must be used when `use_ema=True` is set on the optimizer. "
                f"Received: use_ema={optimizer.use_ema}"
            )
        return found

    def _let(self, wanted: bool) -> None:
        """Let the model have averages, or its own weights again."""
        if self._are_averages is not wanted:
            self._averages().swap()
            self._are_averages = wanted

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Put the weights back in which training goes on, if swaps are per epoch."""
        if self.swap_on_epoch:
            self._let(False)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Put the averages in place, if swaps are per epoch, for good after the last."""
        if not self.swap_on_epoch:
            return
        self._let(True)
        if epoch == (self.params or {}).get("epochs", 0) - 1:
            # Averages take the weights' places once more when training ends.
            self._averages().follow()

    def on_test_begin(self, logs: Any = None) -> None:
        """Put the averages in place."""
        self._let(True)

    def on_test_end(self, logs: Any = None) -> None:
        """Put the weights back."""
        self._let(False)

    def on_predict_begin(self, logs: Any = None) -> None:
        """Put the averages in place."""
        self._let(True)

    def on_predict_end(self, logs: Any = None) -> None:
        """Put the weights back."""
        self._let(False)
