"""Calibration: between which numbers a model's activations lie, and int8 for them as well.

The model is run by the evaluator that the onnx package has, in NumPy; weights are quantizing.py's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tensorlite.core.dispatch import to_tensor
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.interop.onnx.messages import module

CALIBRATED = ("Conv", "ConvTranspose", "Gemm", "MatMul")
_FLOAT = 1
Range = tuple[float, float]


def ranges(
    model: Any, names: Sequence[str], batches: Iterable[Any]
) -> dict[str, Range]:
    """Return the least and the greatest number of each tensor over batches of arguments.

    A batch is an array, or a tuple of one for each of the model's inputs.
    """
    probe = module("onnx").ModelProto()
    probe.CopyFrom(model)
    helper = module("onnx.helper")
    del probe.graph.output[:]
    for name in names:
        probe.graph.output.append(helper.make_tensor_value_info(name, _FLOAT, None))
    evaluator = module("onnx.reference").ReferenceEvaluator(probe)
    found: dict[str, Range] = {}
    for batch in batches:
        values = evaluator.run(list(names), _arguments(model.graph.input, batch))
        for name, value in zip(names, values, strict=True):
            low, high = found.get(name, (0.0, 0.0))
            found[name] = min(low, float(value.min())), max(high, float(value.max()))
    if not found and names:
        raise InvalidArgumentError(
            "calibration= gives no batches; give a list of arrays such as the model will see"
        )
    return found


def _arguments(inputs: Sequence[Any], batch: Any) -> dict[str, Any]:
    """Return a batch as the model's arguments, by their names."""
    given = batch if isinstance(batch, (tuple, list)) else (batch,)
    if len(given) != len(inputs):
        raise InvalidArgumentError(
            f"a batch of calibration= has {len(given)} arrays; the model takes {len(inputs)}: "
            f"{', '.join(x.name for x in inputs)}"
        )
    dtype_of = module("onnx.helper").tensor_dtype_to_np_dtype
    return {
        x.name: to_tensor(y).numpy().astype(dtype_of(x.type.tensor_type.elem_type))
        for x, y in zip(inputs, given, strict=True)
    }


def activations(graph: Any, weights: Iterable[str]) -> list[str]:
    """Return what products with quantized weights are taken of, each once."""
    quantized = set(weights)
    constants = {x.name for x in graph.initializer} | quantized
    found = [
        name
        for node in graph.node
        if node.op_type in CALIBRATED and quantized.intersection(node.input)
        for name in node.input[:2]
        if name not in constants
    ]
    return list(dict.fromkeys(found))


def quantize_activations(graph: Any, found: Mapping[str, Range]) -> None:
    """Round activations to 256 levels where products take them, in place."""
    made: dict[str, list[Any]] = {}
    renamed = {}
    for name, (low, high) in found.items():
        scale = max(high - low, 1e-12) / 255
        zero = int(np.clip(np.rint(-low / scale), 0, 255))
        renamed[name] = f"{name}/rounded"
        made[name] = _pair(graph, name, renamed[name], scale, zero)
    nodes = [node for x in graph.input if x.name in made for node in made[x.name]]
    for node in graph.node:
        if node.op_type in CALIBRATED:
            for place, name in enumerate(node.input):
                node.input[place] = renamed.get(name, name)
        nodes.append(node)
        nodes += [one for name in node.output for one in made.get(name, ())]
    copies = [_copy(node) for node in nodes]
    del graph.node[:]
    graph.node.extend(copies)


def _copy(node: Any) -> Any:
    copied = type(node)()
    copied.CopyFrom(node)
    return copied


def _pair(graph: Any, name: str, result: str, scale: float, zero: int) -> list[Any]:
    """Return the nodes that round a tensor to its levels; their numbers become constants."""
    helper, arrays = module("onnx.helper"), module("onnx.numpy_helper")
    step, offset, levels = f"{name}/step", f"{name}/zero", f"{name}/uint8"
    graph.initializer.append(arrays.from_array(np.asarray(scale, np.float32), step))
    graph.initializer.append(arrays.from_array(np.asarray(zero, np.uint8), offset))
    return [
        helper.make_node("QuantizeLinear", [name, step, offset], [levels]),
        helper.make_node("DequantizeLinear", [levels, step, offset], [result]),
    ]
