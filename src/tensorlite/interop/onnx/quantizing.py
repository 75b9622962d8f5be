"""quantize: a model's weights as int8, each channel with a scale of its own.

It works on ONNX models, whoever made them. Activations stay as they are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tensorlite.core.errors import InvalidArgumentError
from tensorlite.interop.onnx.messages import module
from tensorlite.interop.onnx.writing import (
    nodes_of,
)

SMALLEST = 256
"""Weights of fewer elements stay as they are: a scale for each channel would outweigh them."""
_FLOATS = {1: np.float32, 10: np.float16}


def quantize(
    model: Any, path: str | Path | None = None, smallest: int = SMALLEST
) -> Any:
    """Return an ONNX model whose weights are int8, and write it to `path` if one is given.

    `model` is a model or the path of one. The weights of convolutions, products and embeddings
    that have `smallest` elements or more become int8 with one scale per channel, symmetric around
    0, and DequantizeLinear before their use: a quarter of the size, with sums still in floats.

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
    made.CopyFrom(
        model if hasattr(model, "graph") else module("onnx").load(str(model))
    )
    quantize_weights(made, smallest)
    if path is not None:
        Path(path).write_bytes(made.SerializeToString())
    return made


def check_kind(kind: str | None) -> None:
    """Raise InvalidArgumentError for a way to quantize that is not there."""
    if kind not in (None, "int8"):
        raise InvalidArgumentError(f"quantize={kind!r}; allowed are None and 'int8'")


def quantize_weights(model: Any, smallest: int = SMALLEST) -> None:
    """Make a model's weights int8, in place."""
    graph = model.graph
    arrays = {x.name: x for x in graph.initializer}
    found: dict[str, int | None] = {}
    for node in nodes_of(graph):
        for place, name in enumerate(node.input):
            if name in arrays:
                axis = _channels(node, place, len(arrays[name].dims))
                known = found.setdefault(name, axis)
                found[name] = axis if axis == known else None
    dequantized = []
    for name, axis in found.items():
        proto = arrays[name]
        size = int(np.prod(proto.dims))
        if axis is not None and proto.data_type in _FLOATS and size >= smallest:
            dequantized.append(_replace(graph, proto, axis))
    nodes = [*dequantized, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    module("onnx.checker").check_model(model, full_check=True)


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
