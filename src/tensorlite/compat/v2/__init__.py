"""TensorFlow 2's names: `import tensorlite.compat.v2 as tf`.

Programs run at once unless they build a graph in `with tf.Graph().as_default()`.
"""

from __future__ import annotations

from importlib import import_module

from tensorlite.graph_mode.graph import mode

if (
    mode.eager is None
):  # before what follows, since each namespace needs parts of the other
    mode.eager = True

from tensorlite.compat.conversions import (
    register_tensor_conversion_function as register_tensor_conversion_function,
)
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.module_paths import by_path
from tensorlite.compat.shared import (
    audio as audio,
    queue as queue,
    raw_ops as raw_ops,
)
from tensorlite.compat.shared.arrays import (
    concat as concat,
    ensure_shape as ensure_shape,
    expand_dims as expand_dims,
    eye as eye,
    identity as identity,
    identity_n as identity_n,
    linspace as linspace,
    range as range,
    rank as rank,
    reshape as reshape,
    shape_n as shape_n,
    split as split,
    squeeze as squeeze,
    stack as stack,
    stop_gradient as stop_gradient,
    unstack as unstack,
)
from tensorlite.compat.shared.blocks import (
    batch_to_space as batch_to_space,
    space_to_batch as space_to_batch,
)
from tensorlite.compat.shared.checks import (
    Assert as Assert,
    assert_equal as assert_equal,
    assert_greater as assert_greater,
    assert_less as assert_less,
    assert_rank as assert_rank,
)
from tensorlite.compat.shared.choices import (
    case as case,
    switch_case as switch_case,
)
from tensorlite.compat.shared.control_flow import (
    cond as cond,
    while_loop as while_loop,
)
from tensorlite.compat.shared.creators import (
    variable_creator_scope as variable_creator_scope,
)
from tensorlite.compat.shared.critical_sections import (
    CriticalSection as CriticalSection,
)
from tensorlite.compat.shared.cutting import (
    broadcast_static_shape as broadcast_static_shape,
    broadcast_to as broadcast_to,
    reverse as reverse,
    reverse_sequence as reverse_sequence,
    roll as roll,
    slice as slice,
    strided_slice as strided_slice,
    tile as tile,
)
from tensorlite.compat.shared.datasets.data_specs import OptionalSpec as OptionalSpec
from tensorlite.compat.shared.device_specs import DeviceSpec as DeviceSpec
from tensorlite.compat.shared.einsums import einsum as einsum
from tensorlite.compat.shared.elementwise import (
    abs as abs,
    acos as acos,
    acosh as acosh,
    add as add,
    add_n as add_n,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atan2 as atan2,
    atanh as atanh,
    bitcast as bitcast,
    cast as cast,
    clip_by_value as clip_by_value,
    complex as complex,
    cos as cos,
    cosh as cosh,
    divide as divide,
    equal as equal,
    exp as exp,
    floor as floor,
    greater as greater,
    greater_equal as greater_equal,
    less as less,
    less_equal as less_equal,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    maximum as maximum,
    minimum as minimum,
    multiply as multiply,
    negative as negative,
    not_equal as not_equal,
    pow as pow,
    realdiv as realdiv,
    round as round,
    saturate_cast as saturate_cast,
    scalar_mul as scalar_mul,
    sigmoid as sigmoid,
    sign as sign,
    sin as sin,
    sinh as sinh,
    sqrt as sqrt,
    square as square,
    subtract as subtract,
    tan as tan,
    tanh as tanh,
    truediv as truediv,
    truncatediv as truncatediv,
    truncatemod as truncatemod,
)
from tensorlite.compat.shared.grids import meshgrid as meshgrid
from tensorlite.compat.shared.images.image import (
    extract_volume_patches as extract_volume_patches,
)
from tensorlite.compat.shared.kinds import *
from tensorlite.compat.shared.linear.matrices import (
    eig as eig,
    eigvals as eigvals,
    matmul as matmul,
    tensordot as tensordot,
)
from tensorlite.compat.shared.linear.norms import (
    clip_by_global_norm as clip_by_global_norm,
    clip_by_norm as clip_by_norm,
    norm as norm,
)
from tensorlite.compat.shared.logging import get_logger as get_logger
from tensorlite.compat.shared.masks import (
    sequence_mask as sequence_mask,
)
from tensorlite.compat.shared.ordering import (
    argsort as argsort,
    searchsorted as searchsorted,
    sort as sort,
)
from tensorlite.compat.shared.picking import (
    dynamic_partition as dynamic_partition,
    dynamic_stitch as dynamic_stitch,
    gather as gather,
    histogram_fixed_width as histogram_fixed_width,
    histogram_fixed_width_bins as histogram_fixed_width_bins,
    one_hot as one_hot,
    scatter_nd as scatter_nd,
    tensor_scatter_nd_add as tensor_scatter_nd_add,
    tensor_scatter_nd_max as tensor_scatter_nd_max,
    tensor_scatter_nd_min as tensor_scatter_nd_min,
    tensor_scatter_nd_sub as tensor_scatter_nd_sub,
    tensor_scatter_nd_update as tensor_scatter_nd_update,
    unique as unique,
    unique_with_counts as unique_with_counts,
    unravel_index as unravel_index,
)
from tensorlite.compat.shared.printing import print as print
from tensorlite.compat.shared.promises import (
    guarantee_const as guarantee_const,
    parallel_stack as parallel_stack,
)
from tensorlite.compat.shared.python import (
    custom_gradient as custom_gradient,
    grad_pass_through as grad_pass_through,
    recompute_grad as recompute_grad,
    timestamp as timestamp,
)
from tensorlite.compat.shared.ragged_and_sparse.built_rows import (
    RaggedTensor as RaggedTensor,
)
from tensorlite.compat.shared.ragged_and_sparse.ragged import (
    RaggedTensorSpec as RaggedTensorSpec,
)
from tensorlite.compat.shared.ragged_and_sparse.sparse import (
    SparseTensor as SparseTensor,
    edit_distance as edit_distance,
)
from tensorlite.compat.shared.reductions import (
    argmax as argmax,
    argmin as argmin,
    cumsum as cumsum,
    reduce_all as reduce_all,
    reduce_any as reduce_any,
    reduce_logsumexp as reduce_logsumexp,
    reduce_max as reduce_max,
    reduce_mean as reduce_mean,
    reduce_min as reduce_min,
    reduce_prod as reduce_prod,
    reduce_sum as reduce_sum,
)
from tensorlite.compat.shared.repeating import repeat as repeat
from tensorlite.compat.shared.results import give_results
from tensorlite.compat.shared.specs.composite_specs import (
    IndexedSlicesSpec as IndexedSlicesSpec,
    SparseTensorSpec as SparseTensorSpec,
)
from tensorlite.compat.shared.specs.type_specs import (
    TypeSpec as TypeSpec,
    type_spec_from_value as type_spec_from_value,
)
from tensorlite.compat.shared.strings import (
    as_string as as_string,
    fingerprint as fingerprint,
)
from tensorlite.compat.shared.tensor_messages import (
    make_ndarray as make_ndarray,
    make_tensor_proto as make_tensor_proto,
)
from tensorlite.compat.shared.values import (
    AggregationMethod as AggregationMethod,
    IndexedSlices as IndexedSlices,
    TensorSpec as TensorSpec,
    UnconnectedGradients as UnconnectedGradients,
    VariableAggregation as VariableAggregation,
    VariableSynchronization as VariableSynchronization,
    get_static_value as get_static_value,
    hessians as hessians,
)
from tensorlite.compat.v1.graphs.behaviour import (
    executing_eagerly as executing_eagerly,
)
from tensorlite.compat.v1.graphs.framework import (
    Graph as Graph,
    control_dependencies as control_dependencies,
    group as group,
    init_scope as init_scope,
    is_tensor as is_tensor,
    no_op as no_op,
)
from tensorlite.compat.v1.graphs.graphdefs import import_graph_def as import_graph_def
from tensorlite.compat.v1.graphs.state import (
    RegisterGradient as RegisterGradient,
    load_library as load_library,
    load_op_library as load_op_library,
    no_gradient as no_gradient,
)
from tensorlite.compat.v2 import (
    autodiff as autodiff,
    autograph as autograph,
    bitwise as bitwise,
    compat as compat,
    config as config,
    data as data,
    debugging as debugging,
    distribute as distribute,
    dtypes as dtypes,
    errors as errors,
    experimental as experimental,
    feature_column as feature_column,
    graph_util as graph_util,
    image as image,
    internal as internal,
    io as io,
    keras,
    linalg as linalg,
    lookup as lookup,
    math as math,
    nest as nest,
    nn as nn,
    profiler as profiler,
    quantization as quantization,
    ragged as ragged,
    random as random,
    saved_model as saved_model,
    sets as sets,
    signal as signal,
    sparse as sparse,
    strings as strings,
    summary as summary,
    sysconfig as sysconfig,
    test as test,
    train as train,
    types as types,
    version as version,
    xla as xla,
)
from tensorlite.compat.v2.arrays import (
    boolean_mask as boolean_mask,
    broadcast_dynamic_shape as broadcast_dynamic_shape,
    fill as fill,
    foldl as foldl,
    foldr as foldr,
    gather_nd as gather_nd,
    map_fn as map_fn,
    numpy_function as numpy_function,
    ones as ones,
    ones_like as ones_like,
    pad as pad,
    scan as scan,
    shape as shape,
    size as size,
    transpose as transpose,
    tuple as tuple,
    vectorized_map as vectorized_map,
    where as where,
    zeros as zeros,
    zeros_like as zeros_like,
)
from tensorlite.compat.v2.framework import (
    GradientTape as GradientTape,
    Module as Module,
    Variable as Variable,
    constant as constant,
    convert_to_tensor as convert_to_tensor,
    device as device,
    get_current_name_scope as get_current_name_scope,
    gradients as gradients,
    inside_function as inside_function,
    is_symbolic_tensor as is_symbolic_tensor,
    name_scope as name_scope,
)
from tensorlite.compat.v2.functions import (
    function as function,
    py_function as py_function,
)
from tensorlite.compat.v2.tensor_arrays import TensorArray as TensorArray
from tensorlite.compat.views import (
    Operation as Operation,
)
from tensorlite.core.shapes import (
    TensorShape as TensorShape,
)
from tensorlite.core.tensor import (
    Tensor as Tensor,
)

newaxis = None
space_to_batch_nd = space_to_batch
matrix_square_root = linalg.sqrtm
__version__, __git_version__ = version.VERSION, version.GIT_VERSION
__compiler_version__ = version.COMPILER_VERSION
initializers = keras.initializers
losses, metrics, optimizers = keras.losses, keras.metrics, keras.optimizers
constant_initializer = initializers.Constant
ones_initializer = initializers.Ones
zeros_initializer = initializers.Zeros
random_normal_initializer = initializers.DrawnNormal
random_uniform_initializer = initializers.DrawnUniform

give_results()

__internal__ = internal
by_path(__name__)


__dir__ = listing(__name__, globals(), ["estimator"])


def __getattr__(name: str) -> object:
    """Return what is imported at first use; say of a name that is not there what is near it."""
    if name in {"compiler", "estimator", "python"}:
        return import_module(f"{__name__}.{name}")
    raise attribute_error(__name__, name, globals())
