"""tf.graph_util of TensorFlow 1."""

from __future__ import annotations

from tensorlite.compat.missing import listing
from tensorlite.compat.v1.graphs.graphdefs import (
    convert_variables_to_constants as convert_variables_to_constants,
    extract_sub_graph as extract_sub_graph,
    import_graph_def as import_graph_def,
    must_run_on_cpu as must_run_on_cpu,
    remove_training_nodes as remove_training_nodes,
    tensor_shape_from_node_def_name as tensor_shape_from_node_def_name,
)

__dir__ = listing(__name__, globals())
