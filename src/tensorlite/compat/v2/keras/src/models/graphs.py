"""Descriptions of models: which layers there are and how they were called, in Keras 3's form.

What describes a single layer stands in src/saving/describing.py.
"""

from __future__ import annotations

import importlib
import operator
import sys
from collections.abc import Callable
from functools import partial
from inspect import isfunction
from typing import Any

from tensorlite.compat.shared import nests
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.layers.input import InputLayer, described_input
from tensorlite.compat.v2.keras.src.models import graph_parts, histories, sketch
from tensorlite.compat.v2.keras.src.saving import describing, older_configs
from tensorlite.core.errors import InvalidArgumentError

_TENSOR = "__keras_tensor__"
_OPERATIONS: dict[str, Callable[..., Any]] = {
    "Add": operator.add,
    "Subtract": operator.sub,
    "Multiply": operator.mul,
    "Divide": operator.truediv,
    "TrueDivide": operator.truediv,
    "FloorDivide": operator.floordiv,
    "Power": operator.pow,
    "Mod": operator.mod,
    "Matmul": operator.matmul,
    "Negative": operator.neg,
    "Absolute": operator.abs,
    "GetItem": lambda x, key: x[tuple(key) if isinstance(key, list) else key],
}
"""Operators, by what Keras 3 calls the operations that they note."""
_BY_METHOD = {
    "__add__": "Add",
    "__sub__": "Subtract",
    "__mul__": "Multiply",
    "__truediv__": "TrueDivide",
    "__floordiv__": "FloorDivide",
    "__pow__": "Power",
    "__mod__": "Mod",
    "__matmul__": "Matmul",
    "__neg__": "Negative",
    "__abs__": "Absolute",
    "__getitem__": "GetItem",
}


class _Places:
    """Where each symbolic tensor comes from: a layer's name, which of its calls, which result."""

    def __init__(self, inputs: list[Any], plan: list[Any]) -> None:
        self.calls: dict[str, list[Any]] = {}
        self.layers: dict[str, Any] = {}
        self.of: dict[int, tuple[str, int, int]] = {
            id(x): (x.name, 0, 0) for x in inputs
        }
        for node in plan:
            name = node.layer.name
            self.layers[name] = node.layer
            made = self.calls.setdefault(name, [])
            for i, x in enumerate(nests.flatten(node.outputs)):
                self.of[id(x)] = (name, len(made), i)
            made.append(node)

    def form(self, structure: Any) -> Any:
        """Return a model's inputs or outputs, each as its place."""
        return nests.map_structure(_Place.of(self.of), structure)

    def described(self, value: Any) -> Any:
        """Return the arguments of a call."""
        if sketch.is_leaf(value):
            return {
                "class_name": _TENSOR,
                "config": {
                    "shape": list(value.spec.shape),
                    "dtype": value.dtype.name,
                    "keras_history": list(self.of[id(value)]),
                },
            }
        if isinstance(value, (list, tuple)) and sketch.is_symbolic(value):
            return [self.described(x) for x in value]
        if isinstance(value, dict):
            return {key: self.described(x) for key, x in value.items()}
        return describing.described(value)


class _Place:
    """A place as a list that nests do not look into."""

    def __init__(self, place: tuple[str, int, int]) -> None:
        self.place = place

    @classmethod
    def of(cls, known: dict[int, tuple[str, int, int]]) -> Callable[[Any], _Place]:
        return lambda x: cls(known[id(x)])


def _listed(form: Any) -> Any:
    if isinstance(form, _Place):
        return list(form.place)
    if isinstance(form, dict):
        return {key: _listed(x) for key, x in form.items()}
    return [_listed(x) for x in form]


def config_of(model: Any) -> dict[str, Any]:
    """Return the configuration of a model that was made of inputs and outputs."""
    plan = model._plan  # noqa: SLF001  its own
    places = _Places(model.starts, plan)
    layers = [_input(x) for x in model.starts]
    layers += [_layer(name, layer, places) for name, layer in places.layers.items()]
    return {
        "name": model.name,
        "trainable": model.trainable,
        "layers": layers,
        "input_layers": _listed(places.form(model._input_form)),  # noqa: SLF001
        "output_layers": _listed(places.form(model._output_form)),  # noqa: SLF001
    }


def _input(x: Any) -> dict[str, Any]:
    told = described_input(x)
    config = {**told, "batch_shape": list(told["batch_shape"])}
    if naming.is_version_1():
        config = older_configs.of_input(told)
    return {
        "module": "keras.layers",
        "class_name": "InputLayer",
        "config": config,
        "registered_name": None,
        "name": x.name,
        "inbound_nodes": [],
    }


def _layer(name: str, layer: Any, places: _Places) -> dict[str, Any]:
    calls = places.calls[name]
    if isinstance(layer, histories.PartOfGraph):
        return {
            "module": "tensorlite",
            "class_name": graph_parts.KIND,
            "registered_name": None,
            "name": name,
            "config": graph_parts.config_of(layer),
            "inbound_nodes": [_call([list(node.args)], {}, places) for node in calls],
        }
    if isinstance(layer, sketch.Noted):
        return _operation(name, layer, calls, places)
    return {
        **describing.description(layer),
        "name": name,
        "inbound_nodes": [_call(node.args, node.kwargs, places) for node in calls],
    }


def _call(args: Any, kwargs: Any, places: _Places) -> dict[str, Any]:
    return {
        "args": [places.described(x) for x in args],
        "kwargs": {key: places.described(x) for key, x in kwargs.items()},
    }


def _operation(name: str, layer: Any, calls: Any, places: _Places) -> dict[str, Any]:
    """Return the description of an operator, or of a function that can be found by its name."""
    method = getattr(layer.call, "__name__", "")
    straight = method.replace("__r", "__", 1) if method not in _BY_METHOD else method
    shown = {"name": name, "registered_name": None}
    if method.startswith("__") and straight in _BY_METHOD:
        turned = straight != method
        nodes = [
            _call(x.args[::-1] if turned else x.args, x.kwargs, places) for x in calls
        ]
        kind = _BY_METHOD[straight]
        whole = {"module": "keras.src.ops.numpy", "class_name": kind, **shown}
        return {**whole, "config": {"name": name}, "inbound_nodes": nodes}
    path = _path_of(layer.call)
    return {
        "module": "tensorlite",
        "class_name": "Function",
        **shown,
        "config": {"name": name, "function": path},
        "inbound_nodes": [_call(x.args, x.kwargs, places) for x in calls],
    }


def _path_of(call: Any) -> str:
    """Return where a function of tensorlite is found, which may be inside one that names it."""
    module = str(getattr(call, "__module__", ""))
    if module.startswith("tensorlite."):
        path = f"{module}:{getattr(call, '__qualname__', '')}"
        if _leads_to(path, call):
            return path
        for name in sorted(sys.modules, key=lambda x: (not x.startswith(_PUBLIC), x)):
            if name.startswith("tensorlite."):
                for key, value in list(vars(sys.modules[name]).items()):
                    if isfunction(value) and _is_around(value, call):
                        return f"{name}:{key}"
    raise InvalidArgumentError(
        f"{call!r}, which the model calls, cannot be described: make it a layer's call"
    )


_PUBLIC = "tensorlite.compat.v2"
"""Where functions are looked for first."""


def _leads_to(path: str, call: Any) -> bool:
    try:
        return _is_around(_function(path), call)
    except AttributeError:
        return False


def _is_around(function: Callable[..., Any], call: Any) -> bool:
    """Return whether a function is another one, or decorates or calls it."""
    inner: Any = function
    while inner is not None and inner is not call:
        inner = getattr(inner, "__wrapped__", getattr(inner, "noted", None))
    return inner is call


def _function(path: str) -> Any:
    module, _, inner = path.partition(":")
    if not module.startswith("tensorlite."):
        raise InvalidArgumentError(f"{path}: only functions of tensorlite are called")
    return operator.attrgetter(inner)(importlib.import_module(module))


def remade(kind: Any, config: dict[str, Any]) -> Any:
    """Return the model that a configuration describes."""
    made: dict[tuple[str, int], list[Any]] = {}
    layers: dict[str, Any] = {}
    waiting: list[tuple[str, int, Any]] = []
    for one in config["layers"]:
        name = one.get("name") or one["config"]["name"]
        if one["class_name"] == "InputLayer":
            made[name, 0] = [_placed(one["config"], name)]
            continue
        layers[name] = _layer_of(one)
        waiting += [(name, i, x) for i, x in enumerate(one["inbound_nodes"])]
    _call_all(waiting, layers, made)
    inputs, outputs = config["input_layers"], config["output_layers"]
    return kind(
        inputs=_found(inputs, made),
        outputs=_found(outputs, made),
        name=config.get("name"),
        trainable=config.get("trainable", True),
    )


def _placed(config: dict[str, Any], name: str) -> Any:
    shape = config.get("batch_shape") or config["batch_input_shape"]
    return InputLayer(
        batch_shape=tuple(shape),
        dtype=config.get("dtype"),
        name=name,
        optional=config.get("optional", False),
        sparse=config.get("sparse", False),
        ragged=config.get("ragged", False),
    ).kept


def _layer_of(one: dict[str, Any]) -> Any:
    module, name = str(one.get("module")), one["class_name"]
    if name == graph_parts.KIND:
        return partial(graph_parts.placed, graph_parts.of_config(one["config"]))
    if module == "tensorlite" and name == "Function":
        return _noting(_function(one["config"]["function"]))
    if ".ops." in module and name in _OPERATIONS:
        return _OPERATIONS[name]
    return describing.restored(one)


def _noting(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that notes calls of one."""
    return lambda *args, **kwargs: sketch.noted(
        call, args, kwargs, getattr(call, "__name__", "function").strip("_")
    )


def _like(layer: sketch.Noted) -> Callable[..., Any]:
    """Return a function that does what one does that stands for a layer."""
    if isinstance(layer, histories.PartOfGraph):
        return partial(graph_parts.placed, layer)
    return _noting(layer.call)


def _call_all(waiting: Any, layers: dict[str, Any], made: Any) -> None:
    """Do the calls as soon as what they take is there."""
    while waiting:
        later = []
        for name, i, node in waiting:
            args, kwargs = node["args"], node["kwargs"]
            if not _is_there([args, kwargs], made):
                later.append((name, i, node))
                continue
            given, named = _filled(args, made), _filled(kwargs, made)
            made[name, i] = nests.flatten(layers[name](*given, **named))
        if len(later) == len(waiting):
            raise InvalidArgumentError(
                f"the calls of {sorted({x[0] for x in later})} need what no layer makes"
            )
        waiting = later


def _is_there(value: Any, made: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(_is_there(x, made) for x in value)
    if isinstance(value, dict):
        if value.get("class_name") == _TENSOR:
            return tuple(value["config"]["keras_history"][:2]) in made
        return all(_is_there(x, made) for x in value.values())
    return True


def _filled(value: Any, made: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_filled(x, made) for x in value]
    if not isinstance(value, dict):
        return value
    if value.get("class_name") == _TENSOR:
        name, call, place = value["config"]["keras_history"]
        return made[name, call][place]
    if "class_name" in value:
        return describing.restored(value)
    return {key: _filled(x, made) for key, x in value.items()}


def place_of(value: Any) -> Any:
    """Return the place that the description of a symbolic tensor tells, None of anything else."""
    if isinstance(value, dict) and value.get("class_name") == _TENSOR:
        return value["config"]["keras_history"]
    return None


def place_named(place: list[Any]) -> dict[str, Any]:
    """Return the description of the symbolic tensor at a place."""
    return {"class_name": _TENSOR, "config": {"keras_history": list(place)}}


def mentions_tensors(value: Any) -> bool:
    """Return whether there are symbolic tensors in a description."""
    if isinstance(value, dict):
        return place_of(value) is not None or any(
            map(mentions_tensors, value.values())
        )
    return isinstance(value, (list, tuple)) and any(map(mentions_tensors, value))


def _found(form: Any, made: Any) -> Any:
    """Return the tensors at places."""
    if isinstance(form, dict):
        return {key: _found(x, made) for key, x in form.items()}
    if len(form) == 3 and isinstance(form[0], str) and isinstance(form[1], int):
        return made[form[0], form[1]][form[2]]
    return [_found(x, made) for x in form]


def cut(inputs: Any, outputs: Any) -> tuple[Any, Any]:
    """Return inputs of a model's own in the place of layers' results, and outputs made of them."""
    starts = nests.flatten(inputs)
    values = {
        id(x): _placed(
            {"batch_shape": x.spec.shape, "dtype": x.dtype}, f"{x.name}CLONE"
        )
        if x.node.parents()
        else x
        for x in starts
    }
    for node in sketch.needed(outputs, starts):
        args, kwargs = sketch.filled([node.args, node.kwargs], values)
        made = sketch.record(node.layer, args, kwargs)
        values.update(
            zip(
                map(id, nests.flatten(node.outputs)), nests.flatten(made), strict=True
            )
        )
    return sketch.filled(inputs, values), sketch.filled(outputs, values)


def copied(
    model: Any,
    again: Callable[[Any], Any],
    inputs: Any = None,
    call: Callable[..., Any] | None = None,
) -> Any:
    """Return a model that does the same calls with layers of its own.

    call is asked to call each layer, if there is one.
    """
    given = nests.flatten(inputs) if inputs is not None else None
    first = given or [_placed(described_input(x), x.name) for x in model.starts]
    values = {id(x): y for x, y in zip(model.starts, first, strict=True)}
    made: dict[int, Any] = {}
    for node in model._plan:  # noqa: SLF001  its own
        layer = node.layer
        if id(layer) not in made:
            noted = isinstance(layer, sketch.Noted)
            made[id(layer)] = _like(layer) if noted else again(layer)
        args, kwargs = sketch.filled([node.args, node.kwargs], values)
        own = made[id(layer)]
        called = own if call is None else partial(call, own)
        results = nests.flatten(called(*args, **kwargs))
        values.update(zip(map(id, nests.flatten(node.outputs)), results, strict=True))

    def of(form: Any) -> Any:
        return sketch.filled(form, values)

    outputs = of(model._output_form)  # noqa: SLF001
    return type(model)(inputs=of(model._input_form), outputs=outputs, name=model.name)  # noqa: SLF001
