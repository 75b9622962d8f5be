"""tensorflow.core: modules of TensorFlow's protobuf messages, which programs import by whole names.

A message that a program has by a public name, such as tf.ConfigProto, is that one here; the others
are those of the tensorboard package, which is imported at first use.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

_FILES: Mapping[str, str] = {
    "framework": "allocation_description api_def attr_value cost_graph function graph node_def "
    "op_def resource_handle step_stats summary tensor tensor_description tensor_shape types "
    "variable versions",
    "protobuf": "cluster config debug meta_graph rewriter_config saved_object_graph saver struct "
    "trackable_object_graph verifier_config",
    "util": "event",
    "example": "example feature",
}
_PUBLIC = (
    "tensorlite.compat.v1",
    "tensorlite.compat.v1.train",
    "tensorlite.compat.v1.graphs.configuration",
)


def installed(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return a package's `__getattr__` and `__dir__`; its modules are made, and known to imports.

    >>> from tensorlite.compat.v1.core.framework import graph_pb2
    >>> graph_pb2.GraphDef().node
    []
    """
    made: dict[str, ModuleType] = {}
    for folder, names in _FILES.items():
        made[folder] = ModuleType(f"{package}.{folder}", f"tensorflow.core.{folder}")
        made[folder].__path__ = []
        for name in [f"{x}_pb2" for x in names.split()]:
            setattr(made[folder], name, _module(f"{package}.{folder}.{name}", name))
    sys.modules.update({module.__name__: module for module in made.values()})

    def find(name: str) -> Any:
        if name in made:
            return made[name]
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find, lambda: sorted(made)


def _module(path: str, name: str) -> ModuleType:
    module = ModuleType(path, f"The messages of TensorFlow's {name}.")

    def find(wanted: str) -> Any:
        if not wanted.startswith("_"):
            for holder in _PUBLIC:
                if hasattr(import_module(holder), wanted):
                    return getattr(import_module(holder), wanted)
        if name in {"example_pb2", "feature_pb2"} or wanted.startswith("__"):
            raise AttributeError(f"module {path!r} has no attribute {wanted!r}")
        return getattr(import_module(f"tensorboard.compat.proto.{name}"), wanted)

    module.__getattr__ = find  # type: ignore[method-assign]
    sys.modules[path] = module
    return module
