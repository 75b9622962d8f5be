"""Models of Keras that are read from files: load_model, and models of SavedModels.

What SavedModels say of them is read in saved_notes.py, files of Keras' own in archives.py and
older_files.py.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import tensorlite as tl
from tensorlite.compat.v2.keras.src.models.base import Model
from tensorlite.compat.v2.keras.src.models.in_graphs import apart
from tensorlite.compat.v2.keras.src.saving import (
    archives,
    describing,
    lookup,
    older_files,
    saved_notes,
)
from tensorlite.core import nest
from tensorlite.core.check import a_path
from tensorlite.core.errors import NotFoundError, ShapeError
from tensorlite.core.spec import TensorSpec
from tensorlite.interop.tensorflow.stored.saved_models import load_saved_model

_OWN = frozenset({"Sequential", "Functional", "Model"})


@apart
def load_model(filepath: Any, compile: bool = True) -> Any:
    """Return the model of an archive of Keras, or of a SavedModel."""
    path = a_path(filepath, "filepath")
    if path.endswith(".keras"):
        return archives.read_model(path, compile)
    if Path(path).is_file() and archives.hdf5().is_hdf5(path):
        return older_files.read_model(path, compile)
    if not (Path(path) / "saved_model.pb").exists():
        raise NotFoundError(f"{path} is no SavedModel")
    return _read_saved_model(path, compile)


def _read_saved_model(folder: str, compile: bool) -> Any:
    """Return what a SavedModel holds, as a model if it says what Keras needs to make one.

    One of a class that is not known, or with such layers, computes with the SavedModel's functions.
    """
    loaded = load_saved_model(folder)
    told = saved_notes.read_description(Path(folder))
    if told is None:
        return loaded
    name = told["class_name"]
    is_known = told["config"] is not None and (
        name in _OWN or name in lookup.custom_objects
    )
    try:
        model = _made(told, loaded) if is_known else Revived(loaded, told["name"])
    except describing.UnknownNameError:  # of a layer
        model = Revived(loaded, told["name"])
    trained = told.get("training_config")
    if compile and trained is not None:
        older_files.compile_as(model, trained)
    return model


class Revived(Model):
    """A model of a class that is not known, around the functions of a SavedModel."""

    def __init__(self, loaded: Any, name: str) -> None:
        super().__init__(name=name)
        # In a function, for no attribute that layers look through: the variables are weights.
        self._computed = partial(type(loaded).__call__, loaded)
        self._held.weights += list(loaded.variables)
        self.built = True

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        return self._computed(inputs)


def _made(told: dict[str, Any], loaded: Any) -> Any:
    said = {"class_name": told["class_name"], "config": told["config"]}
    model = describing.restored(older_files.newer_description(said))
    values = list(loaded.variables)
    if not model.weights and values and told.get("save_spec") is not None:
        model(nest.map_structure(_example, told["save_spec"]))
    own = list(model.variables)
    if len(own) > len(values):
        own = list(model.weights)  # Keras 2 keeps no states of draws
    if len(own) > len(values):
        raise ShapeError(
            f"{model.name}: the SavedModel has {len(values)} variables, and the model that it "
            f"describes {len(own)}"
        )
    for variable, value in zip(own, values, strict=False):
        variable.assign(value)
    return model


def _example(spec: TensorSpec) -> Any:
    return tl.zeros([size or 1 for size in spec.shape or ()], dtype=spec.dtype)
