"""tf.train of TensorFlow 2: checkpoints, averages, and messages of examples."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.training.averages import ExponentialMovingAverage
from tensorlite.compat.v1.training.placing import ClusterSpec
from tensorlite.compat.v2 import train_experimental as experimental
from tensorlite.compat.v2.checkpoint_managers import (
    CheckpointManager,
    CheckpointOptions,
    checkpoints_iterator,
)
from tensorlite.compat.v2.checkpoint_views import CheckpointView, TrackableView
from tensorlite.compat.v2.checkpoints import Checkpoint
from tensorlite.interop.tensorflow.stored.checkpoints import (
    list_variables,
    load_checkpoint,
    load_variable,
)
from tensorlite.interop.tensorflow.stored.states import (
    get_checkpoint_state,
    latest_checkpoint,
)
from tensorlite.ops.records.example_messages import NAMES, example_message
from tensorlite.train.coordinator import Coordinator

__all__ = [
    "Checkpoint",
    "CheckpointManager",
    "CheckpointOptions",
    "CheckpointView",
    "ClusterSpec",
    "Coordinator",
    "ExponentialMovingAverage",
    "TrackableView",
    "checkpoints_iterator",
    "experimental",
    "get_checkpoint_state",
    "latest_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
]


__dir__ = listing(__name__, globals(), NAMES)


def __getattr__(name: str) -> object:
    """Return one of the messages that records hold, such as Example, which need protobuf."""
    if name in NAMES:
        return example_message(name)
    raise attribute_error(__name__, name, globals())
