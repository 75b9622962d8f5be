"""TensorFlow's graphs and checkpoints: read, run, written, looked at, without TensorFlow.

>>> graph = tl.interop.tensorflow.from_graphdef('node { name: "x" op: "NoOp" }')
>>> graph.get_operation_by_name("x").op.name
'NoOp'
"""

from tensorlite.interop.tensorflow.inspection.inspecting import describe, draw
from tensorlite.interop.tensorflow.reading import from_graphdef, load
from tensorlite.interop.tensorflow.stored.checkpoints import (
    CheckpointReader,
    list_variables,
    load_checkpoint,
    load_variable,
    save_checkpoint,
)
from tensorlite.interop.tensorflow.stored.metagraphs import (
    MetaGraph,
    load_meta_graph,
    save_meta_graph,
)
from tensorlite.interop.tensorflow.stored.models import SavedModel
from tensorlite.interop.tensorflow.stored.saved_models import load_saved_model
from tensorlite.interop.tensorflow.stored.saving import save_saved_model
from tensorlite.interop.tensorflow.stored.states import (
    CheckpointState,
    get_checkpoint_state,
    latest_checkpoint,
    update_checkpoint_state,
)
from tensorlite.interop.tensorflow.stored.tracking import (
    restore_object_checkpoint,
    save_object_checkpoint,
)
from tensorlite.interop.tensorflow.writing import save, to_graphdef

__all__ = [
    "CheckpointReader",
    "CheckpointState",
    "MetaGraph",
    "SavedModel",
    "describe",
    "draw",
    "from_graphdef",
    "get_checkpoint_state",
    "latest_checkpoint",
    "list_variables",
    "load",
    "load_checkpoint",
    "load_meta_graph",
    "load_saved_model",
    "load_variable",
    "restore_object_checkpoint",
    "save",
    "save_checkpoint",
    "save_meta_graph",
    "save_object_checkpoint",
    "save_saved_model",
    "to_graphdef",
    "update_checkpoint_state",
]
