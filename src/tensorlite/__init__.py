"""tensorlite: eager tensors, a gradient tape, and functions traced into dataflow graphs.

Every public name, gathered by name from where it lives; `python -m tensorlite` opens a prompt.
Tracing and the namespaces are imported at their first use, which keeps importing the package short.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from tensorlite.core import errors, nest, operand as _operand
from tensorlite.core.device import DeviceName
from tensorlite.core.dispatch import executing_eagerly
from tensorlite.core.dtypes import (
    DType,
    as_dtype,
    bfloat16,
    bool_ as bool,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    qint8,
    qint16,
    qint32,
    quint8,
    quint16,
    resource,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
    variant,
)
from tensorlite.core.heap import keep_freed as _keep_freed
from tensorlite.core.op import Op
from tensorlite.core.scope import control_dependencies, device, name_scope
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import IndexedSlices, Tensor, TensorLike
from tensorlite.graph.forward import ForwardAccumulator
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph.manual import ManualGraph as Graph, placeholder
from tensorlite.graph.tape import GradientTape
from tensorlite.graph.trace import colocate_with
from tensorlite.ops import operators as _operators
from tensorlite.ops.arrays.arrange import (
    broadcast_arrays,
    broadcast_shapes,
    expand_dims,
    flip,
    matrix_transpose,
    moveaxis,
    permute_dims,
    rank,
    roll,
    shape,
    size,
    squeeze,
    transpose,
)
from tensorlite.ops.arrays.blocks import depth_to_space, space_to_depth
from tensorlite.ops.arrays.create import (
    asarray,
    constant,
    empty,
    empty_like,
    fill,
    from_dlpack,
    full,
    full_like,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from tensorlite.ops.arrays.dtype_functions import (
    __array_api_version__,
    __array_namespace_info__,
    can_cast,
    e,
    finfo,
    iinfo,
    inf,
    isdtype,
    nan,
    newaxis,
    pi,
    result_type,
)
from tensorlite.ops.arrays.gather import (
    gather,
    gather_nd,
    scatter_nd,
    take,
    take_along_axis,
    unsorted_segment_sum,
)
from tensorlite.ops.arrays.identity import (
    identity,
    placeholder_with_default,
    stop_gradient,
    to_device,
)
from tensorlite.ops.arrays.index import set_item
from tensorlite.ops.arrays.join import concat, split
from tensorlite.ops.arrays.masks import boolean_mask
from tensorlite.ops.arrays.partition import dynamic_partition, dynamic_stitch
from tensorlite.ops.arrays.ranges import arange, eye, linspace, meshgrid, tril, triu
from tensorlite.ops.arrays.repeat import (
    pad,
    repeat,
    reverse_sequence,
    sequence_mask,
    tile,
)
from tensorlite.ops.arrays.scatter import (
    one_hot,
    tensor_scatter_add,
    tensor_scatter_max,
    tensor_scatter_min,
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
    tensor_scatter_sub,
    tensor_scatter_update,
)
from tensorlite.ops.arrays.search import (
    argsort,
    bincount,
    in_top_k,
    nonzero,
    searchsorted,
    sort,
    top_k,
)
from tensorlite.ops.arrays.segment import (
    segment_max,
    segment_mean,
    segment_min,
    segment_prod,
    segment_sum,
    unsorted_segment_max,
    unsorted_segment_mean,
    unsorted_segment_min,
    unsorted_segment_prod,
    unsorted_segment_sqrt_n,
)
from tensorlite.ops.arrays.sets import (
    isin,
    unique,
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
)
from tensorlite.ops.arrays.shape import astype, reshape
from tensorlite.ops.arrays.stack import stack, unstack
from tensorlite.ops.control.differentiate import (
    custom_gradient,
    grad,
    gradients,
    hessian,
    recompute_grad,
    value_and_grad,
)
from tensorlite.ops.control.effects import numpy_function, print, py_function
from tensorlite.ops.control.functional import fold, foldl, foldr, map_fn, scan
from tensorlite.ops.control.loops import case, cond, switch_case, while_loop
from tensorlite.ops.control.tensor_array import TensorArray
from tensorlite.ops.fetchable import group
from tensorlite.ops.linear.diagonal import band_part, diag, diag_part, set_diag
from tensorlite.ops.linear.einsum import einsum, tensordot
from tensorlite.ops.linear.matmul import matmul, vecdot
from tensorlite.ops.math.arithmetic import (
    add,
    add_n,
    broadcast_to,
    conj,
    divide,
    multiply,
    negative,
    subtract,
    sum,
)
from tensorlite.ops.math.bits import (
    bitwise_and,
    bitwise_invert,
    bitwise_left_shift,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
)
from tensorlite.ops.math.bounds import clip, maximum, minimum
from tensorlite.ops.math.compare import (
    equal,
    greater,
    greater_equal,
    isfinite,
    isinf,
    isnan,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    not_equal,
    where,
)
from tensorlite.ops.math.cumulative import cumulative_prod, cumulative_sum, diff
from tensorlite.ops.math.elementwise import (
    exp,
    expm1,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    pow,
    reciprocal,
    rsqrt,
    sqrt,
    square,
)
from tensorlite.ops.math.reduce import (
    all,
    any,
    argmax,
    argmin,
    count_nonzero,
    logsumexp,
    max,
    mean,
    min,
    prod,
    std,
    var,
)
from tensorlite.ops.math.rounding import (
    abs,
    ceil,
    copysign,
    floor,
    floor_divide,
    imag,
    nextafter,
    positive,
    real,
    remainder,
    round,
    sign,
    signbit,
    trunc,
)
from tensorlite.ops.math.special import erf
from tensorlite.ops.math.trigonometric import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    hypot,
    sin,
    sinh,
    tan,
    tanh,
)
from tensorlite.ops.sparse.slices import accumulate, densify
from tensorlite.ops.state.variable import Variable
from tensorlite.train.clipping import clip_by_global_norm, clip_by_norm, global_norm
from tensorlite.train.module import Module

if TYPE_CHECKING:
    from tensorlite import (
        checkpoint,
        compat,
        config,
        data,
        debugging,
        distribute,
        extend,
        fft,
        graphs,
        image,
        initializers,
        interop,
        io,
        layers,
        linalg,
        math,
        nn,
        optimizers,
        placement,
        profiler,
        quantization,
        queue,
        ragged,
        random,
        raw_ops,
        sets,
        signal,
        sparse,
        strings,
        summary,
    )
    from tensorlite.function.critical_section import CriticalSection
    from tensorlite.function.function import Function, function
    from tensorlite.function.iterables import range
    from tensorlite.function.session import Session
    from tensorlite.function.staging import do_not_convert
else:
    # A folder becomes an attribute of the package when it is first imported. `tl.function` is the
    # decorator: the folder, of the same name, is imported before, so that it does not come later.
    from tensorlite import function

    del function

_operand.operators = _operators

__version__ = "0.1.0"

__all__ = [
    "CriticalSection", "DType", "DeviceName", "ForwardAccumulator", "Function", "GradientTape",
    "Graph", "IndexedSlices",
    "Module", "Op", "Session", "SymbolicTensor", "Tensor", "TensorArray", "TensorLike",
    "TensorSpec", "Variable", "__array_api_version__", "__array_namespace_info__", "__version__",
    "abs", "accumulate", "acos", "acosh", "add", "add_n", "all", "any", "arange", "argmax",
    "argmin", "argsort", "as_dtype", "asarray", "asin", "asinh", "astype", "atan", "atan2", "atanh",
    "band_part", "bfloat16", "bincount", "bitwise_and", "bitwise_invert", "bitwise_left_shift",
    "bitwise_or", "bitwise_right_shift", "bitwise_xor", "bool", "boolean_mask", "broadcast_arrays",
    "broadcast_shapes", "broadcast_to", "can_cast", "case", "ceil", "checkpoint", "clip",
    "clip_by_global_norm", "clip_by_norm", "colocate_with", "compat", "complex128", "complex64",
    "concat", "cond", "config", "conj", "constant", "control_dependencies", "copysign", "cos",
    "cosh", "count_nonzero", "cumulative_prod", "cumulative_sum", "custom_gradient", "data",
    "debugging", "densify", "depth_to_space", "device", "diag", "diag_part", "diff", "distribute",
    "divide", "do_not_convert", "dynamic_partition", "dynamic_stitch", "e", "einsum", "empty",
    "empty_like", "equal", "erf", "errors", "executing_eagerly", "exp", "expand_dims", "expm1",
    "extend", "eye", "fft", "fill", "finfo", "flip", "float16", "float32", "float64", "floor",
    "floor_divide", "fold", "foldl", "foldr", "from_dlpack", "full", "full_like", "function",
    "gather", "gather_nd", "global_norm", "grad", "gradients", "graphs", "greater", "greater_equal",
    "group", "hessian", "hypot", "identity", "iinfo", "imag", "image", "in_top_k", "inf",
    "initializers", "int16", "int32", "int64", "int8", "interop", "io", "isdtype", "isfinite",
    "isin", "isinf", "isnan", "layers", "less", "less_equal", "linalg", "linspace", "log", "log10",
    "log1p", "log2", "logaddexp", "logical_and", "logical_not", "logical_or", "logical_xor",
    "logsumexp", "map_fn", "math", "matmul", "matrix_transpose", "max", "maximum", "mean",
    "meshgrid", "min", "minimum", "moveaxis", "multiply", "name_scope", "nan", "negative", "nest",
    "newaxis", "nextafter", "nn", "nonzero", "not_equal", "numpy_function", "one_hot", "ones",
    "ones_like", "optimizers", "pad", "permute_dims", "pi", "placeholder",
    "placeholder_with_default", "placement", "positive", "pow", "print", "prod", "profiler",
    "py_function", "qint16", "qint32", "qint8", "quantization", "queue", "quint16", "quint8",
    "ragged", "random", "range", "rank", "raw_ops",
    "real", "reciprocal", "recompute_grad", "remainder", "repeat", "reshape", "resource",
    "result_type", "reverse_sequence", "roll", "round", "rsqrt", "scan", "scatter_nd",
    "searchsorted", "segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum",
    "sequence_mask", "set_diag", "set_item", "sets", "shape", "sign", "signal", "signbit", "sin",
    "sinh", "size", "sort", "space_to_depth", "sparse", "split", "sqrt", "square", "squeeze",
    "stack", "std", "stop_gradient", "string", "strings", "subtract", "sum", "summary",
    "switch_case", "take", "take_along_axis", "tan", "tanh", "tensor_scatter_add",
    "tensor_scatter_max", "tensor_scatter_min", "tensor_scatter_nd_add", "tensor_scatter_nd_max",
    "tensor_scatter_nd_min", "tensor_scatter_nd_sub", "tensor_scatter_nd_update",
    "tensor_scatter_sub", "tensor_scatter_update", "tensordot", "tile", "to_device", "top_k",
    "transpose", "tril", "triu", "trunc", "uint16", "uint32", "uint64", "uint8", "unique",
    "unique_all", "unique_counts", "unique_inverse", "unique_values", "unsorted_segment_max",
    "unsorted_segment_mean", "unsorted_segment_min", "unsorted_segment_prod",
    "unsorted_segment_sqrt_n", "unsorted_segment_sum", "unstack", "value_and_grad", "var",
    "variant", "vecdot", "where", "while_loop", "zeros", "zeros_like",
]

_AT_FIRST_USE = {
    "CriticalSection": "function.critical_section",
    "Function": "function.function",
    "Session": "function.session",
    "do_not_convert": "function.staging",
    "function": "function.function",
    "range": "function.iterables",
}
_NAMESPACES = {
    "checkpoint",
    "compat",
    "config",
    "data",
    "debugging",
    "distribute",
    "extend",
    "fft",
    "graphs",
    "image",
    "initializers",
    "interop",
    "io",
    "layers",
    "linalg",
    "math",
    "nn",
    "optimizers",
    "placement",
    "profiler",
    "quantization",
    "queue",
    "ragged",
    "random",
    "raw_ops",
    "sets",
    "signal",
    "sparse",
    "strings",
    "summary",
}


_keep_freed()


def __getattr__(name: str) -> object:
    """Import what `name` stands for, and keep it."""
    if name in _NAMESPACES:
        return import_module(f"tensorlite.{name}")
    if name not in _AT_FIRST_USE:
        raise AttributeError(f"module 'tensorlite' has no attribute {name!r}{_elsewhere(name)}")
    value = getattr(import_module(f"tensorlite.{_AT_FIRST_USE[name]}"), name)
    globals()[name] = value
    return value


def _elsewhere(name: str) -> str:
    """Return where a name is that the package itself does not have, as part of a message."""
    places = (
        *("nn", "linalg", "random", "debugging", "layers", "optimizers", "data", "io"),
        *("queue", "config", "placement", "profiler", "image", "math", "strings", "sparse"),
        *("signal", "sets", "quantization", "ragged"),
    )
    public = not name.startswith("_") and name not in _NAMESPACES
    found = [
        f"tl.{place}.{name}"
        for place in places
        if public and name in import_module(f"tensorlite.{place}").__all__
    ]
    return f"; there is {' and '.join(found)}" if found else ""


def __dir__() -> list[str]:
    return __all__
