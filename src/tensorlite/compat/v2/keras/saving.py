"""Weights and models of Keras in files: TensorFlow's checkpoints and SavedModels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tensorlite.compat.v2 import checkpoints
from tensorlite.core.errors import InvalidArgumentError, NotFoundError
from tensorlite.core.spec import TensorSpec
from tensorlite.function.function import function
from tensorlite.interop.tensorflow.stored.saved_models import load_saved_model
from tensorlite.interop.tensorflow.stored.saving import save_saved_model
from tensorlite.train.module import Module


def _check(path: str) -> None:
    if path.endswith((".h5", ".hdf5", ".keras")):
        raise InvalidArgumentError(
            f"{path}: HDF5 and .keras files are not written or read here; without the ending "
            "it is a checkpoint of TensorFlow"
        )


def save_weights(model: Any, filepath: Any, overwrite: bool = True) -> None:
    path = str(filepath)
    _check(path)
    if not overwrite and Path(f"{path}.index").exists():
        raise InvalidArgumentError(f"{path} is there already, and overwrite is False")
    checkpoints.write_weights(model, path)


def load_weights(model: Any, filepath: Any) -> Any:
    path = str(filepath)
    _check(path)
    return checkpoints.read_weights(model, path)


class _Served(Module):
    """A model as it is saved: its variables, and the function that computes it."""

    def __init__(self, model: Any) -> None:
        shapes = [TensorSpec(tuple(x.shape), x.dtype) for x in model.inputs]
        call = function(
            lambda *inputs: model(inputs[0] if len(inputs) == 1 else list(inputs)),
            input_signature=shapes,
        )
        setattr(self, "__call__", call)  # noqa: B010
        self.variables_ = list(model.weights)


def save_model(model: Any, filepath: Any) -> None:
    """Write a model as a SavedModel, which computes but does not train."""
    path = str(filepath)
    _check(path)
    if getattr(model, "inputs", None) is None:
        raise InvalidArgumentError(
            "save: it is not known what the model takes; give its first layer input_shape=, call "
            "build, or save weights"
        )
    save_saved_model(_Served(model), path)


def load_model(filepath: Any) -> Any:
    path = str(filepath)
    _check(path)
    if not (Path(path) / "saved_model.pb").exists():
        raise NotFoundError(f"{path} is no SavedModel")
    return load_saved_model(path)
