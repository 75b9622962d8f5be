"""tf.keras.callbacks of version 1: its TensorBoard, and the rest that version 2 has."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.missing import listing
from tensorlite.compat.v1.keras.fallback import rest_of
from tensorlite.compat.v2.keras import callbacks

_NOT_WRITTEN = frozenset({"batch", "size", "num_steps"})


class TensorBoard(callbacks.TensorBoard):
    """Writes for TensorBoard; a number as update_freq is one of examples, not of batches.

    batch_size, write_grads, embeddings_layer_names and embeddings_data have no effect.
    """

    def __init__(
        self,
        log_dir: Any = "./logs",
        histogram_freq: int = 0,
        batch_size: int = 32,
        write_graph: bool = True,
        write_grads: bool = False,
        write_images: bool = False,
        embeddings_freq: int = 0,
        embeddings_layer_names: Any = None,
        embeddings_metadata: Any = None,
        embeddings_data: Any = None,
        update_freq: Any = "epoch",
        profile_batch: Any = 2,
    ) -> None:
        super().__init__(
            log_dir,
            histogram_freq,
            write_graph,
            write_images,
            update_freq=update_freq,
            profile_batch=profile_batch,
            embeddings_freq=embeddings_freq,
            embeddings_metadata=embeddings_metadata,
        )
        self._examples = 0

    def is_due(self, logs: dict[str, Any]) -> bool:
        """Return whether as many examples as update_freq were seen since the last time."""
        self._examples += int(logs.get("size", 1))
        if self._examples < int(self.update_freq):
            return False
        self._examples = 0
        return True

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Write what the batch came to, if that is due."""
        given = dict(logs or {})
        if self.update_freq != "epoch" and self.is_due(given):
            found = {k: x for k, x in given.items() if k not in _NOT_WRITTEN}
            self.write_batch(found)


__dir__ = listing(__name__, globals(), vars(callbacks))
__getattr__ = rest_of(callbacks, __name__, globals())
