"""TensorFlow's graphs: read, run, written, looked at, without TensorFlow.

>>> graph = tl.interop.tensorflow.from_graphdef('node { name: "x" op: "NoOp" }')
>>> graph.get_operation_by_name("x").op
NoOp()
"""

from tensorlite.interop.tensorflow.inspecting import describe
from tensorlite.interop.tensorflow.reading import from_graphdef, load
from tensorlite.interop.tensorflow.writing import save, to_graphdef

__all__ = ["describe", "from_graphdef", "load", "save", "to_graphdef"]
