"""quantize: a model's weights as int8, each channel with a scale of its own.

It works on ONNX models, whoever made them. Activations are calibrating.py's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from tensorlite.core.errors import InvalidArgumentError, NotFoundError
from tensorlite.interop.onnx.calibrating import (
    activations,
    quantize_activations,
    ranges,
)
from tensorlite.interop.onnx.files import writable, write
from tensorlite.interop.onnx.messages import module
from tensorlite.interop.onnx.writing import (
    nodes_of,
)

SMALLEST = 256
"""Weights of fewer elements stay as they are: a scale for each channel would outweigh them."""
_FLOATS = {1: 13, 10: 19}
"""The dtypes of weights, each with the version since when channels may have scales of it."""


def quantize(
    model: Any,
    path: str | Path | None = None,
    smallest: int = SMALLEST,
    calibration: Iterable[Any] | None = None,
) -> Any:
    """Return an ONNX model whose weights are int8, and write it to `path` if one is given.

    `model` is a model or the path of one. The weights of convolutions, products and embeddings
    that have `smallest` elements or more become int8 with one scale per channel, symmetric around
    0, and DequantizeLinear before their use: a quarter of the size, with sums still in floats.

    With `calibration`, batches of arguments such as the model will see, what products are taken
    of is rounded to 256 levels as well, which runtimes use to compute in integers.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "model.onnx")
    >>> weights = tl.random.normal((64, 64))
    >>> model = tl.function(lambda x: x @ weights)
    >>> large = tl.interop.onnx.export(model, path, tl.TensorSpec((None, 64), tl.float32))
    >>> small = tl.interop.onnx.quantize(large)
    >>> [node.op_type for node in small.graph.node]
    ['DequantizeLinear', 'MatMul']
    """
    made = module("onnx").ModelProto()
    made.CopyFrom(_model(model))
    quantize_weights(made, smallest, calibration)
    if path is not None:
        write(made, writable(path))
    return made


def _model(given: Any) -> Any:
    """Return a model, read if it is the path of one."""
    if hasattr(given, "graph"):
        return given
    if not isinstance(given, (str, Path)):
        raise InvalidArgumentError(
            f"{type(given).__name__} is no ONNX model; give one, or the path of one"
        )
    if not Path(given).is_file():
        raise NotFoundError(f"{given} is no file; give the path of an ONNX model")
    decode_error = module("google.protobuf.message").DecodeError
    try:
        return module("onnx").load(str(given))
    except decode_error as error:
        raise InvalidArgumentError(f"{given} is no ONNX model: {error}") from None


def check_kind(kind: str | None) -> None:
    """Raise InvalidArgumentError for a way to quantize that is not there."""
    if kind not in (None, "int8"):
        raise InvalidArgumentError(f"quantize={kind!r}; allowed are None and 'int8'")


def quantize_weights(
    model: Any, smallest: int = SMALLEST, calibration: Iterable[Any] | None = None
) -> None:
    """Make a model's weights int8, in place; with calibration, activations too."""
    graph = model.graph
    floats = _floats(model)
    given = {x.name for x in graph.input}
    arrays = {x.name: x for x in graph.initializer if x.name not in given}
    chosen = {
        name: axis
        for name, axis in _weights(graph, arrays).items()
        if axis is not None
        and arrays[name].data_type in floats
        and prod(arrays[name].dims) >= smallest
    }
    if calibration is not None:
        names = activations(graph, chosen)
        quantize_activations(graph, ranges(model, names, calibration))
    made = [_replace(graph, arrays[name], axis) for name, axis in chosen.items()]
    nodes = [*made, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    module("onnx.checker").check_model(model, full_check=True)


def _floats(model: Any) -> list[int]:
    """Return the dtypes of weights that a model's version has scales for."""
    versions = [x.version for x in model.opset_import if x.domain in ("", "ai.onnx")]
    floats = [x for x, since in _FLOATS.items() if max(versions, default=0) >= since]
    if not floats:
        raise InvalidArgumentError(
            f"the model is of opset {max(versions, default=0)}, in which channels have no scales; "
            "allowed is 13 or later: convert it by onnx.version_converter"
        )
    return floats


def _weights(graph: Any, arrays: Mapping[str, Any]) -> dict[str, int | None]:
    """Return the axis of the channels of each constant; None where its uses do not agree."""
    found: dict[str, int | None] = {}
    for node in nodes_of(graph):
        for place, name in enumerate(node.input):
            if name in arrays:
                axis = _channels(node, place, len(arrays[name].dims))
                known = found.setdefault(name, axis)
                found[name] = axis if axis == known else None
    return found


def _channels(node: Any, place: int, rank: int) -> int | None:
    """Return which axis of a weight is that of the channels; None for what is no weight."""
    flags = {x.name: x.i for x in node.attribute}
    if node.op_type == "MatMul" and place == 1 and rank >= 2:
        return rank - 1
    if node.op_type == "MatMul" and place == 0 and rank >= 2:
        return rank - 2
    if node.op_type == "Gemm" and place == 1:
        return 0 if flags.get("transB") else 1
    if node.op_type == "Gather" and place == 0 and rank == 2:
        return 0 if flags.get("axis", 0) == 0 else None
    if node.op_type == "Conv" and place == 1:
        return 0
    if node.op_type == "ConvTranspose" and place == 1:
        return 1 if flags.get("group", 1) == 1 else None
    return None


def _replace(graph: Any, proto: Any, axis: int) -> Any:
    """Put int8 and scales in the place of a weight; return the node that multiplies them."""
    helper, arrays = module("onnx.helper"), module("onnx.numpy_helper")
    name = proto.name
    weight = arrays.to_array(proto)
    others = tuple([i for i in range(weight.ndim) if i != axis])
    scales = np.abs(weight.astype(np.float64)).max(axis=others) / 127
    scales = np.where(scales > 0, scales, 1.0).astype(weight.dtype)
    wide = [-1 if i == axis else 1 for i in range(weight.ndim)]
    steps = np.rint(weight.astype(np.float64) / scales.reshape(wide))
    levels = np.clip(steps, -127, 127).astype(np.int8)
    graph.initializer.remove(proto)
    graph.initializer.append(arrays.from_array(levels, f"{name}/int8"))
    graph.initializer.append(arrays.from_array(scales, f"{name}/scales"))
    given = [f"{name}/int8", f"{name}/scales"]
    return helper.make_node(
        "DequantizeLinear", given, [name], name=f"DequantizeLinear/{name}", axis=axis
    )
