"""tf.contrib.framework: its names. What each does stands in the files beside this one."""

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.checks import assert_same_float_dtype
from tensorlite.compat.shared.deprecation import (
    deprecated,
    deprecated_arg_values,
    deprecated_args,
)
from tensorlite.compat.shared.ordering import argsort, sort
from tensorlite.compat.shared.python import py_func
from tensorlite.compat.shared.specs.bounded_specs import BoundedTensorSpec
from tensorlite.compat.shared.values import (
    TensorSpec,
    convert_to_tensor_or_sparse_tensor,
)
from tensorlite.compat.v1.contrib import nest
from tensorlite.compat.v1.contrib.arg_scopes import (
    add_arg_scope,
    arg_scope,
    arg_scoped_arguments,
    current_arg_scope,
    has_arg_scope,
)
from tensorlite.compat.v1.contrib.shape_checks import (
    VariableDeviceChooser,
    assert_or_get_global_step,
    assert_scalar_int,
    get_graph_from_inputs,
    get_placeholders,
    reduce_sum_n,
    remove_squeezable_dimensions,
    with_same_shape,
    with_shape,
)
from tensorlite.compat.v1.contrib.static import (
    smart_case,
    smart_cond,
    smart_constant_value,
)
from tensorlite.compat.v1.contrib.variables import (
    add_model_variable,
    assign_from_checkpoint,
    assign_from_checkpoint_fn,
    assign_from_values,
    assign_from_values_fn,
    filter_variables,
    get_local_variables,
    get_model_variables,
    get_trainable_variables,
    get_unique_variable,
    get_variable_full_name,
    get_variables,
    get_variables_by_name,
    get_variables_by_suffix,
    get_variables_to_restore,
    global_variable,
    local_variable,
    model_variable,
    variable,
)
from tensorlite.compat.v1.functions.checks import assert_scalar
from tensorlite.compat.v1.functions.orthogonal_kernels import (
    ConvolutionDeltaOrthogonal as convolutional_delta_orthogonal,
    ConvolutionOrthogonal1D as convolutional_orthogonal_1d,
    ConvolutionOrthogonal2D as convolutional_orthogonal_2d,
    ConvolutionOrthogonal3D as convolutional_orthogonal_3d,
)
from tensorlite.compat.v1.graphs.framework import is_tensor
from tensorlite.compat.v1.graphs.inner_ops import (
    prepend_name_scope,
    strip_name_scope,
)
from tensorlite.compat.v1.training.averages import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
)
from tensorlite.compat.v1.training.starting import init_from_checkpoint
from tensorlite.core.scope import scope
from tensorlite.interop.tensorflow.stored.checkpoints import (
    list_variables,
    load_checkpoint,
    load_variable,
)

__all__ = [
    "BoundedTensorSpec",
    "TensorSpec",
    "VariableDeviceChooser",
    "add_arg_scope",
    "add_model_variable",
    "arg_scope",
    "arg_scoped_arguments",
    "argsort",
    "assert_global_step",
    "assert_or_get_global_step",
    "assert_same_float_dtype",
    "assert_scalar",
    "assert_scalar_int",
    "assign_from_checkpoint",
    "assign_from_checkpoint_fn",
    "assign_from_values",
    "assign_from_values_fn",
    "convert_to_tensor_or_sparse_tensor",
    "convolutional_delta_orthogonal",
    "convolutional_orthogonal_1d",
    "convolutional_orthogonal_2d",
    "convolutional_orthogonal_3d",
    "create_global_step",
    "current_arg_scope",
    "deprecated",
    "deprecated_arg_values",
    "deprecated_args",
    "filter_variables",
    "get_global_step",
    "get_graph_from_inputs",
    "get_local_variables",
    "get_model_variables",
    "get_name_scope",
    "get_or_create_global_step",
    "get_placeholders",
    "get_trainable_variables",
    "get_unique_variable",
    "get_variable_full_name",
    "get_variables",
    "get_variables_by_name",
    "get_variables_by_suffix",
    "get_variables_to_restore",
    "global_variable",
    "has_arg_scope",
    "init_from_checkpoint",
    "is_tensor",
    "list_variables",
    "load_checkpoint",
    "load_variable",
    "local_variable",
    "model_variable",
    "nest",
    "prepend_name_scope",
    "py_func",
    "reduce_sum_n",
    "remove_squeezable_dimensions",
    "smart_case",
    "smart_cond",
    "smart_constant_value",
    "sort",
    "strip_name_scope",
    "variable",
    "with_same_shape",
    "with_shape",
]


def get_name_scope() -> str:
    """Return the name scope that is open, without a slash at its end."""
    return scope.get().name


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
