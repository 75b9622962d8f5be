"""Keras 2's HDF5 files: whole models and weights, as TensorFlow 1 and 2 write and read them.

The description of a model is JSON among the file's attributes; weights lie under the names of their
layers, in order. Keras 3's files are in archives.py, whose `hdf5` is used here.
"""

from __future__ import annotations

import inspect
import json
from typing import Any

import numpy as np

from tensorlite.compat.v2.keras import initializers, losses
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.models import older_graphs
from tensorlite.compat.v2.keras.src.saving import (
    archives,
    describing,
    recurrent_weights,
)
from tensorlite.core.errors import InvalidArgumentError

_SCALED: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        initializers.HeNormal,
        initializers.HeUniform,
        initializers.LecunNormal,
        initializers.LecunUniform,
    )
}
"""What TensorFlow 1 knows as scalings of variance only."""
_LIMIT = 64512
"""How many bytes an attribute of HDF5 may have."""


def is_older(path: str) -> bool:
    """Return whether a file is one of Keras 2."""
    if not archives.hdf5().is_hdf5(path):
        return False
    with archives.hdf5().File(path, "r") as file:
        return "layer_names" in file.attrs or "model_weights" in file


def write_model(model: Any, path: str, include_optimizer: bool = True) -> None:
    """Write a model's description, weights, and what it was compiled with if asked for."""
    if not model.is_made_of_layers:
        raise InvalidArgumentError(
            f"{path}: a class of one's own is not described in HDF5 files; save its weights, or "
            "the model as .keras or as a SavedModel"
        )
    config = of_version(model)
    trained = training_of(model) if include_optimizer else None
    with archives.hdf5().File(path, "w") as file:
        file.attrs["keras_version"] = b"3.0.0"
        file.attrs["backend"] = b"tensorflow"
        file.attrs["model_config"] = _json(config)
        _write_layers(file.create_group("model_weights"), model)
        if trained is not None:
            file.attrs["training_config"] = _json(trained)
            _write_all(
                file.create_group("optimizer_weights"),
                list(model.optimizer.variables),
            )


def write_weights(model: Any, path: str) -> None:
    """Write a model's weights to an HDF5 file of Keras 2."""
    with archives.hdf5().File(path, "w") as file:
        _write_layers(file, model)


def _json(value: Any) -> bytes:
    return json.dumps(describing.plain(value)).encode()


def training_of(model: Any) -> dict[str, Any] | None:
    """Return what a model was compiled with, in the form of Keras 2; None if it was not."""
    found = dict(model.get_compile_config() or {})
    if not found:
        return None
    form = _as_it_is if naming.is_version_1() else plain_description
    optimizer = form(describing.described(model.optimizer))
    return {
        **{key: _in_full(form(describing.described(x))) for key, x in found.items()},
        "optimizer_config": optimizer,
        "optimizer": None,
        "sample_weight_mode": None,
    }


def _as_it_is(value: Any) -> Any:
    return value


def _in_full(value: Any) -> Any:
    """Return losses and metrics by their whole names, which every version finds."""
    if isinstance(value, list):
        return [_in_full(x) for x in value]
    if isinstance(value, dict) and not describing.is_description(value):
        return {key: _in_full(x) for key, x in value.items()}
    if not isinstance(value, str) or value not in losses.FUNCTIONS:
        return value
    return losses.FUNCTIONS[value].__name__


_ANY = object()
_NEWER = {
    "zero_output_for_mask": False,
    "seed": None,
    "groups": 1,
    "input_axes": None,
    "output_axes": None,
}
"""What Keras 2 does not know of layers, and what that is where nothing was said."""
_ALWAYS_SAID = {"name", "units", "recurrent_activation", "reset_after"}
"""What is said though it is a default: TensorFlow 1 and 2 have others."""


def plain_description(value: Any) -> Any:
    """Return a description in the form of Keras 2, without what it says by default anyway."""
    if isinstance(value, (list, tuple)):
        return [plain_description(x) for x in value]
    if not isinstance(value, dict):
        return value
    if not describing.is_description(value):
        return {key: plain_description(x) for key, x in value.items()}
    name, config = value["class_name"], value["config"]
    if name == "Functional":
        config = {**config, "layers": [_older_layer(x) for x in config["layers"]]}
        return {"class_name": "Model", "config": config}
    if name == "InputLayer":
        older = {"batch_shape": "batch_input_shape"}
        told = {older.get(key, key): x for key, x in config.items()}
        return {"class_name": name, "config": told}
    if name == "DTypePolicy":
        return config["name"]
    if name in _SCALED or name in {"L1", "L2"}:
        return _of_older_class(name, config)
    made = {"class_name": name, "config": plain_description(_said(value))}
    if value.get("module") == "keras.layers":
        made |= {"module": "keras.layers", "registered_name": None}
    return made


def of_version(model: Any) -> dict[str, Any]:
    """Return a model's description in the form of Keras 2, of TensorFlow 1 in programs of it."""
    made: dict[str, Any] = describing.description(model)
    return made if naming.is_version_1() else plain_description(made)


def _as_a_text(made: Any) -> dict[str, Any]:
    """Return a model's description as TensorFlow 1 has it in texts, which say of which Keras."""
    versions = {"keras_version": "2.2.4-tf", "backend": "tensorflow"}
    own = made if naming.is_version_1() else plain_description(made)
    return {**own, **versions}


describing.older_form.append(_as_a_text)


def _of_older_class(name: str, config: dict[str, Any]) -> dict[str, Any]:
    """Return the description of what Keras 2 has as a case of another class."""
    if name not in _SCALED:
        return {"class_name": "L1L2", "config": {"l1": 0.0, "l2": 0.0, **config}}
    rule = zip(("scale", "mode", "distribution"), _SCALED[name].rule, strict=True)
    said = {key: x for key, x in config.items() if _NEWER.get(key, _ANY) != x}
    return {"class_name": "VarianceScaling", "config": {**dict(rule), **said}}


def _said(value: Any) -> Any:
    """Return a configuration without the arguments that have their defaults."""
    kind = describing.class_of(value)
    config = value["config"]
    if not isinstance(kind, type) or not isinstance(config, dict):
        return config
    listed = inspect.signature(kind.__init__).parameters  # type: ignore[misc]
    return {
        key: x
        for key, x in config.items()
        if _NEWER.get(key, _ANY) != x
        and (key not in listed or listed[key].default != x or key in _ALWAYS_SAID)
    }


def _older_layer(one: dict[str, Any]) -> dict[str, Any]:
    """Return the description of a layer whose calls are lists of places."""
    made = plain_description(one)
    return {
        **made,
        "name": one["name"],
        "inbound_nodes": list(map(older_graphs.older_call, one["inbound_nodes"])),
    }


def _write_layers(group: Any, model: Any) -> None:
    layers = list(model.layers)
    _attribute(group, "layer_names", [layer.name for layer in layers])
    group.attrs["backend"], group.attrs["keras_version"] = b"tensorflow", b"3.0.0"
    for layer in layers:
        _write_all(group.create_group(layer.name), _ordered(layer))


def _ordered(layer: Any) -> list[Any]:
    return [*layer.trainable_weights, *layer.non_trainable_weights]


def _write_all(group: Any, variables: list[Any]) -> None:
    names: list[str] = []
    for variable in variables:
        name = getattr(variable, "path", str(variable.name).removesuffix(":0"))
        count = sum(x == name or x.startswith(f"{name}__") for x in names)
        names.append(f"{name}__{count}" if count else name)
    names = [f"{name}:0" for name in names]
    _attribute(group, "weight_names", names)
    for name, variable in zip(names, variables, strict=True):
        group[name] = np.asarray(variable.numpy())


def _attribute(group: Any, name: str, values: list[str]) -> None:
    """Write names; more than an attribute may hold are written in parts."""
    array = (
        np.asarray([x.encode() for x in values]) if values else np.asarray([], "S1")
    )
    count = max(1, -(-array.nbytes // _LIMIT))
    for i, part in enumerate(np.array_split(array, count)):
        group.attrs[name if count == 1 else f"{name}{i}"] = part


def _names(group: Any, name: str) -> list[str]:
    if name in group.attrs:
        found = list(group.attrs[name])
    else:
        keys = [f"{name}{i}" for i in range(len(group.attrs))]
        found = [x for key in keys if key in group.attrs for x in group.attrs[key]]
    return [x.decode() if isinstance(x, bytes) else str(x) for x in found]


def read_weights(
    model: Any, path: str, by_name: bool = False, skip_mismatch: bool = False
) -> None:
    """Give a model the weights of a file: layer by layer in order, or of the same names."""
    with archives.hdf5().File(path, "r") as file:
        group = file.get("model_weights", file)
        if by_name:
            known = {layer.name: layer for layer in model.layers}
            pairs = [
                (known[n], n) for n in _names(group, "layer_names") if n in known
            ]
        else:
            pairs = _in_order(group, model)
        for layer, name in pairs:
            _take(layer, name, _values(group[name]), skip_mismatch)


def _values(group: Any) -> list[Any]:
    return [np.asarray(group[name]) for name in _names(group, "weight_names")]


def _in_order(group: Any, model: Any) -> list[tuple[Any, str]]:
    layers = [layer for layer in model.layers if layer.weights]
    names = [
        x for x in _names(group, "layer_names") if _names(group[x], "weight_names")
    ]
    if len(layers) != len(names):
        raise InvalidArgumentError(
            f"the model has {len(layers)} layers with weights, and the file {len(names)}: {names}"
        )
    return list(zip(layers, names, strict=True))


def _take(layer: Any, name: str, values: list[Any], skip: bool) -> None:
    own = _ordered(layer)
    values = recurrent_weights.fitted(layer, own, values)
    shapes = [tuple(x.shape) for x in own]
    found = [tuple(x.shape) for x in values]
    if shapes != found:
        if skip:
            return
        raise InvalidArgumentError(
            f"the layer {layer.name} has weights of the shapes {shapes}, and {name} in the file "
            f"{found}"
        )
    for variable, value in zip(own, values, strict=True):
        variable.assign(value.astype(variable.dtype.numpy))


def read_model(path: str, compile: bool = True) -> Any:
    """Return the model that a file describes, with its weights."""
    with archives.hdf5().File(path, "r") as file:
        said = file.attrs.get("model_config")
        if said is None:
            raise InvalidArgumentError(
                f"{path} has weights, and no description of a model: build it, and use load_weights"
            )
        config = newer_model(json.loads(said), _version(file) < 3)
        model = describing.restored(config)
        trained = file.attrs.get("training_config") if compile else None
    read_weights(model, path)
    if trained is not None:
        compile_as(model, json.loads(trained))
        with archives.hdf5().File(path, "r") as file:
            if "optimizer_weights" in file:
                _read_optimizer(model, file["optimizer_weights"])
    return model


def newer_model(said: dict[str, Any], is_of_keras_2: bool) -> Any:
    """Return the description of a model, of a file or a text, in the form that there is here."""
    config = newer_description(said)
    return _with_older_activations(config) if is_of_keras_2 else config


def _version(file: Any) -> int:
    said = file.attrs.get("keras_version", b"1")
    text = said.decode() if isinstance(said, bytes) else str(said)
    return int(text.partition(".")[0])


def _with_older_activations(value: Any) -> Any:
    """Return a description in which functions that have changed since are those of Keras 2."""
    if isinstance(value, list):
        return [_with_older_activations(x) for x in value]
    if not isinstance(value, dict):
        return value
    return {
        key: "hard_sigmoid_of_keras_2"
        if key.endswith("activation") and x == "hard_sigmoid"
        else _with_older_activations(x)
        for key, x in value.items()
    }


def newer_description(value: Any) -> Any:
    """Return a description of Keras 2 in the form that descriptions have here."""
    if isinstance(value, list):
        return [newer_description(x) for x in value]
    if not isinstance(value, dict):
        return value
    made = {key: newer_description(x) for key, x in value.items()}
    if not describing.is_description(value):
        return made
    config = made["config"]
    if isinstance(config, list):  # Sequential of the first versions
        made["config"] = {"layers": config}
    elif "input_layers" in config:
        made["class_name"] = "Functional"
        made["config"] = older_graphs.newer(config)
    return made


def compile_as(model: Any, said: dict[str, Any]) -> None:
    """Compile a model with what Keras 2 says of how one was."""
    config = newer_description(said)
    optimizer = config.get("optimizer_config") or config.get("optimizer")
    known = ("loss", "loss_weights", "metrics", "weighted_metrics")
    chosen = {key: config.get(key) for key in known}
    for key in ("metrics", "weighted_metrics"):
        chosen[key] = _metrics(chosen[key])
    model.compile_from_config({**chosen, "optimizer": optimizer})


def _metrics(given: Any) -> Any:
    """Return metrics by the functions that those of Keras 2 wrap, so that they are told apart."""
    if isinstance(given, list):
        made = [_metrics(x) for x in given]
        return made[0] if len(made) == 1 and isinstance(made[0], list) else made
    if (
        describing.is_description(given)
        and given["class_name"] == "MeanMetricWrapper"
    ):
        name = given["config"].get("name")
        return "accuracy" if name in {"acc", "accuracy"} else given["config"]["fn"]
    return given


def _read_optimizer(model: Any, group: Any) -> None:
    """Give the optimizer its state, of either order: slot by slot, or variable by variable."""
    optimizer = model.optimizer
    optimizer.build(model.trainable_variables)
    names, values = _names(group, "weight_names"), _values(group)
    own = list(optimizer.variables)
    if [tuple(x.shape) for x in own] == [x.shape for x in values]:
        optimizer.set_weights(values)
        return
    optimizer.iterations.assign(int(values[0]))
    slots: dict[str, list[Any]] = {}
    for _, name, slot in optimizer.saved_slots():
        slots.setdefault(name, []).append(slot)
    groups: dict[str, list[Any]] = {}
    for name, value in zip(names[1:], values[1:], strict=True):
        title = name.removesuffix(":0").rpartition("/")[2].rstrip("0123456789_")
        groups.setdefault(title, []).append(value)
    for title, found in groups.items():
        for slot, value in zip(slots.get(title, ()), found, strict=False):
            slot.assign(value.astype(slot.dtype.numpy))
