"""TensorFlow 1's names: `import tensorlite.compat.v1 as tf`.

Programs build a graph unless they call `enable_eager_execution`.
"""

from __future__ import annotations

from tensorlite.compat.shapes import Dimension, TensorShape
from tensorlite.compat.v1.framework import (
    ConfigProto,
    GPUOptions,
    Graph,
    GraphOptions,
    InteractiveSession,
    OptimizerOptions,
    RunOptions,
    Session,
    colocate_with,
    constant,
    control_dependencies,
    convert_to_tensor,
    device,
    disable_eager_execution,
    disable_v2_behavior,
    enable_eager_execution,
    enable_v2_behavior,
    executing_eagerly,
    get_default_graph,
    get_default_session,
    gradients,
    group,
    init_scope,
    is_tensor,
    name_scope,
    no_op,
    op_scope,
    placeholder,
    placeholder_with_default,
    reset_default_graph,
    set_random_seed,
    tuple_,
)
from tensorlite.compat.v1.scopes import (
    AUTO_REUSE,
    GraphKeys,
    VariableScope,
    add_to_collection,
    add_to_collections,
    all_variables,
    assert_variables_initialized,
    assign,
    assign_add,
    assign_sub,
    count_up_to,
    get_collection,
    get_collection_ref,
    get_variable,
    get_variable_scope,
    global_variables,
    global_variables_initializer,
    initialize_all_variables,
    initialize_local_variables,
    initialize_variables,
    is_variable_initialized,
    local_variables,
    local_variables_initializer,
    model_variables,
    moving_average_variables,
    no_regularizer,
    report_uninitialized_variables,
    trainable_variables,
    variable_op_scope,
    variable_scope,
    variables_initializer,
)
from tensorlite.compat.v1.variables import Variable
from tensorlite.compat.views import Operation
from tensorlite.core.dtypes import float32
from tensorlite.core.tensor import Tensor
from tensorlite.graph_mode.graph import mode

if mode.eager is None:
    mode.eager = False
