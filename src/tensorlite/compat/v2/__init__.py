"""TensorFlow 2's names: `import tensorlite.compat.v2 as tf`.

Programs run at once unless they build a graph in `with tf.Graph().as_default()`.
"""

from __future__ import annotations

from tensorlite.graph_mode.graph import mode

if (
    mode.eager is None
):  # before what follows, since each namespace needs parts of the other
    mode.eager = True

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.shared.arrays import (
    batch_to_space,
    broadcast_static_shape,
    broadcast_to,
    concat,
    ensure_shape,
    expand_dims,
    eye,
    guarantee_const,
    identity,
    identity_n,
    linspace,
    meshgrid,
    parallel_stack,
    range,
    rank,
    repeat,
    reshape,
    reverse,
    reverse_sequence,
    roll,
    sequence_mask,
    shape_n,
    slice,
    space_to_batch,
    split,
    squeeze,
    stack,
    stop_gradient,
    strided_slice,
    tile,
    unstack,
)
from tensorlite.compat.shared.arrays import (
    space_to_batch as space_to_batch_nd,
)
from tensorlite.compat.shared.checks import (
    Assert,
    assert_equal,
    assert_greater,
    assert_less,
    assert_rank,
)
from tensorlite.compat.shared.control_flow import (
    case,
    cond,
    switch_case,
    while_loop,
)
from tensorlite.compat.shared.elementwise import (
    abs,
    acos,
    acosh,
    add,
    add_n,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    bitcast,
    cast,
    clip_by_value,
    complex,
    cos,
    cosh,
    divide,
    equal,
    exp,
    floor,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    multiply,
    negative,
    not_equal,
    pow,
    realdiv,
    round,
    saturate_cast,
    scalar_mul,
    sigmoid,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    truediv,
    truncatediv,
    truncatemod,
)
from tensorlite.compat.shared.image import (
    extract_volume_patches,
)
from tensorlite.compat.shared.kinds import (
    DType,
    as_dtype,
    bfloat16,
    bool,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    newaxis,
    resource,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
    variant,
)
from tensorlite.compat.shared.matrices import (
    clip_by_global_norm,
    clip_by_norm,
    eig,
    eigvals,
    einsum,
    matmul,
    norm,
    tensordot,
)
from tensorlite.compat.shared.matrices import (
    sqrtm as matrix_square_root,
)
from tensorlite.compat.shared.picking import (
    argsort,
    dynamic_partition,
    dynamic_stitch,
    gather,
    histogram_fixed_width,
    histogram_fixed_width_bins,
    one_hot,
    scatter_nd,
    searchsorted,
    sort,
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
    unique,
    unique_with_counts,
    unravel_index,
)
from tensorlite.compat.shared.python import (
    custom_gradient,
    grad_pass_through,
    print,
    recompute_grad,
    timestamp,
)
from tensorlite.compat.shared.reductions import (
    argmax,
    argmin,
    cumsum,
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from tensorlite.compat.shared.sparse import (
    edit_distance,
)
from tensorlite.compat.shared.strings import (
    as_string,
    fingerprint,
)
from tensorlite.compat.shared.tensor_arrays import (
    TensorArray,
)
from tensorlite.compat.shared.values import (
    AggregationMethod,
    IndexedSlices,
    UnconnectedGradients,
    VariableAggregation,
    VariableSynchronization,
    get_static_value,
    hessians,
)
from tensorlite.compat.v1.framework import (
    Graph,
    control_dependencies,
    device,
    executing_eagerly,
    group,
    init_scope,
    is_tensor,
    no_op,
)
from tensorlite.compat.v2 import (
    autograph,
    bitwise,
    compat,
    config,
    data,
    debugging,
    distribute,
    dtypes,
    errors,
    image,
    io,
    keras,
    linalg,
    lookup,
    math,
    nest,
    nn,
    quantization,
    random,
    saved_model,
    sets,
    signal,
    sparse,
    strings,
    summary,
    sysconfig,
    test,
    train,
    types,
    version,
)
from tensorlite.compat.v2.arrays import (
    boolean_mask,
    broadcast_dynamic_shape,
    fill,
    foldl,
    foldr,
    gather_nd,
    map_fn,
    numpy_function,
    ones,
    ones_like,
    pad,
    scan,
    shape,
    size,
    transpose,
    tuple,
    vectorized_map,
    where,
    zeros,
    zeros_like,
)
from tensorlite.compat.v2.framework import (
    GradientTape,
    Module,
    Variable,
    constant,
    convert_to_tensor,
    get_current_name_scope,
    gradients,
    inside_function,
    is_symbolic_tensor,
    name_scope,
)
from tensorlite.compat.v2.functions import function, py_function
from tensorlite.compat.v2.version import (
    VERSION as __version__,
)
from tensorlite.compat.views import (
    Operation,
)
from tensorlite.config import set_numpy_operands, set_soft_placement
from tensorlite.core.shapes import (
    TensorShape,
)
from tensorlite.core.spec import (
    TensorSpec,
)
from tensorlite.core.tensor import (
    Tensor,
)
from tensorlite.ops.sparse_tensor import (
    SparseTensor,
)

initializers = keras.initializers
losses, metrics, optimizers = keras.losses, keras.metrics, keras.optimizers
constant_initializer = initializers.Constant
ones_initializer = initializers.Ones
zeros_initializer = initializers.Zeros
random_normal_initializer = initializers.RandomNormal
random_uniform_initializer = initializers.RandomUniform

set_numpy_operands("adopt")
set_soft_placement(True)


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
