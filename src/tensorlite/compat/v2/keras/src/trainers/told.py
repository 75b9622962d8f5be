"""Run: what callbacks are told of a run and of its batches; Keras 2 tells of samples too.

What they make of it stands in src/callbacks; the batches come from feeding.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tensorlite.compat.shared import nests
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.trainers.feeding import Arrays, Stream
from tensorlite.data.dataset import Dataset


@dataclass(frozen=True)
class Run:
    """A run over a source of batches, or the `steps` that are asked for of it."""

    source: Any
    steps: int | None = None
    held: Any = None
    """What is evaluated between epochs, if anything is."""
    names: Sequence[str] = ()
    """The names of the loss and the metrics, where such are computed."""

    @property
    def length(self) -> int | None:
        """How many steps an epoch has, if that is known."""
        return self.steps or self.source.steps

    def params(self) -> dict[str, Any]:
        """Return what is known of the run."""
        if naming.is_keras_3():
            return {"steps": self.length}
        is_by_rows = self._is_by_rows()
        also = [f"val_{x}" for x in self.names] if self.held is not None else []
        return {
            "batch_size": getattr(self.source, "batch_size", None),
            "steps": None if is_by_rows else self.length,
            "samples": self.source.rows if is_by_rows else self.length,
            "do_validation": self.held is not None,
            "metrics": [*self.names, *also],
        }

    def of_batch(self, number: int, group: Sequence[Any]) -> dict[str, Any]:
        """Return what is known of batches that are a step."""
        if naming.is_keras_3():
            return {}
        return {"batch": number, "size": sum(map(self._size_of, group))}

    def of_outputs(self, outputs: Any) -> dict[str, Any]:
        """Return what is told of a step's predictions, which Keras 2 has in a list."""
        is_keras_3 = naming.is_keras_3()
        return {"outputs": outputs if is_keras_3 else nests.flatten(outputs)}

    def announcement(self, verbose: Any) -> str:
        """Return the line, if any, that Keras 2 says unless it is silent as training begins."""
        if naming.is_keras_3() or not verbose:
            return ""
        first = _counted(self.source, self.steps)
        beside = None if self.held is None else _counted(self.held, None)
        also = f", validate on {beside}" if beside else ""
        return f"Train on {first}{also}\n" if first else ""

    def _is_by_rows(self) -> bool:
        return isinstance(self.source, Arrays) and self.steps is None

    def _size_of(self, batch: Any) -> int:
        if _is_of_dataset(self.source):
            return 1
        first: Any = next((x for x in nests.flatten(batch) if x is not None), None)
        return len(first) if np.ndim(first) else 1


def _is_of_dataset(source: Any) -> bool:
    return isinstance(source, Stream) and isinstance(source.source, Dataset)


def _counted(source: Any, steps: int | None) -> str | None:
    """Return how many samples or steps there are; of generators nothing is said."""
    if isinstance(source, Arrays):
        return f"{steps or source.rows} samples"
    length = steps or source.steps
    return f"{length} steps" if _is_of_dataset(source) and length else None
