"""TensorFlow 1's names: `import tensorlite.compat.v1 as tf`.

Programs build a graph unless they call `enable_eager_execution`.
"""

from __future__ import annotations

from tensorlite.graph_mode.graph import mode

if (
    mode.eager is None
):  # before what follows, since each namespace needs parts of the other
    mode.eager = False

import sys

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.shapes import Dimension, TensorShape
from tensorlite.compat.shared.arrays import (
    broadcast_static_shape,
    broadcast_to,
    ensure_shape,
    eye,
    fill,
    guarantee_const,
    identity,
    identity_n,
    linspace,
    meshgrid,
    ones,
    pad,
    parallel_stack,
    range,
    rank,
    repeat,
    reshape,
    reverse,
    roll,
    sequence_mask,
    shape_n,
    slice,
    stack,
    stop_gradient,
    strided_slice,
    tile,
    transpose,
    unstack,
    zeros,
)
from tensorlite.compat.shared.arrays import (
    linspace as lin_space,
)
from tensorlite.compat.shared.arrays import (
    reverse as reverse_v2,
)
from tensorlite.compat.shared.arrays import (
    space_to_batch as space_to_batch_nd,
)
from tensorlite.compat.shared.checks import (
    Assert,
    assert_integer,
    assert_proper_iterable,
    assert_same_float_dtype,
    assert_type,
    check_numerics,
    is_non_decreasing,
    is_numeric_tensor,
    is_strictly_increasing,
)
from tensorlite.compat.shared.control_flow import (
    case,
    switch_case,
)
from tensorlite.compat.shared.elementwise import (
    abs,
    accumulate_n,
    acos,
    acosh,
    add,
    add_n,
    angle,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    betainc,
    bitcast,
    cast,
    ceil,
    clip_by_value,
    complex,
    conj,
    cos,
    cosh,
    digamma,
    div,
    div_no_nan,
    divide,
    equal,
    erf,
    erfc,
    exp,
    expm1,
    floor,
    floor_div,
    floordiv,
    floormod,
    greater,
    greater_equal,
    igamma,
    igammac,
    imag,
    is_finite,
    is_inf,
    is_nan,
    lbeta,
    less,
    less_equal,
    lgamma,
    log,
    log1p,
    log_sigmoid,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    multiply,
    negative,
    not_equal,
    polygamma,
    pow,
    real,
    realdiv,
    reciprocal,
    rint,
    round,
    rsqrt,
    saturate_cast,
    scalar_mul,
    sigmoid,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    squared_difference,
    subtract,
    tan,
    tanh,
    truediv,
    truncatediv,
    truncatemod,
    zeta,
)
from tensorlite.compat.shared.elementwise import (
    floormod as mod,
)
from tensorlite.compat.shared.image import (
    extract_volume_patches,
)
from tensorlite.compat.shared.kinds import (
    QUANTIZED_DTYPES,
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
from tensorlite.compat.shared.lookups import (
    initialize_all_tables,
    tables_initializer,
)
from tensorlite.compat.shared.matrices import (
    band_part as matrix_band_part,
)
from tensorlite.compat.shared.matrices import (
    cholesky,
    cholesky_solve,
    clip_by_average_norm,
    clip_by_global_norm,
    clip_by_norm,
    cross,
    einsum,
    global_norm,
    matmul,
    matrix_transpose,
    qr,
    svd,
    tensordot,
    trace,
)
from tensorlite.compat.shared.matrices import (
    det as matrix_determinant,
)
from tensorlite.compat.shared.matrices import (
    eigh as self_adjoint_eig,
)
from tensorlite.compat.shared.matrices import (
    eigvalsh as self_adjoint_eigvals,
)
from tensorlite.compat.shared.matrices import (
    inv as matrix_inverse,
)
from tensorlite.compat.shared.matrices import (
    lstsq as matrix_solve_ls,
)
from tensorlite.compat.shared.matrices import (
    solve as matrix_solve,
)
from tensorlite.compat.shared.matrices import (
    sqrtm as matrix_square_root,
)
from tensorlite.compat.shared.matrices import (
    tensor_diag as diag,
)
from tensorlite.compat.shared.matrices import (
    tensor_diag_part as diag_part,
)
from tensorlite.compat.shared.matrices import (
    triangular_solve as matrix_triangular_solve,
)
from tensorlite.compat.shared.picking import (
    argsort,
    batch_gather,
    dynamic_partition,
    dynamic_stitch,
    histogram_fixed_width,
    histogram_fixed_width_bins,
    invert_permutation,
    one_hot,
    scatter_nd,
    searchsorted,
    segment_max,
    segment_mean,
    segment_min,
    segment_prod,
    segment_sum,
    setdiff1d,
    sort,
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
    unique,
    unique_with_counts,
    unravel_index,
    unsorted_segment_max,
    unsorted_segment_mean,
    unsorted_segment_min,
    unsorted_segment_prod,
    unsorted_segment_sqrt_n,
    unsorted_segment_sum,
)
from tensorlite.compat.shared.picking import (
    tensor_scatter_nd_add as tensor_scatter_add,
)
from tensorlite.compat.shared.picking import (
    tensor_scatter_nd_sub as tensor_scatter_sub,
)
from tensorlite.compat.shared.picking import (
    tensor_scatter_nd_update as tensor_scatter_update,
)
from tensorlite.compat.shared.python import (
    Print,
    custom_gradient,
    grad_pass_through,
    numpy_function,
    print,
    py_func,
    py_function,
    recompute_grad,
    timestamp,
)
from tensorlite.compat.shared.quantized import (
    fake_quant_with_min_max_args,
    fake_quant_with_min_max_vars,
    fake_quant_with_min_max_vars_per_channel,
)
from tensorlite.compat.shared.reductions import (
    cumprod,
    cumsum,
)
from tensorlite.compat.shared.signal import (
    fft,
    fft2d,
    fft3d,
    ifft,
    ifft2d,
    ifft3d,
)
from tensorlite.compat.shared.sparse import (
    edit_distance,
    sparse_to_dense,
)
from tensorlite.compat.shared.sparse import (
    fill_empty_rows as sparse_fill_empty_rows,
)
from tensorlite.compat.shared.sparse import (
    mask as sparse_mask,
)
from tensorlite.compat.shared.sparse import (
    maximum as sparse_maximum,
)
from tensorlite.compat.shared.sparse import (
    minimum as sparse_minimum,
)
from tensorlite.compat.shared.sparse import (
    reorder as sparse_reorder,
)
from tensorlite.compat.shared.sparse import (
    reset_shape as sparse_reset_shape,
)
from tensorlite.compat.shared.sparse import (
    reshape as sparse_reshape,
)
from tensorlite.compat.shared.sparse import (
    retain as sparse_retain,
)
from tensorlite.compat.shared.sparse import (
    slice as sparse_slice,
)
from tensorlite.compat.shared.sparse import (
    softmax as sparse_softmax,
)
from tensorlite.compat.shared.sparse import (
    sparse_dense_matmul as sparse_tensor_dense_matmul,
)
from tensorlite.compat.shared.sparse import (
    to_dense as sparse_tensor_to_dense,
)
from tensorlite.compat.shared.sparse import (
    to_indicator as sparse_to_indicator,
)
from tensorlite.compat.shared.sparse import (
    transpose as sparse_transpose,
)
from tensorlite.compat.shared.strings import (
    as_string,
    decode_base64,
    encode_base64,
    fingerprint,
    regex_replace,
)
from tensorlite.compat.shared.strings import (
    join as string_join,
)
from tensorlite.compat.shared.strings import (
    strip as string_strip,
)
from tensorlite.compat.shared.strings import (
    to_hash_bucket_fast as string_to_hash_bucket_fast,
)
from tensorlite.compat.shared.strings import (
    to_hash_bucket_strong as string_to_hash_bucket_strong,
)
from tensorlite.compat.shared.tensor_arrays import (
    TensorArray,
)
from tensorlite.compat.shared.values import (
    AggregationMethod,
    IndexedSlices,
    SparseTensor,
    SparseTensorValue,
    TensorSpec,
    UnconnectedGradients,
    VariableAggregation,
    VariableSynchronization,
    convert_to_tensor_or_indexed_slices,
    convert_to_tensor_or_sparse_tensor,
    dimension_at_index,
    dimension_value,
    executing_eagerly_outside_functions,
    get_static_value,
    hessians,
)
from tensorlite.compat.v1 import (
    app,
    bitwise,
    compat,
    contrib,
    data,
    debugging,
    distributions,
    dtypes,
    errors,
    estimator,
    examples,
    flags,
    gfile,
    graph_util,
    image,
    initializers,
    layers,
    linalg,
    logging,
    lookup,
    losses,
    manip,
    math,
    messages,
    metrics,
    nest,
    nn,
    quantization,
    random,
    resource_loader,
    saved_model,
    sets,
    signal,
    sparse,
    spectral,
    strings,
    summary,
    sysconfig,
    test,
    train,
    version,
)
from tensorlite.compat.v1.arrays import (
    batch_to_space,
    batch_to_space_nd,
    bincount,
    boolean_mask,
    broadcast_dynamic_shape,
    confusion_matrix,
    depth_to_space,
    expand_dims,
    gather,
    gather_nd,
    ones_like,
    reverse_sequence,
    shape,
    size,
    space_to_batch,
    space_to_depth,
    sparse_segment_mean,
    sparse_segment_sqrt_n,
    sparse_segment_sum,
    squeeze,
    where,
    where_v2,
    zeros_like,
)
from tensorlite.compat.v1.before import (
    batch_cholesky,
    batch_cholesky_solve,
    batch_matmul,
    batch_matrix_triangular_solve,
    complex_abs,
    concat,
    inv,
    mul,
    neg,
    pack,
    split,
    sub,
    unpack,
)
from tensorlite.compat.v1.checks import (
    assert_equal,
    assert_greater,
    assert_greater_equal,
    assert_less,
    assert_less_equal,
    assert_near,
    assert_negative,
    assert_non_negative,
    assert_non_positive,
    assert_none_equal,
    assert_positive,
    assert_rank,
    assert_rank_at_least,
    assert_rank_in,
    assert_scalar,
    verify_tensor_all_finite,
)
from tensorlite.compat.v1.configuration import (
    ConfigProto,
    GPUOptions,
    GraphOptions,
    OptimizerOptions,
    RunOptions,
)
from tensorlite.compat.v1.control_flow import (
    cond,
    foldl,
    foldr,
    map_fn,
    scan,
    while_loop,
)
from tensorlite.compat.v1.framework import (
    Graph,
    InteractiveSession,
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
from tensorlite.compat.v1.framework import tuple_ as tuple
from tensorlite.compat.v1.graphdefs import import_graph_def
from tensorlite.compat.v1.image_older import (
    extract_image_patches,
)
from tensorlite.compat.v1.init_ops import (
    Constant as constant_initializer,
)
from tensorlite.compat.v1.init_ops import (
    GlorotNormal as glorot_normal_initializer,
)
from tensorlite.compat.v1.init_ops import (
    GlorotUniform as glorot_uniform_initializer,
)
from tensorlite.compat.v1.init_ops import (
    Ones as ones_initializer,
)
from tensorlite.compat.v1.init_ops import (
    Orthogonal as orthogonal_initializer,
)
from tensorlite.compat.v1.init_ops import (
    RandomNormal as random_normal_initializer,
)
from tensorlite.compat.v1.init_ops import (
    RandomUniform as random_uniform_initializer,
)
from tensorlite.compat.v1.init_ops import (
    TruncatedNormal as truncated_normal_initializer,
)
from tensorlite.compat.v1.init_ops import (
    UniformUnitScaling as uniform_unit_scaling_initializer,
)
from tensorlite.compat.v1.init_ops import (
    VarianceScaling as variance_scaling_initializer,
)
from tensorlite.compat.v1.init_ops import (
    Zeros as zeros_initializer,
)
from tensorlite.compat.v1.matrices import (
    matrix_diag,
    matrix_diag_part,
    matrix_set_diag,
    norm,
)
from tensorlite.compat.v1.messages import RunMetadata
from tensorlite.compat.v1.numbers import (
    arg_max,
    arg_min,
    argmax,
    argmin,
    count_nonzero,
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
    to_bfloat16,
    to_complex64,
    to_complex128,
    to_double,
    to_float,
    to_int32,
    to_int64,
)
from tensorlite.compat.v1.partitioned import (
    fixed_size_partitioner,
    min_max_variable_partitioner,
    variable_axis_size_partitioner,
)
from tensorlite.compat.v1.random import (
    get_seed,
    multinomial,
    random_crop,
    random_gamma,
    random_normal,
    random_poisson,
    random_shuffle,
    random_uniform,
    truncated_normal,
)
from tensorlite.compat.v1.reading import *  # noqa: F403  queues, readers, parsing
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
from tensorlite.compat.v1.sparse_older import (
    sparse_add,
    sparse_concat,
    sparse_matmul,
    sparse_merge,
    sparse_placeholder,
    sparse_reduce_max,
    sparse_reduce_max_sparse,
    sparse_reduce_sum,
    sparse_reduce_sum_sparse,
    sparse_split,
)
from tensorlite.compat.v1.state import (
    GradientTape,
    NoGradient,
    NotDifferentiable,
    RegisterGradient,
    container,
    control_flow_v2_enabled,
    disable_control_flow_v2,
    disable_resource_variables,
    disable_tensor_equality,
    disable_v2_tensorshape,
    enable_control_flow_v2,
    enable_resource_variables,
    enable_tensor_equality,
    enable_v2_tensorshape,
    get_local_variable,
    load_file_system_library,
    load_library,
    load_op_library,
    no_gradient,
    resource_variables_enabled,
    scatter_add,
    scatter_div,
    scatter_max,
    scatter_min,
    scatter_mul,
    scatter_nd_add,
    scatter_nd_sub,
    scatter_nd_update,
    scatter_sub,
    scatter_update,
    vectorized_map,
)
from tensorlite.compat.v1.strings_older import (
    decode_raw,
    reduce_join,
    string_split,
    string_to_hash_bucket,
    string_to_number,
    substr,
)
from tensorlite.compat.v1.summaries_before import (
    audio_summary,
    histogram_summary,
    image_summary,
    merge_all_summaries,
    merge_summary,
    scalar_summary,
)
from tensorlite.compat.v1.variables import Variable
from tensorlite.compat.v1.version import (
    COMPILER_VERSION,
    GIT_VERSION,
    GRAPH_DEF_VERSION,
    GRAPH_DEF_VERSION_MIN_CONSUMER,
    GRAPH_DEF_VERSION_MIN_PRODUCER,
    VERSION,
)
from tensorlite.compat.v1.version import VERSION as __version__
from tensorlite.compat.views import Operation
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.messages import message

graph_messages = {"GraphDef", "NodeDef", "MetaGraphDef", "AttrValue"}


def __getattr__(name: str) -> object:
    """Return one of TensorFlow's messages, whose package is imported at first use."""
    if name in messages.SUMMARIES:
        return getattr(messages, name)
    if name in graph_messages:
        return message(name)
    raise attribute_error(__name__, name, globals())
