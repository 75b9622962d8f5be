"""TensorFlow 1's names: `import tensorlite.compat.v1 as tf`.

Programs build a graph unless they call `enable_eager_execution`.
"""

from __future__ import annotations

from tensorlite.graph_mode.graph import mode

if (
    mode.eager is None
):  # before what follows, since each namespace needs parts of the other
    mode.eager = False

import sys as sys
from importlib import import_module

from tensorlite.compat.conversions import (
    register_tensor_conversion_function as register_tensor_conversion_function,
)
from tensorlite.compat.later import of_version_2
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.module_paths import by_path
from tensorlite.compat.shapes import TensorShape as TensorShape
from tensorlite.compat.shared import (
    audio as audio,
    queue as queue,
    raw_ops as raw_ops,
)
from tensorlite.compat.shared.arrays import (
    ensure_shape as ensure_shape,
    fill as fill,
    identity as identity,
    identity_n as identity_n,
    linspace as linspace,
    ones as ones,
    range as range,
    rank as rank,
    reshape as reshape,
    shape_n as shape_n,
    stack as stack,
    stop_gradient as stop_gradient,
    transpose as transpose,
    unstack as unstack,
    zeros as zeros,
)
from tensorlite.compat.shared.checks import (
    Assert as Assert,
    assert_integer as assert_integer,
    assert_proper_iterable as assert_proper_iterable,
    assert_same_float_dtype as assert_same_float_dtype,
    assert_type as assert_type,
    check_numerics as check_numerics,
    is_non_decreasing as is_non_decreasing,
    is_numeric_tensor as is_numeric_tensor,
    is_strictly_increasing as is_strictly_increasing,
)
from tensorlite.compat.shared.choices import (
    case as case,
    switch_case as switch_case,
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
    roll as roll,
    slice as slice,
    tile as tile,
)
from tensorlite.compat.shared.datasets.data_specs import OptionalSpec as OptionalSpec
from tensorlite.compat.shared.elementwise import (
    abs as abs,
    accumulate_n as accumulate_n,
    acos as acos,
    acosh as acosh,
    add as add,
    add_n as add_n,
    angle as angle,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atan2 as atan2,
    atanh as atanh,
    betainc as betainc,
    bitcast as bitcast,
    cast as cast,
    ceil as ceil,
    clip_by_value as clip_by_value,
    complex as complex,
    conj as conj,
    cos as cos,
    cosh as cosh,
    digamma as digamma,
    div as div,
    div_no_nan as div_no_nan,
    divide as divide,
    equal as equal,
    erf as erf,
    erfc as erfc,
    exp as exp,
    expm1 as expm1,
    floor as floor,
    floor_div as floor_div,
    floordiv as floordiv,
    floormod as floormod,
    greater as greater,
    greater_equal as greater_equal,
    igamma as igamma,
    igammac as igammac,
    imag as imag,
    is_finite as is_finite,
    is_inf as is_inf,
    is_nan as is_nan,
    lbeta as lbeta,
    less as less,
    less_equal as less_equal,
    lgamma as lgamma,
    log as log,
    log1p as log1p,
    log_sigmoid as log_sigmoid,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    logical_xor as logical_xor,
    maximum as maximum,
    minimum as minimum,
    multiply as multiply,
    negative as negative,
    not_equal as not_equal,
    polygamma as polygamma,
    pow as pow,
    real as real,
    realdiv as realdiv,
    reciprocal as reciprocal,
    rint as rint,
    round as round,
    rsqrt as rsqrt,
    saturate_cast as saturate_cast,
    scalar_mul as scalar_mul,
    sigmoid as sigmoid,
    sign as sign,
    sin as sin,
    sinh as sinh,
    sqrt as sqrt,
    square as square,
    squared_difference as squared_difference,
    subtract as subtract,
    tan as tan,
    tanh as tanh,
    truediv as truediv,
    truncatediv as truncatediv,
    truncatemod as truncatemod,
    zeta as zeta,
)
from tensorlite.compat.shared.grids import meshgrid as meshgrid
from tensorlite.compat.shared.images.image import (
    extract_volume_patches as extract_volume_patches,
)
from tensorlite.compat.shared.kinds import *
from tensorlite.compat.shared.kinds import QUANTIZED_DTYPES as QUANTIZED_DTYPES
from tensorlite.compat.shared.linear.matrices import (
    cholesky as cholesky,
    cholesky_solve as cholesky_solve,
    cross as cross,
    matmul as matmul,
    matrix_transpose as matrix_transpose,
    qr as qr,
    svd as svd,
    trace as trace,
)
from tensorlite.compat.shared.masks import (
    sequence_mask as sequence_mask,
)
from tensorlite.compat.shared.ordering import (
    argsort as argsort,
    searchsorted as searchsorted,
    sort as sort,
)
from tensorlite.compat.shared.padding import pad as pad
from tensorlite.compat.shared.picking import (
    dynamic_partition as dynamic_partition,
    dynamic_stitch as dynamic_stitch,
    histogram_fixed_width as histogram_fixed_width,
    invert_permutation as invert_permutation,
    one_hot as one_hot,
    scatter_nd as scatter_nd,
    setdiff1d as setdiff1d,
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
    Print as Print,
    custom_gradient as custom_gradient,
    grad_pass_through as grad_pass_through,
    numpy_function as numpy_function,
    py_func as py_func,
    py_function as py_function,
    recompute_grad as recompute_grad,
    timestamp as timestamp,
)
from tensorlite.compat.shared.quantized import (
    dequantize as dequantize,
    fake_quant_with_min_max_args as fake_quant_with_min_max_args,
    fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient,
    fake_quant_with_min_max_vars as fake_quant_with_min_max_vars,
    fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient,
    fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
    fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient,  # noqa: E501
    quantize as quantize,
    quantize_v2 as quantize_v2,
    quantized_concat as quantized_concat,
)
from tensorlite.compat.shared.ragged_and_sparse.built_rows import (
    RaggedTensor as RaggedTensor,
)
from tensorlite.compat.shared.ragged_and_sparse.ragged import (
    RaggedTensorSpec as RaggedTensorSpec,
)
from tensorlite.compat.shared.ragged_and_sparse.sparse import (
    edit_distance as edit_distance,
    sparse_to_dense as sparse_to_dense,
)
from tensorlite.compat.shared.reductions import (
    cumprod as cumprod,
    cumsum as cumsum,
)
from tensorlite.compat.shared.repeating import repeat as repeat
from tensorlite.compat.shared.segments import (
    segment_max as segment_max,
    segment_mean as segment_mean,
    segment_min as segment_min,
    segment_prod as segment_prod,
    segment_sum as segment_sum,
    unsorted_segment_max as unsorted_segment_max,
    unsorted_segment_mean as unsorted_segment_mean,
    unsorted_segment_min as unsorted_segment_min,
    unsorted_segment_prod as unsorted_segment_prod,
    unsorted_segment_sqrt_n as unsorted_segment_sqrt_n,
    unsorted_segment_sum as unsorted_segment_sum,
)
from tensorlite.compat.shared.signal import (
    fft as fft,
    fft2d as fft2d,
    fft3d as fft3d,
    ifft as ifft,
    ifft2d as ifft2d,
    ifft3d as ifft3d,
)
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
    decode_base64 as decode_base64,
    encode_base64 as encode_base64,
    fingerprint as fingerprint,
    regex_replace as regex_replace,
)
from tensorlite.compat.shared.tables.lookups import (
    initialize_all_tables as initialize_all_tables,
    tables_initializer as tables_initializer,
)
from tensorlite.compat.shared.tensor_arrays import (
    TensorArray as TensorArray,
)
from tensorlite.compat.shared.tensor_messages import (
    make_ndarray as make_ndarray,
    make_tensor_proto as make_tensor_proto,
)
from tensorlite.compat.shared.values import (
    AggregationMethod as AggregationMethod,
    IndexedSlices as IndexedSlices,
    SparseTensor as SparseTensor,
    SparseTensorValue as SparseTensorValue,
    TensorSpec as TensorSpec,
    UnconnectedGradients as UnconnectedGradients,
    VariableAggregation as VariableAggregation,
    VariableSynchronization as VariableSynchronization,
    convert_to_tensor_or_indexed_slices as convert_to_tensor_or_indexed_slices,
    convert_to_tensor_or_sparse_tensor as convert_to_tensor_or_sparse_tensor,
    dimension_at_index as dimension_at_index,
    dimension_value as dimension_value,
    executing_eagerly_outside_functions as executing_eagerly_outside_functions,
    get_static_value as get_static_value,
)
from tensorlite.compat.v1 import (
    app as app,
    bitwise as bitwise,
    compat as compat,
    contrib as contrib,
    data as data,
    debugging as debugging,
    distributions as distributions,
    dtypes as dtypes,
    errors as errors,
    estimator as estimator,
    examples as examples,
    feature_column as feature_column,
    flags as flags,
    gfile as gfile,
    graph_util as graph_util,
    image as image,
    initializers as initializers,
    layers as layers,
    linalg as linalg,
    logging as logging,
    lookup as lookup,
    losses as losses,
    manip as manip,
    math as math,
    messages,
    metrics as metrics,
    mixed_precision as mixed_precision,
    nest as nest,
    nn as nn,
    profiler as profiler,
    quantization as quantization,
    ragged as ragged,
    random as random,
    resource_loader as resource_loader,
    saved_model as saved_model,
    sets as sets,
    signal as signal,
    sparse as sparse,
    spectral as spectral,
    strings as strings,
    summary as summary,
    sysconfig as sysconfig,
    test as test,
    tpu as tpu,
    train as train,
    version as version,
)
from tensorlite.compat.v1.before import *
from tensorlite.compat.v1.derivatives import every as _every
from tensorlite.compat.v1.device_specs import DeviceSpec as DeviceSpec
from tensorlite.compat.v1.functions.arrays import *
from tensorlite.compat.v1.functions.checks import *
from tensorlite.compat.v1.functions.clipping import (
    clip_by_average_norm as clip_by_average_norm,
    clip_by_global_norm as clip_by_global_norm,
    clip_by_norm as clip_by_norm,
    global_norm as global_norm,
)
from tensorlite.compat.v1.functions.contracting import tensordot as tensordot
from tensorlite.compat.v1.functions.control_flow import *
from tensorlite.compat.v1.functions.einsums import einsum as einsum
from tensorlite.compat.v1.functions.gathering import (
    batch_gather as batch_gather,
    gather_nd as gather_nd,
)
from tensorlite.compat.v1.functions.image_older import (
    extract_image_patches as extract_image_patches,
)
from tensorlite.compat.v1.functions.init_ops import *
from tensorlite.compat.v1.functions.matrices import *
from tensorlite.compat.v1.functions.matrices_written import (
    matrix_solve_ls as matrix_solve_ls,
)
from tensorlite.compat.v1.functions.numbers import *
from tensorlite.compat.v1.functions.sparse_older import *
from tensorlite.compat.v1.functions.spreading import (
    required_space_to_batch_paddings as required_space_to_batch_paddings,
)
from tensorlite.compat.v1.functions.strings_older import *
from tensorlite.compat.v1.graphs.behaviour import *
from tensorlite.compat.v1.graphs.configuration import *
from tensorlite.compat.v1.graphs.framework import *
from tensorlite.compat.v1.graphs.graphdefs import import_graph_def as import_graph_def
from tensorlite.compat.v1.graphs.partitioned import *
from tensorlite.compat.v1.graphs.scopes import *
from tensorlite.compat.v1.graphs.session_handles import (
    delete_session_tensor as delete_session_tensor,
    get_session_handle as get_session_handle,
    get_session_tensor as get_session_tensor,
)
from tensorlite.compat.v1.graphs.state import *
from tensorlite.compat.v1.graphs.together import tuple_
from tensorlite.compat.v1.graphs.variables import Variable as Variable
from tensorlite.compat.v1.graphs.wrapping import wrap_function as wrap_function
from tensorlite.compat.v1.messages import RunMetadata as RunMetadata
from tensorlite.compat.v1.pipelines.reading import *
from tensorlite.compat.v1.random import (
    get_seed as get_seed,
    multinomial as multinomial,
    random_crop as random_crop,
    random_gamma as random_gamma,
    random_normal as random_normal,
    random_poisson as random_poisson,
    random_shuffle as random_shuffle,
    random_uniform as random_uniform,
    truncated_normal as truncated_normal,
)
from tensorlite.compat.v1.second_derivatives import hessians as hessians
from tensorlite.compat.v1.summaries_before import *
from tensorlite.compat.v1.training.accumulators import (
    ConditionalAccumulator as ConditionalAccumulator,
    SparseConditionalAccumulator as SparseConditionalAccumulator,
)
from tensorlite.compat.v1.version import (
    COMPILER_VERSION as COMPILER_VERSION,
    GIT_VERSION as GIT_VERSION,
    GRAPH_DEF_VERSION as GRAPH_DEF_VERSION,
    GRAPH_DEF_VERSION_MIN_CONSUMER as GRAPH_DEF_VERSION_MIN_CONSUMER,
    GRAPH_DEF_VERSION_MIN_PRODUCER as GRAPH_DEF_VERSION_MIN_PRODUCER,
    VERSION as VERSION,
)
from tensorlite.compat.views import (
    Operation as Operation,
    ShownTensor,
)
from tensorlite.core.sizes import Dimension as Dimension
from tensorlite.interop.tensorflow.messages import message

graph_messages = {
    *("AttrValue", "GraphDef", "MetaGraphDef", "NameAttrList", "NodeDef"),
    *("TensorInfo",),
}


assert _every is not None  # it makes derivatives known
newaxis = None
OpError = errors.OpError
Tensor = ShownTensor
tuple = tuple_
__version__, __git_version__ = VERSION, GIT_VERSION
__compiler_version__ = COMPILER_VERSION
_OF_BOTH = ("autograph", "config", "distribute", "types")
_OF_VERSION_2 = {
    "Module": "framework",
    "function": "functions",
    "is_symbolic_tensor": "framework",
}


_AT_FIRST_USE = [
    "keras",
    *_OF_BOTH,
    *_OF_VERSION_2,
    *messages.SUMMARIES,
    *graph_messages,
]
__dir__ = listing(__name__, globals(), _AT_FIRST_USE)
by_path(__name__)


def __getattr__(name: str) -> object:
    """Return what is imported at first use: TensorFlow's messages, and what both versions share."""
    if name in {"keras", "python"}:
        return import_module(f"{__name__}.{name}")
    if name in _OF_BOTH:
        return import_module(f"tensorlite.compat.v2.{name}")
    if name in _OF_VERSION_2:
        return of_version_2(_OF_VERSION_2[name], name)
    if name in messages.SUMMARIES:
        return getattr(messages, name)
    if name in graph_messages:
        return message(name)
    raise attribute_error(__name__, name, globals())
