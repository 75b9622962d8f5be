"""SavedModels of version 2: objects with variables, functions, resources.

What functions are is traces.py's.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from tensorlite.core.dispatch import constant
from tensorlite.core.errors import CheckpointError, GraphDefError
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.function.compile import ConcreteFunction
from tensorlite.interop.tensorflow.stored.checkpoints import CheckpointReader
from tensorlite.interop.tensorflow.stored.metagraphs import MetaGraph
from tensorlite.interop.tensorflow.stored.models import (
    Asset,
    CallableModel,
    CallableObject,
    RestoredObject,
    SavedModel,
    asset_path,
)
from tensorlite.interop.tensorflow.stored.objects import (
    VALUE,
    Slot,
    Tracked,
    load_objects,
    matched,
)
from tensorlite.interop.tensorflow.stored.traces import (
    Library,
    RestoredFunction,
    SignatureFunction,
)
from tensorlite.interop.tensorflow.tensors import array_of, dtype_of, shape_of
from tensorlite.ops.state.variable import Variable
from tensorlite.ops.strings.joining import as_text
from tensorlite.train.module import Module


def object_model(
    meta: MetaGraph, folder: Path, kind: type[ConcreteFunction] = ConcreteFunction
) -> SavedModel:
    """Return a model of version 2; CheckpointError when a variable has no value."""
    return _Objects(meta, folder, kind).model()


class _Objects:
    """The objects of a model of version 2 in the making."""

    def __init__(
        self, meta: MetaGraph, folder: Path, kind: type[ConcreteFunction]
    ) -> None:
        self._meta = meta
        self._folder = folder
        self._nodes = meta.objects.nodes
        self._check()
        self._library = Library(meta.graph_def, meta.objects, self._captured, kind)
        self._constants = {x.name: x for x in meta.graph_def.node}
        root = CallableModel if self._is_called(0) else SavedModel
        self._made: dict[int, Any] = {0: root(meta, folder)}
        self._handles: dict[int, Tensor] = {}
        self._signatures = {
            child.node_id
            for node in self._nodes
            if node.user_object.identifier == "signature_map"
            for child in node.children
        }
        self._values = self._restored()

    def _check(self) -> None:
        count = len(self._nodes)
        for node in self._nodes:
            ids = [x.node_id for x in node.children]
            ids += [x.original_variable_node_id for x in node.slot_variables]
            ids += [x.slot_variable_node_id for x in node.slot_variables]
            if not all(0 <= x < count for x in ids):
                raise GraphDefError(
                    f"{self._folder}: an object has an attribute that is not there"
                )
        for name, one in self._meta.objects.concrete_functions.items():
            if not all(0 <= x < count for x in one.bound_inputs):
                raise GraphDefError(
                    f"{self._folder}: {name} uses an object that is not there"
                )

    def _restored(self) -> dict[int, Any]:
        """Return the value of each variable."""
        numbers = [
            i for i, x in enumerate(self._nodes) if x.WhichOneof("kind") == "variable"
        ]
        self._saved: list[Tracked | None] = [None] * len(self._nodes)
        if not numbers and not any(x.saveable_objects for x in self._nodes):
            return {}
        reader = CheckpointReader(self._folder / "variables" / "variables")
        saved = load_objects(reader)
        if saved is None:
            raise CheckpointError(
                f"{reader.prefix} does not say whose its variables are"
            )
        tracked = [Tracked() for _ in self._nodes]
        for one, node in zip(tracked, self._nodes, strict=True):
            one.children = {x.local_name: tracked[x.node_id] for x in node.children}
            one.slots = [
                Slot(
                    tracked[x.original_variable_node_id],
                    x.slot_name,
                    tracked[x.slot_variable_node_id],
                )
                for x in node.slot_variables
            ]
        held = dict(matched(saved, tracked[0]).pairs)
        self._reader = reader
        self._saved = [held.get(one) for one in tracked]
        found = {}
        for number in numbers:
            other = self._saved[number]
            if other is None or VALUE not in other.values:
                name = self._nodes[number].variable.name
                raise CheckpointError(
                    f"{reader.prefix} has no value of the variable {name!r}"
                )
            found[number] = reader[other.values[VALUE]]
        return found

    def model(self) -> SavedModel:
        """Return the model."""
        model: SavedModel = self._made[0]
        waiting = [0]
        seen = {0}
        while waiting:
            number = waiting.pop()
            for child in self._nodes[number].children:
                self._attach(number, child.local_name, self._object(child.node_id))
                if child.node_id not in seen:
                    seen.add(child.node_id)
                    waiting.append(child.node_id)
        for number, node in enumerate(self._nodes):
            if node.WhichOneof("kind") == "resource":
                self._started(number)
        model.signatures = MappingProxyType(dict(model.signatures))
        return model

    def _is_called(self, number: int) -> bool:
        """Return whether an object has a function for calls of it."""
        children = self._nodes[number].children
        return any(x.local_name == "__call__" for x in children)

    def _attach(self, number: int, name: str, value: Any) -> None:
        owner = self._made[number]
        if isinstance(owner, dict):
            owner[name] = value
        elif isinstance(owner, list):
            if name.isdecimal():
                # What was no object that is saved has left a gap.
                owner += [None] * (int(name) + 1 - len(owner))
                owner[int(name)] = value
        elif isinstance(owner, Module):
            # Also by a name that the class has for something else, such as `variables`.
            vars(owner)[name] = value

    def _object(self, number: int) -> Any:
        if number not in self._made:
            node = self._nodes[number]
            maker = _MAKERS.get(node.WhichOneof("kind") or "")
            made = self._plain_object(number) if maker is None else None
            self._made[number] = made if maker is None else maker(self, number, node)
        return self._made[number]

    def user_object(self, number: int, node: Any) -> Any:
        """Return an object of a user's class: a list, a dict, or something with attributes."""
        kind = node.user_object.identifier
        if kind in {"trackable_list_wrapper", "trackable_tuple_wrapper"}:
            return []
        is_dict = kind in {"trackable_dict_wrapper", "signature_map"}
        return {} if is_dict else self._plain_object(number)

    def _plain_object(self, number: int) -> RestoredObject:
        return CallableObject() if self._is_called(number) else RestoredObject()

    def variable(self, number: int, node: Any) -> Variable:
        """Return a variable, with its value."""
        about, value = node.variable, self._values[number]
        shape, dtype = shape_of(about.shape), dtype_of(about.dtype)
        if not TensorSpec(shape, dtype).accepts(constant(value).spec):
            raise CheckpointError(
                f"the variable {about.name!r} is {dtype.name}{shape}, and its value is "
                f"{value.dtype}{value.shape}"
            )
        made = Variable(
            constant(value, dtype),
            trainable=about.trainable,
            name=about.name.partition(":")[0] or "Variable",
            shape=shape,
        )
        made.distribution = about.synchronization, about.aggregation
        return made

    def constant(self, number: int, node: Any) -> Tensor:
        """Return a constant of the graph."""
        found = self._constants.get(node.constant.operation)
        if found is None or "value" not in found.attr:
            raise GraphDefError(f"there is no constant {node.constant.operation!r}")
        return constant(array_of(found.attr["value"].tensor))

    def asset(self, number: int, node: Any) -> Asset:
        """Return a file that belongs to the model."""
        files = list(self._meta.assets.values())
        place = node.asset.asset_file_def_index
        if not 0 <= place < len(files):
            raise GraphDefError(f"the SavedModel has no file {place}")
        return Asset(asset_path(self._folder, files[place]))

    def function(self, number: int, node: Any) -> RestoredFunction:
        """Return a function with its traces."""
        names = node.function.concrete_functions
        traces = [self._library.trace(x) for x in names]
        name = names[0] if names else f"function {number}"
        return RestoredFunction(name, traces, node.function.function_spec)

    def bare_function(self, number: int, node: Any) -> Any:
        """Return a trace that stands by itself: of a signature, or of a function."""
        about = node.bare_concrete_function
        trace = self._library.trace(about.concrete_function_name)
        spec, keywords = about.function_spec, about.argument_keywords
        restored = RestoredFunction(trace.name, [trace], spec, keywords)
        if number not in self._signatures:
            return trace.concrete if trace.is_known else restored
        (args, kwargs), outputs = trace.takes, trace.concrete.structured_outputs
        specs = (
            [*kwargs.values(), *outputs.values()]
            if isinstance(outputs, dict)
            else [None]
        )
        if args or not all(isinstance(x, TensorSpec) for x in specs):
            return restored

        def run(given: dict[str, Tensor]) -> dict[str, Tensor]:
            tensors = [given[x] for x in sorted(given)]
            found: dict[str, Tensor] = trace.concrete.call_flat(tensors)
            return found

        called = {x: TensorSpec(y.shape, y.dtype, x) for x, y in outputs.items()}
        return SignatureFunction(trace.name, kwargs, called, run, trace.concrete)

    def _captured(self, number: int) -> Tensor:
        """Return what a function was traced with, such as the handle of a variable."""
        kind = self._nodes[number].WhichOneof("kind")
        if kind == "resource":
            return self._resource(number)
        found = self._object(number)
        if isinstance(found, Variable):
            return found.handle
        if isinstance(found, Tensor):
            return found
        if isinstance(found, Asset):
            return found.asset_path
        raise GraphDefError(
            f"a function of the SavedModel uses an object that is {kind or 'of no kind'}, for "
            "which there is nothing here"
        )

    def _child(self, number: int, name: str) -> Callable[..., Any] | None:
        for child in self._nodes[number].children:
            if child.local_name == name:
                found: Callable[..., Any] = self._object(child.node_id)
                return found
        return None

    def _resource(self, number: int) -> Tensor:
        if number not in self._handles:
            make = self._child(number, "_create_resource")
            if make is None:
                raise GraphDefError(
                    f"nothing makes the resource {number} of the SavedModel"
                )
            self._handles[number] = make()
        return self._handles[number]

    def _started(self, number: int) -> None:
        """Give a resource, such as a table, what is in it."""
        start = self._child(number, "_initialize")
        if start is not None:
            start()
        saved = self._saved[number]
        for name, functions in self._nodes[number].saveable_objects.items():
            if (
                saved is not None
                and name in saved.values
                and functions.restore_function
            ):
                self._restore(saved.values[name], functions)

    def _restore(self, key: str, functions: Any) -> None:
        """Give a resource what was saved of it, by the model's own function that does so."""
        save, restore = [
            self._library.trace(self._bare(x)).concrete
            for x in (functions.save_function, functions.restore_function)
        ]
        parts = save.call_flat([constant(np.array(key.encode(), object))])
        names = [as_text(np.asarray(x["name"].numpy()).item()) for x in parts]
        restore.call_flat([constant(self._reader[name]) for name in names])

    def _bare(self, number: int) -> str:
        """Return the name of a trace that stands by itself; GraphDefError where there is none."""
        if not 0 <= number < len(self._nodes):
            raise GraphDefError(f"{self._folder} has no object {number}")
        name: str = self._nodes[number].bare_concrete_function.concrete_function_name
        return name


_MAKERS: dict[str, Callable[[_Objects, int, Any], Any]] = {
    "asset": _Objects.asset,
    "bare_concrete_function": _Objects.bare_function,
    "constant": _Objects.constant,
    "function": _Objects.function,
    "user_object": _Objects.user_object,
    "variable": _Objects.variable,
}
"""What makes an object, by its kind."""
