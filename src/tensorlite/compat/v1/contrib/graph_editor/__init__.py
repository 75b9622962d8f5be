"""tf.contrib.graph_editor: parts of graphs are found, copied and connected otherwise."""

from __future__ import annotations

from tensorlite.compat.v1.contrib.graph_editor import (
    reroute as reroute,
    select as select,
    subgraph as subgraph,
    transform as transform,
    util as util,
)
from tensorlite.compat.v1.contrib.graph_editor.reroute import (
    add_control_inputs,
    connect,
    remove_control_inputs,
    reroute_inputs,
    reroute_ios,
    reroute_outputs,
    reroute_ts,
    swap_inputs,
    swap_ios,
    swap_outputs,
    swap_ts,
)
from tensorlite.compat.v1.contrib.graph_editor.select import (
    can_be_regex,
    compute_boundary_ts,
    filter_ops,
    filter_ops_from_regex,
    filter_ts,
    filter_ts_from_regex,
    get_backward_walk_ops,
    get_forward_walk_ops,
    get_name_scope_ops,
    get_ops_ios,
    get_walks_intersection_ops,
    get_walks_union_ops,
    get_within_boundary_ops,
    make_regex,
    select_ops,
    select_ops_and_ts,
    select_ts,
)
from tensorlite.compat.v1.contrib.graph_editor.subgraph import (
    SubGraphView,
    make_view,
    make_view_from_scope,
)
from tensorlite.compat.v1.contrib.graph_editor.transform import (
    TransformerInfo,
    copy,
    copy_with_input_replacements,
    graph_replace,
)
from tensorlite.compat.v1.contrib.graph_editor.util import (
    ControlOutputs,
    get_consuming_ops,
    get_generating_ops,
    get_tensors,
    make_list_of_op,
    make_list_of_t,
    make_placeholder_from_dtype_and_shape,
    make_placeholder_from_tensor,
    placeholder_name,
)

ph = make_placeholder_from_dtype_and_shape
sgv = make_view
sgv_scope = make_view_from_scope

__all__ = [
    "ControlOutputs",
    "SubGraphView",
    "TransformerInfo",
    "add_control_inputs",
    "can_be_regex",
    "compute_boundary_ts",
    "connect",
    "copy",
    "copy_with_input_replacements",
    "filter_ops",
    "filter_ops_from_regex",
    "filter_ts",
    "filter_ts_from_regex",
    "get_backward_walk_ops",
    "get_consuming_ops",
    "get_forward_walk_ops",
    "get_generating_ops",
    "get_name_scope_ops",
    "get_ops_ios",
    "get_tensors",
    "get_walks_intersection_ops",
    "get_walks_union_ops",
    "get_within_boundary_ops",
    "graph_replace",
    "make_list_of_op",
    "make_list_of_t",
    "make_placeholder_from_dtype_and_shape",
    "make_placeholder_from_tensor",
    "make_regex",
    "make_view",
    "make_view_from_scope",
    "ph",
    "placeholder_name",
    "remove_control_inputs",
    "reroute_inputs",
    "reroute_ios",
    "reroute_outputs",
    "reroute_ts",
    "select_ops",
    "select_ops_and_ts",
    "select_ts",
    "sgv",
    "sgv_scope",
    "swap_inputs",
    "swap_ios",
    "swap_outputs",
    "swap_ts",
]
