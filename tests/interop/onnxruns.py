"""Functions exported and run by onnxruntime, beside what they give here. No tests: a helper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import tensorlite as tl


def run(model: Any, *arrays: Any, as_written: bool = False) -> list[Any]:
    """Return what onnxruntime computes of a model for arrays in the order of its inputs.

    `as_written` keeps it from putting others in the place of nodes, such as products in int8.
    """
    runtime = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    if as_written:
        options.graph_optimization_level = (
            runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
        )
    session = runtime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    names = [x.name for x in model.graph.input]
    found: list[Any] = session.run(None, dict(zip(names, arrays, strict=True)))
    return found


def exported(function: Callable[..., Any], *specs: Any, **options: Any) -> Any:
    """Return the model of a function for specs of its arguments."""
    traced = function if isinstance(function, tl.Function) else tl.function(function)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        model = tl.interop.onnx.export(traced, path, *specs, **options)
        assert path.read_bytes() == model.SerializeToString()
    return model


def operators(model: Any) -> Counter[str]:
    """Return how often each operator stands in the outermost graph."""
    return Counter(node.op_type for node in model.graph.node)


def check(
    function: Callable[..., Any],
    *arrays: Any,
    sizes: Sequence[Sequence[int | None]] = (),
    tolerance: float = 1e-5,
) -> Any:
    """Assert that a function gives the same here and in onnxruntime; return the model.

    With `sizes`, the arguments are of these shapes, None for sizes that are not known.
    """
    given = [np.asarray(x) for x in arrays]
    shapes = [x.shape for x in given] if not sizes else [tuple(x) for x in sizes]
    specs = [
        tl.TensorSpec(shape, x.dtype) for shape, x in zip(shapes, given, strict=True)
    ]
    model = exported(function, *specs)
    wanted = tl.nest.flatten(function(*[tl.asarray(x) for x in given]))
    found = run(model, *given)
    assert len(found) == len(wanted)
    for y, x in zip(found, wanted, strict=True):
        assert y.shape == x.shape
        assert y.dtype == x.dtype.numpy
        np.testing.assert_allclose(y, x.numpy(), rtol=tolerance, atol=tolerance)
    return model
