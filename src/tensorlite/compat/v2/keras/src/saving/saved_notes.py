"""What SavedModels say of Keras' models beside the graph, so that they become models again.

The descriptions have Keras 2's form, which older_files.py knows. TensorFlow keeps them in
`keras_metadata.pb`, and expects then that the graph has a good deal more than is written here; so
they are written where TensorFlow leaves what others put beside its files. The models that are made
of them are in revived.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tensorlite.compat.v2.keras.src.saving import describing, older_files
from tensorlite.core.errors import DataLossError, InvalidArgumentError
from tensorlite.core.spec import TensorSpec
from tensorlite.ops.records import wire

_FILE = Path("assets.extra", "keras_model.json")
_FILE_OF_TENSORFLOW = "keras_metadata.pb"


def write_description(model: Any, specs: Any, folder: str) -> None:
    """Write beside a SavedModel what makes its model again; `specs` are those of its inputs."""
    told = {
        "name": model.name,
        "class_name": model.described_as[1],
        "config": _as_far_as_told(lambda: _config_of(model)),
        "training_config": _as_far_as_told(lambda: older_files.training_of(model)),
        "save_spec": _told(specs),
    }
    file = Path(folder) / _FILE
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(told), encoding="utf-8")


def _as_far_as_told(make: Callable[[], Any]) -> Any:
    """Return what makes a description; None where it has a function that nobody registered."""
    try:
        return describing.plain(make())
    except InvalidArgumentError:
        return None


def _config_of(model: Any) -> Any:
    """Return a model's configuration, which is empty of a class that tells of none."""
    own = type(model).get_config.__module__.startswith(describing.OURS)
    if own and not model.is_made_of_layers:
        return {}
    return older_files.plain_description(describing.description(model))["config"]


def read_description(folder: Path) -> dict[str, Any] | None:
    """Return what Keras says of the model of a SavedModel; None where it says nothing."""
    own, others = folder / _FILE, folder / _FILE_OF_TENSORFLOW
    if own.is_file():
        return _read(own.read_bytes(), own)
    if not others.is_file():
        return None
    for number, value in wire.fields(others.read_bytes()):
        node = dict(wire.fields(value)) if isinstance(value, bytes) else {}
        if number == 1 and node.get(3) == b"root":  # the others are its layers
            return _read(node.get(5, b""), others)
    return None


def _read(text: Any, file: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = _plain(json.loads(text))
    except ValueError as error:
        raise DataLossError(f"{file} is damaged: {error}") from None
    optimizer = (found.get("training_config") or {}).get("optimizer_config")
    if optimizer:  # TensorFlow 2.11 and later has its own among those of programs
        optimizer["class_name"] = optimizer["class_name"].removeprefix("Custom>")
    return found


def _told(specs: Any) -> Any:
    """Return specs of tensors as they are told in JSON."""
    if isinstance(specs, TensorSpec):
        items = [_shape(specs.shape), specs.dtype.name, specs.name]
        return {
            "class_name": "TypeSpec",
            "type_spec": "tf.TensorSpec",
            "serialized": {"class_name": "__tuple__", "items": items},
        }
    if isinstance(specs, dict):
        return {key: _told(x) for key, x in specs.items()}
    return [_told(x) for x in specs]


def _shape(sizes: Any) -> dict[str, Any]:
    return {"class_name": "TensorShape", "items": list(sizes)}


def _plain(value: Any) -> Any:
    """Return what was read from JSON, with shapes, tuples and specs for what tells of them."""
    if isinstance(value, list):
        return [_plain(x) for x in value]
    if not isinstance(value, dict):
        return value
    made = {key: _plain(x) for key, x in value.items()}
    kind = made.get("class_name")
    if kind in {"__tuple__", "TensorShape"} and "items" in made:
        return tuple(made["items"])
    if kind == "TypeSpec" and made.get("type_spec") == "tf.TensorSpec":
        return TensorSpec(*made["serialized"])
    return made
