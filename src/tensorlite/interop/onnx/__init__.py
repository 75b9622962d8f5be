"""ONNX: traced inference functions written as models that other runtimes run.

>>> import tempfile, pathlib
>>> path = pathlib.Path(tempfile.mkdtemp(), "model.onnx")
>>> double = tl.function(lambda x: x + x)
>>> model = tl.interop.onnx.export(double, path, tl.TensorSpec((None, 3), tl.float32))
>>> [node.op_type for node in model.graph.node], path.stat().st_size > 0
(['Add'], True)
"""

from tensorlite.interop.onnx.exporting import export
from tensorlite.interop.onnx.quantizing import quantize

__all__ = ["export", "quantize"]
