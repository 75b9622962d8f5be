"""Weights and models of Keras in files: Keras' own, TensorFlow's checkpoints and SavedModels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tensorlite.compat.v2 import checkpoints
from tensorlite.compat.v2.keras.src.models.in_graphs import apart
from tensorlite.compat.v2.keras.src.saving import archives, older_files, saved_notes
from tensorlite.core.check import a_path
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.spec import TensorSpec
from tensorlite.function.function import function
from tensorlite.interop.tensorflow.stored.saving import save_saved_model
from tensorlite.train.module import Module

_HDF5 = (".h5", ".hdf5")
_FILES = (*_HDF5, ".keras")


@apart
def save_weights(model: Any, filepath: Any, overwrite: bool = True) -> None:
    """Write a model's weights, as a file of Keras or as a checkpoint by the path's ending."""
    path = a_path(filepath, "filepath")
    inside = Path(path if path.endswith(_FILES) else f"{path}.index")
    if not overwrite and inside.exists():
        raise InvalidArgumentError(f"{path} is there already, and overwrite is False")
    if path.endswith(_HDF5) and not path.endswith(".weights.h5"):
        older_files.write_weights(model, path)
    elif path.endswith(_FILES):
        archives.write_weights(model, path)
    else:
        checkpoints.write_weights(model, path)


@apart
def load_weights(
    model: Any, filepath: Any, by_name: bool = False, skip_mismatch: bool = False
) -> Any:
    """Read a model's weights from either."""
    path = a_path(filepath, "filepath")
    if Path(path).is_file() and path.endswith(_HDF5) and older_files.is_older(path):
        return older_files.read_weights(model, path, by_name, skip_mismatch)
    if by_name:
        raise InvalidArgumentError(
            f"load_weights: by_name is for HDF5 files of Keras 2, and {path} is none"
        )
    if path.endswith(_FILES):
        return archives.read_weights(model, path, skip_mismatch)
    return checkpoints.read_weights(model, path)


class _Served(Module):
    """A model as it is saved: its variables, and the function that computes it."""

    def __init__(self, model: Any) -> None:
        def computed(inputs: Any) -> Any:
            return model(inputs)

        call = function(computed, input_signature=[inputs_of(model)])
        setattr(self, "__call__", call)  # noqa: B010
        self.serve = call
        call.get_concrete_function()
        # Keras' names, which modules have for something else.
        vars(self).update(
            variables=[*model.variables, *layers_states(model)],
            trainable_variables=list(model.trainable_variables),
            non_trainable_variables=list(model.non_trainable_variables),
        )


def layers_states(model: Any) -> list[Any]:
    """Return what layers remember from one call to the next."""
    layers = [model, *model.submodules]
    kept = [
        getattr(x, "states", None) for x in layers if getattr(x, "stateful", False)
    ]
    return [state for states in kept for state in states or ()]


def inputs_of(model: Any) -> Any:
    """Return the specs of what a model takes; of one never built, of what it was called with."""
    inputs = getattr(model, "inputs", None)
    if inputs is None:
        return model.first_inputs
    specs = [TensorSpec(x.shape, x.dtype, x.name) for x in inputs]
    return specs[0] if len(specs) == 1 else specs


@apart
def save_model(
    model: Any,
    filepath: Any,
    overwrite: bool = True,
    save_format: Any = None,
    signatures: Any = None,
    include_optimizer: bool = True,
) -> None:
    """Write a model, by its path's ending, as an archive of Keras 3 or as a SavedModel.

    A SavedModel has the weights and what the model was compiled with, but not what the optimizer
    has gathered; `signatures` are its functions. `include_optimizer` is of HDF5 files.
    """
    path = a_path(filepath, "filepath")
    if not overwrite and Path(path).exists():
        raise InvalidArgumentError(f"{path} is there already, and overwrite is False")
    if path.endswith(".keras"):
        archives.write_model(model, path)
    elif path.endswith(_HDF5) or save_format == "h5":
        older_files.write_model(model, path, include_optimizer)
    else:
        export(model, path, signatures)
        saved_notes.write_description(model, inputs_of(model), path)


@apart
def export(model: Any, filepath: Any, signatures: Any = None) -> None:
    """Write a model as a SavedModel, which computes but does not train."""
    path = a_path(filepath, "filepath")
    if inputs_of(model) is None:
        raise InvalidArgumentError(
            "save: it is not known what the model takes; call it once, give its first layer "
            "input_shape=, or save weights"
        )
    save_saved_model(_Served(model), path, signatures)
